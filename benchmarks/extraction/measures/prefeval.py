"""PrefEval: is a preference that a user states found, as preference or as instruction, and what else is taken for one?

Three readings. *Stated*: the user says the gold sentence, then asks the set's question, which states nothing. This is
what "stated preference found" means, so both goals stand here. *Stated amid talk*: the same with a whole chat of
another topic between the two, as the set's own protocol has it; that chat hides a preference of its own. *Revealed in
talk*: such a chat alone. There the gold sentence is a paraphrase of what was said: the row "some sentence holds it"
says how many of them any choice of sentences could reach, and a preference in other words counts as junk, so these
figures compare extractors and say little of any one. Choices between options are left out: nothing is stated in them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.figures import share
from benchmarks.extraction.result import Example, Result, Row
from benchmarks.extraction.scoring import Gold, containment, matches
from cfpm import Message, Role
from cfpm.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor, Prediction

STATED = "PrefEval stated"
AMID = "PrefEval stated amid talk"
REVEALED = "PrefEval revealed in talk"
FOUND = "found as preference or instruction"
PRECISION = "precision of preference and instruction"
RECALL_GOAL = 0.92
PRECISION_GOAL = 0.70
BINDING = frozenset({"preference", "instruction"})

_QUOTES = {'"': '"', "“": "”"}


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation and the preferences in it, each with the messages that may state it."""

    conversation: Conversation
    gold: tuple[Gold, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`found` and `found_anyhow` are numbers of gold preferences, the latter in any category; `junk` matches none."""

    case: Case
    found: frozenset[int]
    found_anyhow: frozenset[int]
    taken: int
    junk: tuple[Prediction, ...]


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows; None without the folder."""
    if not (stated_cases := stated(data)):
        return None
    alone = [outcome(case, extractor) for case in stated_cases]
    amid = [outcome(case, extractor) for case in stated_amid_talk(data)]
    talks = [outcome(case, extractor) for case in revealed(data)]
    rows = (
        _recall(STATED, alone, RECALL_GOAL),
        _precision(STATED, alone, PRECISION_GOAL),
        _recall(AMID, amid),
        _precision(AMID, amid),
        *_revealed_rows(talks),
    )
    return Result(rows, (*_examples(STATED, alone), *_examples(REVEALED, talks)))


def outcome(case: Case, extractor: Extractor) -> Outcome:
    """What an extractor answers for one case. All facts of an extractor without categories are taken for binding."""
    active = [p for p in extractor(case.conversation) if p.status == "active"]
    binding = [p for p in active if p.category in BINDING] if any(p.category for p in active) else active
    found = matches(case.gold, binding)
    right = set(found.values())
    return Outcome(
        case,
        frozenset(found),
        frozenset(matches(case.gold, active)),
        len(binding),
        tuple(p for position, p in enumerate(binding) if position not in right),
    )


def stated(data: Path) -> list[Case]:
    """The preference as the first message, the question as the second."""
    return [
        Case(Conversation(name, (_user(item["preference"], "0"), _user(item["question"], "1"))), (_gold(item, "0"),))
        for name, item in _items(data / "prefeval" / "explicit_preference")
    ]


def revealed(data: Path) -> list[Case]:
    """The chats of personas, each with the preference that it was written to reveal."""
    cases = []
    for name, item in _items(data / "prefeval" / "implicit_preference" / "persona-driven"):
        said = _talk(item)
        users = [message.id for message in said if message.role is Role.USER]
        cases.append(Case(Conversation(name, said), (_gold(item, *users),)))
    return cases


def stated_amid_talk(data: Path) -> list[Case]:
    """The first of `stated` cases, with a chat between statement and question that is half the set away: another
    topic."""
    talks = revealed(data)
    cases = []
    for number, case in enumerate(stated(data) if talks else ()):
        said, asked = case.conversation.messages
        other = talks[(number + len(talks) // 2) % len(talks)]
        later = Message(asked.role, asked.text, "last")
        messages = (Message(said.role, said.text, "first"), *other.conversation.messages, later)
        own = Gold(case.gold[0].text, frozenset({"first"}))
        cases.append(Case(Conversation(case.conversation.session, messages), (own, *other.gold)))
    return cases


def _items(folder: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        for number, item in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            yield f"{path.stem}-{number}", item


def _talk(item: dict[str, Any]) -> tuple[Message, ...]:
    rounds = sorted(item["conversation"].items(), key=lambda pair: int(pair[0]))
    return tuple(
        Message(Role(role), texts[role], f"{number}{role[0]}")
        for number, texts in rounds
        for role in ("user", "assistant")
        if texts.get(role)
    )


def _gold(item: dict[str, Any], *sources: str) -> Gold:
    return Gold(_bare(item["preference"]), frozenset(sources))


def _user(text: str, ident: str) -> Message:
    return Message(Role.USER, _bare(text), ident)


def _bare(text: str) -> str:
    """Some sentences of the set stand in quotation marks from end to end; a user who says them uses none."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] else text


def _recall(name: str, outcomes: Sequence[Outcome], goal: float | None = None) -> Row:
    """Of the first preference of each case: where there are two, the other is only revealed."""
    return Row(name, FOUND, share(sum(0 in o.found for o in outcomes), len(outcomes)), len(outcomes), goal)


def _precision(name: str, outcomes: Sequence[Outcome], goal: float | None = None) -> Row:
    taken = sum(o.taken for o in outcomes)
    return Row(name, PRECISION, share(sum(len(o.found) for o in outcomes), taken), taken, goal)


def _revealed_rows(outcomes: Sequence[Outcome]) -> tuple[Row, ...]:
    count = len(outcomes)
    reachable = sum(_some_sentence_holds(o.case) for o in outcomes)
    return (
        _recall(REVEALED, outcomes),
        Row(REVEALED, "found in any category", share(sum(0 in o.found_anyhow for o in outcomes), count), count),
        Row(REVEALED, "some sentence holds it", share(reachable, count), count),
        _precision(REVEALED, outcomes),
    )


def _some_sentence_holds(case: Case) -> bool:
    users = (message for message in case.conversation.messages if message.role is Role.USER)
    return any(containment(case.gold[0].text, s.text) >= 0.5 for message in users for s in sentences(message.text))


def _examples(name: str, outcomes: Sequence[Outcome]) -> list[Example]:
    missed = [
        Example(
            name,
            "miss",
            o.case.gold[0].text,
            "kept as something else" if o.found_anyhow else "not kept",
            o.case.conversation.session,
        )
        for o in outcomes
        if 0 not in o.found
    ]
    junk = [
        Example(
            name,
            "junk",
            p.text,
            f"{p.category or 'no category'}; gold: {o.case.gold[0].text}",
            o.case.conversation.session,
        )
        for o in outcomes
        for p in o.junk
    ]
    return [*missed, *junk]
