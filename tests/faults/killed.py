"""A process for the tests: observes turns in children that it kills at random moments, and prints what they told.

python -m tests.faults.killed PATH KILLS SEED        one database that grows, killed KILLS times or more
python -m tests.faults.killed --new FOLDER KILLS SEED    a new database for every kill
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from cfpm import Memory
from tests.faults.turns import turn, undisturbed, url

LONGEST = 0.02
"""Seconds from an acknowledgement to the kill, at most: one to three turns, so that every part of one is hit."""


@dataclass(slots=True)
class Kills:
    """`acknowledged` turns are 0 to acknowledged - 1. `amid` counts the kills that came while a turn was observed."""

    acknowledged: int = 0
    kills: int = 0
    amid: int = 0


def observe_until_killed(path: Path, first: int, out: int) -> None:
    """Observes turn after turn, telling before (`b`) and after (`a`) each."""
    with Memory.open(url(path)) as memory:
        for number in range(first, first + 10_000):
            os.write(out, b"b")
            memory.observe(turn(number), session="s")
            os.write(out, b"a")


def kill_once(path: Path, kills: Kills, chance: random.Random) -> None:
    """Starts a child where the last one was acknowledged, waits for 0 to 3 turns and a moment, and kills it."""
    incoming, out = os.pipe()
    child = os.fork()
    if child == 0:
        observe_until_killed(path, kills.acknowledged, out)
    os.close(out)
    told = b""
    wanted, moment = chance.randrange(4), chance.uniform(0, LONGEST)
    while told.count(b"a") < wanted:
        if not (more := os.read(incoming, 1)):
            raise RuntimeError("a child ended by itself: its traceback stands above")
        told += more
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while rest := os.read(incoming, 4096):
        told += rest
    os.close(incoming)
    kills.acknowledged += told.count(b"a")
    kills.kills += 1
    kills.amid += told.endswith(b"b")


def main(arguments: list[str]) -> None:
    anew = arguments[0] == "--new"
    path, count, seed = Path(arguments[-3]), int(arguments[-2]), int(arguments[-1])
    undisturbed(1)  # loads everything that observing needs, so that no child spends its life on that
    chance, kills = random.Random(seed), Kills()
    acknowledged = []
    number = 0
    # A busy machine may let a child rest just when it is killed: then some more are killed, until enough were at work.
    while number < count or (not anew and kills.amid <= count / 2):
        if anew:
            kills.acknowledged = 0
        kill_once(path / f"{number}.db" if anew else path, kills, chance)
        acknowledged.append(kills.acknowledged)
        number += 1
    print(json.dumps({**asdict(kills), "each": acknowledged}))


if __name__ == "__main__":
    main(sys.argv[1:])
