"""Builds the checkpoint of a stretch from its words, its work, the facts and the checkpoint before it, within a room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.compaction.activity import Activity
from cfpm.context.compaction.checkpoint import MAX_REQUEST, Checkpoint, Section
from cfpm.context.compaction.choosing import Option, fitted, layout, options
from cfpm.context.compaction.lines import seed
from cfpm.context.compaction.names import names_in, words
from cfpm.context.compaction.reading import note_text, read_checkpoint
from cfpm.context.compaction.said import Said, hear
from cfpm.context.compaction.types import Request
from cfpm.context.history import Group, Kind
from cfpm.models import Category, Fact, Status
from cfpm.recall.block import safe
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
EXTRA = (Section.NEXT, Section.OPEN, Section.DECISIONS, Section.ERRORS, Section.APPROVALS, Section.DONE, Section.INVALID)

EXTRA_SHARE = 0.12
OTHER_SHARE = 0.1
REQUEST_SHARE = 0.15
LEAST = 0.0005


@dataclass(frozen=True, slots=True)
class Material:
    """All that a checkpoint is chosen from. `must` is never dropped; `extra` and `other` are taken newest first."""

    must: Mapping[Section, Sequence[str]]
    extra: Mapping[Section, Sequence[str]]
    other: Sequence[str]
    options: Sequence[Option]
    request: str
    room: int
    count: Count


def gather(request: Request, first: Sequence[Group], last: Sequence[Group], between: Sequence[Group]) -> Material:
    """Reads the stretch between the first and the last groups; the facts are only read."""
    prior = _prior(between)
    said = hear([group for group in between if group.kind is not Kind.NOTE])
    kept = "\n".join(_texts((*first, *last)))
    told = _told(prior, said, request.facts, kept)
    activity = Activity()
    for checkpoint in prior:
        seed(activity, checkpoint)
    for group in (*between, *last):
        if group.kind is not Kind.NOTE:
            activity.take(group)
    must = {section: told.get(section, ()) for section in MUST}
    known_text = "\n".join([kept, said.request, *(line for lines in must.values() for line in lines)])
    known = {name.last for word in words(known_text) for name in names_in(word)}
    count = request.history.count
    return Material(
        must,
        {section: told.get(section, ()) for section in EXTRA},
        said.other,
        options(activity, lambda name: name in known, count),
        said.request,
        request.limits.max_tokens,
        count,
    )


def _prior(between: Sequence[Group]) -> list[Checkpoint]:
    found = (read_checkpoint(note_text(group)) for group in between if group.kind is Kind.NOTE)
    return [checkpoint for checkpoint in found if checkpoint is not None]


def _texts(groups: Iterable[Group]) -> Iterator[str]:
    for group in groups:
        for entry in group.entries:
            for part in entry.parts:
                yield part.text
                for call in part.tool_calls:
                    yield " ".join(map(str, call.arguments.values()))


def _told(
    prior: Sequence[Checkpoint], said: Said, facts: Sequence[Fact], kept: str
) -> dict[Section, list[str]]:
    """The lines of each section, what came earlier first; none whose words stand in another or in what is kept."""
    lines: dict[Section, list[str]] = {}
    for checkpoint in prior:
        for section, found in checkpoint.sections:
            target = Section.GOALS if section is Section.REQUEST else section
            lines.setdefault(target, []).extend(found)
    lines.setdefault(Section.GOALS, []).extend(said.asked)
    lines.setdefault(Section.RULES, []).extend(said.rules)
    lines.setdefault(Section.DECISIONS, []).extend(said.decisions)
    lines.setdefault(Section.APPROVALS, []).extend(said.approvals)
    if said.open:
        lines[Section.OPEN] = list(said.open)
    lines[Section.NEXT] = list(said.next)
    there = "\n".join([safe(kept, len(kept) + 1), *(safe(line, 10_000) for found in lines.values() for line in found)])
    for fact in facts:
        section = _OF_FACTS.get(fact.category)
        if section and fact.status is Status.ACTIVE and safe(fact.attributed, 10_000) not in there:
            lines.setdefault(section, []).append(fact.attributed)
    return lines


def build(material: Material, fits: Callable[[Checkpoint], bool]) -> Checkpoint:
    """The checkpoint that fits, or the least that there must be when nothing does."""
    fixed: dict[Section, list[str]] = {section: list(lines) for section, lines in material.must.items()}
    if material.request:
        shown = _shortened(material.request, material)
        fixed = {section: [line for line in lines if line not in shown] for section, lines in fixed.items()}
        fixed[Section.REQUEST] = [shown]
    least = {section: list(lines) for section, lines in fixed.items()}
    _add(fixed, _newest(material.extra), material, EXTRA_SHARE)
    _add(fixed, ((Section.GOALS, line) for line in reversed(material.other)), material, OTHER_SHARE)
    if not fits(layout(fixed, ())):
        return fitted(least, (), fits, LEAST)
    return fitted(fixed, material.options, fits, LEAST)


def _shortened(text: str, material: Material) -> str:
    """The request on one line, its middle left out when it takes more than its share of the room."""
    line = safe(text, MAX_REQUEST)
    allowed = int(material.room * REQUEST_SHARE)
    tokens = material.count(line)
    if tokens <= allowed:
        return line
    ends = max(40, len(line) * allowed // tokens // 2 - 20)
    left = len(line) - 2 * ends
    return line if left <= 0 else f"{line[:ends]} … ({left} characters left out) … {line[-ends:]}"


def _newest(extra: Mapping[Section, Sequence[str]]) -> Iterator[tuple[Section, str]]:
    """One line of each section in turn, the newest first."""
    longest = max(map(len, extra.values()), default=0)
    for back in range(1, longest + 1):
        for section in EXTRA:
            if back <= len(extra[section]):
                yield section, extra[section][-back]


def _add(
    fixed: dict[Section, list[str]], lines: Iterable[tuple[Section, str]], material: Material, share: float
) -> None:
    left = int(material.room * share)
    for section, line in lines:
        cost = material.count(line) + 2
        if cost > left:
            continue
        left -= cost
        fixed.setdefault(section, []).append(line)
