"""The schema in the file is the schema that is declared, and every step is in the ledger."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import Session, SQLModel, select

from cfpm import __version__
from cfpm.errors import StoreError
from cfpm.model import UNRATED, Action
from cfpm.store import migrations
from cfpm.store.activity import GATE_COLUMNS, RECALL_COLUMNS
from cfpm.store.audit_rows import candidate_row
from cfpm.store.candidates import ADD_CANDIDATE
from cfpm.store.columns import CANDIDATE_COLUMNS, EVENT_COLUMNS, FACT_COLUMNS, MESSAGE_COLUMNS, insert_into
from cfpm.store.migrations import MIGRATIONS
from cfpm.store.rows import fact_row
from cfpm.store.store import Store
from cfpm.store.tables import MemoryFact, Table
from tests.store.making import NAMESPACE, alter, candidate, fact, learn

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.model import Candidate, Fact
    from cfpm.store.connection import Connection


def normal(sql: str) -> str:
    # SQLAlchemy writes a default with a point in brackets.
    sql = sql.replace("DEFAULT (0.5)", "DEFAULT 0.5")
    return " ".join(sql.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()).rstrip("; ")


def declared() -> dict[str, str]:
    """Every table and index of tables.py as SQL, by name."""
    statements = {}
    for table in Table.metadata.tables.values():
        statements[table.name] = normal(str(CreateTable(table).compile(dialect=sqlite.dialect())))
        for index in table.indexes:
            statements[str(index.name)] = normal(str(CreateIndex(index).compile(dialect=sqlite.dialect())))
    return statements


def test_schema_files_build_what_the_models_declare(store: Store) -> None:
    found = store._db.rows(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        " AND name NOT LIKE 'turns_text%' AND name NOT LIKE 'facts_text%'"
    )
    assert {name: normal(sql) for name, sql in found} == declared()


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("memory_turns", ("seq", *MESSAGE_COLUMNS)),
        ("memory_facts", ("seq", *FACT_COLUMNS)),
        ("memory_candidates", ("seq", *CANDIDATE_COLUMNS)),
        ("memory_events", ("seq", *EVENT_COLUMNS)),
        ("recall_events", ("seq", *RECALL_COLUMNS)),
        ("gate_events", ("seq", *GATE_COLUMNS)),
    ],
)
def test_rows_have_the_columns_of_their_table(table: str, columns: tuple[str, ...]) -> None:
    assert {column.name for column in Table.metadata.tables[table].columns} == set(columns)


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
    found = store._db.rows("SELECT version, name, applied_by FROM schema_migrations ORDER BY version")
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
            assert [f.content for f in store.facts("project:shop")] == ["kept through the change"]
            names = [name for (name,) in store._db.rows("SELECT name FROM schema_migrations ORDER BY version")]
            assert names == [*(step.name for step in MIGRATIONS), "fact_colours"]


def test_older_file_opened_for_reading_says_what_to_do(path: Path, request: pytest.FixtureRequest) -> None:
    Store.open(str(path)).close()
    request.getfixturevalue("next_step")
    latest = len(MIGRATIONS)
    expected = rf"version {latest}, this cfpm reads version {latest + 1}.*cfpm reindex"
    with pytest.raises(StoreError, match=expected):
        Store.open(str(path), read_only=True)


ADDED = {"speaker", "salience", "shares", "contradicts"}


def of_version_1(path: Path, monkeypatch: pytest.MonkeyPatch, known: Fact, row: Candidate) -> None:
    """A file as the first version of cfpm left it: a fact, the event that created it, and its candidate."""
    facts = tuple(name for name in FACT_COLUMNS if name not in ADDED)
    candidates = tuple(name for name in CANDIDATE_COLUMNS if name not in ADDED)
    created = (known.namespace, 1, known.id, "create", row.id, None, "{}", json.dumps({"content": known.content}))
    with monkeypatch.context() as first:
        first.setattr(migrations, "MIGRATIONS", MIGRATIONS[:1])
        with Store.open(str(path)) as store:
            store._db.run(insert_into("memory_facts", facts), fact_row(known)[: len(facts)])
            store._db.run(insert_into("memory_candidates", candidates), candidate_row(row)[: len(candidates)])
            store._db.run(insert_into("memory_events", EVENT_COLUMNS), created)


def test_file_of_version_1_keeps_what_it_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, row = fact("the port is 8080", topic="the port", value="8080"), candidate("no port")
    of_version_1(path, monkeypatch, known, row)
    for _ in range(2):
        with Store.open(str(path)) as store:
            assert store.facts(NAMESPACE) == [known]
            assert store.candidates(NAMESPACE) == [row]
            assert (known.speaker, known.salience, known.contradicts, row.shares) == ("", UNRATED, "", ())
            assert store.as_of(NAMESPACE, 1) == [known]
            assert store.as_of(NAMESPACE, 0) == []


def test_fact_of_version_1_can_be_changed_and_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = fact("the port is 8080")
    of_version_1(path, monkeypatch, known, candidate("no port"))
    with Store.open(str(path)) as store:
        alter(store, known, Action.REINFORCE, salience=0.8)
        assert store.events(NAMESPACE)[-1].before == {"salience": UNRATED}
        assert store.as_of(NAMESPACE, 1) == [known]


def of_version_3(path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[Candidate]) -> None:
    """A file with candidates as it was before they were counted."""
    with monkeypatch.context() as third:
        third.setattr(migrations, "MIGRATIONS", MIGRATIONS[:3])
        with Store.open(str(path)) as store:
            store._db.many(ADD_CANDIDATE, map(candidate_row, rows))


def test_candidates_of_version_3_are_counted_and_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [candidate("a", reason="question"), candidate("b"), candidate("c", session="t")]
    of_version_3(path, monkeypatch, rows)
    with Store.open(str(path)) as store:
        counts = store.candidate_stats(NAMESPACE)
        assert {reason: number for (_, reason, _), number in counts.items()} == {"negated": 2, "question": 1}
        assert [store.candidate(NAMESPACE, row.id) for row in rows] == rows
        assert store.candidates(NAMESPACE, session="t") == rows[2:]
        assert store.add_candidates(rows) == 0
        assert store.candidate_stats(NAMESPACE) == counts
        assert all(check.ok for check in store.doctor() if check.name in ("schema", "counts"))


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
