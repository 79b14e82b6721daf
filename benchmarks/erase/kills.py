"""Erasing in a process that is killed at a random moment; then the memory is opened again, and the bytes are searched.

What the user was told is erased must be gone. What was not begun must be whole, and go when it is asked for again.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.erase.places import Seeded, erase, remote, seed
from benchmarks.erase.selectors import SELECTORS, wanted
from benchmarks.erase.words import found

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class Kills:
    """`amid` came before the child was done; of those `begun` when the rows were gone and the file was not clean."""

    kills: int = 0
    amid: int = 0
    begun: int = 0
    left: dict[str, list[str]] = field(default_factory=dict)
    unsound: list[str] = field(default_factory=list)


def kill(folder: Path, count: int, seed_number: int = 16) -> Kills:
    """Kills so many erasures, by each selector in turn."""
    template = folder / "template"
    here = Seeded(template, chroma=False)
    template.mkdir(parents=True)
    with remote(folder / "remote.db") as base:
        seed(here, base)
    chance, kills = random.Random(seed_number), Kills()
    longest = _timed(template, folder / "timed")
    for number in range(count):
        name = list(SELECTORS)[number % len(SELECTORS)]
        _kill_once(template, folder / f"kill{number}", name, chance.uniform(0, longest * 1.1), kills)
    return kills


def _timed(template: Path, folder: Path) -> float:
    """Seconds of an erasure that nobody kills."""
    here = _copied(template, folder)
    began = time.monotonic()
    _erase(here, "session")
    return time.monotonic() - began


def _copied(template: Path, folder: Path) -> Seeded:
    shutil.copytree(template, folder)
    here, words = Seeded(folder, chroma=False), Seeded(template, chroma=False)
    here.target, here.bystander = words.target, words.bystander
    return here


def _erase(here: Seeded, name: str) -> None:
    with here.open() as memory:
        ids, chosen = SELECTORS[name][0](memory, here)
        erase(here, memory, *ids, **chosen)


def _kill_once(template: Path, folder: Path, name: str, moment: float, kills: Kills) -> None:
    here = _copied(template, folder)
    child = os.fork()
    if child == 0:
        try:
            _erase(here, name)
        finally:
            os._exit(0)
    time.sleep(moment)
    done, _ = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    kills.kills += 1
    kills.amid += not done
    recorded, finished = _record(here)
    kills.begun += recorded and not finished
    with here.open() as memory:
        if not recorded:
            # Nobody was told that it is gone: the same is asked for again.
            ids, chosen = SELECTORS[name][0](memory, here)
            erase(here, memory, *ids, **chosen)
        kills.unsound += [f"{folder.name}: {check.name}: {check.detail}" for check in memory.doctor() if not check.ok]
    for file, places in found(folder, _words_of(here, name)).items():
        kills.left[f"{folder.name} ({name}): {file}"] = places
    shutil.rmtree(folder)


def _words_of(here: Seeded, name: str) -> dict[str, str]:
    from benchmarks.erase.places import conversation, session_of

    for words in (here.target, here.bystander):
        conversation(words)
        session_of(words)
        for place in ("artifact", "gate"):
            words(place)
    here.bystander("dictated")
    return wanted(here, SELECTORS[name][1])


def _record(here: Seeded) -> tuple[bool, bool]:
    """Whether the file has a record of the erasure, and whether that is finished."""
    with closing(sqlite3.connect(f"{here.database.as_uri()}?mode=ro", uri=True)) as db:
        row = db.execute("SELECT finished FROM erasures").fetchone()
    return row is not None, bool(row and row[0])
