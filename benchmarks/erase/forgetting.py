"""What was forgotten, said again: by the user and the agent, in other words, behind hundreds of other tombstones.

The wordings are development data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.erase.words import word
from cfpm import Category, Memory, Status

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = 600
"""Tombstones that are newer than those asked for."""

FORGOTTEN: tuple[tuple[str, Category, tuple[str, ...]], ...] = (
    (
        "My bank is Halden & Sons in Brixworth",
        Category.PROFILE,
        ("As I said, my bank is Halden & Sons in Brixworth.", "We bank with Halden and Sons, Brixworth."),
    ),
    (
        "My parking bay is number 7741",
        Category.NOTE,
        (
            "Remember: my parking bay is number 7741.",
            "The number of my parking bay: 7741",
            "my parking bay has number 7741, still",
        ),
    ),
    (
        "I was treated for asthma at the Corvey clinic in May",
        Category.EVENT,
        ("In May I was treated at the Corvey clinic for asthma.", "I got asthma treatment at Corvey clinic in May."),
    ),
    (
        "Always send the invoices to Petra Lund",
        Category.INSTRUCTION,
        ("Please always send invoices to Petra Lund.", "The invoices always go to Petra Lund, send them there."),
    ),
    (
        "我的女儿在实验小学读三年级",
        Category.PROFILE,
        ("我女儿在实验小学读三年级。", "对了，我的女儿在实验小学上三年级"),
    ),
)
"""What is forgotten, and the same in other words."""

DIFFERENT = (
    "My bank is Norden Union in Kettering.",
    "My parking bay is number 9902 from today on.",
    "I was born at the harbour hospital in November.",
    "Always send the drawings to Mark Ohlsen.",
    "我的儿子在第二中学读书。",
)
"""What is not forgotten, as near as a new value is to an old one."""


@dataclass(slots=True)
class Returned:
    """How often something was said again, learnt again, and shown again; and what else was not learnt."""

    said: int = 0
    learnt: int = 0
    shown: int = 0
    refused_others: int = 0


def said_again(folder: Path) -> Returned:
    """Forgets, buries it under others, and has it said again by user and agent, each time in a new session."""
    folder.mkdir(parents=True)
    result = Returned()
    with Memory.open(f"sqlite:///{folder / 'forgetting.db'}") as memory:
        for text, category, _ in FORGOTTEN:
            memory.forget(memory.remember(text, category=category).id)
        for number in range(OTHERS):
            name = word("other", number)
            memory.forget(memory.remember(f"The {name} weighs {number} grams", category=Category.NOTE).id)
        for number, (text, _, again) in enumerate(FORGOTTEN):
            for wording in (f"{text}.", f"{text.upper()}!", *again):
                for role, said in (("user", wording), ("assistant", f"Noted: {wording}")):
                    _say(memory, f"{number} {wording} {role}", role, said)
                    result.said += 1
            block = memory.recall(text).block
            result.shown += any(part in block for part in (text, *again))
        active = [fact.content for fact in memory.facts(status=Status.ACTIVE)]
        for text, _, again in FORGOTTEN:
            result.learnt += sum(any(part.strip(".!") in fact for part in (text, *again)) for fact in active)
        for number, text in enumerate(DIFFERENT):
            _say(memory, f"different {number}", "user", text)
        refused = {row.content for row in memory.candidates(reason="forgotten")}
        result.refused_others = len(refused & set(DIFFERENT))
    return result


def _say(memory: Memory, session: str, role: str, text: str) -> None:
    memory.observe([{"role": "user", "content": "Hello there!"}, {"role": role, "content": text}], session=session)
