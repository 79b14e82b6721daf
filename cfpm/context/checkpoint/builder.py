"""Builds the checkpoint of a stretch within a room, from its words, its work, the facts and the prior checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.checkpoint.activity import Activity
from cfpm.context.checkpoint.budget import Shares, limited, shares, shortened
from cfpm.context.checkpoint.checkpoint import LABEL, Checkpoint, Section, read_checkpoint
from cfpm.context.checkpoint.lines import seed
from cfpm.context.checkpoint.names import names_in, words
from cfpm.context.checkpoint.packing import Option, fitted, layout, options, ordered
from cfpm.context.checkpoint.statements import KnownWords, Statements, by_line, demands, merged_steps, read_statements
from cfpm.context.history import Group, Kind, spoken_tokens, text_of
from cfpm.context.strategies.notes import notes_in, taken_over
from cfpm.context.strategies.types import Request
from cfpm.model import Category, Fact, Status
from cfpm.model.markers import CHECKPOINT_OPEN
from cfpm.paths.failure_phrases import FailureKind
from cfpm.recall.tokens import Count

_OF_FACTS = {
    Category.GOAL: Section.GOALS,
    Category.INSTRUCTION: Section.RULES,
    Category.PREFERENCE: Section.RULES,
    Category.DECISION: Section.DECISIONS,
    Category.VERIFIED_ACTION: Section.DONE,
    Category.OPEN_ITEM: Section.OPEN,
    Category.INVALID_PATH: Section.INVALID,
}
MUST = (Section.RULES, Section.GOALS)
EXTRA = (
    Section.NEXT,
    Section.OPEN,
    Section.DECISIONS,
    Section.ERRORS,
    Section.TRIED,
    Section.APPROVALS,
    Section.DONE,
    Section.INVALID,
)
OTHER = (Section.EARLIER, Section.STEPS)

_MORE = (3, 9)
"""How many times their share decisions and other words get when there is room."""

_KINDS = {
    FailureKind.MISSING: "does not exist",
    FailureKind.DENIED: "was denied",
    FailureKind.NOT_A_DIRECTORY: "is no folder",
}
_MAX_ERROR = 160
"""Characters of why something failed."""
_FEWEST_SEARCHED, _TOKENS_A_GROUP = 2_000, 4
"""Groups, counted from the end, of which all is read: at least so many, and one for so many tokens of the budget. Of
older ones neither names that stand in results alone nor what the agent ended its messages with are looked for: newer
ones fill the room. The longest of 81 real sessions has 299 groups."""


@dataclass(frozen=True, slots=True)
class Material:
    """All that a checkpoint is chosen from. `must` is never dropped; `extra` and `other` come newest first."""

    must: Mapping[Section, Sequence[str]]
    extra: Mapping[Section, Sequence[str]]
    other: Mapping[Section, Sequence[str]]
    options: Sequence[Option]
    request: Sequence[str]
    shares: Shares
    room: int
    count: Count


def gather(request: Request, first: Sequence[Group], last: Sequence[Group], between: Sequence[Group]) -> Material:
    """Reads the stretch between the first and the last groups; the facts are only read."""
    prior = _prior(between)
    groups = [group for group in between if group.kind is not Kind.NOTE]
    old = len(groups) - max(_FEWEST_SEARCHED, request.limits.max_tokens // _TOKENS_A_GROUP)
    said = read_statements(groups, opening=not prior, old=old)
    if any(group.kind in (Kind.ASSISTANT, Kind.CALLS) for group in last):
        # What the agent was about to do is past: it goes on in the view.
        said.next = []
    count = request.history.count
    shared = shares(request.limits.max_tokens)
    before = prior[-1].lines(Section.REQUEST) if prior and not said.request else ()
    shown = shortened(said.request or "\n".join(before), shared.request, count)
    kept = "\n".join(_texts((*first, *last)))
    activity = Activity()
    for checkpoint in prior:
        seed(activity, checkpoint)
    for number, group in enumerate(groups):
        activity.take(group, old=number < old)
    for group in last:
        activity.take(group, stays=True)
    if request.held:
        # Steps and answers stand in the block behind the checkpoint.
        said.open, said.approvals = {}, []
    told = _told(prior, said, request.facts, KnownWords.of(kept, *shown))
    _add_failures(told, activity)
    room = request.limits.max_tokens - spoken_tokens((*first, *last)) - sum(count(line) + 2 for line in shown)
    must = limited({section: told.get(section, ()) for section in MUST}, max(0, room), count)
    known_text = "\n".join([kept, *shown, *(line for lines in must.values() for line in lines)])
    known = {name.last for word in words(known_text) for name in names_in(word)}
    return Material(
        must,
        {section: told.get(section, ()) for section in EXTRA},
        {Section.GOALS: said.other, **{section: told[section] for section in OTHER}},
        ordered(options(activity, lambda name: name in known, count, request.limits.max_tokens)),
        shown,
        shared,
        request.limits.max_tokens,
        count,
    )


def _prior(between: Sequence[Group]) -> list[Checkpoint]:
    notes = [group for group in between if group.kind is Kind.NOTE]
    found = [read_checkpoint(text_of(group.entries[0].raw)) for group in notes]
    return [checkpoint for checkpoint in (*map(_of_another_form, notes), *found) if checkpoint is not None]


def _of_another_form(group: Group) -> Checkpoint | None:
    """What the checkpoint of another strategy says, line by line; nothing for one of ours."""
    if text_of(group.entries[0].raw).startswith(f"{CHECKPOINT_OPEN} {LABEL}"):
        return None
    lines = [line for note in notes_in([group]) for line in taken_over(note)]
    return Checkpoint.of({Section.EARLIER: lines}) if lines else None


def _texts(groups: Iterable[Group]) -> Iterator[str]:
    for group in groups:
        for entry in group.entries:
            for part in entry.parts:
                yield part.text
                for call in part.tool_calls:
                    yield " ".join(map(str, call.arguments.values()))


def _told(
    prior: Sequence[Checkpoint], said: Statements, facts: Sequence[Fact], there: KnownWords
) -> Mapping[Section, list[str]]:
    """The lines of each section, what came earlier first; none that says again what stands elsewhere in the view."""
    lines: dict[Section, list[str]] = {section: [] for section in (*MUST, *EXTRA, *OTHER)}
    for checkpoint in prior:
        _told_before(checkpoint, lines, there)
    for section, messages in ((Section.RULES, said.rules), (Section.GOALS, said.asked)):
        for sentences in messages:
            lines[section] += there.packed(sentences)
    if said.open:
        # A list of things to do replaces the one before it.
        lines[Section.OPEN] = list(dict.fromkeys(step for steps in said.open.values() for step in steps))
    for section, found in (
        (Section.DECISIONS, said.decisions),
        (Section.TRIED, said.tried),
        (Section.APPROVALS, said.approvals),
        (Section.NEXT, said.next),
        (Section.STEPS, said.steps),
    ):
        lines[section] += filter(there.is_new, found)
    lines[Section.STEPS] = merged_steps(lines[Section.STEPS])
    there.settle()
    for fact in facts:
        kind = _OF_FACTS.get(fact.category)
        if kind and fact.status is Status.ACTIVE and there.is_new(fact.attributed):
            lines[kind].append(fact.attributed)
    return lines


def _add_failures(lines: Mapping[Section, list[str]], activity: Activity) -> None:
    """What failed last, and the paths that errors named; a path that worked since is no longer told."""
    worked = {name.text for name, use in activity.uses.items() if use.deeds and not use.failed}
    lines[Section.INVALID][:] = [line for line in lines[Section.INVALID] if line.partition(": ")[0] not in worked]
    lines[Section.INVALID] += [f"{path}: {_KINDS[kind]}" for path, kind in activity.broken.items()]
    failures = ((name.last, use) for name, use in activity.uses.items() if use.failed and use.error)
    lines[Section.ERRORS] += [f"{name}: {use.error[:_MAX_ERROR]}" for name, use in failures]


def _told_before(checkpoint: Checkpoint, lines: dict[Section, list[str]], there: KnownWords) -> None:
    """Takes over what a prior checkpoint tells: its last request is one of several now, its next step is past."""
    for section, found in checkpoint.sections:
        if section in lines and section is not Section.NEXT:
            lines[section] += filter(there.is_new, found)
    request = "\n".join(checkpoint.lines(Section.REQUEST))
    asked, rules = demands(request)
    for section, demanded in ((Section.RULES, rules), (Section.GOALS, asked)):
        for sentences in by_line(request, demanded):
            lines[section] += there.packed(sentences)


def build(material: Material, fits: Callable[[Checkpoint], bool]) -> Checkpoint:
    """The checkpoint that fits, or the least that there must be when nothing does.

    Where there is room for more than all names, decisions and other words get more than their share.
    """
    best, full = _built(material, fits, 1)
    for more in _MORE if full else ():
        tried, full = _built(material, fits, more)
        if not full:
            break
        best = tried
    return best


def _built(material: Material, fits: Callable[[Checkpoint], bool], times: int) -> tuple[Checkpoint, bool]:
    fixed = {section: list(lines) for section, lines in material.must.items()}
    if material.request:
        fixed[Section.REQUEST] = list(material.request)
    least = {section: list(lines) for section, lines in fixed.items()}
    shared, count = material.shares, material.count
    _add(fixed, _newest(material.other, (Section.EARLIER,)), shared.request, count)
    _add(fixed, _newest(material.extra, EXTRA), times * shared.extra, count)
    _add(fixed, _newest(material.other, (Section.GOALS,)), times * shared.other, count)
    _add(fixed, _newest(material.other, (Section.STEPS,)), (times - 1) * shared.other, count)
    if not fits(layout(fixed, ())):
        return layout(least, ()), False
    return fitted(fixed, material.options, fits, material.room)


def _newest(lines: Mapping[Section, Sequence[str]], wanted: Sequence[Section]) -> Iterator[tuple[Section, str]]:
    """One line of each section in turn, the newest first."""
    longest = max((len(lines.get(section, ())) for section in wanted), default=0)
    for back in range(1, longest + 1):
        for section in wanted:
            if back <= len(lines.get(section, ())):
                yield section, lines[section][-back]


def _add(fixed: dict[Section, list[str]], lines: Iterable[tuple[Section, str]], left: int, count: Count) -> None:
    """Adds lines while their tokens last, the first to come as the last of its section."""
    added: dict[Section, list[str]] = {}
    for section, line in lines:
        cost = count(line) + 2
        if cost <= left:
            left -= cost
            added.setdefault(section, []).append(line)
    for section, found in added.items():
        fixed.setdefault(section, []).extend(reversed(found))
