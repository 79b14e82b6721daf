"""The nouns of the gate: dialects, probes and what was seen that is none. No behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from cfpm.gate.reasons import Reason
from cfpm.model.known_folders import Folder


class Dialect(StrEnum):
    """The shell that will run a command."""

    BASH = "bash"
    SH = "sh"
    DASH = "dash"
    ZSH = "zsh"
    POWERSHELL = "powershell"
    CMD = "cmd"


class How(StrEnum):
    """In which way a probe asks for a folder."""

    HOME = "home"
    """By its usual name in the home folder: `~/Desktop`, `%USERPROFILE%\\Desktop`."""
    VARIABLE = "variable"
    """By a variable that holds its path: `$XDG_DESKTOP_DIR`."""
    SYSTEM = "system"
    """By asking the system: `$(xdg-user-dir DESKTOP)`, `[Environment]::GetFolderPath('Desktop')`."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An expression that the shell will replace by the path of a known folder. Offsets are characters of the command.

    `name` is the folder as written (`Desktop`, `DOWNLOAD`, `MyDocuments`); `variables` are the environment variables
    that its value hangs on, in capitals where the shell does not mind case.
    `write` gives the text that stands for a path in exactly this place, or None when there is none that is safe there.
    """

    folder: Folder
    name: str
    how: How
    start: int
    end: int
    variables: tuple[str, ...]
    write: Callable[[str], str | None]
    creates: bool = False
    """The command makes what the probe names, so that a folder elsewhere is not what it asks for."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What looks like a probe and is none, or one that must not be touched, with the reason."""

    start: int
    end: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Reading:
    """What a dialect found in a command, in order. Spans do not overlap."""

    probes: tuple[Probe, ...] = ()
    seen: tuple[Seen, ...] = ()


class Reader(Protocol):
    """Reads commands of one dialect. Never raises, whatever the text."""

    def __call__(self, command: str, dialect: Dialect) -> Reading: ...
