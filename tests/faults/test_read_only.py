"""A memory that may only be read: reading works, writing ends with a sentence, and the file is what it was."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cfpm import Memory
from tests.faults.processes import run
from tests.faults.turns import exported, turn, url

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="modes do not bind on Windows")]

TURNS = 5


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user can reach: pytest's own is closed to all others."""
    with tempfile.TemporaryDirectory(prefix="cfpm-read-only-") as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        path.chmod(0o755)


@pytest.fixture
def db(folder: Path) -> Path:
    path = folder / "memory.db"
    with Memory.open(url(path)) as memory:
        for number in range(TURNS):
            memory.observe(turn(number), session="s")
    return path


def test_a_read_only_folder(db: Path) -> None:
    before = db.read_bytes()
    db.chmod(0o444)
    db.parent.chmod(0o555)
    told = json.loads(run("unprivileged", db.parent))
    _check(told, db)
    assert db.read_bytes() == before
    assert sorted(path.name for path in db.parent.iterdir()) == ["memory.db", "memory.db-head", "memory.db-key"]


def test_a_read_only_file_in_a_folder_that_may_be_written(db: Path) -> None:
    before = _exported(db)
    db.chmod(0o444)
    db.parent.chmod(0o777)
    told = json.loads(run("unprivileged", db.parent))
    assert told["new"] == {"done": 4}
    _check({**told, "new": told["observe"]}, db)
    db.chmod(0o644)
    assert _exported(db) == before


def test_a_file_that_may_not_even_be_read(db: Path) -> None:
    before = _exported(db)
    db.chmod(0o000)
    told = json.loads(run("unprivileged", db.parent))
    for name in ("observe", "remember", "recall", "export"):
        assert told[name]["kind"] == "StoreError"
        assert "memory.db" in told[name]["error"]
    db.chmod(0o644)
    assert _exported(db) == before


def test_the_memory_can_be_written_again_when_the_modes_allow_it(db: Path) -> None:
    db.chmod(0o444)
    run("unprivileged", db.parent)
    db.chmod(0o644)
    with Memory.open(url(db)) as memory:
        assert memory.observe(turn(TURNS), session="s").messages == 4


def _check(told: dict[str, Any], db: Path) -> None:
    for name in ("observe", "remember", "new"):
        assert told[name]["kind"] == "StoreError", name
        assert str(db.parent) in told[name]["error"]
        assert "permission" in told[name]["error"] or "may read and write" in told[name]["error"]
    assert "The port is" in told["recall"]["done"]
    assert told["export"]["done"].count('"type":"message"') == TURNS * 4


def _exported(path: Path) -> str:
    if os.access(path, os.W_OK):
        path.chmod(0o644)
    with Memory.open(url(path)) as memory:
        return exported(memory)
