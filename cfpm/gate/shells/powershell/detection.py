"""Where a command has something that looks like a probe of PowerShell: cheap and generous. Decides nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from cfpm.gate.probe import How
from cfpm.model.known_folders import NAMES, SPECIAL, Folder, folder_named
from cfpm.model.patterns import lazy_pattern

MOST = 64
"""Look-alikes that are read in one command; a real command has fewer than ten."""

_NAMES = "|".join(NAMES)
_HOME_DRIVE = r"(?:\$env:(?:HOMEDRIVE|SystemDrive)|\$\{env:(?:HOMEDRIVE|SystemDrive)\})"
_SPOT = lazy_pattern(
    rf"""(?P<home>{_HOME_DRIVE}?(?:\$env:HOMEPATH|\$\{{env:HOMEPATH\}})|\$(?:env:)?(?:USERPROFILE|HOME)"""
    rf"""|\$\{{(?:env:)?(?:USERPROFILE|HOME)\}}|%USERPROFILE%|%HOMEPATH%|%HOME%|(?<![\w$}}/\\.-])~)[\\/](?P<name>{_NAMES})"""
    rf"""|\[(?:System\.)?Environment\]::GetFolderPath\([ ]?(?:'(?P<single>\w{{1,20}})'|"(?P<double>\w{{1,20}})\""""
    rf"""|\[(?:System\.)?Environment(?P<plus>\+)SpecialFolder\]::(?P<member>\w{{1,20}}))[ ]?\)""",
    re.IGNORECASE | re.ASCII,
)
_FOLDERS = (*(name.lower() for name in NAMES), "getfolderpath")


@dataclass(frozen=True, slots=True)
class Spot:
    """A look-alike. `base` is the home folder as written, empty for a question to the system; `plus` is the place of a
    sign that the grammar does not know, -1 without."""

    start: int
    end: int
    how: How
    folder: Folder
    name: str
    base: str = ""
    plus: int = -1

    @property
    def variables(self) -> tuple[str, ...] | None:
        """The variables that the value hangs on, None when this is no home folder of PowerShell's."""
        if self.how is How.SYSTEM:
            return ()
        return _VARIABLES.get(re.sub("[{}]", "", self.base).upper())

    @property
    def is_tilde(self) -> bool:
        return self.base == "~"


def spots(command: str) -> tuple[list[Spot], bool]:
    """The look-alikes, in order and without overlaps, and whether there are more than are read. Linear."""
    lower = command.lower()
    if not any(name in lower for name in _FOLDERS):
        return [], False
    found = list(islice(filter(None, map(_spot, _SPOT.finditer(command))), MOST + 1))
    return found[:MOST], len(found) > MOST


def _spot(match: re.Match[str]) -> Spot | None:
    if base := match["home"]:
        folder = folder_named(match["name"], windows=True)
        return Spot(*match.span(), How.HOME, folder, match["name"], base) if folder else None
    name = match["single"] or match["double"] or match["member"]
    special = SPECIAL.get(name.lower())
    return Spot(*match.span(), How.SYSTEM, special, name, plus=match.start("plus")) if special else None


_VARIABLES = {
    "$ENV:USERPROFILE": ("USERPROFILE",),
    "$HOME": ("HOME",),
    "~": ("HOME",),
    "$ENV:HOMEDRIVE$ENV:HOMEPATH": ("HOMEDRIVE", "HOMEPATH"),
    "$ENV:SYSTEMDRIVE$ENV:HOMEPATH": ("SYSTEMDRIVE", "HOMEPATH"),
}
