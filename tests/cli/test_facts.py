"""`cfpm facts`: a page for a person, the list as it is stored with `--raw`, and what was counted instead of listed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cfpm import Category, Memory

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

WORK = [
    {"role": "user", "content": "The staging server has the port 8080."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "name": "Write", "arguments": {"file_path": "/srv/kiln/oven/ramp.py"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "The file /srv/kiln/oven/ramp.py has been created."},
    {"role": "user", "content": "The staging server has the port 8081 now. Always run the linter before you commit."},
]


@pytest.fixture
def db(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "work.json").write_text(json.dumps(WORK))
    assert run("observe", "work.json", "--db", "memory.db").code == 0
    return tmp_path / "memory.db"


def test_the_page_begins_with_rules_and_counts_the_records_of_files(run: Run, db: Path) -> None:
    out = run("facts", "--db", db).out
    assert out.index("run the linter") < out.index("8081")
    assert "ramp.py" not in out
    assert (
        "not listed: 1 of files, verified actions, earlier tasks, and what says little alone; --raw lists them" in out
    )


def test_what_is_not_believed_any_more_is_counted_and_listed_when_asked(run: Run, db: Path) -> None:
    page = run("facts", "--db", db).out
    assert "not believed any more: 1 superseded; --status all lists them" in page
    assert "port 8080" not in page
    assert "port 8080" in run("facts", "--db", db, "--status", "all").out


@pytest.mark.parametrize("how", [("--raw",), ("--category", "artifact")])
def test_the_records_are_listed_when_asked(run: Run, db: Path, how: tuple[str, ...]) -> None:
    out = run("facts", "--db", db, *how).out
    assert "/srv/kiln/oven/ramp.py" in out
    assert "not listed" not in out


def test_where_nothing_is_known_other_namespaces_are_named(run: Run, db: Path) -> None:
    assert "namespaces with facts: default (3)" in run("facts", "--db", db, "--namespace", "other").out


def test_json_has_all_that_is_believed(run: Run, db: Path) -> None:
    contents = [fact["content"] for fact in run("facts", "--db", db, "--json").document]
    assert "/srv/kiln/oven/ramp.py" in contents
    assert len(contents) == 3


def test_what_is_pinned_comes_first_whatever_it_is(run: Run, db: Path) -> None:
    with Memory.open(f"sqlite:///{db}") as memory:
        (file,) = memory.facts(category=Category.ARTIFACT)
    run("pin", file.id, "--db", db)
    out = run("facts", "--db", db).out
    assert out.index("ramp.py") < out.index("run the linter")


def test_a_limit_shows_the_first_of_the_page(run: Run, db: Path) -> None:
    out = run("facts", "--db", db, "--limit", "1").out
    assert "run the linter" in out
    assert "8081" not in out
