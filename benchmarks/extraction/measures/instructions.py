"""Standing rules: BEAM's user instructions found as `instruction`, its stated preferences as `preference`.

Found is an active fact of that category which cites the bullet's message and holds half of the bullet's content words.
LoCoMo gives the other side: two people who chat give each other advice, and none of it is a rule for an agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.extraction.figures import share
from benchmarks.extraction.measures import beam, locomo
from benchmarks.extraction.result import Example, Result, Row
from benchmarks.extraction.scoring import matches

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor, Prediction
    from benchmarks.extraction.scoring import Gold

NAME = "BEAM standing rules"
CHAT = "LoCoMo standing rules"
WANTED = {"User Instruction": "instruction", "Preference Statement": "preference"}
GOALS = {"User Instruction": 0.90}


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows; None without BEAM."""
    if not (chats := beam.conversations(data)):
        return None
    gold = beam.gold(data)
    active = {chat.session: [p for p in extractor(chat) if p.status == "active"] for chat in chats}
    rows: list[Row] = []
    examples: list[Example] = []
    for label in WANTED:
        bullets = {session: [g for g in facts if g.label == label] for session, facts in gold.items()}
        found = _rows_of(label, bullets, active)
        rows += found[0]
        examples += found[1]
    return Result((*rows, *_chat_rows(data, extractor)), tuple(examples))


def _rows_of(
    label: str, bullets: dict[str, list[Gold]], active: dict[str, list[Prediction]]
) -> tuple[list[Row], list[Example]]:
    category = WANTED[label]
    right = taken = 0
    examples: list[Example] = []
    for session, wanted in bullets.items():
        given = [p for p in active[session] if p.category == category]
        found = matches(wanted, given)
        right, taken = right + len(found), taken + len(given)
        examples += _missed(session, wanted, set(found), active[session])
        if category == "instruction":
            examples += _junk(session, given, set(found.values()))
    count = sum(len(wanted) for wanted in bullets.values())
    rows = [
        Row(NAME, f"{label} found as {category}", share(right, count), count, GOALS.get(label)),
        Row(NAME, f"precision of {category}, held against these bullets alone", share(right, taken), taken),
    ]
    return rows, examples


def _missed(session: str, wanted: Sequence[Gold], found: set[int], active: Sequence[Prediction]) -> list[Example]:
    return [
        Example(NAME, "miss", gold.text, "; ".join(_kept_as(gold, active)) or "nothing cites its message", session)
        for index, gold in enumerate(wanted)
        if index not in found
    ]


def _kept_as(gold: Gold, active: Sequence[Prediction]) -> list[str]:
    return [f"{p.category}: {p.text}" for p in active if not gold.evidence.isdisjoint(p.sources)]


def _junk(session: str, given: Sequence[Prediction], right: set[int]) -> list[Example]:
    return [
        Example(NAME, "junk", p.text, "no bullet gives this rule", session)
        for position, p in enumerate(given)
        if position not in right
    ]


def _chat_rows(data: Path, extractor: Extractor) -> list[Row]:
    chats = locomo.conversations(data)
    if not chats:
        return []
    said = sum(len(chat.messages) for chat in chats)
    taken = sum(p.category == "instruction" for chat in chats for p in extractor(chat))
    return [Row(CHAT, "messages between two people taken for a rule", share(taken, said), said, 0.0, at_least=False)]
