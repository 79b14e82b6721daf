"""Puts made-up lines before the gate, and runs what it changes before and after in the shell that it was read for.

What may differ: nothing. What is printed, how it ends and the files are compared, and a changed line must leave every
file as it was, since only commands that read are changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gate.lines import Lines
from benchmarks.gate.machines import Machine, known
from benchmarks.gate.sandbox import FOLDERS, OPTIONS, SHELLS
from cfpm.gate.decision import Rewrite
from cfpm.gate.gate import decide
from cfpm.gate.host import Host
from cfpm.model.known_folders import NAMES

SEED = 16
SECONDS = 10.0
_AGAIN = 8
"""Times that a line is run again when something differs: one part of a pipe may end before another has begun."""
HOMES = ("ida", "ida b", "o'neil", 'a"b$c`d', "[x]*", "größe")
"""Names of homes; each is the home of every sixth line."""
_PROGRAMS = (
    *(
        "ls",
        "cat",
        "head",
        "tail",
        "wc",
        "find",
        "sort",
        "grep",
        "sed",
        "awk",
        "cut",
        "tr",
        "basename",
        "dirname",
        "realpath",
    ),
    *(
        "readlink",
        "stat",
        "cmp",
        "diff",
        "nl",
        "tac",
        "rev",
        "file",
        "tree",
        "du",
        "md5sum",
        "rm",
        "mv",
        "cp",
        "ln",
        "mkdir",
    ),
    *(
        "rmdir",
        "touch",
        "tee",
        "dd",
        "xargs",
        "install",
        "rsync",
        "chmod",
        "env",
        "sh",
        "nohup",
        "truncate",
        "split",
        "shred",
    ),
)
_XDG = '#!/bin/sh\neval "printf \'%s\\\\n\' \\"\\$XDG_${1}_DIR\\""\n'


_QUOTES = re.compile(r"""[\\'"]""")
NAMED = {
    "DESKTOP": "Desktop",
    "DOCUMENTS": "Documents",
    "DOWNLOAD": "Downloads",
    "MUSIC": "Music",
    "PICTURES": "Pictures",
    "VIDEOS": "Videos",
}
"""What the system calls a folder, and where it is here."""
_ASKED = re.compile(r"(?:\$\(|`)\s*xdg-user-dir\s+(" + "|".join(NAMED) + r")\s*(?:\)|`)")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run printed and how it ended. Messages are compared by their letters: the parts of a pipe write theirs in
    any order, and into each other."""

    out: str
    errors: str = field(compare=False)
    code: int | None
    letters: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", "".join(sorted(self.errors)))


@dataclass(frozen=True, slots=True)
class Found:
    """A changed line that does something else than before, or more than it should."""

    shell: str
    line: str
    changed: str
    what: str


@dataclass(slots=True)
class Fuzzed:
    """What came of all lines."""

    lines: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    """Changed lines by shell."""
    chance: int = 0
    """Lines that never do the same twice, such as those that print the number of their process."""
    silent: int = 0
    """Runs that printed nothing at all, which prove little."""
    found: list[Found] = field(default_factory=list)


class Playground:
    """A home with files in it, a working folder and programs, in a folder of its own."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.home, self.working = root, root / "homes" / name, root / "working"
        self.programs = root / "programs"
        self.build()
        self.machine = self._machine()
        self.before = self.files()

    def build(self) -> None:
        """Makes everything anew."""
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in FOLDERS:
            (self.home / folder / "sub").mkdir(parents=True)
            for name in ("a.txt", "b.txt", "a b", "é.txt", ".hidden"):
                (self.home / folder / name).write_text(f"a {folder}\nb {name}\n", encoding="utf-8")
        self.working.mkdir()
        for name in ("a", "b.txt", "1"):
            (self.working / name).write_text(f"{name}\n", encoding="utf-8")
        self.programs.mkdir()
        for name in _PROGRAMS:
            if found := shutil.which(name):
                (self.programs / name).symlink_to(found)
        (self.programs / "xdg-user-dir").write_text(_XDG, encoding="utf-8")
        (self.programs / "xdg-user-dir").chmod(0o755)

    def environment(self) -> dict[str, str]:
        """What the shell is given."""
        folders = {f"XDG_{key}_DIR": str(self.home / name) for key, name in NAMED.items()}
        return {
            "HOME": str(self.home),
            "PATH": str(self.programs),
            "LC_ALL": "C.UTF-8",
            "x": "a",
            "y": "b c",
            **folders,
        }

    def run(self, shell: str, command: str) -> Ran:
        """Runs a command with the real programs."""
        program = shutil.which(shell) or shell
        try:
            done = subprocess.run(
                [program, *OPTIONS[shell], command],
                cwd=self.working,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran("", "", None)
        errors = self._plain(done.stderr.decode("utf-8", "replace")).replace(self._plain(command), "LINE")
        return Ran(done.stdout.decode("utf-8", "replace"), errors, done.returncode)

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Every file and folder with its rights and content."""
        found: dict[str, tuple[int, bytes]] = {}
        for top in (self.home, self.working):
            for folder, _, names in os.walk(top):
                found[folder] = (Path(folder).stat().st_mode, b"")
                for name in names:
                    path = Path(folder, name)
                    found[str(path)] = (
                        path.lstat().st_mode,
                        os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes(),
                    )
        return found

    def _machine(self) -> Machine:
        home = str(self.home)
        paths = {name: f"{home}/{name}" for name in FOLDERS}
        located = {NAMES[name]: path for name, path in paths.items() if name != "Movies"}
        host = Host(False, home, os.path.isdir, os.path.realpath, self.environment(), located.get, os.path.exists)
        return Machine(host, tuple(known(name, path, system=name != "Movies") for name, path in paths.items()))

    def _plain(self, errors: str) -> str:
        """Messages of a shell quote the line as it is written: its quotes and its spelling of a folder are left out."""
        errors = _ASKED.sub(lambda asked: f"~/{NAMED[asked[1]]}", _QUOTES.sub("", errors))
        for spelling in (_QUOTES.sub("", str(self.home)), "${HOME}", "$HOME"):
            errors = errors.replace(spelling, "~")
        return errors


def fuzz(count: int, root: Path, seed: int = SEED) -> Fuzzed:
    """Decides about `count` lines for every shell; runs what was changed. FileNotFoundError where a shell lacks."""
    if lacking := [shell for shell in SHELLS if not shutil.which(shell)]:
        raise FileNotFoundError(f"{', '.join(lacking)} is not on the path: install it, the lines are run in it")
    grounds = [Playground(root / str(number), name) for number, name in enumerate(HOMES)]
    fuzzed = Fuzzed()
    for number, line in enumerate(Lines(seed).take(count)):
        fuzzed.lines += 1
        ground = grounds[number % len(grounds)]
        for shell in SHELLS:
            decision = decide(line, shell, ground.machine.facts, ground.machine.host)
            if isinstance(decision, Rewrite):
                fuzzed.changed[shell] += 1
                fuzzed.found.extend(differences(ground, shell, decision, fuzzed))
    return fuzzed


def differences(ground: Playground, shell: str, decision: Rewrite, fuzzed: Fuzzed) -> Iterator[Found]:
    """What the changed line does otherwise than the line before it, and the files that it changes."""
    before, after = ground.run(shell, decision.original), ground.run(shell, decision.command)
    fuzzed.silent += not (before.out or before.errors)
    if before != after:
        same = _again(ground, shell, decision, {before}, {after})
        fuzzed.chance += same is None
        if same is False:
            yield Found(shell, decision.original, decision.command, f"{before!r}\n    {after!r}")
    if ground.files() != ground.before:
        yield Found(shell, decision.original, decision.command, "a file was made, changed or deleted")
        ground.build()


def _again(ground: Playground, shell: str, decision: Rewrite, before: set[Ran], after: set[Ran]) -> bool | None:
    """Whether both lines do the same in some of several runs, None when the line itself never does the same twice."""
    for _ in range(_AGAIN):
        before.add(ground.run(shell, decision.original))
        after.add(ground.run(shell, decision.command))
        if before & after:
            return True
    return None if len(before) == _AGAIN + 1 else False
