"""A vector for each sentence of a message, read in its surroundings: written with the message, derived again by
`reindex`. Compares nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model import Role
from cfpm.store.search import SEARCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from cfpm.store.connection import Connection

AT_ONCE = 50
"""Messages that are read before their vectors are written: nobody waits while they are read."""

SPOKEN = (Role.USER, Role.ASSISTANT)
"""Whose messages are read."""

_SPOKEN = "role IN ({})".format(", ".join(f"'{role.value}'" for role in SPOKEN))
_SPACE = "SELECT id FROM vector_spaces WHERE name = ?"
_ADD_SPACE = "INSERT INTO vector_spaces (name, dimensions, revision) VALUES (?, ?, 0)"
_ADD = "INSERT OR REPLACE INTO sentence_vectors (seq, space, vectors) VALUES (?, ?, ?)"
_TEXT = f"SELECT namespace, session, turn, position, text FROM memory_turns WHERE seq = ? AND {_SPOKEN} AND {SEARCHED}"
_SAID = "SELECT seq FROM memory_turns WHERE namespace = ? AND session = ? AND message_id IN ({wanted})"
_BEFORE = (
    "SELECT role, text FROM memory_turns WHERE namespace = ? AND session = ? AND (turn, position) < (?, ?)"
    " ORDER BY turn DESC, position DESC LIMIT 1"
)
_NEXT = (
    "SELECT n.seq FROM memory_turns t JOIN memory_turns n ON n.namespace = t.namespace AND n.session = t.session"
    " AND (n.turn, n.position) > (t.turn, t.position) WHERE t.seq = ? ORDER BY n.turn, n.position LIMIT 1"
)
_FROM = "FROM sentence_vectors v JOIN memory_turns t ON t.seq = v.seq WHERE v.space = ?"
_OF = f"SELECT v.seq, t.text, v.vectors {_FROM} AND v.seq IN ({{wanted}})"
_OF_MESSAGES = (
    f"SELECT t.session, t.message_id, t.text, v.vectors {_FROM} AND t.namespace = ? AND t.message_id IN ({{wanted}})"
)
_BEHIND = (
    "FROM memory_turns t LEFT JOIN sentence_vectors v ON v.seq = t.seq"
    f" WHERE v.space IS NOT ? AND t.{_SPOKEN} AND t.{SEARCHED} AND t.seq > ?"
)


class ReadMessage(NamedTuple):
    """The text of a message, and a vector of signed bytes for each of its sentences, one behind the other."""

    text: str
    vectors: bytes


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """Keeps them; where texts have no vectors, it writes and finds none."""

    db: Connection
    wanted: bool

    def read(self, namespace: str, session: str, messages: Sequence[str]) -> None:
        """Writes the vectors of messages that are stored, given by their ids."""
        if self.wanted:
            self.renew(sorted(seq for (seq,) in self.db.among(_SAID, (namespace, session), messages)))

    def renew(self, seqs: Sequence[int]) -> None:
        """Writes the vectors of these messages, as far as somebody speaks in them. What is lost before it is written,
        `reindex` reads again, so nobody waits for the disk."""
        for start in range(0, len(seqs) if self.wanted else 0, AT_ONCE):
            some = seqs[start : start + AT_ONCE]
            found = [(seq, vectors) for seq in some if (vectors := self._read(seq)) is not None]
            if found:
                with self.db.atomic():
                    space = self._own_space()
                    # For bytes the driver would look for an adapter first, which takes longer than to copy them.
                    self.db.many(_ADD, ((seq, space, bytearray(vectors)) for seq, vectors in found))

    def _read(self, seq: int) -> bytes | None:
        row = self.db.row(_TEXT, (seq,))
        if row is None or not isinstance(row[-1], str):
            return None
        from cfpm.text.heads.answering import sentence_vectors  # an encoder, which readers do not need

        *place, text = row
        before = self.db.row(_BEFORE, tuple(place))
        spoken = before[1] if before and before[0] != Role.TOOL.value else ""
        return sentence_vectors(spoken if isinstance(spoken, str) else "", text)

    def _own_space(self) -> int:
        from cfpm.text.heads.answering import NAME, WIDTH

        # Looked up each time: a number from a transaction that was rolled back must not be kept.
        return self._space() or self.db.insert(_ADD_SPACE, (NAME, WIDTH)) or 0

    def of(self, seqs: Collection[int]) -> dict[int, ReadMessage]:
        """What was read of messages; none of a message that has no vectors."""
        if not self.wanted or not seqs or not (space := self._space()):
            return {}
        return {seq: ReadMessage(text, packed) for seq, text, packed in self.db.among(_OF, (space,), seqs)}

    def of_messages(self, namespace: str, ids: Collection[str]) -> dict[tuple[str, str], ReadMessage]:
        """The same by session and id."""
        if not self.wanted or not ids or not (space := self._space()):
            return {}
        found = self.db.among(_OF_MESSAGES, (space, namespace), ids)
        return {(session, ident): ReadMessage(text, packed) for session, ident, text, packed in found}

    def remove(self, seqs: Collection[int]) -> None:
        """Deletes the vectors of messages that go."""
        self.db.many("DELETE FROM sentence_vectors WHERE seq = ?", ((seq,) for seq in seqs))

    def leaning(self, seqs: Collection[int]) -> list[int]:
        """The messages right behind these in their sessions, without these: with these they were read."""
        found = (row[0] for seq in seqs if (row := self.db.row(_NEXT, (seq,))))
        return sorted(set(found) - set(seqs))

    def behind(self) -> int:
        """How many messages have no vectors yet."""
        return self.db.number(f"SELECT count(*) {_BEHIND}", (self._space(), -1)) if self.wanted else 0

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Reads every message that has no vectors, and returns how many those were. Takes some ten milliseconds a
        message; whatever stops it, the next call goes on from there."""
        if not self.wanted:
            return 0
        done, last = 0, -1
        while rows := self.db.rows(f"SELECT t.seq {_BEHIND} ORDER BY t.seq LIMIT ?", (self._space(), last, AT_ONCE)):
            self.renew([seq for (seq,) in rows])
            last = rows[-1][0]
            done += len(rows)
            if progress:
                progress(done)
        return done

    def _space(self) -> int:
        from cfpm.text.heads.answering import NAME

        return self.db.number(_SPACE, (NAME,))
