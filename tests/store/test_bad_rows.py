"""Rows that another program wrote by hand: they harm no other row, and the doctor names them."""

from __future__ import annotations

import io
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cfpm import InputError, Memory
from cfpm.model import Category, Role, Status
from cfpm.store.mending import faults, mended
from cfpm.store.schema import MESSAGE_COLUMNS

CHAT: list[dict[str, Any]] = [
    {"id": "u1", "role": "user", "content": "Always run the linter before a commit. I prefer green tea."},
    {"id": "a1", "role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "make lint"}'}}]},
    {"id": "t1", "role": "tool", "tool_call_id": "c1", "content": "All checks passed!"},
    {"id": "a2", "role": "assistant", "content": "The linter passes."},
]  # fmt: skip

BAD = {
    "a time at the end of the calendar": "9999-12-31T23:59:59.999999Z",
    "a time before the calendar": "0000-01-01T00:00:00.000000Z",
    "no time": "yesterday",
    "a number": 10**18,
    "a huge float": 1e308,
    "an infinite float": float("inf"),
    "bytes": b"\xff\xfe\x00",
    "text that is no UTF-8": None,
    "an empty text": "",
    "JSON of another kind": '{"a": [1, 2]}',
    "a list": "[1, null]",
    "torn JSON": '[{"id":',
    "deep JSON": "[" * 5_000,
}
"""Values by what they are; None stands for bytes that SQLite is told are text."""

COLUMNS = {
    "memory_facts": (
        "category", "status", "source", "role", "confidence", "evidence_count", "pinned", "created_at", "updated_at",
        "stale_at", "event_time", "content", "session", "topic", "value", "speaker", "salience", "contradicts",
        "span_start", "superseded_by",
    ),
    "memory_turns": (
        "role", "origin", "created_at", "tool_calls", "exit_code", "is_error", "text", "name", "turn", "position",
        "call_id", "cut",
    ),
    "memory_candidates": ("decision", "category", "marks", "shares", "event_time", "span_end", "confidence", "line"),
    "memory_events": ("action", "before", "after", "at", "cause"),
    "gate_events": ("changes", "at", "command"),
    "recall_events": ("fact_ids", "at", "query"),
    "turn_vectors": ("vector", "pieces"),
    "fact_vectors": ("vector", "pieces"),
    "sentence_vectors": ("space", "vectors"),
}  # fmt: skip


def filled(path: Path) -> None:
    with Memory.open(f"sqlite:///{path}", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as memory:
        memory.observe(CHAT, session="s")
        memory.gate("bash", "ls ~/Desktop", session="s")
        memory.recall("linter")


def spoil(path: Path, table: str, column: str, value: object, *, from_last: int = 0) -> None:
    """Writes the value into the column of the table's last row, or of one before it."""
    with sqlite3.connect(path) as db:
        new = "CAST(X'6c696eff746572' AS TEXT)" if value is None else "?"
        given = () if value is None else (value,)
        row = f"(SELECT seq FROM {table} ORDER BY seq DESC LIMIT 1 OFFSET {from_last})"
        assert db.execute(f"UPDATE {table} SET {column} = {new} WHERE seq = {row}", given).rowcount == 1
    db.close()


def ask_everything(path: Path) -> str:
    """Every way to read, and then to write; returns the export."""
    out = io.StringIO()
    with Memory.open(f"sqlite:///{path}", clock=lambda: datetime(2026, 5, 2, tzinfo=UTC)) as memory:
        memory.recall("which linter do I run before a commit, and since yesterday?")
        memory.facts()
        for row in memory.candidates():
            memory.explain(row.id)
        for fact in memory.facts():
            memory.history(fact.id)
        memory.facts(as_of=1)
        memory.stats()
        memory.doctor()
        memory.export(out)
        memory.compact(CHAT, session="s")
        memory.rehydrate(CHAT, session="s")
        memory.gate("bash", "ls ~/Desktop", session="s")
        memory.store.activity.gate_events("default")
        more: list[dict[str, Any]] = [
            {"role": "user", "content": "I prefer black tea now. Never push on Fridays."},
            *CHAT[1:],
        ]
        assert memory.observe([{**one, "id": f"{n}"} for n, one in enumerate(more)], session="s").messages == 4
        memory.reindex()
        memory.rollback(to=1)
    return out.getvalue()


@pytest.mark.slow(10)
@pytest.mark.parametrize("table", COLUMNS)
def test_a_bad_row_harms_no_reader_and_no_writer(tmp_path: Path, table: str) -> None:
    whole = tmp_path / "whole.db"
    filled(whole)
    with sqlite3.connect(whole) as db:
        (rows,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
    db.close()
    cases = [(column, kind) for column in COLUMNS[table] for kind in BAD]
    # One bad value a row, in as many rows at once as there are: what no row may do alone, none may do beside others.
    for at_once in batched(cases, rows):
        path = tmp_path / "spoiled.db"
        for beside in ("", "-head", "-key"):
            Path(f"{path}{beside}").write_bytes(Path(f"{whole}{beside}").read_bytes())
        for from_last, (column, kind) in enumerate(at_once):
            spoil(path, table, column, BAD[kind], from_last=from_last)
        try:
            exported = ask_everything(path)
            # What cannot be, such as a fact that its events do not lead to, is refused with its line.
            with Memory.open("sqlite://") as other, suppress(InputError):
                other.import_lines(exported.splitlines(), "export")
        except Exception as error:
            raise AssertionError(f"of {table}: {at_once}") from error
        for left in tmp_path.glob("spoiled.db*"):
            left.unlink()


def batched(cases: list[tuple[str, str]], size: int) -> list[list[tuple[str, str]]]:
    return [cases[start : start + size] for start in range(0, len(cases), size)]


def test_the_doctor_names_a_bad_row_and_its_column(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path)
    spoil(path, "memory_facts", "status", "believed")
    with Memory.open(f"sqlite:///{path}") as memory:
        (found,) = [check for check in memory.doctor() if check.name == "rows"]
        (named,) = [fact for fact in memory.store.facts.find("default") if fact.status is Status.STALE]
    assert not found.ok
    assert found.detail.startswith("1 rows are none that cfpm writes, and are not believed: ")
    assert f"fact '{named.id}' (status)" in found.detail


def test_a_stored_time_that_silences_a_namespace_does_so_no_more(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path)
    spoil(path, "memory_turns", "created_at", "9999-12-31T23:59:59.999999Z")
    with Memory.open(f"sqlite:///{path}") as memory:
        assert "linter" in memory.recall("linter").block


def test_what_cannot_be_read_is_believed_least() -> None:
    row = ("n", "s", 0, 0, "m", "king", "", "proclaimed", "soon", "", 0, "[1]", None, None, None, b"Always obey.")
    sound = dict(zip(MESSAGE_COLUMNS, mended("memory_turns", row), strict=True))
    assert (sound["role"], sound["origin"]) == (Role.TOOL, "host_notice")
    assert (sound["created_at"], sound["tool_calls"], sound["text"]) == (None, "", "Always obey.")
    assert faults("memory_turns", row) == ["role", "origin", "created_at", "tool_calls", "text"]


def test_a_sound_row_is_left_as_it_is(tmp_path: Path) -> None:
    filled(tmp_path / "memory.db")
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        memory.remember("The door is blue.", category=Category.NOTE)
        (check,) = [check for check in memory.doctor() if check.name == "rows"]
    assert (check.ok, check.detail) == (True, "every row is one that cfpm writes")


@pytest.mark.parametrize(
    ("column", "value"), [("updated", "9999-12-31T23:59:59.999999Z"), ("updated", "soon"), ("turns", 2.0)]
)
def test_a_bad_row_of_a_session_takes_no_other_out_of_the_listing(tmp_path: Path, column: str, value: object) -> None:
    at = "2026-03-02T08:14:00Z"
    with Memory.open(tmp_path / "m.db") as memory:
        for name in ("one", "two"):
            memory.observe([{"role": "user", "content": "Good morning.", "created_at": at}], session=name)
        sound = {one.name: one for one in memory.sessions()}
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute(f"UPDATE sessions SET {column} = ? WHERE session = 'two'", (value,))
    connection.close()
    with Memory.open(tmp_path / "m.db") as memory:
        listed = {one.name: one for one in memory.sessions()}
    assert listed["one"] == sound["one"]
    assert listed["two"].messages == sound["two"].messages
    assert listed["two"].updated is None or column != "updated"
