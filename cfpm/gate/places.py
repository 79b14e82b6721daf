"""Whether a folder is this user's own on this machine: the last question before a path may enter a command.

Memory has no say here. What counts is the home, the links on the disk and the answer of the system, all asked now.
"""

from __future__ import annotations

from pathlib import PurePath

from cfpm.gate.host import Host
from cfpm.gate.tables import read_table
from cfpm.gate.trust import as_place
from cfpm.model.known_folders import Folder

_ROOTS_HOME = "/root"


def is_own_place(path: str, folder: Folder, host: Host) -> bool:
    """Whether the path lies in this home, or is where the system itself says that the folder is, links followed.

    Never the home itself, a root, a folder of the system or of another user, or what is hidden or private.
    """
    written, real = as_place(path, windows=host.windows), _real(path, host)
    if real is None or not written.is_absolute() or ".." in written.parts:
        return False
    home = _home(host)
    if home is not None and any(
        _is_below(written, above) for above in (home, as_place(host.home, windows=host.windows))
    ):
        return _is_below(real, home) and not _is_private(real.relative_to(home))
    return _is_named_by_system(written, folder, host) and _may_lie_outside(real, home, host)


def _home(host: Host) -> PurePath | None:
    """This user's home without links, None for what can be nobody's: a root, or the folder of all homes."""
    home = _real(host.home, host) if host.home else None
    if home is None or not home.is_absolute():
        return None
    return home if len(home.parts) > 2 or str(home) == _ROOTS_HOME else None


def _real(path: str, host: Host) -> PurePath | None:
    found = host.real(path)
    return None if found is None else as_place(found, windows=host.windows)


def _is_below(place: PurePath, above: PurePath) -> bool:
    return place != above and place.is_relative_to(above)


def _is_private(place: PurePath) -> bool:
    """Whether the place, or a folder on the way to it, is hidden or holds what no program shows to its user."""
    private = {name.lower() for name in read_table("places")["private"]}
    names = place.parts[1:] if place.anchor else place.parts
    return any(name.startswith(".") or name.lower() in private for name in names)


def _is_named_by_system(written: PurePath, folder: Folder, host: Host) -> bool:
    now = host.located(folder)
    return bool(now) and as_place(str(now), windows=host.windows) == written


def _may_lie_outside(real: PurePath, home: PurePath | None, host: Host) -> bool:
    """Whether a folder that a user had moved may be there: on a disk of its own, and no part of the system."""
    if len(real.parts) < (2 if host.windows else 3) or (home is not None and home.is_relative_to(real)):
        return False
    names = read_table("places")["windows" if host.windows else "posix"]
    refused = (as_place((real.anchor if host.windows else "") + name, windows=host.windows) for name in names)
    folded = as_place(str(real).lower(), windows=host.windows)
    return not _is_private(real) and not any(
        folded.is_relative_to(as_place(str(place).lower(), windows=host.windows)) for place in refused
    )
