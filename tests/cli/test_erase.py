"""`cfpm erase`: shows, asks, erases, records."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

SAID = [
    {"role": "user", "content": "Hello there!"},
    {"role": "user", "content": "I live at 12 Zorblat Street in Quimperle.", "id": "b"},
    {"role": "user", "content": "Always use tabs in the shop project."},
]


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CFPM_PROVIDERS", str(tmp_path / "providers.db"))
    file = tmp_path / "m.db"
    with Memory.open(f"sqlite:///{file}") as memory:
        memory.observe(SAID, session="s")
    return file


def contents(db: Path) -> list[str]:
    with Memory.open(f"sqlite:///{db}") as memory:
        return sorted(fact.content for fact in memory.facts())


def test_dry_run_shows_and_changes_nothing(run: Run, db: Path) -> None:
    shown = run("erase", "--query", "zorblat", "--dry-run", "--db", db)
    assert "I live at 12 Zorblat Street" in shown.out
    assert "would erase: 1 of memory_turns, 1 of memory_facts, 1 of memory_candidates" in shown.out
    document = run("erase", "b", "--dry-run", "--json", "--db", db).document
    assert [message["id"] for message in document["messages"]] == ["b"]
    assert len(contents(db)) == 2


def test_it_asks_where_somebody_is_there_and_refuses_where_nobody_is(run: Run, db: Path) -> None:
    refused = run("erase", "b", "--db", db)
    assert refused.code == 2
    assert "--dry-run first, then say --yes" in refused.err
    assert len(contents(db)) == 2


def test_it_erases_and_says_what(run: Run, db: Path) -> None:
    document = run("erase", "b", "--yes", "--by", "ann", "--json", "--db", db).document
    assert document["finished"] is True
    assert (document["selector"], document["by"]) == ("id", "ann")
    assert document["rows"] == {"memory_turns": 1, "memory_facts": 1, "memory_candidates": 1}
    assert contents(db) == ["Always use tabs in the shop project."]
    assert not any(b"zorblat" in file.read_bytes().lower() for file in db.parent.iterdir())
    checks = {row["name"]: row["ok"] for row in run("doctor", "--json", "--db", db).document["checks"]}
    assert checks["erasures"] is True


def test_nothing_or_everything_and_something_is_refused(run: Run, db: Path) -> None:
    for chosen in ([], ["--all", "--session", "s"]):
        refused = run("erase", *chosen, "--yes", "--db", db)
        assert (refused.code, "not clear what is to go" in refused.err) == (2, True)
    assert "not a time" in run("erase", "--since", "3", "--yes", "--db", db).err


def test_all_of_a_namespace_goes(run: Run, db: Path) -> None:
    run("erase", "--all", "--yes", "--db", db)
    assert contents(db) == []
    out = io.StringIO()
    with Memory.open(f"sqlite:///{db}") as memory:
        memory.export(out)
    assert "tabs" not in out.getvalue()


def test_the_story_of_what_was_erased_says_so(run: Run, db: Path) -> None:
    with Memory.open(f"sqlite:///{db}") as memory:
        name = next(row.id for row in memory.candidates() if "Zorblat" in row.content)
    run("erase", "b", "--yes", "--db", db)
    told = run("audit", "explain", name, "--db", db)
    assert told.code == 0
    assert "its words were erased" in told.out
    assert "To reverse it" not in told.out
    refused = run("audit", "reject", name, "--db", db)
    assert (refused.code, "it was erased" in refused.err) == (2, True)
