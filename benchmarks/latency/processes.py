"""Measures what needs a fresh process: its first steps with a memory, and the most memory that observing needs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST_STEPS = {
    "import": ("from cfpm import Memory", Goal("below", 250.0)),
    "open": ("Memory.open of a new file", None),
    "observe": ("first observe", Goal("below", 300.0)),
    "recall": ("first recall", None),
}
"""What a process does first with a memory, in order, and its goal in milliseconds of processor time."""

COMMANDS = {"--version": Goal("below", 100.0), "facts": Goal("below", 300.0), "recall": Goal("below", 400.0)}
"""Commands and their goals in milliseconds of processor time, of the whole process."""

_KINDS = ("user", "system")

PEAK = Goal("below", 200.0)
"""Megabytes (10^6 bytes) of resident memory while observing everything into one store."""

_TRIES = 10
_STEPS = """
import json, tempfile, time
from pathlib import Path

spent = {}
def timed(name, step):
    wall, processor = time.perf_counter(), time.process_time()
    result = step()
    spent[name] = (time.perf_counter() - wall, time.process_time() - processor)
    return result
def load():
    from cfpm import Memory
    return Memory

with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
    Memory = timed("import", load)
    memory = timed("open", lambda: Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}"))
    said = [{"role": "user", "content": "Always run the linter before you push. The staging port is 9443."}]
    timed("observe", lambda: memory.observe(said))
    timed("recall", lambda: memory.recall("which port does staging use?"))
    memory.close()
print(json.dumps(spent))
"""
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)")


def startup() -> list[Row]:
    """What the first steps of a process cost, each once, and the help of the command."""
    tries = [json.loads(_python(["-c", _STEPS])) for _ in range(_TRIES)]
    rows = []
    for step, (name, goal) in FIRST_STEPS.items():
        wall, processor = (median(one[step][n] for one in tries) * 1e3 for n in (0, 1))
        note = _slowest("from cfpm import Memory") if step == "import" else f"median of {_TRIES} processes"
        rows.append(Row("start", name, wall, "ms", processor, goal, note))
    with TemporaryDirectory(prefix="cfpm-bench-") as folder:
        file = str(Path(folder) / "memory.db")
        _python(["-m", "cfpm", "remember", "The staging port is 9443", "--category", "note", "--db", file])
        given = {"--version": [], "facts": ["--db", file], "recall": ["which port does staging use?", "--db", file]}
        for command, options in given.items():
            rows.append(_whole(f"cfpm {command}", ["-m", "cfpm", command, *options], COMMANDS[command]))
    return [*rows, _whole("cfpm --help", ["-m", "cfpm", "--help"]), _whole("an empty python", ["-c", ""])]


def peak(files: Sequence[Path]) -> list[Row]:
    """All files into one store in a process of its own."""
    given = json.dumps([str(path) for path in files])
    done = _python(["-m", "benchmarks.latency.peak"], given)
    answer = json.loads(done)
    note = (
        f"{answer['files']} files, {answer['bytes'] / 1e6:.1f} MB; {answer['before'] / 1e6:.0f} MB before the first one"
    )
    return [Row("memory", "peak of one process", answer["peak"] / 1e6, "MB", goal=PEAK, note=note)]


def _whole(name: str, arguments: list[str], goal: Goal | None = None) -> Row:
    seconds, processor = [], []
    for _ in range(_TRIES):
        started, before = time.perf_counter(), os.times()
        _python(arguments)
        seconds.append(time.perf_counter() - started)
        after = os.times()
        user, system = (getattr(after, f"children_{kind}") - getattr(before, f"children_{kind}") for kind in _KINDS)
        processor.append(user + system)
    note = f"the whole process, best of {_TRIES}"
    return Row("start", name, min(seconds) * 1e3, "ms", min(processor) * 1e3, goal, note)


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
    """This process's environment with the project on the path, wherever it was started, and with bytecode kept, as of
    an installed package: else each process would compile all that it imports."""
    root = str(Path(__file__).parents[2])
    return {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
    }
