"""The schema in the file is the schema that is declared, and every step is in the ledger."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect
from sqlmodel import Session, SQLModel, select

from cfpm import __version__
from cfpm.errors import StoreError
from cfpm.model import UNRATED, Action, Fact, Status
from cfpm.settings import Settings
from cfpm.store import migrations
from cfpm.store.candidates import ADD_CANDIDATE
from cfpm.store.connection import Connection
from cfpm.store.doctor import diagnose
from cfpm.store.migrations import MIGRATIONS
from cfpm.store.rows import candidate_row, fact_row
from cfpm.store.schema import CANDIDATE_COLUMNS, FACT_COLUMNS, INDICES, VERSION, insert_into
from cfpm.store.store import Store
from cfpm.store.tables import MemoryFact, Table
from cfpm.store.tables.__main__ import FILE, text
from tests.store.making import NAMESPACE, alter, candidate, fact, learn

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.model import Candidate


def normal(sql: str) -> str:
    # SQLAlchemy writes a default with a point in brackets.
    sql = sql.replace("DEFAULT (0.5)", "DEFAULT 0.5")
    return " ".join(sql.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()).rstrip("; ")


def of_version(path: Path, version: int) -> Connection:
    """A new file as it was after so many steps, open."""
    connection = Connection(str(path), Settings())
    connection.use_wal()
    with connection.writing():
        for step in MIGRATIONS[:version]:
            migrations.apply(connection, step)
    return connection


def built(connection: Connection) -> dict[str, str]:
    """Every table and index of a file as SQL, by name."""
    rows = connection.rows("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: normal(sql) for name, sql in rows}


def layout(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """The columns of every table and index of a file, by name."""
    found = {}
    for kind, name in connection.rows("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL"):
        found[name] = connection.rows(f"PRAGMA {'index' if kind == 'index' else 'table'}_xinfo({name})")
    return found


def test_schema_file_is_what_the_tables_declare() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run: python -m cfpm.store.tables"


def test_steps_lead_to_the_schema_of_a_new_file(store: Store, tmp_path: Path) -> None:
    stepped = of_version(tmp_path / "stepped.db", len(MIGRATIONS))
    assert len(MIGRATIONS) == VERSION
    assert built(stepped) == built(store.connection)
    assert layout(stepped) == layout(store.connection)
    assert {"turns_text", "facts_text", *INDICES, *Table.metadata.tables} <= set(built(stepped))
    stepped.close()


def test_a_row_of_a_fact_has_its_fields() -> None:
    assert tuple(field.name for field in fields(Fact)) == FACT_COLUMNS


def test_file_can_be_queried_with_sqlmodel(store: Store, path: Path) -> None:
    learn(store, fact("the port is 8080"))
    engine = create_engine(f"sqlite:///{path}")
    with Session(engine) as session:
        assert [row.content for row in session.exec(select(MemoryFact)).all()] == ["the port is 8080"]
    engine.dispose()


def test_our_tables_stay_out_of_a_hosts_metadata() -> None:
    assert "memory_facts" not in SQLModel.metadata.tables
    engine = create_engine("sqlite://")
    SQLModel.metadata.create_all(engine)
    assert "memory_facts" not in inspect(engine).get_table_names()


def test_ledger_names_every_step_and_who_took_it(store: Store) -> None:
    found = store.connection.rows("SELECT version, name, applied_by FROM schema_migrations ORDER BY version")
    assert found == [(step.version, step.name, __version__) for step in MIGRATIONS]


@pytest.fixture
def next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version of cfpm, with one more step."""
    monkeypatch.setattr(migrations, "MIGRATIONS", list(MIGRATIONS))

    @migrations.migration
    def fact_colours(connection: Connection) -> None:
        connection.run("ALTER TABLE memory_facts ADD COLUMN colour TEXT NOT NULL DEFAULT ''")


def test_older_file_is_brought_up_to_date_once(path: Path, request: pytest.FixtureRequest) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("kept through the change"))
    request.getfixturevalue("next_step")
    for _ in range(2):
        with Store.open(str(path)) as store:
            assert [f.content for f in store.facts.find("project:shop")] == ["kept through the change"]
            names = [name for (name,) in store.connection.rows("SELECT name FROM schema_migrations ORDER BY version")]
            assert names == [*(step.name for step in MIGRATIONS), "fact_colours"]


def test_older_file_opened_for_reading_says_what_to_do(path: Path, request: pytest.FixtureRequest) -> None:
    Store.open(str(path)).close()
    request.getfixturevalue("next_step")
    latest = len(MIGRATIONS)
    expected = rf"version {latest}, this cfpm reads version {latest + 1}.*cfpm reindex"
    with pytest.raises(StoreError, match=expected):
        Store.open(str(path), read_only=True)


ADDED = {"speaker", "salience", "shares", "contradicts"}


def of_version_1(path: Path, known: Fact, row: Candidate) -> None:
    """A file as the first version of cfpm left it: a fact, the event that created it, and its candidate."""
    facts = tuple(name for name in FACT_COLUMNS if name not in ADDED)
    candidates = tuple(name for name in CANDIDATE_COLUMNS if name not in ADDED)
    created = (known.namespace, 1, known.id, "create", row.id, None, "{}", json.dumps({"content": known.content}))
    first = of_version(path, 1)
    first.run(insert_into("memory_facts", facts), fact_row(known)[: len(facts)])
    first.run(insert_into("memory_candidates", candidates), candidate_row(row)[: len(candidates)])
    first.run(insert_into("memory_events"), created)
    first.close()


def test_file_of_version_1_keeps_what_it_holds(path: Path) -> None:
    known, row = fact("the port is 8080", topic="the port", value="8080"), candidate("no port")
    of_version_1(path, known, row)
    for _ in range(2):
        with Store.open(str(path)) as store:
            assert store.facts.find(NAMESPACE) == [known]
            assert store.candidates.find(NAMESPACE) == [row]
            assert (known.speaker, known.salience, known.contradicts, row.shares) == ("", UNRATED, "", ())
            assert store.events.as_of(NAMESPACE, 1) == [known]
            assert store.events.as_of(NAMESPACE, 0) == []


def test_fact_of_version_1_can_be_changed_and_taken_back(path: Path) -> None:
    known = fact("the port is 8080")
    of_version_1(path, known, candidate("no port"))
    with Store.open(str(path)) as store:
        alter(store, known, Action.REINFORCE, salience=0.8)
        assert store.events.find(NAMESPACE)[-1].before == {"salience": UNRATED}
        assert store.events.as_of(NAMESPACE, 1) == [known]


def of_version_3(path: Path, rows: list[Candidate]) -> None:
    """A file with candidates as it was before they were counted."""
    third = of_version(path, 3)
    third.many(ADD_CANDIDATE, map(candidate_row, rows))
    third.close()


def test_candidates_of_version_3_are_counted_and_found(path: Path) -> None:
    rows = [candidate("a", reason="question"), candidate("b"), candidate("c", session="t")]
    of_version_3(path, rows)
    with Store.open(str(path)) as store:
        counts = store.candidates.stats(NAMESPACE)
        assert {reason: number for (_, reason, _), number in counts.items()} == {"negated": 2, "question": 1}
        assert [store.candidates.get(NAMESPACE, row.id) for row in rows] == rows
        assert store.candidates.find(NAMESPACE, session="t") == rows[2:]
        assert store.candidates.add(rows) == 0
        assert store.candidates.stats(NAMESPACE) == counts
        assert all(check.ok for check in diagnose(store) if check.name in ("schema", "counts"))


def test_what_was_forgotten_in_version_4_has_tombstones(path: Path) -> None:
    gone = fact("the harbour crane is number 7", status=Status.FORGOTTEN)
    fourth = of_version(path, 4)
    fourth.run(insert_into("memory_facts"), fact_row(gone))
    fourth.close()
    with Store.open(str(path)) as store:
        again = "The crane at the harbour has number 7."
        assert [found.fact_id for found in store.tombstones.over(NAMESPACE, gone.category, again)] == [gone.id]
        assert store.tombstones.over(NAMESPACE, gone.category, "The crane at the harbour has number 9.") == []
        assert store.tombstones.over("another", gone.category, again) == []


def test_step_that_fails_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("a note"))
    monkeypatch.setattr(migrations, "MIGRATIONS", list(MIGRATIONS))

    @migrations.migration
    def half_done(connection: Connection) -> None:
        connection.run("CREATE TABLE half (a TEXT)")
        connection.run("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(StoreError):
        Store.open(str(path))
    inspected = sqlite3.connect(path)
    assert inspected.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert inspected.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    inspected.close()
