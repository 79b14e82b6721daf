"""Where a probe's folder is now, or why nothing known may take its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cfpm.gate.decision import Reason
from cfpm.gate.host import Host
from cfpm.gate.places import is_own_place
from cfpm.gate.probe import Dialect, How, Probe
from cfpm.gate.trust import Known, Strength, as_place, is_marked_invalid, is_usual_place, known_paths
from cfpm.model import Fact
from cfpm.model.known_folders import Folder


@dataclass(frozen=True, slots=True)
class Found:
    """The path that may be written in place of a probe, and the fact that knows it."""

    path: str
    fact_id: str


@dataclass(frozen=True, slots=True)
class NotFound:
    """Why no path may be written. `fact_id` is the fact that decided it, if any."""

    reason: Reason
    fact_id: str = ""


def place_of(
    probe: Probe, dialect: Dialect, facts: Sequence[Fact], host: Host, *, outlasts: bool = False
) -> Found | NotFound:
    """The known path that the probe stands for on this machine, now.

    A command that `outlasts` itself, such as `cd`, decides what later ones work on, so that only the path which the
    shell itself would find, or which the system names now, is written into it.
    """
    known = _usable(probe.folder, dialect, facts, host)
    if isinstance(known, NotFound):
        return known
    match probe.how:
        case How.HOME:
            return _in_home(probe, known, host, outlasts=outlasts)
        case How.VARIABLE:
            return _in_variable(probe, known, host)
        case How.SYSTEM:
            return _by_system(probe, known, host, outlasts=outlasts)


def _usable(folder: Folder, dialect: Dialect, facts: Sequence[Fact], host: Host) -> list[Known] | NotFound:
    """Those that are trusted, fit the shell, are not marked invalid, are there now and this user's own; else the reason
    of the last hurdle that one of them took."""
    known = known_paths(folder, facts)
    if not known:
        return NotFound(Reason.NOTHING_KNOWN)
    hurdles: tuple[tuple[Reason, Callable[[Known], bool]], ...] = (
        (Reason.NOT_TRUSTED, lambda one: one.strength is not None),
        (Reason.FOREIGN_FLAVOUR, lambda one: _fits(one, dialect)),
        (Reason.MARKED_INVALID, lambda one: is_marked_invalid(one.path, facts) is None),
        (Reason.FOLDER_MISSING, lambda one: host.is_folder(one.path)),
        (Reason.OUTSIDE_HOME, lambda one: one.windows == host.windows and is_own_place(one.path, folder, host)),
    )
    for reason, passes in hurdles:
        passed = [one for one in known if passes(one)]
        if not passed:
            return NotFound(reason, known[0].fact_id)
        known = passed
    return known


def _fits(known: Known, dialect: Dialect) -> bool:
    match dialect:
        case Dialect.CMD:
            return known.windows
        case Dialect.POWERSHELL:
            return True
        case Dialect.BASH | Dialect.SH | Dialect.DASH | Dialect.ZSH:
            return not known.windows


def _in_home(probe: Probe, known: list[Known], host: Host, *, outlasts: bool) -> Found | NotFound:
    home = _home(probe, host)
    if not home and not all(one.windows for one in known):
        return NotFound(Reason.VARIABLE_NOT_SET)
    if home:
        # Textually, as the shell does it: a home such as `/home/a b ` keeps its blank.
        literal = f"{home.rstrip('/')}/{probe.name}"
        if same := _same(literal, known, host):
            return Found(same.path, same.fact_id)
        if host.is_folder(literal):
            return NotFound(Reason.AMBIGUOUS, known[0].fact_id)
    if outlasts:
        now = host.located(probe.folder)
        same = _same(now, known, host) if now else None
        return Found(same.path, same.fact_id) if same else NotFound(Reason.OUTLASTS_COMMAND, known[0].fact_id)
    usual = (
        one for one in known if one.strength is not Strength.SEEN or is_usual_place(one.path, home, windows=one.windows)
    )
    return _strongest(usual, known[0].fact_id)


def _in_variable(probe: Probe, known: list[Known], host: Host) -> Found | NotFound:
    value = host.variable(probe.variables[0])
    if value is None:
        return NotFound(Reason.VARIABLE_NOT_SET)
    same = _same(value, known, host)
    return Found(same.path, same.fact_id) if same else NotFound(Reason.AMBIGUOUS, known[0].fact_id)


def _by_system(probe: Probe, known: list[Known], host: Host, *, outlasts: bool) -> Found | NotFound:
    now = host.located(probe.folder)
    if now and (same := _same(now, known, host)):
        return Found(same.path, same.fact_id)
    if now and host.is_folder(now):
        return NotFound(Reason.AMBIGUOUS, known[0].fact_id)
    if outlasts:
        return NotFound(Reason.OUTLASTS_COMMAND, known[0].fact_id)
    answered = [one for one in known if one.strength is not Strength.SEEN]
    if not answered:
        return NotFound(Reason.NOT_TRUSTED, known[0].fact_id)
    return _strongest(answered, known[0].fact_id)


def _home(probe: Probe, host: Host) -> str:
    """The home folder by the variables that the probe hangs on, empty when one of them is not set."""
    if probe.variables == ("HOME",):
        return (host.home if host.windows else host.variable("HOME")) or ""
    values = [host.variable(name) for name in probe.variables]
    return "".join(value for value in values if value) if all(values) else ""


def _same(path: str, known: Iterable[Known], host: Host) -> Known | None:
    place = as_place(path, windows=host.windows)
    return next((one for one in known if as_place(one.path, windows=host.windows) == place), None)


def _strongest(known: Iterable[Known], fact_id: str) -> Found | NotFound:
    """The one with most behind it; of two with the same support the newer answer. Else it is open which is meant."""
    found = list(known)
    most = max((one.strength for one in found if one.strength), default=None)
    best = [one for one in found if one.strength is most]
    if len(best) > 1 and most is not Strength.SEEN:
        newest = max((one.since for one in best if one.since), default=None)
        best = [one for one in best if one.since == newest]
    return Found(best[0].path, best[0].fact_id) if len(best) == 1 else NotFound(Reason.AMBIGUOUS, fact_id)
