"""What a host puts before the model again after a compaction: loaded instructions, approvals, the plan, artifacts and
todos, from the history's own calls and from facts. References and short texts only; reads no file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from cfpm.context.history import Entry, read_history
from cfpm.context.plans import PlanStep, Progress, asked_of, kind_of, listed_steps, refused, table, with_task
from cfpm.context.views import plain
from cfpm.extractor.tools import Work, work_of
from cfpm.model import Category, Fact, Message, Origin, Role, Status, ToolCall
from cfpm.model.clock import to_text
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.finder import find_paths
from cfpm.transcript.boot_files import reads_boot_file

_MOST = 20
"""Items of a kind, the latest, where there is no end to them: the list is read before every answer."""
_MAX_TEXT = 2_000
"""Characters of one item: a plan that was approved may be long, and the file that holds it is named elsewhere."""
_MAX_LINE = 300
"""Characters of a question or an answer."""
_PATCHED = lazy_pattern(r"^\*\*\* (?:(?:Add|Update) File|Move to): (\S[^\n]{0,400})$", re.MULTILINE)
_STORED = lazy_pattern(r"^Artifact: ([0-9a-f]{12,64})$", re.MULTILINE)
_OUR_NOTE = "[CFPM_"


class Held(StrEnum):
    """What an item is, in the order from what never changes to what changes with every step."""

    INSTRUCTION = "instruction"
    APPROVAL = "approval"
    PLAN = "plan"
    ARTIFACT = "artifact"
    TODO = "todo"


_HEADINGS = {
    Held.INSTRUCTION: "Instructions in force",
    Held.APPROVAL: "Approved or answered by the user",
    Held.PLAN: "Plan",
    Held.ARTIFACT: "Files and stored results",
    Held.TODO: "To do",
}
_OF_FACTS = {
    Category.INSTRUCTION: Held.INSTRUCTION,
    Category.ARTIFACT: Held.ARTIFACT,
    Category.OPEN_ITEM: Held.TODO,
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to put before the model again. `source` is the id of a fact, or the name of the tool that said it, or
    `message`; `position` is the message of the log, None for a fact."""

    kind: Held
    text: str
    source: str
    position: int | None = None

    def to_json(self) -> dict[str, object]:
        """A JSON object with these names."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Done:
    """A call that came back well."""

    position: int
    call: ToolCall
    answer: str


def rehydrate(messages: Iterable[object], facts: Sequence[Fact] = ()) -> tuple[Item, ...]:
    """What the log, hidden messages included, and active facts say of where the work stands; stable things first.

    Raises InputError for what is no message.
    """
    # Without the flags, so that what left the model's view is read too.
    entries = list(read_history(_unflagged(messages), len).entries)
    done = list(_done(entries))
    found = [
        *_of_facts(facts),
        *_instructions(entries, done),
        *list(_approvals(done))[-_MOST:],
        *_plan(done),
        *_artifacts(done),
        *_todos(done),
    ]
    once: dict[tuple[Held, str], Item] = {}
    for item in found:
        once.setdefault((item.kind, item.text), item)
    order = list(Held)
    return tuple(sorted(once.values(), key=lambda item: order.index(item.kind)))


def as_text(items: Sequence[Item]) -> str:
    """The items under headings, for a message to the model; empty for none. Further lines of an item are indented, so
    that none can pass for a heading."""
    parts: list[str] = []
    for kind in Held:
        lines = ["- " + "\n  ".join(item.text.splitlines()) for item in items if item.kind is kind]
        if lines:
            parts.append("\n".join([f"{_HEADINGS[kind]}:", *lines]))
    return "\n\n".join(parts)


def _unflagged(messages: Iterable[object]) -> list[object]:
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
        for fact in of_kind if kind is Held.INSTRUCTION else latest[:_MOST]:
            yield Item(kind, _short(fact.attributed), fact.id)


def _instructions(entries: Sequence[Entry], done: Sequence[_Done]) -> Iterator[Item]:
    for entry in entries:
        for part in entry.parts:
            if part.origin is Origin.BOOT_FILE and part.tool_result is None:
                for name in _announced(part):
                    yield Item(Held.INSTRUCTION, name, "message", entry.position)
    for one in done:
        if reads_boot_file(one.call):
            words = [one.call.path] if one.call.path else re.split(r"[\s\"']+", one.call.command or "")
            for name in filter(_holds_instructions, words):
                yield Item(Held.INSTRUCTION, name, one.call.name, one.position)


def _announced(part: Message) -> list[str]:
    """The files whose contents a host put into a message."""
    pattern = table()["instructions"]["announced"]
    found = [m["file"] or m["directory"].rstrip("/\\") + "/AGENTS.md" for m in re.finditer(pattern, part.text)]
    return list(filter(_holds_instructions, found))


def _holds_instructions(path: str) -> bool:
    return re.fullmatch(table()["instructions"]["files"], re.split(r"[/\\]", path)[-1], re.IGNORECASE) is not None


def _approvals(done: Sequence[_Done]) -> Iterator[Item]:
    for one in done:
        kind = kind_of(one.call)
        if kind == "plan_to_approve" and not refused(one.answer):
            yield Item(Held.APPROVAL, "The plan was approved", one.call.name, one.position)
        elif kind == "question" or (kind == "permission" and not refused(one.answer)):
            text = f"{_line(asked_of(one.call))} -> {_line(one.answer)}"
            yield Item(Held.APPROVAL, text, one.call.name, one.position)


def _plan(done: Sequence[_Done]) -> Iterator[Item]:
    """The plan that was written down last; one that is done is none."""
    for one in reversed(done):
        kind = kind_of(one.call)
        if kind == "plan_to_approve" and not refused(one.answer):
            text = one.call.arguments.get("plan")
            text = text if isinstance(text, str) else one.answer.rpartition(table()["answers"]["plan_opens"])[2]
            yield Item(Held.PLAN, _short(text), one.call.name, one.position)
            return
        if kind == "plan" and (steps := listed_steps(one.call)):
            yield from _lines(Held.PLAN, steps, one)
            return


def _todos(done: Sequence[_Done]) -> Iterator[Item]:
    """The list that was written down last, and the tasks that were added one by one."""
    for one in reversed(done):
        if kind_of(one.call) == "todos" and (steps := listed_steps(one.call)):
            yield from _lines(Held.TODO, steps, one)
            break
    tasks: dict[str, PlanStep] = {}
    last: _Done | None = None
    for one in done:
        if kind_of(one.call) in ("add_task", "change_task"):
            tasks, last = with_task(tasks, one.call, one.answer), one
    if last:
        yield from _lines(Held.TODO, tuple(tasks.values()), last)


def _lines(kind: Held, steps: Sequence[PlanStep], one: _Done) -> Iterator[Item]:
    if any(step.progress in (Progress.OPEN, Progress.ACTIVE) for step in steps):
        for step in steps:
            if step.progress is not Progress.DROPPED:
                yield Item(kind, _short(step.line), one.call.name, one.position)


def _artifacts(done: Sequence[_Done]) -> list[Item]:
    """Files that the agent wrote and did not delete again, and results that stand in a file."""
    latest: dict[str, Item] = {}
    for one in done:
        for name in _named(one):
            latest.pop(name, None)
            if kind_of(one.call) != "delete":
                latest[name] = Item(Held.ARTIFACT, name, one.call.name, one.position)
    return list(latest.values())[-_MOST:]


def _named(one: _Done) -> Iterator[str]:
    if one.answer.startswith(_OUR_NOTE) and (stored := _STORED.search(one.answer)):
        yield f"artifact {stored[1]}: result of {one.call.name}"
    elif kind_of(one.call) == "delete" or work_of(one.call) is Work.EDIT:
        yield from _written(one.call) or _told(one.answer)


def _written(call: ToolCall) -> list[str]:
    if call.path:
        return [call.path]
    patch = next((value for value in call.arguments.values() if isinstance(value, str) and "*** " in value), "")
    return _PATCHED.findall(patch)


def _told(answer: str) -> list[str]:
    """The file that the first line of an answer names: some transcripts keep no arguments of edits."""
    line = answer.strip().split("\n", 1)[0][:_MAX_LINE]
    return [found.path for found in find_paths(line)][:1]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LINE else line[: _MAX_LINE - 4] + " ..."


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 4] + " ..."
