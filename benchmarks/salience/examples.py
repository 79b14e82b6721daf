"""Training examples: every passage that the memory might keep, and whether it says a gold fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.extraction.scoring import likeness
from cfpm import Role
from cfpm.extractor.extractor import said, sorted_sentences
from cfpm.extractor.statements import CHAT, TO_AGENT
from cfpm.model import Draft
from cfpm.text.salience import Weights, clauses
from cfpm.text.salience.passages import Run, runs, whole

if TYPE_CHECKING:
    from benchmarks.extraction.labelled import Labelled
    from cfpm import Message

_MIN_MESSAGES = 60
"""Messages that hold a word before it gets a weight."""


@dataclass(frozen=True, slots=True)
class Example:
    """A passage of message `message` of conversation number `conversation`; `text` as it would be stored."""

    conversation: int
    message: str
    text: str
    run: Run
    good: bool
    alone: bool
    """True for a sentence that is never joined with its neighbours."""


def examples(sets: Sequence[Labelled], kind: str) -> list[Example]:
    """All passages of all users' messages."""
    found = []
    for number, labelled in enumerate(sets):
        gold = texts_by_source(labelled)
        for message in labelled.conversation.messages:
            if message.role is not Role.USER:
                continue
            for run, alone in _candidates(message, kind):
                text = message.text[run.start : run.end]
                text = f"{message.name}: {text}" if message.name else text
                good = any(likeness(fact, text) for fact in gold.get(message.id, ()))
                found.append(Example(number, message.id, text, run, good, alone))
    return found


def texts_by_source(labelled: Labelled) -> dict[str, list[str]]:
    """The gold facts by the message that shows them."""
    gold: dict[str, list[str]] = {}
    for fact in labelled.gold:
        for source in fact.evidence:
            gold.setdefault(source, []).append(fact.text)
    return gold


def drafts_of(labelled: Labelled, kind: str, table: Weights) -> Iterator[Draft]:
    """What the memory drafts from the users' messages with these weights."""
    for message in labelled.conversation.messages:
        if message.role is Role.USER:
            yield from said(message, to_agent=kind == TO_AGENT, table=table)


def stored(draft: Draft) -> str:
    """The text as the memory shows it."""
    return f"{draft.speaker}: {draft.content}" if draft.speaker else draft.content


def _candidates(message: Message, kind: str) -> Iterator[tuple[Run, bool]]:
    found = sorted_sentences(message, to_agent=kind == TO_AGENT)
    for run in runs(found.pieces, kind):
        yield run, False
    for unit, _ in found.alone:
        if pieces := tuple(clauses(unit.text, unit.start, kind)):
            yield whole(pieces), True


def general_words(found: Sequence[Example]) -> list[str]:
    """Words that occur in every conversation and in many messages, so that no weight belongs to a topic or a person."""
    messages: dict[tuple[int, str], set[str]] = {}
    for example in found:
        messages.setdefault((example.conversation, example.message), set()).update(example.run.words)
    count: Counter[str] = Counter()
    conversations: dict[str, set[int]] = {}
    for (conversation, _), words in messages.items():
        count.update(words)
        for word in words:
            conversations.setdefault(word, set()).add(conversation)
    everywhere = len({example.conversation for example in found})
    return sorted(
        word
        for word, seen in count.items()
        if seen >= _MIN_MESSAGES and len(conversations[word]) == everywhere and word.replace("'", "").isalpha()
    )


__all__ = ["CHAT", "TO_AGENT", "Example", "drafts_of", "examples", "general_words", "stored", "texts_by_source"]
