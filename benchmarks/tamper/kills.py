"""`kill -9` at growing moments of what writes the file anew: is the database whole each time?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchmarks.tamper.samples import Outcome, make
from cfpm import CFPMError, Memory
from cfpm.settings import Settings

KEYS = ("0f" * 32, "f0" * 32)
_WORK = {
    "backup": "Memory.open(sys.argv[1]).back_up(Path(sys.argv[2]))",
    "restore": "Memory.restore(Path(sys.argv[2]), sys.argv[1])",
    "encrypt": f"Memory.rewrite(sys.argv[1], None, {KEYS[0]!r}, settings=Settings())",
    "rekey": f"Memory.rewrite(sys.argv[1], {KEYS[0]!r}, {KEYS[1]!r}, settings=Settings())",
}
_START = """
import sys
from pathlib import Path
from cfpm import Memory
from cfpm.settings import Settings
print(flush=True)
"""


def measure(folder: Path, kills: int) -> Iterator[Outcome]:
    """So many kills each, spread over the time that the work takes."""
    for work, code in _WORK.items():
        place = folder / work
        place.mkdir()
        store, backup = make(place / "store.db", turns=20), place / "backup"
        with Memory.open(str(store)) as memory:
            memory.back_up(backup)
        key = KEYS[0] if work == "rekey" else None
        if key:
            Memory.rewrite(str(store), None, key, settings=Settings())
        missed = []
        for number in range(kills):
            _kill_after(_START + code, store, backup, 1.2 * number / kills, key)
            if problem := _problem(store, key):
                missed.append(f"kill {number}: {problem}")
        if list(place.glob(".*.part")) and kills:
            Memory.restore(backup, str(place / "again.db"))
        yield Outcome(f"kills: {work}", kills, tuple(missed))


def _kill_after(code: str, store: Path, backup: Path, seconds: float, key: str | None) -> None:
    environment = {**os.environ, "CFPM_KEY": key or ""}
    command = [sys.executable, "-c", code, str(store), str(backup)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.readline()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)
    process.kill()
    process.communicate()


def _problem(store: Path, key: str | None) -> str:
    """What is wrong with the database, which is left with the key that it had."""
    for other in dict.fromkeys((key, KEYS[0], KEYS[1])):
        os.environ["CFPM_KEY"] = other or ""
        try:
            with Memory.open(str(store)) as memory:
                wrong = [check.name for check in memory.doctor() if not check.ok]
            if other != key:
                Memory.rewrite(str(store), other, key, settings=Settings())
        except CFPMError as error:
            told = str(error)
            continue
        finally:
            os.environ["CFPM_KEY"] = ""
        return ", ".join(wrong)
    return told
