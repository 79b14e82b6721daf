"""A vector for each sentence of a message, read in its surroundings: written right behind the message, derived again by
`reindex`. Compares nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from cfpm.errors import CFPMError
from cfpm.model import Role
from cfpm.store.search import SEARCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.model import Span
    from cfpm.store.connection import Connection

    Floats = NDArray[np.float32]

AT_ONCE = 50
"""Messages that are read before their vectors are written: nobody waits while they are read."""

MOST_OF_A_TURN = 200
"""Messages of a turn that are read behind it, the last ones: some seconds. `reindex` reads the others."""

READ_FOR_IT = 8
"""Messages that are read because something is compared with them: those of a turn of ordinary length."""

SPOKEN = (Role.USER, Role.ASSISTANT)
"""Whose messages are read."""

_SPOKEN = "role IN ({})".format(", ".join(f"'{role.value}'" for role in SPOKEN))
_SPACE = "SELECT id FROM vector_spaces WHERE name = ?"
_ADD_SPACE = "INSERT INTO vector_spaces (name, dimensions, revision) VALUES (?, ?, 0)"
_ADD = "INSERT OR REPLACE INTO sentence_vectors (seq, space, vectors) VALUES (?, ?, ?)"
_TEXT = (
    "SELECT namespace, session, turn, position, substr(text, 1, ?) FROM memory_turns"
    f" WHERE seq = ? AND {_SPOKEN} AND {SEARCHED}"
)
_SEQ_OF = "SELECT message_id, seq FROM memory_turns WHERE namespace = ? AND session = ? AND message_id IN ({wanted})"
_SAID = "SELECT seq FROM memory_turns WHERE namespace = ? AND session = ? AND message_id IN ({wanted})"
_BEFORE = (
    "SELECT role, substr(text, ?) FROM memory_turns WHERE namespace = ? AND session = ? AND (turn, position) < (?, ?)"
    " ORDER BY turn DESC, position DESC LIMIT 1"
)
_PLACE = "SELECT namespace, session, turn, position FROM memory_turns WHERE seq = ?"
_NEXT = (
    "SELECT seq FROM memory_turns WHERE namespace = ? AND session = ? AND (turn, position) > (?, ?)"
    " ORDER BY turn, position LIMIT 1"
)
_OF = (
    "SELECT v.seq, substr(t.text, 1, ?), v.vectors FROM sentence_vectors v JOIN memory_turns t ON t.seq = v.seq"
    " WHERE v.space = ? AND v.seq IN ({wanted})"
)
_BEHIND = (
    "FROM memory_turns t LEFT JOIN sentence_vectors v ON v.seq = t.seq"
    f" WHERE v.space IS NOT ? AND t.{_SPOKEN} AND t.{SEARCHED} AND t.seq > ?"
)


class ReadMessage(NamedTuple):
    """The text of a message as far as it is read, and a vector of signed bytes for each of its sentences, one behind
    the other."""

    text: str
    vectors: bytes

    def of_stretch(self, span: Span) -> Floats | None:
        """One vector of length 1 for the sentences in which it stands; None for none that was read."""
        import numpy as np

        from cfpm.text.heads.answering import WIDTH, spans

        if not isinstance(self.vectors, bytes) or len(self.vectors) != WIDTH * len(spans(self.text)):
            return None  # a file that was changed by hand
        within = [place for place, (start, end) in enumerate(spans(self.text)) if start < span.end and end > span.start]
        rows = np.frombuffer(self.vectors, dtype=np.int8).reshape(-1, WIDTH)[within].astype(np.float32).sum(axis=0)
        size = float(np.sqrt(rows @ rows))
        return rows / size if size else None


class _Given(NamedTuple):
    """What a message is read by: the end of the message before it, and its own text."""

    before: str
    text: str


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """Keeps them; where texts have no vectors, it writes and finds none."""

    db: Connection
    wanted: bool
    waiting: set[int] = field(default_factory=set)
    """Messages that were read with one that is gone."""

    def read(self, namespace: str, session: str, messages: Sequence[str]) -> None:
        """Writes the vectors of messages that are stored, the last of these ids. What that cannot be done for (another
        process writes, the disk is full) is stored all the same, and left to `reindex`."""
        if self.wanted:
            with suppress(CFPMError):
                last = messages[-MOST_OF_A_TURN:]
                self.renew(sorted(seq for (seq,) in self.db.among(_SAID, (namespace, session), last)))

    def renew(self, seqs: Sequence[int]) -> None:
        """Writes the vectors of these messages, as far as somebody speaks in them."""
        if not self.wanted:
            return
        from cfpm.text.heads.answering import sentence_vectors  # an encoder, which readers do not need

        for start in range(0, len(seqs), AT_ONCE):
            given = {seq: one for seq in seqs[start : start + AT_ONCE] if (one := self._given(seq))}
            read = [(seq, one, sentence_vectors(*one)) for seq, one in given.items()]
            if read:
                with self.db.atomic():
                    space = self._own_space()
                    # Another process may have erased meanwhile what was read. For bytes the driver would look for an
                    # adapter first, which takes longer than to copy them.
                    still = ((seq, space, bytearray(own)) for seq, one, own in read if self._given(seq) == one)
                    self.db.many(_ADD, list(still))

    def of(self, seqs: Collection[int]) -> dict[int, ReadMessage]:
        """What was read of messages; none of a message that has no vectors."""
        if not self.wanted or not seqs or not (space := self.space()):
            return {}
        from cfpm.text.heads.answering import MAX_TEXT

        return {seq: ReadMessage(text, packed) for seq, text, packed in self.db.among(_OF, (MAX_TEXT, space), seqs)}

    def of_spans(self, namespace: str, places: Sequence[tuple[str, Span]]) -> list[Floats | None]:
        """For each stretch of a message of a session one vector of length 1, that of the sentences in which it stands;
        None where these have none. A few messages that have not been read are read for it, as `read` will do."""
        if not self.wanted:
            return [None] * len(places)
        from cfpm.text.heads.answering import sentence_vectors

        said: dict[str, set[str]] = {}
        for session, span in places:
            said.setdefault(session, set()).add(span.message_id)
        seqs = {
            (session, name): seq
            for session, names in said.items()
            for name, seq in self.db.among(_SEQ_OF, (namespace, session), sorted(names))
        }
        read = self.of(seqs.values())
        for seq in sorted(set(seqs.values()).difference(read))[:READ_FOR_IT]:
            if given := self._given(seq):
                read[seq] = ReadMessage(given.text, sentence_vectors(*given))
        found = (read.get(seqs.get((session, span.message_id), 0)) for session, span in places)
        return [one and one.of_stretch(span) for one, (_, span) in zip(found, places, strict=True)]

    def remove(self, seqs: Collection[int]) -> None:
        """Deletes the vectors of messages that go, and of those right behind them, which were read with them and wait
        for `catch_up`. Inside the transaction, before the messages are gone."""
        behind = {
            row[0] for seq in seqs if (place := self.db.row(_PLACE, (seq,))) and (row := self.db.row(_NEXT, place))
        }
        self.db.many("DELETE FROM sentence_vectors WHERE seq = ?", ((seq,) for seq in sorted({*seqs, *behind})))
        self.waiting.update(behind.difference(seqs))

    def catch_up(self) -> None:
        """Reads anew what was read with a message that is gone. Not inside a transaction."""
        with suppress(CFPMError):
            self.renew(sorted(self.waiting))
        self.waiting.clear()

    def behind(self) -> int:
        """How many messages have no vectors yet."""
        return self.db.number(f"SELECT count(*) {_BEHIND}", (self.space(), -1)) if self.wanted else 0

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Reads every message that has no vectors, and returns how many those were. Takes some ten milliseconds a
        message; whatever stops it, the next call goes on from there."""
        if not self.wanted:
            return 0
        done, last = 0, -1
        while rows := self.db.rows(f"SELECT t.seq {_BEHIND} ORDER BY t.seq LIMIT ?", (self.space(), last, AT_ONCE)):
            self.renew([seq for (seq,) in rows])
            last = rows[-1][0]
            done += len(rows)
            if progress:
                progress(done)
        return done

    def _given(self, seq: int) -> _Given | None:
        from cfpm.text.heads.answering import MAX_TEXT
        from cfpm.text.heads.wide import MAX_CHARS

        row = self.db.row(_TEXT, (MAX_TEXT, seq))
        if row is None or not isinstance(row[-1], str):
            return None
        before = self.db.row(_BEFORE, (-MAX_CHARS, *row[:-1]))
        spoken = before[1] if before and before[0] != Role.TOOL.value else ""
        return _Given(spoken if isinstance(spoken, str) else "", row[-1])

    def _own_space(self) -> int:
        from cfpm.text.heads.answering import NAME, WIDTH

        # Looked up each time: a number from a transaction that was rolled back must not be kept.
        return self.space() or self.db.insert(_ADD_SPACE, (NAME, WIDTH)) or 0

    def space(self) -> int:
        """The number of these vectors in the store; 0 while it has none, or texts have no vectors."""
        if not self.wanted:
            return 0
        from cfpm.text.heads.answering import NAME

        return self.db.number(_SPACE, (NAME,))
