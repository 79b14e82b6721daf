"""A process for the tests: observes turns until the disk takes no more, gets room, goes on, and prints what happened.

python -m tests.faults.full limit FOLDER    files may not grow beyond a size, which any system can enforce
python -m tests.faults.full disk FOLDER     the folder is a small disk of its own, with ballast to throw off
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import Memory, StoreError
from tests.faults.turns import exported, turn, undisturbed, unsound, url

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 4_000_000
"""Bytes of the largest file: reached by the log of changes before it is folded into the database."""

BALLAST = 1_000_000
MORE = 5
"""Turns after there is room again."""


def main(kind: str, folder: str) -> None:
    undisturbed(1)  # what is imported later could not be read when no file may be written
    path = Path(folder) / "memory.db"
    match kind:
        case "limit":
            print(json.dumps(_fill(path, _limit, _unlimit)))
        case "disk":
            ballast = Path(folder) / "ballast"
            print(json.dumps(_fill(path, lambda: _write(ballast), ballast.unlink)))


def _fill(path: Path, begin: Callable[[], object], relieve: Callable[[], object]) -> dict[str, object]:
    with Memory.open(url(path)) as memory:
        begin()
        number, error = 0, ""
        while not error:
            try:
                memory.observe(turn(number), session="s")
                number += 1
            except StoreError as raised:
                error = str(raised)
        stored = len(memory.store.log.messages("default", session="s"))
        readable = len(memory.facts())
        relieve()
        for again in range(number, number + MORE):
            memory.observe(turn(again), session="s")
        complaints = unsound(memory)
        same = exported(memory) == undisturbed(number + MORE)
    return {
        "turns": number, "error": error, "stored": stored, "readable": readable, "complaints": complaints, "same": same
    }  # fmt: skip


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))


def _unlimit() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _write(ballast: Path) -> None:
    ballast.write_bytes(b"\0" * BALLAST)


if __name__ == "__main__":
    main(*sys.argv[1:])
