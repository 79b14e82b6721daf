"""Vectors of sentences live and die with their message, and with the one that it was read with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm import Memory
from cfpm.settings import Settings
from cfpm.text.heads.answering import MOST_SENTENCES, NAME, WIDTH, sentence_vectors

if TYPE_CHECKING:
    from pathlib import Path

ASKED, ANSWERED = "Which boat do you want to take to the regatta?", "The blue one. It leaks least."


def said(memory: Memory, *rows: tuple[str, str, str], session: str = "s1") -> None:
    for ident, role, text in rows:
        at = "2026-03-01T09:00:00Z"
        memory.observe([{"id": ident, "role": role, "content": text, "created_at": at}], session=session)


def kept(memory: Memory) -> dict[str, bytes]:
    rows = memory.store.connection.rows(
        "SELECT t.message_id, v.vectors FROM sentence_vectors v JOIN memory_turns t ON t.seq = v.seq"
    )
    return {ident: bytes(vectors) for ident, vectors in rows}


def vectors_told(memory: Memory) -> str:
    return next(check.detail for check in memory.doctor() if check.name == "vectors")


def test_a_message_is_read_with_the_one_before_it() -> None:
    with Memory.open("sqlite://") as memory:
        said(memory, ("m1", "assistant", ASKED), ("m2", "user", ANSWERED))
        assert kept(memory) == {"m1": sentence_vectors("", ASKED), "m2": sentence_vectors(ASKED, ANSWERED)}
        assert len(kept(memory)["m2"]) == 2 * WIDTH


def test_what_a_tool_says_is_neither_read_nor_read_with() -> None:
    with Memory.open("sqlite://") as memory:
        call = {"id": "c1", "name": "bash", "arguments": {"command": "ls"}}
        turn = [
            {"id": "m1", "role": "assistant", "content": "Looking.", "tool_calls": [call]},
            {"id": "m2", "role": "tool", "tool_call_id": "c1", "content": "boats.txt"},
            {"id": "m3", "role": "assistant", "content": "There is one file."},
        ]
        memory.observe(turn, session="s1")
        assert kept(memory) == {
            "m1": sentence_vectors("", "Looking."),
            "m3": sentence_vectors("", "There is one file."),
        }


def test_a_memory_without_vectors_has_none_of_sentences() -> None:
    with Memory.open("sqlite://", settings=Settings(embedder="none")) as memory:
        said(memory, ("m1", "user", ANSWERED))
        assert not kept(memory)
        assert memory.reindex() == 0


def test_reindex_reads_what_was_not_read(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        said(memory, ("m1", "assistant", ASKED), ("m2", "user", ANSWERED))
        before = kept(memory)
        memory.store.connection.run("DELETE FROM sentence_vectors")
        assert "2 messages not read" in vectors_told(memory)
        assert memory.reindex() == 2
        assert kept(memory) == before
        assert "0 messages not read" in vectors_told(memory)


def test_what_an_older_version_read_is_not_compared_until_reindex_reads_it_anew(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        said(memory, ("m1", "assistant", ASKED), ("m2", "user", ANSWERED))
        before = kept(memory)
        older = (NAME.replace("/3", "/2"), NAME)
        memory.store.connection.run("UPDATE vector_spaces SET name = ? WHERE name = ?", older)
        assert "2 messages not read" in vectors_told(memory)
        recalled = memory.recall("Which boat leaks least?")
        assert recalled.nearest is None
        assert "It leaks least." in recalled.block
        assert memory.reindex() == 2
        assert kept(memory) == before
        assert memory.recall("Which boat leaks least?").nearest is not None


def test_what_was_read_with_an_erased_message_is_read_without_it() -> None:
    with Memory.open("sqlite://") as memory:
        said(memory, ("m1", "user", "My locker code is on the green card."), ("m2", "user", ANSWERED))
        memory.erase("m1")
        assert kept(memory) == {"m2": sentence_vectors("", ANSWERED)}


def test_what_was_taken_back_has_no_vectors() -> None:
    with Memory.open("sqlite://") as memory:
        said(memory, ("m1", "user", "We row on Tuesdays."), ("m2", "assistant", "Noted."), ("m3", "user", ANSWERED))
        memory.rewind("s1", 1)
        assert set(kept(memory)) == {"m1", "m2"}


def test_a_turn_whose_sentences_cannot_be_kept_is_stored_all_the_same() -> None:
    with Memory.open("sqlite://") as memory:
        memory.store.connection.run(
            "CREATE TRIGGER no_room BEFORE INSERT ON sentence_vectors BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
        report = memory.observe([{"id": "m1", "role": "user", "content": "We row on Tuesdays."}], session="s1")
        assert report.messages == 1
        assert not kept(memory)
        assert "We row on Tuesdays." in memory.recall("When do we row?").block
        memory.store.connection.run("DROP TRIGGER no_room")
        assert memory.reindex() == 1


def test_erased_by_a_memory_without_vectors_nothing_is_left_that_was_read_with_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        said(memory, ("m1", "user", "My locker code is on the green card."), ("m2", "user", "The blue one."))
    with Memory.open(tmp_path / "m.db", settings=Settings(embedder="none")) as memory:
        memory.erase("m1")
    with Memory.open(tmp_path / "m.db") as memory:
        assert not kept(memory)
        assert memory.reindex() == 1
        assert kept(memory) == {"m2": sentence_vectors("", "The blue one.")}


def test_of_endless_texts_the_beginning_is_read(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        said(memory, ("m1", "user", "Oars drip. " * 10_000 + "We row on Tuesdays."))
        assert len(kept(memory)["m1"]) == MOST_SENTENCES * WIDTH
        assert memory.recall("When do we row?").items
