"""Whatever is done to a sealed row behind the back of the memory is found and named; what the memory does is not."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.errors import StoreError, UsageError
from cfpm.model import Action, Decision
from cfpm.model.state import Approval
from cfpm.store.doctor import diagnose
from cfpm.store.export_format import KINDS
from cfpm.store.schema import insert_into
from cfpm.store.seals import verify
from cfpm.store.store import Store
from cfpm.store.trail import SUBJECTS, canonical
from tests.store.making import NAMESPACE, alter, at, candidate, exported, fact, forget, imported, learn, said

if TYPE_CHECKING:
    from pathlib import Path


def fill(store: Store) -> None:
    """Some rows of every sealed table, over several transactions."""
    for number in range(6):
        store.log.append([said(f"words number {number}", f"m{number}", turn=number)])
        store.candidates.add([candidate(f"maybe {number}"), candidate(f"perhaps {number}")])
        learn(store, fact(f"note number {number}"))
        store.activity.add_recall_event(NAMESPACE, "s", f"which {number}?", "hash", [], at(number))
        store.activity.add_gate_event(NAMESPACE, {"action": "pass", "command": f"ls {number}"}, at(number))
        store.state.add_approvals(NAMESPACE, [Approval(f"ask {number}", "yes", granted=True, session="s")])
        record = (NAMESPACE, "query", f"me {number}", None, "{}", 0, True)
        with store.writing():
            store.connection.run(insert_into("erasures"), record)


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(str(path)) as store:
        fill(store)
    return path


def found(path: Path) -> list[str]:
    """The places that do not stand the examination."""
    with Store.open(str(path), read_only=True) as store:
        return [finding.place for finding in verify(store.connection, store.trail)]


def tamper(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def columns(path: Path, table: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f'"{name}"' for name in names if name != "seq")


def test_what_the_memory_did_itself_is_sound(filled: Path) -> None:
    with Store.open(str(filled)) as store:
        rows = store.candidates.find(NAMESPACE)
        store.candidates.set_decision(
            NAMESPACE, rows[0].id, Decision.ACCEPTED, reason="reviewed", rule="user", fact_id=""
        )
        assert store.candidates.trim_rejected(NAMESPACE, 3) == 8
        store.candidates.add([candidate("again")])
        assert store.candidates.trim_rejected(NAMESPACE, 0) == 4
        store.candidates.add([candidate("in the place of the last one"), candidate("and another")])
        note = fact("note number 1")
        forget(store, alter(store, note, Action.REINFORCE, 2, evidence_count=2), minutes=3)
        store.log.add_lines(NAMESPACE, {"aa": "system_prompt"})
    assert found(filled) == []


@pytest.mark.parametrize("table", SUBJECTS)
def test_an_edited_row_is_named(filled: Path, table: str) -> None:
    tamper(filled, f"UPDATE {table} SET namespace = 'other' WHERE seq = 3")
    assert f"{table} 3" in found(filled)


@pytest.mark.parametrize("table", SUBJECTS)
@pytest.mark.parametrize("number", [3, 6])
def test_a_removed_row_is_named_also_the_last(filled: Path, table: str, number: int) -> None:
    tamper(filled, f"DELETE FROM {table} WHERE seq = {number}")
    assert f"{table} {number}" in found(filled)


@pytest.mark.parametrize("table", SUBJECTS)
def test_rows_that_changed_places_are_named(filled: Path, table: str) -> None:
    tamper(
        filled,
        f"UPDATE {table} SET seq = -1 WHERE seq = 2",
        f"UPDATE {table} SET seq = 2 WHERE seq = 3",
        f"UPDATE {table} SET seq = 3 WHERE seq = -1",
    )
    assert {f"{table} 2", f"{table} 3"} <= set(found(filled))


@pytest.mark.parametrize("table", SUBJECTS)
def test_an_inserted_row_is_named(filled: Path, table: str) -> None:
    names = columns(filled, table)
    values = names
    for column in ("id", "message_id", "key"):
        values = values.replace(f'"{column}"', f"'new {column}'")
    tamper(filled, f"INSERT INTO {table} (seq, {names}) SELECT 1000, {values} FROM {table} WHERE seq = 1")
    assert f"{table} 1000" in found(filled)


def test_a_row_inserted_before_the_memory_goes_on_is_not_sealed_with_its_own(filled: Path) -> None:
    names = columns(filled, "gate_events")
    values = names.replace('"id"', "'new'")
    tamper(filled, f"INSERT INTO gate_events (seq, {names}) SELECT 7, {values} FROM gate_events WHERE seq = 1")
    with Store.open(str(filled)) as store:
        assert "gate_events 7" in [one.place for one in verify(store.connection, store.trail)]


def test_text_that_is_no_utf8_is_named_and_no_crash(filled: Path) -> None:
    tamper(filled, "UPDATE memory_turns SET text = CAST(x'ff' AS TEXT) WHERE seq = 4")
    assert found(filled) == ["memory_turns 4"]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM trail_links WHERE number = 4",
        "DELETE FROM trail_links WHERE number > 20",
        "DELETE FROM trail_links",
        "UPDATE trail_links SET seal = randomblob(32) WHERE number = 4",
        "UPDATE trail_links SET digests = zeroblob(16) WHERE number = 4",
        "UPDATE trail_links SET entries = 'memory_turns removed 1 6' WHERE number = 4",
        "UPDATE trail_links SET number = 1000 WHERE number = 4",
        "UPDATE store_state SET writes = writes + 5",
        "UPDATE store_state SET links = links - 1",
        "UPDATE store_state SET last_seal = (SELECT seal FROM trail_links WHERE number = 5), links = 5",
        "UPDATE store_state SET adopted = 1",
        "UPDATE store_state SET head = zeroblob(32)",
    ],
)
def test_a_chain_that_was_touched_is_told(filled: Path, statement: str) -> None:
    tamper(filled, statement)
    assert found(filled)


def test_a_state_that_makes_no_sense_is_refused(filled: Path) -> None:
    tamper(filled, "UPDATE store_state SET sealed = 'x'")
    with pytest.raises(StoreError, match="store_state was edited"):
        Store.open(str(filled))


@pytest.mark.parametrize(
    "change",
    [
        "content = 'x'",
        "pinned = 1",
        "status = 'forgotten'",
        "\"key\" = 'x'",
        "validation_command = 'rm'",
        "topic = 'y'",
    ],
)
def test_any_column_of_a_fact_is_sealed(filled: Path, change: str) -> None:
    tamper(filled, f"UPDATE memory_facts SET {change} WHERE seq = 2")
    assert found(filled) == ["memory_facts 2"]


def test_a_fact_that_was_edited_is_found_after_the_memory_changed_another(filled: Path) -> None:
    tamper(filled, "UPDATE memory_facts SET content = 'x' WHERE seq = 2")
    with Store.open(str(filled)) as store:
        alter(store, fact("note number 3"), Action.REINFORCE, 2, evidence_count=2)
    assert found(filled) == ["memory_facts 2"]


def test_a_transaction_that_was_rolled_back_seals_nothing_later(filled: Path) -> None:
    with Store.open(str(filled)) as store:
        with pytest.raises(ZeroDivisionError), store.writing():
            alter(store, fact("note number 1"), Action.REINFORCE, 2, evidence_count=1 // 0 + 2)
        store.trail.changed("memory_facts", [2])
        store.connection.rows("SELECT 1")
    tamper(filled, "UPDATE memory_facts SET content = 'x' WHERE seq = 2")
    with Store.open(str(filled)) as store:
        store.log.add_lines(NAMESPACE, {"aa": "system_prompt"})
    assert found(filled) == ["memory_facts 2"]


def test_what_is_changed_and_deleted_on_record_is_sound(filled: Path) -> None:
    with Store.open(str(filled)) as store:
        with store.trail.on_record("erased"):
            store.connection.run("UPDATE memory_candidates SET content = '' WHERE seq > 9")
            store.connection.run("UPDATE memory_events SET before = '{}' WHERE namespace = ?", (NAMESPACE,))
            store.connection.run("DELETE FROM memory_turns WHERE seq IN (2, 5, 6)")
            store.connection.run("DELETE FROM gate_events")
            store.activity.add_gate_event(NAMESPACE, {"action": "pass", "command": "new"}, at(1))
        assert [one.place for one in verify(store.connection, store.trail)] == []
        store.log.append([said("more", "m9", turn=9)])
        with pytest.raises(ZeroDivisionError), store.trail.on_record("erased"):
            store.connection.run("DELETE FROM memory_turns WHERE seq = ?", (1 // 0,))
    assert found(filled) == []
    tamper(filled, "UPDATE memory_candidates SET content = '' WHERE seq = 3")
    assert found(filled) == ["memory_candidates 3"]


def test_an_erasure_is_a_link_and_blanking_without_one_is_found(path: Path, tmp_path: Path) -> None:
    with Memory.open(str(path)) as memory:
        for number, animal in enumerate(("zebra", "lion", "otter")):
            words = f"I prefer the {animal} to all others. The code of door {number} is {4000 + number}."
            memory.observe([{"role": "user", "content": words}], session=f"s{number}")
            memory.recall(f"which {animal}?")
        memory.erase(query="zebra", by="me")
        assert memory.verify() == []
        memory.erase(session="s1")
        memory.observe([{"role": "user", "content": "I prefer tea. The port is 8080."}], session="s3")
        assert [check.name for check in memory.doctor() if not check.ok] == []
        text = exported(memory.store)
    assert found(path) == []
    with Memory.open(str(tmp_path / "other.db")) as other:
        other.import_lines(text.splitlines(keepends=True), "export")
        assert exported(other.store) == text
        assert other.verify() == []
    tamper(path, "UPDATE memory_candidates SET content = '', line = '' WHERE content LIKE '%otter%'")
    assert found(path)
    tamper(path, "DELETE FROM erasures WHERE seq = 1")
    assert "erasures 1" in found(path)


def test_doctor_names_what_was_edited(filled: Path) -> None:
    tamper(filled, "UPDATE memory_candidates SET decision = 'accepted' WHERE seq < 9")
    with Store.open(str(filled)) as store:
        checks = {check.name: check for check in diagnose(store)}
    assert not checks["trail"].ok
    assert "memory_candidates 5: the row was edited; and 3 more" in checks["trail"].detail


@pytest.mark.skipif(sys.platform == "win32", reason="modes do not bind on Windows")
def test_database_logs_head_and_key_are_for_their_owner_only(path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(str(path)) as store:
            fill(store)
            files = sorted(path.parent.iterdir())
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
    finally:
        os.umask(before)
    assert modes == {f"memory.db{ending}": 0o600 for ending in ("", "-head", "-key", "-shm", "-wal")}


@pytest.mark.skipif(sys.platform == "win32", reason="modes do not bind on Windows")
def test_files_that_others_may_read_are_closed_to_them_when_they_are_opened(filled: Path) -> None:
    for file in filled.parent.iterdir():
        file.chmod(0o666)
    filled.parent.chmod(0o755)
    with Store.open(str(filled)) as store:
        fill(store)
        modes = {stat.S_IMODE(file.stat().st_mode) for file in filled.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(filled.parent.stat().st_mode) == 0o755, "a folder that is not ours"


def test_without_its_key_a_file_is_read_but_not_written_until_it_is_sealed_anew(filled: Path) -> None:
    filled.with_name("memory.db-key").unlink()
    with Store.open(str(filled), read_only=True) as store:
        assert len(store.facts.find(NAMESPACE)) == 6
        with pytest.raises(StoreError, match="key that seals its audit trail is not there"):
            verify(store.connection, store.trail)
    with Store.open(str(filled)) as store:
        with pytest.raises(StoreError, match="cfpm audit reseal"):
            learn(store, fact("one more"))
        assert len(store.facts.find(NAMESPACE)) == 6
    with Memory.open(str(filled)) as memory:
        assert memory.reseal() == 54
        assert memory.verify() == []
    with Store.open(str(filled)) as store:
        learn(store, fact("one more"))
    assert found(filled) == []


def test_another_key_is_told_from_an_edited_row(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFPM_AUDIT_KEY", "another key altogether")
    with Store.open(str(filled)) as store, pytest.raises(StoreError, match="another key"):
        learn(store, fact("one more"))


def test_the_key_may_come_from_the_environment_or_a_command(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFPM_AUDIT_KEY", "correct horse battery")
    with Store.open(str(path)) as store:
        fill(store)
    assert not path.with_name("memory.db-key").exists()
    monkeypatch.delenv("CFPM_AUDIT_KEY")
    monkeypatch.setenv("CFPM_AUDIT_KEY_COMMAND", f"'{sys.executable}' -c \"print('correct horse battery')\"")
    assert found(path) == []
    monkeypatch.setenv("CFPM_AUDIT_KEY", "correct horse battery")
    with pytest.raises(UsageError, match="more than one place"):
        found(path)


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("CFPM_AUDIT_KEY", "short", "5 characters"),
        ("CFPM_AUDIT_KEY_COMMAND", "/no/such/program", "gave no key"),
        ("CFPM_AUDIT_KEY_COMMAND", "'", "gave no key"),
    ],
)
def test_a_key_that_is_none_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, problem: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=problem):
        Store.open(str(path))


def test_seals_are_not_in_the_bytes_of_an_export(filled: Path, tmp_path: Path) -> None:
    with Store.open(str(filled)) as store, Store.open(str(tmp_path / "other.db")) as other:
        text = exported(store)
        imported(other, text)
        assert exported(other) == text
        assert verify(other.connection, other.trail) == []
        kinds = {json.loads(line)["type"] for line in text.splitlines()}
    assert kinds <= {"header", *(kind.name for kind in KINDS), "trailer"}


def test_what_is_hashed_is_the_same_in_every_version_of_python() -> None:
    row = ("table", (7, "é\x00", None, 0.5, 2**40, True, b"\x01"))
    assert canonical(row).hex() == (
        "280200000075050000007461626c65280700000069070000007503000000c3a900"
        "4e67000000000000e03f6c0300000000000000000454730100000001"
    )
