"""A process for the tests: tries a memory that it may read but not write, and prints what each attempt ended with.

python -m tests.faults.unprivileged FOLDER    FOLDER/memory.db exists; root first becomes nobody, whom modes do bind
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import CFPMError, Memory
from tests.faults.turns import exported, turn, undisturbed, url

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = 65534


def main(folder: str) -> None:
    # Nobody may not read what is imported later from a folder of root.
    undisturbed(1)
    Path(folder).as_uri()
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    path = Path(folder) / "memory.db"
    attempts: dict[str, Callable[[], object]] = {
        "observe": lambda: _observe(path),
        "new": lambda: _observe(path.with_name("new.db")),
        "remember": lambda: _remember(path),
        "recall": lambda: _recall(path),
        "export": lambda: _export(path),
    }
    print(json.dumps({name: _outcome(attempt) for name, attempt in attempts.items()}))


def _outcome(attempt: Callable[[], object]) -> dict[str, object]:
    try:
        return {"done": attempt()}
    except CFPMError as error:
        return {"error": str(error), "kind": type(error).__name__}


def _observe(path: Path) -> int:
    with Memory.open(url(path)) as memory:
        return memory.observe(turn(99), session="s").messages


def _remember(path: Path) -> str:
    from cfpm import Category

    with Memory.open(url(path)) as memory:
        return memory.remember("We deploy on Tuesdays.", category=Category.NOTE).id


def _recall(path: Path) -> str:
    with Memory.open(url(path), read_only=True) as memory:
        return memory.recall("which port is it?").block


def _export(path: Path) -> str:
    with Memory.open(url(path), read_only=True) as memory:
        return exported(memory)


if __name__ == "__main__":
    main(*sys.argv[1:])
