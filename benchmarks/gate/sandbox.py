"""A home folder of its own in which real shells run a command against stubs that only write down their arguments.

Nothing of the command itself runs: every program it names is a stub, and built-in commands with an effect are replaced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SHELLS = ("bash", "dash", "zsh")
FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", "Movies", "Templates", "Public")
SECONDS = 10.0

_STUB = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$@"; printf '\\n\\0'; } >> "$STUB_LOG/$$"
"""
_REPLACED = ("cd", "pushd", "popd", "kill", "ulimit", "umask", "echo", "printf")
OPTIONS = {"bash": ("--norc", "--noprofile", "-c"), "dash": ("-c",), "zsh": ("-f", "-c")}
_WORD = re.compile(r"[A-Za-z_][\w.+-]*")
_SET = re.compile(r"(?:^|[\s;&|(])([A-Za-z_]\w*)=", re.MULTILINE)
_WRITES_ELSEWHERE = re.compile(r">[|]?\s*[\"']?/|(?:^|[\s;&|(])\s*\.{0,2}/[\w./-]+")


@dataclass(frozen=True, slots=True)
class Run:
    """What a shell did with a command: the arguments of every program, and the files that it made by redirection."""

    calls: Counter[tuple[str, ...]]
    files: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A folder with a home and stubs. One command at a time."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home" / "ida"

    def shells(self) -> list[str]:
        """The shells that this machine has."""
        return [name for name in SHELLS if shutil.which(name)]

    def is_safe(self, command: str) -> bool:
        """Whether all that the command can do is call stubs: no program by its path, nothing written outside."""
        return _WRITES_ELSEWHERE.search(command.replace("/dev/null", "")) is None

    def run(self, shell: str, command: str) -> Run:
        """Runs a command in a fresh home. Raises subprocess.TimeoutExpired."""
        shutil.rmtree(self.root, ignore_errors=True)
        stubs, log = self.root / "stubs", self.root / "log"
        stubs.mkdir(parents=True)
        log.mkdir()
        for folder in FOLDERS:
            (self.home / folder).mkdir(parents=True)
        for word in {*_WORD.findall(command), *_REPLACED, "values"}:
            stub = stubs / word
            stub.write_text(_STUB, encoding="utf-8")
            stub.chmod(0o755)
        (stubs / "xdg-user-dir").write_text(_XDG, encoding="utf-8")
        (stubs / "xdg-user-dir").chmod(0o755)
        program = shutil.which(shell)
        assert program is not None
        subprocess.run(
            [program, *OPTIONS[shell], f"{_functions()}\n{command}\n{_values(command)}"],
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": str(stubs), "STUB_LOG": str(log), "LC_ALL": "C.UTF-8", **self.xdg()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
        return Run(_calls(log), _files(self.home), str(self.home))

    def xdg(self) -> dict[str, str]:
        """The folders as variables, as a desktop session may set them."""
        names = {"DOWNLOAD": "Downloads", "PUBLICSHARE": "Public"}
        keys = ("DESKTOP", "DOCUMENTS", "DOWNLOAD", "MUSIC", "PICTURES", "VIDEOS", "TEMPLATES", "PUBLICSHARE")
        return {f"XDG_{key}_DIR": str(self.home / names.get(key, key.capitalize())) for key in keys}


_XDG = """#!/bin/sh
eval "printf '%s\\n' \\"\\$XDG_${1}_DIR\\""
"""


def _values(command: str) -> str:
    """A last call that shows what the variables hold that the command sets."""
    names = dict.fromkeys(_SET.findall(command))
    shown = " ".join(f'"${{{name}-}}"' for name in names)
    return f"values {shown}\n" if shown else ""


def _functions() -> str:
    """Built-in commands that would act or print become calls of their stubs, which a function can reach by its path."""
    return "\n".join(f'{name}() {{ "${{PATH%%:*}}/{name}" "$@"; }}' for name in _REPLACED)


def _calls(log: Path) -> Counter[tuple[str, ...]]:
    # A file for each process: the programs of a pipe write at the same time.
    written = "".join(file.read_bytes().decode("utf-8", "surrogateescape") for file in log.iterdir())
    return Counter(tuple(record.split("\0")[:-1]) for record in written.split("\n\0") if record)


def _files(home: Path) -> tuple[str, ...]:
    found = [os.path.relpath(Path(folder) / name, home) for folder, _, names in os.walk(home) for name in names]
    return tuple(sorted(found))
