"""The command line, killed at random moments: then nothing is torn, and the same command goes on to its end.

What a command has to leave behind is in its row of `COMMANDS`; others are added there.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.load.findings import Finding
from benchmarks.load.writers import torn
from cfpm import Memory

if TYPE_CHECKING:
    from pathlib import Path

TURNS = 60
"""Turns of the transcript: reading it takes about as long as the process takes to begin."""


@dataclass(frozen=True, slots=True)
class Killed:
    """A command with what stands in its folder: the words for `cfpm`, and whether the database holds something
    before. `{db}`, `{session}` and `{export}` stand for files."""

    words: tuple[str, ...]
    filled: bool
    undisturbed: Callable[[Memory], object]
    """What is the same after a kill and another run to the end as it is after one run."""


def _export(memory: Memory) -> object:
    import io

    out = io.StringIO()
    memory.export(out)
    return out.getvalue()


COMMANDS: dict[str, Killed] = {
    "observe": Killed(("observe", "{session}", "--session", "s", "--db", "{db}"), False, _export),
    "import": Killed(("import", "{export}", "--db", "{db}"), False, _export),
    "purge": Killed(("purge", "--keep-rejected", "3", "--db", "{db}"), True, _export),
    "reindex": Killed(("reindex", "--db", "{db}"), True, _export),
}
"""The commands that write. Later ones, such as erase, backup, restore and re-encrypt, are rows like these."""


def kills(folder: Path, count: int) -> list[Finding]:
    """Kills each command as often as it takes for `count` kills together."""
    chance = random.Random(2026)
    _prepare(folder)
    each = -(-count // len(COMMANDS))
    return [_of(folder, name, command, each, chance) for name, command in COMMANDS.items()]


def _prepare(folder: Path) -> None:
    """A transcript, a database that holds it, and its export."""
    lines = []
    for number in range(TURNS):
        lines.append({"role": "user", "content": f"I prefer tool {number}. Is port {number} free?"})
        lines.append({"role": "assistant", "content": f"Noted, tool {number} it is."})
    session = folder / "session.jsonl"
    session.write_text("".join(json.dumps({"id": f"m{n}", **line}) + "\n" for n, line in enumerate(lines)))
    _cfpm("observe", session, "--session", "s", "--db", folder / "filled.db").wait()
    _cfpm("export", "-o", folder / "export.jsonl", "--db", folder / "filled.db").wait()


def _of(folder: Path, name: str, command: Killed, count: int, chance: random.Random) -> Finding:
    began = time.monotonic()
    wanted, longest = _undisturbed(folder, command)
    whole, amid, tried, problems = 0, 0, 0, []
    # A machine that got quicker ends a command before its kill: then some more are killed, sooner.
    while amid < count and tried < 3 * count:
        tried += 1
        database = _fresh(folder, f"{name}{tried}.db", command)
        process = _cfpm(*_words(folder, database, command))
        time.sleep(chance.uniform(0.2, 1.0) * longest)
        if process.poll() is None:
            amid += 1
        else:
            longest *= 0.8
        process.kill()
        process.wait()
        problem = _problem(folder, database, command, wanted)
        problems += [problem] if problem else []
        whole += not problem
        for left in folder.glob(f"{database.name}*"):
            left.unlink()
    note = (
        f"{amid} of {tried} kills while it ran; {problems[0] if problems else 'run again, each ended as undisturbed'}"
    )
    return Finding("kills", name, tried, whole, 0, problems[0] if problems else "", time.monotonic() - began, note)


def _undisturbed(folder: Path, command: Killed) -> tuple[object, float]:
    """What one run leaves behind, and the seconds it takes."""
    database = _fresh(folder, "undisturbed.db", command)
    began = time.monotonic()
    _cfpm(*_words(folder, database, command)).wait()
    seconds = time.monotonic() - began
    with Memory.open(f"sqlite:///{database}") as memory:
        left = command.undisturbed(memory)
    for file in folder.glob("undisturbed.db*"):
        file.unlink()
    return left, seconds


def _problem(folder: Path, database: Path, command: Killed, wanted: object) -> str:
    """What is torn after a kill, or not as it should be after another run; empty for nothing."""
    if database.exists() and database.stat().st_size:
        with Memory.open(f"sqlite:///{database}") as memory:
            if problem := torn(memory):
                return f"torn: {problem}"
    if _cfpm(*_words(folder, database, command)).wait() != 0:
        return "it could not be run again"
    with Memory.open(f"sqlite:///{database}") as memory:
        return torn(memory) or ("" if command.undisturbed(memory) == wanted else "it ended otherwise than undisturbed")


def _fresh(folder: Path, name: str, command: Killed) -> Path:
    database = folder / name
    if command.filled:
        shutil.copy(folder / "filled.db", database)
    return database


def _words(folder: Path, database: Path, command: Killed) -> list[str]:
    places = {"db": database, "session": folder / "session.jsonl", "export": folder / "export.jsonl"}
    return [word.format(**places) for word in command.words]


def _cfpm(*words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cfpm", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
