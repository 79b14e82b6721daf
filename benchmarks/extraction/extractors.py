"""The extractors that can be scored by name: the memory itself, and baselines that any memory must beat."""

from __future__ import annotations

import re
import tempfile
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.extraction.conversation import Prediction
from benchmarks.extraction.foreign import foreign
from benchmarks.extraction.scoring import tokens
from cfpm import Memory, Role, Settings, Status, UsageError
from cfpm.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.extraction.conversation import Conversation, Extractor
    from cfpm import Candidate, Fact


def extractor(name: str) -> Extractor:
    """The extractor of a name, or a user's own as `module:function`. Raises UsageError for one that is not there."""
    if found := EXTRACTORS.get(name):
        return found
    if ":" in name:
        return foreign(name)
    known = ", ".join(EXTRACTORS)
    raise UsageError(f"extractor {name!r}", "there is none of that name", f"Use one of {known}, or module:function")


def cfpm(conversation: Conversation) -> list[Prediction]:
    """All facts that the memory holds after observing the conversation, those no longer believed as well, and what was
    folded into one as its evidence."""
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=Settings(durability="normal")) as memory,
    ):
        memory.observe(conversation.messages, session=conversation.session)
        held = [_prediction(fact) for fact in memory.facts() if fact.status is not Status.FORGOTTEN]
        return held + [_evidence(row) for row in memory.candidates(reason="folded")]


def _prediction(fact: Fact) -> Prediction:
    speaker = getattr(fact, "speaker", "")
    return Prediction(
        text=f"{speaker}: {fact.content}" if speaker else fact.content,
        sources=(fact.message_id,),
        category=fact.category.value,
        score=getattr(fact, "salience", fact.confidence),
        id=fact.id,
        status=fact.status.value,
        replaced_by=fact.superseded_by,
        contradicts=tuple(fact.contradicts.split()),
    )


def _evidence(row: Candidate) -> Prediction:
    return Prediction(
        text=row.content,
        sources=(row.span.message_id,),
        category=row.category.value,
        score=row.salience,
        id=row.id,
        status=Status.ACTIVE.value,
    )


def turns(conversation: Conversation) -> list[Prediction]:
    """Every message of a user, whole."""
    return [_unit(text, name, source) for text, name, source in _said(conversation)]


def every_sentence(conversation: Conversation) -> list[Prediction]:
    """Every sentence of a user."""
    return [_unit(text, name, source) for text, name, source in _sentences(conversation)]


def first_person(conversation: Conversation) -> list[Prediction]:
    """The sentences in which users speak of themselves with one of the words of `baseline_words.toml`."""
    person, salient = _patterns()
    return [
        _unit(text, name, source)
        for text, name, source in _sentences(conversation)
        if person.search(text) and salient.search(text)
    ]


def _said(conversation: Conversation) -> Iterator[tuple[str, str, str]]:
    for message in conversation.messages:
        if message.role is Role.USER and message.text.strip():
            yield message.text, message.name, message.id


def _sentences(conversation: Conversation) -> Iterator[tuple[str, str, str]]:
    for text, name, source in _said(conversation):
        for sentence in sentences(text):
            yield sentence.text, name, source


def _unit(text: str, name: str, source: str) -> Prediction:
    """With the speaker's name where there is one; the longer, the better the rank, which beats the order of time."""
    named = f"{name}: {text}" if name else text
    return Prediction(named, (source,), score=float(len(tokens(named))))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    file = resources.files("benchmarks.extraction").joinpath("baseline_words.toml")
    words: dict[str, list[str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    person = "|".join(rf"\b{word}\b" if word.isascii() else word for word in words["first_person"])
    salient = "|".join(rf"\b{word}" if word.isascii() else word for word in words["salient"])
    return re.compile(person, re.IGNORECASE), re.compile(salient, re.IGNORECASE)


EXTRACTORS: dict[str, Extractor] = {
    "cfpm": cfpm,
    "turns": turns,
    "sentences": every_sentence,
    "regex": first_person,
}
