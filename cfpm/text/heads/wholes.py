"""How surely a query asks for all that is known of a kind: the standing rules, what is still open, what is known of its
user: "What rules did I give you?", "Anything left to do?", "What do you know about me?".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.text.heads import recap
from cfpm.text.heads.queries import learnt, share

if TYPE_CHECKING:
    from collections.abc import Collection

WHOLES = ("rules", "open", "me")
"""The kinds, as their labels are called."""


def asks_for(whole: str, query: str) -> int:
    """The share in thousandths for one of `WHOLES`."""
    name = table_of(whole)
    known, _ = learnt(name)
    return share(name, values(query, known))


def values(query: str, known: Collection[str]) -> dict[str, float]:
    """What is weighed, as of a query that asks for sessions."""
    return recap.values(query, known)


def table_of(whole: str) -> str:
    """The name of the table of weights."""
    return f"whole-{whole}"
