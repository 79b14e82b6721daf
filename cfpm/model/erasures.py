"""What is to be erased, what it would take along, and the record that it was. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime

from cfpm.model.facts import Fact, LoggedMessage

_NAMES = {"ids": "id", "since": "time", "until": "time", "aged": "age"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """What is to be erased: what fits all that is given. Nothing given fits nothing.

    `ids` are those of facts, messages or candidates; `query` stands in a text, whatever its case and spacing; `since`
    is the first moment, `until` the first behind the last. `everything` is all of the namespace.
    """

    ids: tuple[str, ...] = ()
    query: str = ""
    session: str | None = None
    speaker: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    everything: bool = False
    aged: bool = False
    """Chosen because its time to live has ended."""

    @property
    def kind(self) -> str:
        """The kinds of what was given, none of its words: `query`, `session+time`; empty for nothing."""
        given = (one.name for one in fields(self) if getattr(self, one.name) not in ((), "", None, False))
        return "+".join(dict.fromkeys(_NAMES.get(name, name) for name in given))


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure would take along. `kept` are facts that lose a source and stay by another one; `orphans` are
    words that would stand nowhere else."""

    messages: tuple[LoggedMessage, ...] = ()
    facts: tuple[Fact, ...] = ()
    kept: tuple[Fact, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows by table."""
    orphans: frozenset[str] = frozenset()
    documents: tuple[str, ...] = ()
    """The names of documents that hold what is erased."""


@dataclass(frozen=True, slots=True)
class ErasureRecord:
    """That something was erased. No word of it. `counts` are rows by table; `finished` is False until no page of the
    file holds a byte of it."""

    number: int
    namespace: str
    selector: str
    erased_by: str
    at: datetime | None
    counts: Mapping[str, int]
    finished: bool
