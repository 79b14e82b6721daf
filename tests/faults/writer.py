"""A process for the tests: observes TURNS turns into its own session of a shared database, then says how many it took.

python -m tests.faults.writer PATH SESSION TURNS
"""

from __future__ import annotations

import sys
from pathlib import Path

from cfpm import Memory
from tests.faults.turns import turn, url


def main(path: str, session: str, turns: str) -> None:
    taken = 0
    # Opened only for a turn, as a host's hook does, so that opening and closing meet the other writers too.
    for number in range(0, int(turns), 10):
        with Memory.open(url(Path(path))) as memory:
            for one in range(number, number + 10):
                taken += memory.observe(turn(one, session), session=session).turns
    print(taken)


if __name__ == "__main__":
    main(*sys.argv[1:])
