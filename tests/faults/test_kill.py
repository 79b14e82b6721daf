"""An observing process is killed with SIGKILL, 200 times: what it acknowledged is there, and nothing is half there."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from tests.faults.processes import run
from tests.faults.turns import MESSAGES, exported, turn, undisturbed, unsound, url

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow(20),
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL and no fork on Windows"),
]

KILLS = 200
KILLS_OF_NEW = 40


def test_two_hundred_kills_lose_no_acknowledged_turn_and_leave_none_half_done(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    told = json.loads(run("killed", path, KILLS, 2026))
    acknowledged = told["acknowledged"]
    assert told["kills"] >= KILLS
    assert told["amid"] > KILLS / 2, "the kills must hit observing processes, not waiting ones"
    assert acknowledged > KILLS / 2
    with Memory.open(url(path)) as memory:
        assert unsound(memory) == []
        stored = len(memory.store.log.messages("default", session="s"))
        assert stored % MESSAGES == 0
        turns = stored // MESSAGES
        # The last child may have committed a turn and died before it could say so.
        assert acknowledged <= turns <= acknowledged + 1
        assert exported(memory) == undisturbed(turns)


def test_a_kill_while_a_database_is_made_leaves_one_that_works(tmp_path: Path) -> None:
    told = json.loads(run("killed", "--new", tmp_path, KILLS_OF_NEW, 7))
    for number, acknowledged in enumerate(told["each"]):
        with Memory.open(url(tmp_path / f"{number}.db")) as memory:
            assert len(memory.store.log.messages("default", session="s")) >= acknowledged * MESSAGES
            for missing in range(acknowledged + 1):
                memory.observe(turn(missing), session="s")
            assert unsound(memory) == []
            assert exported(memory) == undisturbed(acknowledged + 1)
