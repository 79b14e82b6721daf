"""Runs commands in real shells, in a sandbox home, with programs that only write down what they received."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from cfpm.gate.probe import Dialect
from tests.processes import HUNG

_STARTS = {
    Dialect.BASH: ("bash", "--norc", "--noprofile", "-c"),
    Dialect.DASH: ("dash", "-c"),
    Dialect.ZSH: ("zsh", "-f", "-c"),
}
_STUB = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" >> "$RECORD"
printf '\\n' >> "$RECORD"
printf '%s\\n' "$@"
"""
_STUBS = ("args", "docker", "scp", "xdg-user-dir")

SHELLS = [
    pytest.param(dialect, marks=pytest.mark.skipif(shutil.which(start[0]) is None, reason=f"{start[0]} is not here"))
    for dialect, start in _STARTS.items()
]


@dataclass(frozen=True, slots=True)
class Ran:
    """What the programs received, what came out, and which files there are afterwards."""

    received: bytes
    output: bytes
    files: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A folder of its own for programs and working directory. Homes are made where a test wants them."""

    root: Path

    def run(self, command: str, dialect: Dialect, home: Path) -> Ran:
        """Runs one command with `home` as the home folder, which is emptied of what earlier runs left."""
        programs, working = self._programs(), self.root / "working"
        record = self.root / "record"
        shutil.rmtree(working, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)
        working.mkdir()
        (home / "Desktop").mkdir(parents=True)
        (home / "Desktop" / "seen.txt").write_text("seen", encoding="utf-8")
        record.write_bytes(b"")
        environment = {
            "HOME": str(home),
            "XDG_DESKTOP_DIR": f"{home}/Desktop",
            "PATH": f"{programs}:/usr/bin:/bin",
            "RECORD": str(record),
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            [*_STARTS[dialect], command], cwd=working, env=environment, capture_output=True, check=False, timeout=HUNG
        )
        found = [path for folder in (working, home) for path in sorted(folder.rglob("*")) if path.is_file()]
        files = {str(path): path.read_bytes() for path in found}
        return Ran(record.read_bytes(), done.stdout, files)

    def _programs(self) -> Path:
        programs = self.root / "programs"
        if not programs.exists():
            programs.mkdir()
            for name in _STUBS:
                text = '#!/bin/sh\necho "$XDG_DESKTOP_DIR"\n' if name == "xdg-user-dir" else _STUB
                (programs / name).write_text(text, encoding="utf-8")
                (programs / name).chmod(0o755)
        return programs
