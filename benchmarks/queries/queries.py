"""Reads queries of every shape, and tells the worlds that they are about to a memory. Scores nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import Message, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cfpm import Memory

HERE = Path(__file__).parent / "data"
"""The folder of the queries."""

LABELS = Path(__file__).parent.parent / "labels"
"""The folder of the worlds."""

SESSION = 15
"""Statements told in one session; a world is told in three."""

_BEGINS = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is what a host hands over; `needed` are the groups of message ids of which any one answers."""

    shape: str
    text: str
    needed: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a user said, under the id that its message gets."""

    ident: str
    world: str
    number: int
    text: str
    relation: str
    of: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuerySet:
    """The queries of a file with all statements of their worlds, in the order in which they are told."""

    name: str
    statements: tuple[Statement, ...]
    queries: tuple[Query, ...]


def read(path: Path) -> QuerySet:
    """Reads a file of queries and the worlds that it names. Raises ValueError for a world that is not in the labels."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    worlds = {name: world(name) for name in dict.fromkeys(row["world"] for row in rows)}
    return QuerySet(
        path.stem,
        tuple(one for statements in worlds.values() for one in statements),
        tuple(query for row in rows for query in _queries(row, worlds[row["world"]])),
    )


def world(name: str) -> list[Statement]:
    """The statements of a world of the labels, such as `w1-02`."""
    path = LABELS / f"worlds-{name.partition('-')[0]}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    found = [
        Statement(f"{name}-{row['n']}", name, row["n"], row["text"], row["relation"], tuple(row["of"]))
        for row in rows
        if row["world"] == name
    ]
    if not found:
        raise ValueError(f"{name}: no such world in {path}. Name one of the labels")
    return found


def _queries(row: dict[str, object], statements: Sequence[Statement]) -> Iterator[Query]:
    """The query; the end of a chat once as bare texts and once with who speaks, as hosts write it."""
    shape, said, numbers = str(row["shape"]), row["query"], row["needed"]
    assert isinstance(numbers, list)
    needed = tuple(_saying(number, statements) for number in numbers)
    if isinstance(said, str):
        yield Query(shape, said, needed)
        return
    assert isinstance(said, list)
    yield Query(shape, "\n".join(message["content"] for message in said), needed)
    labelled = (f"{message['role'].capitalize()}: {message['content']}" for message in said)
    yield Query(f"{shape}, speakers", "\n".join(labelled), needed)


def _saying(number: int, statements: Sequence[Statement]) -> frozenset[str]:
    """The statement and those that say the same."""
    same = [one for one in statements if one.relation == "same" and number in one.of]
    return frozenset({one.ident for one in same} | {one.ident for one in statements if one.number == number})


def said(statements: Sequence[Statement]) -> Iterator[tuple[str, Message]]:
    """Each statement as a message of a user, with its session; a session every other day."""
    for number, one in enumerate(statements):
        session, place = divmod(number, SESSION)
        at = _BEGINS + timedelta(days=2 * session, minutes=place)
        yield f"{one.world}-{session}", Message(id=one.ident, role=Role.USER, text=one.text, created_at=at)


def told(statements: Sequence[Statement], memory: Memory) -> None:
    """Observes them, a session at a time."""
    for session, group in groupby(said(statements), key=lambda pair: pair[0]):
        memory.observe([message for _, message in group], session=session)
