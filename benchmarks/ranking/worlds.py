"""The worlds and queries of `benchmarks queries` as dialogues, in English and Chinese: orders, key words, and questions

to a user's agent about single statements, which long dialogues do not teach. Learns nothing.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from benchmarks.queries.queries import HERE, QuerySet, read, said
from benchmarks.retrieval.sets import Dialogue, Question
from cfpm import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("question", "order", "keywords")
"""Shapes that are learnt from; for the ends of chats stand plain weights."""


def worlds() -> Iterator[Dialogue]:
    """A dialogue for each file of queries."""
    for path in sorted(HERE.glob("*.jsonl")):
        asked = read(path)
        yield Dialogue(asked.name, _sessions(asked), tuple(_questions(asked)))


def _sessions(asked: QuerySet) -> dict[str, tuple[Message, ...]]:
    grouped = groupby(said(asked.statements), key=lambda pair: pair[0])
    return {session: tuple(one for _, one in group) for session, group in grouped}


def _questions(asked: QuerySet) -> Iterator[Question]:
    for query in asked.queries:
        if query.shape in KINDS:
            yield Question(query.text, query.shape, frozenset().union(*query.needed))
