"""Updates and contradictions of BEAM: whether a new value takes the place of the old one, and the two are linked.

The gold links are the messages that the probing questions name. No judgement of recall or of answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.extraction.measures import beam
from benchmarks.extraction.measures.update_cases import DENIAL, clash, questions, update, values
from benchmarks.extraction.result import Example, Result, Row
from benchmarks.extraction.scoring import THRESHOLD, Gold, containment, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor, Prediction
    from benchmarks.extraction.labelled import Labelled
    from benchmarks.extraction.measures.update_cases import Case, Value

NAME = "BEAM 100K updates"
SIZES = ("100K", "500K")
"""The goals are those of the smallest size; the larger chats are for information: few rules were mended by them."""
UPDATE_GOAL = 0.80
CONTRADICTION_GOAL = 0.60
BULLETS = {
    "Information Update": "update bullets: fact in the place of another, or replaced",
    "Logical Contradiction": "contradiction bullets: fact linked to another",
}
"""The questions ask for a part of the updates and contradictions; the plan has more, without their other side."""
STAGES = ("new value stored", "old value superseded", "new in place of the old", "new active in place of the old")
"""A fact that has only gone stale is stored, but not active."""
SHARED = 2
"""Content tokens that the other side of a contradiction must share with the question, to count as that statement."""


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows of each size that is there; None without the chats."""
    found = [_measured(data, size, chats, extractor) for size in SIZES if (chats := beam.labelled(data, size))]
    if not found:
        return None
    return Result(
        tuple(row for result in found for row in result.rows),
        tuple(example for result in found for example in result.examples),
    )


def _measured(data: Path, size: str, chats: Sequence[Labelled], extractor: Extractor) -> Result:
    name = f"BEAM {size} updates"
    updates: list[tuple[Case, tuple[bool, bool, bool, bool]]] = []
    denials: list[tuple[Case, tuple[bool, bool]]] = []
    unsaid = replaced = opposed = 0
    bullets: dict[str, list[bool]] = {label: [] for label in BULLETS}
    for chat in chats:
        conversation = chat.conversation
        texts = {message.id: message.text for message in conversation.messages}
        asked = questions(data / "beam" / size / conversation.session)
        changes = [update(conversation.session, entry, texts) for entry in asked.get("knowledge_update", ())]
        clashes = [clash(conversation.session, entry, texts) for entry in asked.get("contradiction_resolution", ())]
        unsaid += sum(case is None for case in (*changes, *clashes))
        facts = Facts(extractor(conversation))
        replaced += sum(bool(fact.replaced_by) for fact in facts.all)
        opposed += sum(bool(fact.contradicts) for fact in facts.all)
        updates += [(case, facts.updated(case)) for case in changes if case]
        denials += [(case, facts.linked(case)) for case in clashes if case]
        for label, found in bullets.items():
            found += [facts.tied(gold) for gold in chat.gold if gold.label == label]
    rows = (
        *_rows(name, updates, denials, unsaid, replaced, opposed),
        *(_row(name, BULLETS[label], tied) for label, tied in bullets.items()),
    )
    return Result(rows, (*_misses(name, updates, denials),))


def _rows(
    name: str,
    updates: Sequence[tuple[Case, tuple[bool, bool, bool, bool]]],
    denials: Sequence[tuple[Case, tuple[bool, bool]]],
    unsaid: int,
    replaced: int,
    opposed: int,
) -> Iterator[Row]:
    goals = name == NAME
    asked = len(updates) + len(denials) + unsaid
    yield Row(name, "linked messages that say no such values or no denial", unsaid / asked if asked else None, asked)
    for position, stage in enumerate(STAGES):
        goal = UPDATE_GOAL if goals and position == len(STAGES) - 1 else None
        yield _row(name, f"updates: {stage}", [found[position] for _, found in updates], goal)
    yield _row(name, "contradictions: both sides stored", [found[0] for _, found in denials])
    yield _row(
        name,
        "contradictions: the two linked",
        [found[1] for _, found in denials],
        CONTRADICTION_GOAL if goals else None,
    )
    yield Row(name, "facts that another took the place of", float(replaced), replaced)
    yield Row(name, "facts that name another as contradicting", float(opposed), opposed)


def _row(name: str, measure: str, found: Sequence[bool], goal: float | None = None) -> Row:
    return Row(name, measure, sum(found) / len(found) if found else None, len(found), goal)


def _misses(
    name: str,
    updates: Iterable[tuple[Case, tuple[bool, bool, bool, bool]]],
    denials: Iterable[tuple[Case, tuple[bool, bool]]],
) -> Iterator[Example]:
    for case, (stored, superseded, both, active) in updates:
        if not active:
            values = f"{_shown(case.old)} -> {_shown(case.new)}"
            why = "new value stale" if both else "superseded by another fact" if superseded else "old value stands"
            why = why if stored else "new value not stored"
            yield Example(name, "miss", f"{case.question} {values}", why, _place(case))
    for case, (stored, linked) in denials:
        if not linked:
            why = "both stored, not linked" if stored else "one side not stored"
            yield Example(name, "miss", case.question, why, _place(case))


def _shown(values: Iterable[Value]) -> str:
    return ", ".join(sorted(value for _, value in values))


def _place(case: Case) -> str:
    return f"{case.session}: {', '.join(sorted(case.earlier))} | {', '.join(sorted(case.later))}"


class Facts:
    """What an extractor remembers of a chat, and how to follow its links."""

    def __init__(self, predicted: Iterable[Prediction]) -> None:
        self.all = tuple(predicted)
        self.by_id = {fact.id: fact for fact in self.all if fact.id}

    def updated(self, case: Case) -> tuple[bool, bool, bool, bool]:
        """Whether the new value is kept, the old one superseded, that by the new one, and the new one still active."""
        holding = [fact for fact in self._of(case.later) if values(fact.text) & case.new]
        stored = any(fact.status != "superseded" for fact in holding)
        gone = [f for f in self._of(case.earlier) if f.status == "superseded" and values(f.text) & case.old]
        both = any(values(newer.text) & case.new for fact in gone for newer in self._after(fact))
        return stored, bool(gone), both, both and any(fact.status == "active" for fact in holding)

    def linked(self, case: Case) -> tuple[bool, bool]:
        """Whether a denial and what it denies are both stored, and whether one replaced the other or names it."""
        asked = set(tokens(case.question))
        sides = [
            [fact for fact in self._of(side) if len(asked & set(tokens(fact.text))) >= min(SHARED, len(asked))]
            for side in (case.earlier, case.later)
        ]
        denied = [any(DENIAL.search(fact.text) for fact in side) for side in sides]
        stored = all(sides) and any(denied)
        known = [{fact.id for fact in side if fact.id} for side in (self._of(case.earlier), self._of(case.later))]
        pairs = ((sides[0], known[1]), (sides[1], known[0]))
        linked = any(
            other & {*fact.contradicts, *(newer.id for newer in self._after(fact))}
            for side, other in pairs
            for fact in side
        )
        return stored, stored and linked

    def tied(self, gold: Gold) -> bool:
        """Whether a fact that matches the bullet replaced another fact, was replaced, or is known to contradict one."""
        found = [fact for fact in self._of(gold.evidence) if containment(gold.text, fact.text) >= THRESHOLD]
        heirs = {fact.replaced_by for fact in self.all}
        return any(fact.replaced_by or fact.contradicts or fact.id in heirs for fact in found if fact.id)

    def _of(self, sources: frozenset[str]) -> list[Prediction]:
        return [fact for fact in self.all if sources.intersection(fact.sources)]

    def _after(self, fact: Prediction) -> Iterator[Prediction]:
        """What took the fact's place, and what took the place of that."""
        seen: set[str] = set()
        while fact.replaced_by in self.by_id and fact.replaced_by not in seen:
            seen.add(fact.replaced_by)
            fact = self.by_id[fact.replaced_by]
            yield fact
