"""Which of many literals stand in a text: asked in groups, so that a text without them is searched a few times only.

Not for what stands around a literal, and not for where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_SHORTEST = 4
_LONGEST = 8
"""Characters of what a group shares. Shorter parts stand in nearly every text, and then nothing is saved."""

_Group = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Anchors:
    """`groups` holds what the literals of a group share, and the literals; `plain` those groups that ASCII may hold."""

    groups: tuple[_Group, ...]
    plain: tuple[_Group, ...]

    @classmethod
    def of(cls, literals: Iterable[str]) -> Anchors:
        """Groups the literals: the part that most of them share first."""
        left = list(dict.fromkeys(literals))
        groups: list[_Group] = []
        while left:
            shared = _shared(left)
            members = tuple(literal for literal in left if shared and shared in literal)
            if len(members) < 2:
                break
            groups.append((shared, members))
            left = [literal for literal in left if shared not in literal]
        groups += [(literal, (literal,)) for literal in left]
        return cls(tuple(groups), tuple(group for group in groups if group[0].isascii()))

    def any_in(self, text: str) -> bool:
        """Whether one of them stands in the text."""
        for shared, members in self.plain if text.isascii() else self.groups:
            if shared in text:
                for literal in members:
                    if literal in text:
                        return True
        return False

    def among(self, text: str) -> frozenset[str]:
        """Those that stand in the text."""
        sought = self.plain if text.isascii() else self.groups
        groups = [members for shared, members in sought if shared in text]
        return frozenset([literal for members in groups for literal in members if literal in text])


def _shared(literals: list[str]) -> str:
    """The part that most of the literals have, the longest of several; empty when they are all too short."""
    counts: dict[str, int] = {}
    for literal in literals:
        ends = range(_SHORTEST, _LONGEST + 1)
        for part in {literal[at : at + size] for size in ends for at in range(len(literal) - size + 1)}:
            counts[part] = counts.get(part, 0) + 1
    return min(counts, key=lambda part: (-counts[part], -len(part), part), default="")
