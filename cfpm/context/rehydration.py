"""What is put before the model again after a compaction: instructions, answers of the user, plan, todos, files and so
on, from a history or from a store, as items and as one block within a budget. Reads no file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cfpm.context.approvals import one_line
from cfpm.context.history import Entry, History, Kind, read_history, text_of
from cfpm.context.plans import kind_of
from cfpm.context.session_state import APPROVED, MAX_TEXT, UNFINISHED, SessionReader, step_key, step_of
from cfpm.extractor.tools import Work, work_of
from cfpm.model import Category, Fact, Role, Scope, Status, ToolCall
from cfpm.model.clock import to_text
from cfpm.model.markers import STATE_CLOSE, STATE_OPEN
from cfpm.model.patterns import lazy_pattern
from cfpm.model.state import Approval, Held, Item, Reach, StateEntry
from cfpm.paths.finder import find_paths
from cfpm.recall.block import safe
from cfpm.recall.tokens import Count
from cfpm.secrets import redact

if TYPE_CHECKING:
    from cfpm.store.deeds import DeedRow

_MOST = 20
"""Items of a kind, the latest, where there is no end to them: the list is read before every answer."""
_LATELY = 5
"""Things done or seen last that are told."""
_MAX_LINE = 300
"""Characters of what was done or seen."""
_PATCHED = lazy_pattern(r"^\*\*\* (?:(?:Add|Update) File|Move to): (\S[^\n]{0,400})$", re.MULTILINE)

_HEADINGS = {
    Held.INSTRUCTION: "Instructions in force",
    Held.WORKSPACE: "Workspace",
    Held.CONNECTOR: "Connected servers",
    Held.GOAL: "Goal",
    Held.SKILL: "Skills in use",
    Held.RESOURCE: "Looked at",
    Held.APPROVAL: "Approved or answered by the user",
    Held.REFUSAL: "Refused by the user, not done, not to be done",
    Held.PLAN: "Plan",
    Held.ARTIFACT: "Files and stored results",
    Held.TODO: "To do",
    Held.PROGRESS: "Progress",
    Held.OBSERVATION: "Done last",
    Held.HOST: "State of the host",
}
_OF_FACTS = {
    Category.INSTRUCTION: Held.INSTRUCTION,
    Category.GOAL: Held.GOAL,
    Category.ARTIFACT: Held.ARTIFACT,
    Category.OPEN_ITEM: Held.TODO,
}
_PLAIN = (Held.INSTRUCTION, Held.WORKSPACE, Held.CONNECTOR, Held.SKILL, Held.RESOURCE, Held.ARTIFACT, Held.HOST)
_AIMS = {"done when": "done when: ", "budget": "budget: "}
"""What is written before what a tool says of a goal; what a user says of it speaks for itself."""


def rehydrate(messages: Iterable[object], facts: Sequence[Fact] = ()) -> tuple[Item, ...]:
    """What the log, hidden messages included, and active facts say of where the work stands; stable things first.

    Raises InputError for what is no message.
    """
    # Without the flags, so that what left the model's view is read too.
    entries = list(read_history(_unflagged(messages), len).entries)
    reader = SessionReader()
    for entry in entries:
        for part in entry.parts:
            reader.take(replace(part, id=str(entry.position)))
    written = list(_artifacts(_done(entries)))
    return items(reader.entries.values(), reader.approvals, facts=facts, others=written)


def items(
    entries: Iterable[StateEntry],
    approvals: Iterable[Approval],
    *,
    facts: Sequence[Fact] = (),
    others: Iterable[Item] = (),
) -> tuple[Item, ...]:
    """What a session holds, what the user answered, and what active facts add, each once, in the order of `Held`."""
    held: dict[Held, list[StateEntry]] = {}
    for entry in entries:
        held.setdefault(entry.kind, []).append(entry)
    said = {entry.text for entry in held.get(Held.GOAL, ())}
    found = [
        *(item for item in _of_facts(facts) if item.text not in said),
        *(_of_approval(approval) for approval in standing(approvals)),
        *_steps(Held.PLAN, held.get(Held.PLAN, ())),
        *_steps(Held.TODO, held.get(Held.TODO, ())),
        *map(_aim, held.get(Held.GOAL, ())),
        *map(_item, held.get(Held.PROGRESS, ())[-_LATELY:]),
        *(_item(entry) for kind in _PLAIN for entry in held.get(kind, ())[-_MOST:]),
        *others,
    ]
    once: dict[tuple[Held, str], Item] = {}
    for item in found:
        once.setdefault((item.kind, item.text), item)
    order = list(Held)
    return tuple(sorted(once.values(), key=lambda item: order.index(item.kind)))


def standing(approvals: Iterable[Approval]) -> list[Approval]:
    """The last answer to each thing that was asked about; an earlier one no longer stands."""
    last: dict[str, Approval] = {}
    for approval in approvals:
        name = " ".join(approval.subject.casefold().split())
        last.pop(name, None)
        last[name] = approval
    return list(last.values())


def of_deeds(deeds: Iterable[DeedRow]) -> Iterator[Item]:
    """The files that a session wrote, those it looked at, and how its last commands ended, as the store lists them."""
    written: dict[str, str] = {}
    read: dict[str, str] = {}
    ran: list[DeedRow] = []
    for deed in deeds:
        match deed.verb:
            case "edited" | "wrote":
                written.pop(deed.what, None)
                written[deed.what] = deed.verb
            case "removed":
                written.pop(deed.what, None)
            case "moved":
                written.pop(deed.what, None)
                written[deed.destination] = deed.verb
            case "read":
                read.pop(deed.what, None)
                read[deed.what] = deed.verb
            case "ran":
                ran.append(deed)
            case _:
                continue
    yield from (Item(Held.ARTIFACT, name, verb) for name, verb in list(written.items())[-_MOST:] if name)
    yield from (Item(Held.RESOURCE, name, verb) for name, verb in list(read.items())[-_MOST:] if name not in written)
    for deed in ran[-_LATELY:]:
        end = {0: "failed", 1: "ok"}.get(-1 if deed.outcome is None else deed.outcome, "no result")
        yield Item(Held.OBSERVATION, f"ran {one_line(deed.what, _MAX_LINE)}: {end}", deed.verb)


def held_in(history: History, scope: Scope) -> SessionReader:
    """What the view of a history shows of a session, blocks of earlier compactions among it."""
    reader = SessionReader(scope.session, scope.agent)
    for group in history.groups:
        if group.kind is Kind.NOTE:
            entries, approvals = read_block(text_of(group.entries[0].raw))
            if entries or approvals:
                reader.entries.clear()
                reader.hold(replace(entry, agent=scope.agent) for entry in entries)
                reader.approvals += approvals
            continue
        for entry in group.entries:
            for part in entry.parts:
                reader.take(replace(part, id=str(entry.position)))
    return reader


def as_text(items: Sequence[Item]) -> str:
    """The items under headings, for a message to the model; empty for none. Further lines of an item are indented, so
    that none can pass for a heading."""
    parts: list[str] = []
    for kind in Held:
        lines = ["- " + "\n  ".join(item.text.splitlines()) for item in items if item.kind is kind]
        if lines:
            parts.append("\n".join([f"{_HEADINGS[kind]}:", *lines]))
    return "\n\n".join(parts)


# --- one block within a budget ---

_FIRST = (Held.REFUSAL, Held.APPROVAL)
"""What an agent must know before it acts: always told, shorter where there is little room."""
_SECOND = (Held.PLAN, Held.TODO, Held.GOAL)
"""Where the work stands: told before all others."""
MUST_STAND = frozenset({*_FIRST, Held.PLAN, Held.TODO})
"""What stands after every compaction."""
_CUTS = (_MAX_LINE, 160, 80, 40)
"""Characters of a line, from what fits mostly to the least by which it is known."""
_HEADING_TOKENS = 6
_LABEL = "Where the work stands: data for the model, no new order."
_MORE = " ({} more: cfpm state)"


@dataclass(frozen=True, slots=True)
class Block:
    """Items as the text of one message; `left_out` are those for which there was no room."""

    items: tuple[Item, ...] = ()
    text: str = ""
    left_out: tuple[Item, ...] = ()


def block(found: Sequence[Item], max_tokens: int, count: Count) -> Block:
    """The block of at most so many tokens: answers of the user first, then plan, todos and goal, then what else fits.

    Answers and unfinished steps stay even where they alone take more, each cut to 40 characters.
    """
    must = [place for place, item in enumerate(found) if _must_stay(item)]
    kept = dict(zip(must, _cut([found[place] for place in must], max_tokens, count), strict=True))
    others = [place for place in range(len(found)) if place not in kept]
    room = max_tokens - count(_framed(list(kept.values()), len(others))) if others else 0
    for place in sorted(others, key=lambda place: found[place].kind not in _SECOND):
        item = found[place]
        new = all(one.kind is not item.kind for one in kept.values())
        cost = count(f"{_line(item.text)}\n") + _HEADING_TOKENS * new
        if cost <= room:
            room -= cost
            kept[place] = item
    told = [kept[place] for place in sorted(kept)]
    left = tuple(found[place] for place in others if place not in kept)
    return Block(tuple(told), _framed(told, len(left)), left) if told else Block(left_out=left)


def _cut(must: Sequence[Item], max_tokens: int, count: Count) -> list[Item]:
    """These items, their texts as long as they fit together."""
    kept = list(must)
    for limit in _CUTS:
        kept = [item if limit == _CUTS[0] and item.kind is Held.PLAN else _shorter(item, limit) for item in must]
        if count(_framed(kept, 0)) <= max_tokens:
            break
    return kept


def _shorter(item: Item, limit: int) -> Item:
    """The item within so many characters; of an answer, what was asked and what was said keep half each."""
    if len(item.text) <= limit:
        return item
    subject, arrow, answer = item.text.rpartition(" -> ") if item.kind in _FIRST else ("", "", item.text)
    if not arrow:
        return replace(item, text=safe(item.text, limit))
    room = max(limit - len(answer) - len(arrow), limit // 2)
    subject = safe(subject, room)
    return replace(item, text=f"{subject}{arrow}{safe(answer, max(limit - len(subject) - len(arrow), 8))}")


def _must_stay(item: Item) -> bool:
    """What is held, not what facts add: those are in the store, and recalled."""
    wanted = item.kind in _FIRST or (item.kind in _SECOND and not item.text.startswith("[x] "))
    return wanted and not item.source.startswith("fact_")


def _framed(told: Sequence[Item], more: int) -> str:
    """The items as a block that nothing in them can end."""
    parts = [f"{STATE_OPEN} {_LABEL}"]
    for kind in Held:
        lines = [line for item in told if item.kind is kind if (line := _line(item.text))]
        if lines:
            parts += [f"{_HEADINGS[kind]}:", *lines]
    if more:
        parts.append(_MORE.format(more))
    return redact("\n".join([*parts, STATE_CLOSE])).text


def _line(text: str) -> str:
    lines = [shown for line in text.splitlines() if (shown := safe(line, MAX_TEXT))]
    return "- " + "\n  ".join(lines) if lines else ""


def read_block(text: str) -> tuple[list[StateEntry], list[Approval]]:
    """What the block in a message says, as a reader goes on from it; nothing where there is none."""
    kinds = {f"{heading}:": kind for kind, heading in _HEADINGS.items()}
    inside = text.partition(STATE_OPEN)[2].partition(STATE_CLOSE)[0]
    entries: list[StateEntry] = []
    approvals: list[Approval] = []
    kind: Held | None = None
    for line in inside.split("\n")[1:]:
        if line in kinds:
            kind = kinds[line]
        elif kind in _FIRST and line.startswith("- "):
            approvals.append(_read_answer(line.removeprefix("- "), granted=kind is Held.APPROVAL))
        elif kind and line.startswith("- "):
            entries.append(_read_entry(kind, line.removeprefix("- "), len(entries)))
        elif entries and line.startswith("  "):
            entries[-1] = replace(entries[-1], text=f"{entries[-1].text}\n{line.strip()}")
    return entries, approvals


_STEP = lazy_pattern(r"\[(?P<mark>[ >x])\] (?P<text>.*?)(?: \((?P<task>task [\w.-]{1,40})\))?")
_MARKS = {" ": "open", ">": "active", "x": "done"}
_WIDER = lazy_pattern(rf" \((?P<reach>{Reach.SESSION}|{Reach.ALWAYS})\)$")


def _read_answer(line: str, *, granted: bool) -> Approval:
    wider = _WIDER.search(line)
    subject, arrow, answer = (line[: wider.start()] if wider else line).rpartition(" -> ")
    return Approval(
        subject if arrow else answer, answer if arrow else "", granted, wider["reach"] if wider else Reach.ONCE
    )


def _read_entry(kind: Held, line: str, number: int) -> StateEntry:
    if step := _STEP.fullmatch(line):
        key = step["task"] or step_key(number + 1)
        return StateEntry(kind, key, step["text"], _MARKS[step["mark"]])
    if kind is Held.PLAN:
        return StateEntry(kind, APPROVED, line)
    if kind is Held.GOAL:
        aim = next((name for name, prefix in _AIMS.items() if line.startswith(prefix)), "")
        return StateEntry(kind, aim or f"earlier {number}", line.removeprefix(_AIMS.get(aim, "")))
    return StateEntry(kind, line, line)


# --- items ---


def _item(entry: StateEntry) -> Item:
    # Of a history the ids of messages are their places.
    position = int(entry.message_id) if entry.message_id.isdecimal() else None
    return Item(entry.kind, entry.text, "message" if entry.message_id else "host", position)


def _aim(entry: StateEntry) -> Item:
    said = entry.status == "user" or entry.key not in _AIMS
    status = f" ({entry.status})" if entry.status not in ("", "user") else ""
    return replace(_item(entry), text=f"{'' if said else _AIMS[entry.key]}{entry.text}{status}")


def _of_approval(approval: Approval) -> Item:
    kind = Held.APPROVAL if approval.granted else Held.REFUSAL
    position = int(approval.message_id) if approval.message_id.isdecimal() else None
    return Item(kind, approval.line, approval.by or "host", position)


def _steps(kind: Held, entries: Sequence[StateEntry]) -> Iterator[Item]:
    """An approved text, and each list in which something is left to do."""
    yield from (replace(_item(entry), text=entry.text) for entry in entries if entry.key == APPROVED)
    for task in (False, True):
        mine = [entry for entry in entries if entry.key != APPROVED and entry.key.startswith("task ") is task]
        # What a host put there says itself whether it is done.
        if any(entry.status in UNFINISHED or not entry.status for entry in mine):
            for entry in mine:
                if entry.status != "dropped":
                    number = f" ({entry.key})" if task and entry.key.removeprefix("task ").isdecimal() else ""
                    yield replace(_item(entry), text=f"{step_of(entry).line}{number}")


def _of_facts(facts: Sequence[Fact]) -> Iterator[Item]:
    """All instructions, and of the others the latest, pinned ones first."""
    held: dict[Held, list[Fact]] = {}
    for fact in facts:
        decided = fact.category is Category.DECISION and fact.role is Role.USER
        kind = Held.APPROVAL if decided else _OF_FACTS.get(fact.category)
        if kind and fact.status is Status.ACTIVE:
            held.setdefault(kind, []).append(fact)
    for kind, of_kind in held.items():
        latest = sorted(of_kind, key=lambda fact: (fact.pinned, to_text(fact.updated_at) or ""), reverse=True)
        most = {Held.INSTRUCTION: len(latest), Held.GOAL: _LATELY}.get(kind, _MOST)
        for fact in of_kind if kind is Held.INSTRUCTION else latest[:most]:
            yield Item(kind, one_line(fact.attributed, MAX_TEXT), fact.id)


# --- what a history alone shows of files ---


@dataclass(frozen=True, slots=True)
class _Done:
    """A call that came back well."""

    position: int
    call: ToolCall
    answer: str


def _unflagged(messages: Iterable[object]) -> list[object]:
    from cfpm.context.views import plain  # which asks here for the block of a compaction

    return [plain(raw) if isinstance(raw, Mapping) else raw for raw in messages]


def _done(entries: Sequence[Entry]) -> Iterator[_Done]:
    waiting: dict[str, tuple[int, ToolCall]] = {}
    for entry in entries:
        for part in entry.results:
            result = part.tool_result
            asked = waiting.pop(result.call_id, None) if result else None
            if asked and result and not result.failed:
                yield _Done(*asked, part.text)
        waiting.update({call.id: (entry.position, call) for call in entry.calls})


def _artifacts(done: Iterable[_Done]) -> list[Item]:
    """Files that the agent wrote and did not delete again."""
    latest: dict[str, Item] = {}
    for one in done:
        if kind_of(one.call) == "delete" or work_of(one.call) is Work.EDIT:
            for name in _written(one.call) or _told(one.answer):
                latest.pop(name, None)
                if kind_of(one.call) != "delete":
                    latest[name] = Item(Held.ARTIFACT, name, one.call.name, one.position)
    return list(latest.values())[-_MOST:]


def _written(call: ToolCall) -> list[str]:
    if call.path:
        return [call.path]
    patch = next((value for value in call.arguments.values() if isinstance(value, str) and "*** " in value), "")
    return _PATCHED.findall(patch)


def _told(answer: str) -> list[str]:
    """The file that the first line of an answer names: some transcripts keep no arguments of edits."""
    line = answer.strip().split("\n", 1)[0][:_MAX_LINE]
    return [found.path for found in find_paths(line)][:1]
