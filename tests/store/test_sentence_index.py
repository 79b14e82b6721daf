"""The sentences of a namespace in one array: what is near to a query is found in any message, also in late and lost
ones, and torn rows harm nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.recall.nearness import asked_vector
from cfpm.store.sentence_index import LOOKED_FOR
from tests.reference.transcripts import agent, user

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TALK = (
    "The heron stood in the shallow water for an hour. Nobody spoke.",
    "Our new oven takes ninety minutes until it is hot. The bakers complain.",
    "My grandmother keeps her letters in a tin under the stairs.",
    "The ferry to the island leaves at seven, and in winter at nine.",
    "Two of the violins have a crack in the neck. They went to the maker.",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as opened:
        for number, text in enumerate(TALK):
            said = [user(text, at=f"2026-03-0{number + 1}T09:00:00Z"), agent("I see.", at="2026-03-09T09:00:00Z")]
            opened.observe(said, session=f"talk {number}")
        yield opened


def nearest(memory: Memory, query: str, count: int = 1) -> list[str]:
    store = memory.store
    turns, _ = store.namespace_index.load(memory.scope.namespace)
    close = store.sentence_index.closeness(memory.scope.namespace, turns, asked_vector(query))
    rows = [row for row in (-close).argsort(kind="stable")[:count] if close[row] > 0]
    return [store.log.by_seq([int(turns.seq[row])])[int(turns.seq[row])].message.text for row in rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Where are granny's old letters?", TALK[2]),
        ("When does the boat sail?", TALK[3]),
        ("How long does the oven need?", TALK[1]),
    ],
)
def test_the_message_with_the_nearest_sentence_is_found(memory: Memory, query: str, found: str) -> None:
    assert nearest(memory, query) == [found]


def test_what_is_said_later_is_found_too(memory: Memory) -> None:
    assert nearest(memory, "Who feeds the goat?") != ["The goat is fed by Aurelio at dawn."]
    memory.observe([user("The goat is fed by Aurelio at dawn.", at="2026-03-10T09:00:00Z")], session="later")
    assert nearest(memory, "Who feeds the goat?") == ["The goat is fed by Aurelio at dawn."]


def test_what_is_read_late_is_found_when_it_is_read(memory: Memory) -> None:
    connection = memory.store.connection
    kept = connection.rows("SELECT seq, space, vectors FROM sentence_vectors WHERE length(vectors) > 0")
    with connection.atomic():
        connection.many("DELETE FROM sentence_vectors WHERE seq = ?", [(seq,) for seq, _, _ in kept])
    assert nearest(memory, "When does the boat sail?") == []
    with connection.atomic():
        connection.many("INSERT INTO sentence_vectors (seq, space, vectors) VALUES (?, ?, ?)", kept)
    assert len(kept) <= LOOKED_FOR
    assert nearest(memory, "When does the boat sail?") == [TALK[3]]


@pytest.mark.parametrize("torn", [b"", b"abc", "text", None])
def test_a_torn_row_harms_no_other(memory: Memory, torn: object) -> None:
    connection = memory.store.connection
    (seq,) = connection.row("SELECT min(seq) FROM sentence_vectors") or (0,)
    with connection.atomic():
        connection.many("UPDATE OR IGNORE sentence_vectors SET vectors = ? WHERE seq = ?", [(torn, seq)])
    assert nearest(memory, "When does the boat sail?") == [TALK[3]]


def test_what_was_erased_is_not_found(memory: Memory) -> None:
    assert nearest(memory, "When does the boat sail?") == [TALK[3]]
    memory.erase(session="talk 3")
    assert TALK[3] not in nearest(memory, "When does the boat sail?", count=9)


def test_another_namespace_has_its_own(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", namespace="other") as other:
        other.observe([user("The tram to the lake leaves at six.", at="2026-03-11T09:00:00Z")], session="one")
        assert nearest(other, "When does the boat sail?", count=9) == ["The tram to the lake leaves at six."]
    assert nearest(memory, "When does the boat sail?") == [TALK[3]]
