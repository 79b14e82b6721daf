"""How far text is trusted, by the tool that returned it or the person who wrote it. Decides nothing itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase


class Trust(StrEnum):
    """Whose word a text is worth."""

    OWN = "own"
    """As the user's own word is; of a tool: shown as it is."""
    DATA = "data"
    """Evidence, never an order: what speaks in it is quarantined."""
    UNTRUSTED = "untrusted"
    """Neither learnt from nor shown unless asked for."""


TOOL = "tool:"
SPEAKER = "speaker:"
"""Before a pattern that is only for tools, or only for people."""


@dataclass(frozen=True, slots=True)
class TrustTable:
    """Patterns of names, in order, with their trust; the first that fits decides.

    A pattern is a name with `*` and `?`, case aside: of a tool (`mcp__mail__*`, `tool:fetch`) or of a person
    (`speaker:Ann`). Without a prefix it is for both.
    """

    rows: tuple[tuple[str, Trust], ...] = ()

    @classmethod
    def of(cls, setting: Mapping[str, str] | Iterable[tuple[str, str]]) -> TrustTable:
        """The table of the setting `trust`. Raises ValueError for a trust that does not exist."""
        pairs = setting.items() if isinstance(setting, Mapping) else setting
        return cls(tuple((pattern.casefold(), Trust(trust)) for pattern, trust in pairs))

    def of_tool(self, name: str) -> Trust:
        """The trust of a tool's text: data unless the table says otherwise."""
        return self._first(name, TOOL, SPEAKER) or Trust.DATA

    def of_speaker(self, name: str) -> Trust | None:
        """The trust of a person's text; None where the table says nothing of the name."""
        return self._first(name, SPEAKER, TOOL)

    def may_steer_tool(self, name: str) -> bool:
        """Whether what this tool returned may count as evidence at all, such as of a path: for the gate."""
        return self.of_tool(name) is not Trust.UNTRUSTED

    def _first(self, name: str, prefix: str, other: str) -> Trust | None:
        folded = name.casefold()
        for pattern, trust in self.rows:
            if not pattern.startswith(other) and fnmatchcase(folded, pattern.removeprefix(prefix)):
                return trust
        return None


def speaks_for_user(name: str, principal: str | None, trust: TrustTable) -> Trust:
    """The trust of what somebody called `name` said in a session whose `principal` is the user.

    `principal` is the name on the session's first message of a user: empty for a user without a name, None where nobody
    but people with names talk to each other, of whom none is the user. Without a name it is the user.
    """
    if not name:
        return Trust.OWN
    if (given := trust.of_speaker(name)) is not None:
        return given
    return Trust.OWN if principal is None or name.casefold() == principal.casefold() else Trust.DATA
