"""Several processes on one file: nobody meets a lock, and who is killed leaves nothing half done."""

from __future__ import annotations

import multiprocessing
import sqlite3
from typing import TYPE_CHECKING

import pytest

from cfpm.model import Action
from cfpm.settings import Settings
from cfpm.store.doctor import diagnose
from cfpm.store.store import Store
from tests.processes import HUNG
from tests.store.making import NAMESPACE, alter, fact, learn, said

if TYPE_CHECKING:
    from multiprocessing.connection import Connection as Pipe
    from pathlib import Path

pytestmark = pytest.mark.slow

PROCESSES = multiprocessing.get_context("spawn")
TURNS = 40


def write_turns(path: str, name: str, ready: Pipe) -> None:
    """Opens the file at the same moment as the others, then writes turns of its own and one fact of everybody's."""
    ready.send("up")
    ready.recv()
    with Store.open(path, Settings(busy_timeout=HUNG)) as store:
        for number in range(TURNS):
            with store.writing():
                store.log.append([said(f"{name} {number}", f"{name}{number}", session=name, turn=number)])
                learn(store, fact(f"{name} said {number}"))
                shared = fact("everybody says this")
                known = store.facts.get(NAMESPACE, shared.id)
                if known is None:
                    learn(store, shared)
                else:
                    alter(store, known, Action.REINFORCE, evidence_count=known.evidence_count + 1)
    ready.send("done")


def write_and_hang(path: str, ready: Pipe) -> None:
    """Stands in the middle of a turn until it is killed."""
    store = Store.open(path)
    with store.writing():
        store.log.append([said("half " * 200_000, f"half{n}", turn=n) for n in range(20)])
        learn(store, fact("half a fact"))
        ready.send("in the middle")
        ready.recv()


@pytest.mark.parametrize("already_there", [False, True])
def test_processes_write_into_one_file_without_meeting_a_lock(path: Path, already_there: bool) -> None:
    if already_there:
        Store.open(str(path)).close()
    names = ["ann", "bob", "cat", "dan"]
    pipes = []
    processes = []
    for name in names:
        mine, theirs = PROCESSES.Pipe()
        process = PROCESSES.Process(target=write_turns, args=(str(path), name, theirs))
        process.start()
        pipes.append(mine)
        processes.append(process)
    for pipe in pipes:
        assert pipe.recv() == "up"
    for pipe in pipes:
        pipe.send("go")
    for process in processes:
        process.join(HUNG)
        assert process.exitcode == 0
    with Store.open(str(path)) as store:
        for name in names:
            assert [row.turn for row in store.log.messages(NAMESPACE, session=name)] == list(range(TURNS))
        shared = store.facts.get(NAMESPACE, fact("everybody says this").id)
        assert shared is not None
        assert shared.evidence_count == len(names) * TURNS, "no reinforcement was lost"
        assert store.facts.active(NAMESPACE) == len(names) * TURNS + 1
        assert [event.seq for event in store.events.find(NAMESPACE)] == list(range(1, 2 * len(names) * TURNS + 1))
        assert [check for check in diagnose(store) if not check.ok] == []


def test_killed_writer_leaves_nothing_half_done(path: Path) -> None:
    with Store.open(str(path)) as store:
        store.log.append([said("whole", "m1")])
        learn(store, fact("a whole fact"))
    mine, theirs = PROCESSES.Pipe()
    writer = PROCESSES.Process(target=write_and_hang, args=(str(path), theirs))
    writer.start()
    assert mine.recv() == "in the middle"
    writer.kill()
    writer.join(HUNG)
    with Store.open(str(path)) as store:
        assert [row.message.text for row in store.log.messages(NAMESPACE, session="s")] == ["whole"]
        assert [f.content for f in store.facts.find(NAMESPACE)] == ["a whole fact"]
        assert store.search.messages([NAMESPACE], "half", 5) == []
        assert [check for check in diagnose(store) if not check.ok] == []
        store.log.append([said("after", "m2", turn=1)])
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_reader_goes_on_while_another_process_writes(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("a whole fact"))
        mine, theirs = PROCESSES.Pipe()
        writer = PROCESSES.Process(target=write_and_hang, args=(str(path), theirs))
        writer.start()
        assert mine.recv() == "in the middle"
        assert [f.content for f in store.facts.find(NAMESPACE)] == ["a whole fact"]
        writer.kill()
        writer.join(HUNG)
