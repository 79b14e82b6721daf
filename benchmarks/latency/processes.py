"""Measures what needs a fresh process: how long an import takes, and the most memory that observing needs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

IMPORT = Goal("below", 150.0)
"""Milliseconds of `import cfpm`."""

PEAK = Goal("below", 200.0)
"""Megabytes (10^6 bytes) of resident memory while observing everything into one store."""

_TRIES = 10
_TIMED_IMPORT = (
    "import time; a, b = time.perf_counter(), time.process_time(); {}; "
    "print(time.perf_counter() - a, time.process_time() - b)"
)
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)")


def startup() -> list[Row]:
    """The import, what an agent's first line costs, and the help of the command."""
    return [
        _import("import cfpm", "import cfpm", IMPORT, f"best of {_TRIES} processes; {_slowest('import cfpm')}"),
        _import("from cfpm import Memory", "from cfpm import Memory", None, _slowest("from cfpm import Memory")),
        _whole("cfpm --help", ["-m", "cfpm", "--help"]),
        _whole("an empty python", ["-c", ""]),
    ]


def peak(files: Sequence[Path]) -> list[Row]:
    """All files into one store in a process of its own."""
    given = json.dumps([str(path) for path in files])
    done = _python(["-m", "benchmarks.latency.peak"], given)
    answer = json.loads(done)
    note = (
        f"{answer['files']} files, {answer['bytes'] / 1e6:.1f} MB; {answer['before'] / 1e6:.0f} MB before the first one"
    )
    return [Row("memory", "peak of one process", answer["peak"] / 1e6, "MB", goal=PEAK, note=note)]


def _import(name: str, statement: str, goal: Goal | None, note: str) -> Row:
    answers = [_python(["-c", _TIMED_IMPORT.format(statement)]).split() for _ in range(_TRIES)]
    wall, cpu = (min(float(answer[n]) for answer in answers) * 1e3 for n in (0, 1))
    return Row("start", name, wall, "ms", cpu, goal, note)


def _whole(name: str, arguments: list[str]) -> Row:
    seconds = []
    for _ in range(_TRIES):
        started = time.perf_counter()
        _python(arguments)
        seconds.append(time.perf_counter() - started)
    return Row("start", name, min(seconds) * 1e3, "ms", note=f"the whole process, best of {_TRIES}")


def _slowest(statement: str) -> str:
    """The five modules in which the import spends the most time of their own."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement], check=True, capture_output=True, text=True, env=_env()
    )
    own = sorted(((int(us), name) for us, _, name in _IMPORTED.findall(done.stderr)), reverse=True)[:5]
    return "most in " + ", ".join(f"{name} {us / 1e3:.1f} ms" for us, name in own)


def _python(arguments: list[str], given: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, input=given, env=_env()
    )
    return done.stdout


def _env() -> dict[str, str]:
    """This process's environment with the project on the path, wherever it was started."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}
