"""The command line, killed at random moments: then nothing is torn, and the same command goes on to its end.

What a command has to leave behind is in its row of `COMMANDS`; others are added there.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.load.findings import Finding
from benchmarks.load.writers import torn
from cfpm import CFPMError, Memory
from cfpm.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

TURNS = 20
"""Turns of the transcript: reading it takes about as long as the process takes to begin."""

PLAIN, KEY, NEW_KEY = "", "0f" * 32, "f0" * 32

ERASED = "tool 17"
"""What `erase` takes away: the words of one message and of its answer."""


@dataclass(frozen=True, slots=True)
class Killed:
    """A command with what stands in its folder: the words for `cfpm`, and whether the database holds something
    before. `{db}`, `{session}`, `{export}`, `{whole}` and `{target}` stand for files."""

    words: tuple[str, ...]
    filled: bool = True
    before: str = PLAIN
    after: str = PLAIN
    """The keys of the database before and after; plain text without one."""
    found: Callable[[Path, Memory], str] = lambda database, memory: ""
    """What is wrong with what it left once it has ended; empty for nothing."""


def _lasting(memory: Memory) -> list[str]:
    """The export without the rows that an erasure left, whose ids are random, and without the sums over them."""
    out = io.StringIO()
    memory.export(out)
    return [line for line in out.getvalue().splitlines() if '"erased' not in line and '"type":"trailer"' not in line]


def _erased(database: Path, memory: Memory) -> str:
    memory.store.close()
    held = [file.name for file in database.parent.glob(f"{database.name}*") if ERASED.encode() in file.read_bytes()]
    return f"erased words in {', '.join(held)}" if held else ""


def _backed_up(database: Path, memory: Memory) -> str:
    again = _restored(_target(database), database.with_name(f"{database.name}-again"), database)
    with Memory.open(str(again)) as other:
        return torn(other) or ("" if _lasting(other) == _lasting(memory) else "the backup holds something else")


COMMANDS: dict[str, Killed] = {
    "observe": Killed(("observe", "{session}", "--session", "s"), filled=False),
    "import": Killed(("import", "{export}"), filled=False),
    "purge": Killed(("purge", "--keep-rejected", "3")),
    "reindex": Killed(("reindex",)),
    "erase": Killed(("erase", "--query", ERASED, "--yes"), found=_erased),
    "backup": Killed(("backup", "{target}"), found=_backed_up),
    "restore": Killed(("restore", "{whole}")),
    "encrypt": Killed(("encrypt",), after=KEY),
    "rekey": Killed(("rekey",), before=KEY, after=NEW_KEY),
    "decrypt": Killed(("decrypt",), before=KEY),
}
"""The commands that write. Later ones are rows like these."""


def kills(folder: Path, count: int) -> list[Finding]:
    """Kills each command as often as it takes for `count` kills together."""
    chance = random.Random(2026)
    _prepare(folder)
    each = -(-count // len(COMMANDS))
    return [_of(folder, name, command, each, chance) for name, command in COMMANDS.items()]


def _prepare(folder: Path) -> None:
    """A transcript, the export and the backup of a database that holds it."""
    lines = []
    for number in range(TURNS):
        lines.append({"role": "user", "content": f"I prefer tool {number}. Is port {number} free?"})
        lines.append({"role": "assistant", "content": f"Noted, tool {number} it is."})
    session, database = folder / "session.jsonl", folder / "filled.db"
    session.write_text("".join(json.dumps({"id": f"m{n}", **line}) + "\n" for n, line in enumerate(lines)))
    with Memory.open(str(database)) as memory:
        memory.observe_file(session, session="s")
        with (folder / "export.jsonl").open("w", encoding="utf-8") as export:
            memory.export(export)
        memory.back_up(folder / "whole.backup")


def _of(folder: Path, name: str, command: Killed, count: int, chance: random.Random) -> Finding:
    began = time.monotonic()
    wanted, longest = _undisturbed(folder, command)
    whole, amid, tried, problems = 0, 0, 0, []
    # A machine that got quicker ends a command before its kill: then some more are killed, sooner.
    while amid < count and tried < 3 * count:
        tried += 1
        database = _fresh(folder, f"{name}{tried}.db", command)
        process = _cfpm(folder, database, command)
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
        _remove(database)
    note = (
        f"{amid} of {tried} kills while it ran; {problems[0] if problems else 'run again, each ended as undisturbed'}"
    )
    return Finding("kills", name, tried, whole, 0, problems[0] if problems else "", time.monotonic() - began, note)


def _undisturbed(folder: Path, command: Killed) -> tuple[object, float]:
    """What one run leaves behind, and the seconds it takes."""
    database = _fresh(folder, "undisturbed.db", command)
    began = time.monotonic()
    _cfpm(folder, database, command).wait()
    seconds = time.monotonic() - began
    with _opened(database, command.after) as memory:
        left = _lasting(memory)
    _remove(database)
    return left, seconds


def _problem(folder: Path, database: Path, command: Killed, wanted: object) -> str:
    """What is torn after a kill, or not as it should be after another run; empty for nothing."""
    try:
        done = False
        if database.exists() and database.stat().st_size:
            key = _key(database, command)
            done = command.before != command.after == key
            with _opened(database, key) as memory:
                if problem := torn(memory):
                    return f"torn: {problem}"
        # With a key that it has already, a database is not given it again.
        if not done and _cfpm(folder, database, command).wait() != 0:
            return "it could not be run again"
        with _opened(database, command.after) as memory:
            if problem := torn(memory):
                return problem
            return (
                "it ended otherwise than undisturbed" if _lasting(memory) != wanted else command.found(database, memory)
            )
    except CFPMError as error:
        return f"refused: {error}"


def _key(database: Path, command: Killed) -> str:
    """The key that a database has, of the two that it may have."""
    try:
        with _opened(database, command.before):
            return command.before
    except CFPMError:
        return command.after


@contextmanager
def _opened(database: Path, key: str) -> Iterator[Memory]:
    os.environ["CFPM_KEY"] = key
    try:
        with Memory.open(str(database)) as memory:
            yield memory
    finally:
        del os.environ["CFPM_KEY"]


def _fresh(folder: Path, name: str, command: Killed) -> Path:
    database = folder / name
    if command.filled:
        _restored(folder / "whole.backup", database, folder / "filled.db")
        if command.before:
            Memory.rewrite(str(database), None, command.before, settings=Settings())
    return database


def _restored(backup: Path, database: Path, known: Path) -> Path:
    """The backup as another database, with the key of the one that is known: it is in no backup."""
    shutil.copy(known.with_name(f"{known.name}-key"), database.with_name(f"{database.name}-key"))
    Memory.restore(backup, str(database))
    return database


def _remove(database: Path) -> None:
    for pattern in (f"{database.name}*", f".{database.name}*"):
        for left in database.parent.glob(pattern):
            left.unlink()


def _target(database: Path) -> Path:
    return database.with_name(f"{database.name}-target")


def _cfpm(folder: Path, database: Path, command: Killed) -> subprocess.Popen[bytes]:
    places = {
        "session": folder / "session.jsonl",
        "export": folder / "export.jsonl",
        "whole": folder / "whole.backup",
        "target": _target(database),
    }
    words = [word.format(**places) for word in command.words]
    # `encrypt` takes the key that is to be, the others the one that is.
    keys = {"CFPM_KEY": command.before or command.after, "CFPM_NEW_KEY": command.after}
    return subprocess.Popen(
        [sys.executable, "-m", "cfpm", *words, "--db", str(database)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **keys},
    )
