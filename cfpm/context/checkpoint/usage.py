"""What is known of the use of one name: how often it stood where, and what was done to it. Reads no messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from cfpm.context.checkpoint.names import Name, NameKind

_MAX_SUFFIX = 6
"""Segments of the longest short form of a path."""


class Channel(IntEnum):
    """Where a name stood: what a call is for, another argument, the agent's words, the user's, a result."""

    TARGET = 0
    ARGUMENT = 1
    SAID = 2
    ASKED = 3
    SHOWN = 4


class Home(NamedTuple):
    """What a name belongs to: a `file` by its path, a `tool` by its name, or nothing."""

    kind: str = ""
    text: str = ""


NOWHERE = Home()
_NEVER, _NOWHEN = [0] * len(Channel), [-1] * len(Channel)


@dataclass(slots=True)
class Use:
    """How often a name stood where, in which group last, in how many groups, and what it belongs to.

    `deeds` counts what was done to it; `failed` says that the last of it failed, `error` in which words; `what` is a
    word or two for what it is, as far as a text shows that.
    """

    counts: list[int] = field(default_factory=_NEVER.copy)
    last: list[int] = field(default_factory=_NOWHEN.copy)
    groups: int = 0
    seen: int = -1
    what: str = ""
    home: Home = NOWHERE
    deeds: dict[str, int] = field(default_factory=dict)
    failed: bool | None = None
    error: str = ""

    @property
    def handled(self) -> bool:
        """Whether a call was about it, and not only a text that named it."""
        return bool(self.deeds) or self.failed is not None or bool(self.counts[Channel.TARGET])

    @property
    def changed(self) -> bool:
        """Whether a call wrote it."""
        return any(self.deeds.get(deed) for deed in ("created", "edited", "deleted"))

    def add(self, other: Use) -> None:
        """Takes in the uses of another spelling of the same name."""
        for channel in Channel:
            self.counts[channel] += other.counts[channel]
            self.last[channel] = max(self.last[channel], other.last[channel])
        self.groups = max(self.groups, other.groups)
        self.seen = max(self.seen, other.seen)
        self.what = other.what or self.what
        for deed, count in other.deeds.items():
            self.deeds[deed] = self.deeds.get(deed, 0) + count
        self.home = other.home if other.home.kind else self.home
        if other.failed is not None:
            self.failed, self.error = other.failed, other.error


def joined(uses: Mapping[Name, Use]) -> dict[Name, Use]:
    """The uses with the spellings of one path put together: `loader.py` belongs to the one `src/app/loader.py`.

    A short path belongs to the longer one that ends with it and was touched last.
    """
    longest: dict[tuple[str, ...], Name] = {}
    paths = sorted((name for name in uses if name.kind is NameKind.PATH), key=lambda name: uses[name].seen)
    parts = {name: tuple(part for part in re.split(r"[/\\]", name.text) if part not in ("", ".")) for name in paths}
    for name in paths:
        for at in range(max(1, len(parts[name]) - _MAX_SUFFIX), len(parts[name])):
            longest[parts[name][at:]] = name
    spellings: dict[Name, list[Use]] = {}
    for name, use in uses.items():
        target = name
        while name.kind is NameKind.PATH and (longer := longest.get(parts[target])) is not None:
            target = longer
        spellings.setdefault(target, []).append(use)
    return {name: found[0] if len(found) == 1 else _together(found) for name, found in spellings.items()}


def _together(uses: Iterable[Use]) -> Use:
    whole = Use()
    for use in uses:
        whole.add(use)
    return whole
