"""Stories as their authors wrote them: sessions of messages, and what must and must not reach a prompt afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question or an order: any of `found` must be in the block; none of `outdated` may stand in it unmarked."""

    asked: str
    found: tuple[str, ...]
    outdated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """Something to be known, by any of its words, or not to be believed, by all of them in one fact."""

    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Some sessions over weeks, in order, with their questions."""

    name: str
    sessions: tuple[tuple[str, tuple[Mapping[str, object], ...]], ...]
    questions: tuple[Wanted, ...]
    orders: tuple[Wanted, ...]
    known: tuple[Statement, ...]
    not_believed: tuple[Statement, ...]
    changes: tuple[tuple[str, str], ...] = ()
    """Words that hold no longer, and those that took their place."""
    beside: tuple[tuple[str, str], ...] = ()
    """Words of two messages that look so, and of which both hold."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a story file; KeyError or ValueError name what is wrong with it."""
        raw = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            name=path.stem,
            sessions=tuple((one["at"], tuple(one["messages"])) for one in raw["sessions"]),
            questions=tuple(Wanted(q["q"], tuple(q["answer"]), tuple(q["outdated"])) for q in raw["questions"]),
            orders=tuple(Wanted(order["order"], tuple(order["rule"])) for order in raw["orders"]),
            known=tuple(Statement(one["statement"], tuple(one["words"])) for one in raw["known"]),
            not_believed=tuple(Statement(one["statement"], tuple(one["words"])) for one in raw["not_believed"]),
            changes=tuple((one["old"], one["new"]) for one in raw.get("changes", ())),
            beside=tuple((one["one"], one["other"]) for one in raw.get("beside", ())),
        )

    def messages(self) -> Iterable[Mapping[str, object]]:
        """All messages in order."""
        for _, messages in self.sessions:
            yield from messages

    def told(self, memory: Memory) -> None:
        """Has the memory observe the sessions, each under a name of its own."""
        for number, (at, messages) in enumerate(self.sessions, 1):
            memory.observe([{**message, "created_at": at} for message in messages], session=f"session-{number}")
