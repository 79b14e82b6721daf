"""Eight processes write into one file at the same time: nobody is turned away, nothing is lost, the sums are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory, Status
from tests.faults.processes import start
from tests.faults.turns import MESSAGES, turn, unsound, url
from tests.processes import HUNG

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow(30)

WRITERS = 8
TURNS = 200


def test_eight_processes_observe_two_hundred_turns_each_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    sessions = [f"writer-{number}" for number in range(WRITERS)]
    writers = [start("writer", path, session, TURNS, CFPM_BUSY_TIMEOUT=str(HUNG)) for session in sessions]
    ended = [(*writer.communicate(timeout=HUNG), writer.returncode) for writer in writers]
    assert [(err, code) for _, err, code in ended] == [("", 0)] * WRITERS
    assert [int(out) for out, _, _ in ended] == [TURNS] * WRITERS
    with Memory.open(url(path)) as memory:
        assert unsound(memory) == []
        for session in sessions:
            rows = memory.store.log.messages("default", session=session)
            assert [row.message.id for row in rows] == _ids(session)
            assert [row.turn for row in rows] == [number for number in range(TURNS) for _ in range(MESSAGES)]
        believed = memory.facts(status=Status.ACTIVE)
        assert memory.store.facts.active("default") == len(believed)
        [shared] = [fact for fact in believed if fact.content.startswith("I prefer tabs")]
        assert shared.evidence_count == WRITERS * TURNS, "a reinforcement of another process was overwritten"


def _ids(session: str) -> list[str]:
    return [message["id"] for number in range(TURNS) for message in turn(number, session)]
