"""Vectors of messages and facts beside their rows: written in the same transaction, derived again by `reindex`.

Knows no model: the embedder is handed in when the store is opened. Compares nothing: see `namespace_index`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.store.rows import calls_if_sound
from cfpm.store.search import SEARCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfpm.embedding import Embedder
    from cfpm.model import ToolCall
    from cfpm.store.connection import Connection

AT_ONCE = 500
"""Texts that `reindex` embeds in one transaction: other writers wait for at most some tens of milliseconds."""

EMBEDDED_AT_ONCE = 64
"""Texts whose word pieces are in memory as numbers at the same time: up to 15 MB. All 100,000 messages of one turn at
once took 1.1 GB."""

OF_A_TOOL = 400
"""Characters of a tool's output, and of the calls of a message, that are embedded: what they are about stands at the
head; words find the rest."""

OF_A_DOCUMENT = 600
"""The same of a chunk of a document: half of it. A file of 10 MB has eight thousand, and all of each would cost a
second more."""

_SPACE = "SELECT id FROM vector_spaces WHERE name = ?"
_ADD_SPACE = "INSERT INTO vector_spaces (name, dimensions, revision) VALUES (?, ?, 0)"
_REVISED = "UPDATE vector_spaces SET revision = revision + 1 WHERE name = ?"
_REVISION = "SELECT revision FROM vector_spaces WHERE name = ?"
_ADD = (
    "INSERT INTO {kind}_vectors (seq, space, vector, pieces) VALUES (?, ?, ?, ?) ON CONFLICT (seq) DO UPDATE"
    " SET space = excluded.space, vector = excluded.vector, pieces = excluded.pieces"
)
_BEHIND = {
    "turn": (
        "FROM memory_turns t LEFT JOIN turn_vectors v ON v.seq = t.seq"
        f" WHERE v.space IS NOT ? AND t.{SEARCHED} AND t.seq > ?"
    ),
    "fact": "FROM memory_facts t LEFT JOIN fact_vectors v ON v.seq = t.seq WHERE v.space IS NOT ? AND t.seq > ?",
    "document": (
        "FROM document_chunks t LEFT JOIN document_vectors v ON v.seq = t.seq WHERE v.space IS NOT ? AND t.seq > ?"
    ),
}
_TEXT = {
    "turn": f"CASE t.role WHEN 'tool' THEN substr(t.text, 1, {OF_A_TOOL}) ELSE t.text END, t.tool_calls",
    "fact": "t.content, ''",
    "document": f"substr(t.text, 1, {OF_A_DOCUMENT}), ''",
}


def searched_words(calls: Sequence[ToolCall]) -> str:
    """What the calls of a message are found by."""
    from cfpm.extractor.calls import searched_words as words_of  # the rules, which a gate does not need

    return words_of(calls)


def with_calls(text: str, calls: str) -> str:
    """What is embedded of a message that says this and makes calls that are found by these words."""
    return f"{text}\n{calls[:OF_A_TOOL]}".strip() if calls else text


def _whole(text: str, calls: str) -> str:
    return with_calls(text, searched_words(calls_if_sound(calls))) if calls else text


@dataclass(slots=True)
class Vectors:
    """Keeps vectors. Without an embedder it writes none, and words alone find rows."""

    db: Connection
    load: Callable[[], Embedder] | None
    """Loaded with the first text, so that what neither stores nor recalls pays nothing."""

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors of this store, or None."""
        return self.load() if self.load else None

    def space(self) -> int | None:
        """The number of the embedder's space in this file; None when nothing has been embedded by it."""
        return self.db.number(_SPACE, (self.embedder.name,)) or None if self.embedder else None

    def revision(self) -> int:
        """Another number when vectors of known rows have changed."""
        return self.db.number(_REVISION, (self.embedder.name,)) if self.embedder else 0

    def behind(self) -> int:
        """How many rows have no vector of the embedder."""
        if self.embedder is None:
            return 0
        return sum(self.db.number(f"SELECT count(*) {rows}", (self.space() or 0, -1)) for rows in _BEHIND.values())

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Embeds every row that has no vector of the embedder, and returns how many those were.

        Some hundred rows are one transaction: whatever stops it, the next call goes on from there. `progress` gets the
        rows done so far.
        """
        if self.embedder is None:
            return 0
        done = 0
        for kind, behind in _BEHIND.items():
            last, sql = -1, f"SELECT t.seq, {_TEXT[kind]} {behind} ORDER BY t.seq LIMIT ?"
            while rows := self.db.rows(sql, (self.space() or 0, last, AT_ONCE)):
                with self.db.atomic():
                    self.add(kind, [(seq, _whole(text, calls)) for seq, text, calls in rows])
                    self.db.run(_REVISED, (self.embedder.name,))
                last = rows[-1][0]
                done += len(rows)
                if progress:
                    progress(done)
        return done

    def renew(self, rows: Sequence[tuple[int, str]]) -> None:
        """Makes the vectors of these messages anew, of texts by `seq`."""
        if self.embedder is not None:
            self.add("turn", rows)
            self.db.run(_REVISED, (self.embedder.name,))

    def add(self, kind: str, rows: Sequence[tuple[int, str]]) -> None:
        """Writes vectors of these texts, by `seq`; inside the transaction that wrote the rows."""
        if not rows or (embedder := self.embedder) is None:
            return
        space = self._own_space(embedder)
        for start in range(0, len(rows), EMBEDDED_AT_ONCE):
            part = rows[start : start + EMBEDDED_AT_ONCE]
            packed = embedder.packed([text for _, text in part])
            self.db.many(
                _ADD.format(kind=kind),
                # For bytes the driver would look for an adapter first, which takes longer than to copy them.
                (
                    (seq, space, bytearray(vector), bytearray(pieces))
                    for (seq, _), (vector, pieces) in zip(part, packed, strict=True)
                ),
            )

    def _own_space(self, embedder: Embedder) -> int:
        # Looked up each time: a number from a transaction that was rolled back must not be kept.
        if known := self.space():
            return known
        return self.db.insert(_ADD_SPACE, (embedder.name, embedder.dimensions)) or 0
