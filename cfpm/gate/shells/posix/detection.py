"""Where a command has something that looks like a probe of a POSIX shell: cheap and generous. Decides nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfpm.gate.probe import How
from cfpm.model.known_folders import NAMES, XDG, Folder
from cfpm.model.patterns import lazy_pattern

_ANCHORS = ("~/", "HOME", "xdg-user-dir", "XDG_")
_KEYS = "|".join(XDG)
_LOOK_ALIKE = lazy_pattern(
    rf"""(?:~|\$HOME|\$\{{HOME(?P<operation>[^}}\n]{{0,80}})\}})["']{{0,2}}/["']{{0,2}}(?P<name>{"|".join(NAMES)})"""
    rf"""|\$XDG_(?P<key>{_KEYS})_DIR(?![A-Za-z0-9_])"""
    rf"""|\$\{{XDG_(?P<braced>{_KEYS})_DIR(?![A-Za-z0-9_])(?P<change>[^}}\n]{{0,200}})\}}?"""
    rf"""|(?P<opening>(?:\$\(|`)[ \t]{{0,8}})?xdg-user-dir[ \t]{{1,8}}"""
    rf"""["']?(?P<asked>{_KEYS})(?![A-Za-z0-9_])["']?"""
)
QUESTION = lazy_pattern(
    rf"""(?:\$\(|`)[ \t]*xdg-user-dir[ \t]+(?P<quote>["']?)(?:{_KEYS})(?P=quote)[ \t]*"""
    r"""(?:2>[ \t]*/dev/null[ \t]*)?[)`]"""
)
"""A substitution that asks the system for a folder and does nothing else."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A look-alike. `name` is the folder as written; `plain` says that nothing is done to the value."""

    start: int
    end: int
    how: How
    name: str
    plain: bool

    @property
    def folder(self) -> Folder:
        return NAMES[self.name] if self.how is How.HOME else XDG[self.name]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the value hangs on."""
        return (f"XDG_{self.name}_DIR",) if self.how is How.VARIABLE else ("HOME",)


def spots(command: str) -> list[Spot]:
    """All look-alikes, in order, without overlaps. Linear in the length of the command."""
    if not any(anchor in command for anchor in _ANCHORS):
        return []
    return [_spot(match) for match in _LOOK_ALIKE.finditer(command)]


def _spot(match: re.Match[str]) -> Spot:
    start, end = match.span()
    if name := match["name"]:
        return Spot(start, end, How.HOME, name, not match["operation"])
    if name := match["asked"]:
        return Spot(start, end, How.SYSTEM, name, bool(match["opening"]))
    return Spot(start, end, How.VARIABLE, match["key"] or match["braced"], not match["change"])
