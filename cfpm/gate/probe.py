"""The nouns of the gate: dialects, probes and what was seen that is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Self

from cfpm.gate.decision import Reason
from cfpm.model.known_folders import Folder


class Dialect(StrEnum):
    """The shell that will run a command."""

    BASH = "bash"
    SH = "sh"
    DASH = "dash"
    ZSH = "zsh"
    POWERSHELL = "powershell"
    CMD = "cmd"


class Effect(IntEnum):
    """What a command does to anything but its own output; of its parts the strongest counts."""

    READS = 0
    """Nothing: every part is known to read and print only."""
    OUTLASTS = 1
    """It leaves a working directory or a variable to later commands, and nothing else."""
    ACTS = 2
    """It may write, move, delete or run something, or nothing is known of it."""


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


@dataclass(frozen=True, slots=True)
class Seen:
    """What looks like a probe and is none, or one that must not be touched, with the reason."""

    start: int
    end: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Reading:
    """What a dialect found in a command, in order. Spans do not overlap. `effect` is that of the whole command."""

    probes: tuple[Probe, ...] = ()
    seen: tuple[Seen, ...] = ()
    effect: Effect = Effect.ACTS

    @classmethod
    def of(cls, found: Iterable[Probe | Seen], effect: Effect = Effect.ACTS) -> Self:
        """The reading with these findings."""
        every = tuple(found)
        probes = tuple(one for one in every if isinstance(one, Probe))
        return cls(probes, tuple(one for one in every if isinstance(one, Seen)), effect)
