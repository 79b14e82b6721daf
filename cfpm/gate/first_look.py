"""The first look at a command, before anything is imported for a second: may it ask for a known folder at all?"""

from __future__ import annotations

from cfpm.model.known_folders import NAMES

_ANCHORS = ("~", "home", "userprofile")
_ASKS = ("xdg-user-dir", "getfolderpath", "xdg_")
_NAMES = tuple(name.lower() for name in NAMES)


def looks_like_probe(command: str) -> bool:
    """False when no dialect of the gate would find a probe, or what looks like one. Generous, and linear."""
    lower = command.lower()
    if any(sign in lower for sign in _ASKS):
        return True
    return any(sign in lower for sign in _ANCHORS) and any(name in lower for name in _NAMES)
