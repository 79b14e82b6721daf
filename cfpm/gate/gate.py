"""The decision of the gate, as a pure function of the command, what memory knows and what the machine says now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from cfpm.gate.advice import advise
from cfpm.gate.decision import Change, Decision, Kept, Pass, Reason, Rewrite
from cfpm.gate.host import Host
from cfpm.gate.probe import Dialect, Effect, Reading
from cfpm.gate.resolve import Found, place_of
from cfpm.gate.tables import read_table
from cfpm.model import Fact
from cfpm.model.bytecode import compiled

_SAID_READ = 4_000
"""Characters of a message that are looked at, from its end: the request stands there."""


def dialect_named(name: str) -> Dialect | None:
    """The dialect with this name or a usual alias (`pwsh`, `ps1`, `shell`), None for what the gate does not know."""
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    return Dialect(wanted) if wanted in set(Dialect) else None


def read(command: str, dialect: Dialect) -> Reading:
    """The probes of a command, and what only looks like one. Never raises."""
    match dialect:
        case Dialect.POWERSHELL:
            from cfpm.gate.shells.powershell.reader import read as read_powershell

            return read_powershell(command, dialect)
        case Dialect.CMD:
            from cfpm.gate.shells.cmd.reader import read as read_cmd

            return read_cmd(command, dialect)
        case Dialect.BASH | Dialect.SH | Dialect.DASH | Dialect.ZSH:
            from cfpm.gate.shells.posix.reader import read as read_posix

            return read_posix(command, dialect)


def decide(
    command: str, dialect: str, facts: Sequence[Fact], host: Host, *, said: str = "", enabled: bool = True
) -> Decision:
    """Whether a command is to be changed before it runs, and how.

    `facts` are those that may say where the folders are or that a path is broken, in any order; `said` is the last
    message of the user. Never raises; whatever is not certainly right passes unchanged, with the reason.
    """
    shell = dialect_named(dialect)
    if not enabled:
        return Pass(command, dialect, Reason.SWITCHED_OFF)
    if shell is None:
        return Pass(command, dialect, Reason.UNKNOWN_DIALECT)
    return judge(command, shell, read(command, shell), facts, host, said)


def judge(
    command: str, dialect: Dialect, reading: Reading, facts: Sequence[Fact], host: Host, said: str = ""
) -> Decision:
    """`decide` for a command that was read before, so that only the facts that it needs are looked up."""
    kept = [Kept(seen.start, seen.end, seen.reason) for seen in reading.seen]
    if reading.probes and _asks_to_reverify(said):
        return Pass(command, dialect, Reason.REVERIFICATION_ASKED, tuple(kept))
    advice = advise(command, facts, host)
    changes, left = _changes(command, dialect, reading, facts, host)
    kept = sorted((*kept, *left), key=lambda place: place.start)
    if changes:
        return Rewrite(command, _applied(command, changes), dialect, tuple(changes), tuple(kept), advice)
    if advice:
        return Pass(command, dialect, Reason.INVALID_PATH_NAMED, tuple(kept), advice)
    # A real probe that could not be used says more than a look-alike beside it.
    first = next(iter((*left, *kept)), None)
    return Pass(command, dialect, first.reason if first else Reason.NO_PROBE, tuple(kept))


def _changes(
    command: str, dialect: Dialect, reading: Reading, facts: Sequence[Fact], host: Host
) -> tuple[list[Change], list[Kept]]:
    if reading.effect is Effect.ACTS:
        return [], [Kept(probe.start, probe.end, Reason.NOT_READ_ONLY) for probe in reading.probes]
    changes: list[Change] = []
    left: list[Kept] = []
    for probe in reading.probes:
        found = place_of(probe, dialect, facts, host, outlasts=reading.effect is Effect.OUTLASTS)
        match found:
            case Found(path, fact_id):
                text = probe.write(path)
                if text is None:
                    left.append(Kept(probe.start, probe.end, Reason.UNQUOTABLE, fact_id))
                    continue
                before = command[probe.start : probe.end]
                changes.append(Change(probe.folder, path, probe.start, probe.end, before, text, fact_id))
            case _:
                left.append(Kept(probe.start, probe.end, found.reason, found.fact_id))
    return changes, left


def _applied(command: str, changes: Sequence[Change]) -> str:
    pieces: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda change: change.start):
        pieces += (command[at : change.start], change.text)
        at = change.end
    return "".join((*pieces, command[at:]))


def _asks_to_reverify(said: str) -> bool:
    """True for "verify the path again", "please re-check", 重新确认; not for "no need to check again"."""
    said = said[-_SAID_READ:]
    asks, declines = _phrases()
    return any(declines.search(said[: found.start()]) is None for found in asks.finditer(said))


@cache
def _phrases() -> tuple[re.Pattern[str], re.Pattern[str]]:
    phrases = read_table("reverification")
    asks, declines = ("|".join(sorted(phrases[key])) for key in ("asks", "declines"))
    return compiled(asks, re.IGNORECASE), compiled(f"(?:{declines})$", re.IGNORECASE)


_ALIASES = {"shell": "bash", "posix": "sh", "pwsh": "powershell", "ps1": "powershell", "batch": "cmd", "windows": "cmd"}
