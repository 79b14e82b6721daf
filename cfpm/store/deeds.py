"""What tool calls did, one row a deed: written with their messages, listed in one statement.

The rows are derived from messages and can be made anew. They stand in the order of the messages, whenever they were
made. Judges nothing, and tells nothing to a model: see `recall.deeds`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from cfpm.store.rows import message_from, moment_text
from cfpm.store.schema import MESSAGE_COLUMNS, insert_into, listed, marks, types
from cfpm.store.search import NOT_SEARCHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cfpm.extractor.kept_deeds import KeptDeed
    from cfpm.model import LoggedMessage, ToolCall
    from cfpm.store.connection import Connection, Row

AT_ONCE = 500
"""Messages that `reindex` reads in one transaction: other writers wait for at most some tens of milliseconds."""

MOST_CALLS = 256
"""Calls of a message that are kept; hosts start up to about ten at once."""

MOST_DEEDS = 256
"""Deeds of a call that are kept: one that names more files is a clearance."""

_REMEMBERED = 4_000
"""Calls that `reindex` remembers from one transaction to the next, for results that come later."""

_COLUMNS = ("seq", *types("memory_deeds"))
_ADD = insert_into("memory_deeds", _COLUMNS) + " ON CONFLICT DO NOTHING"
_END = "UPDATE memory_deeds SET outcome = ?, result = ?, at = ? WHERE seq BETWEEN ? AND ? AND outcome IS NULL"
_CALLERS = (
    f"SELECT c.call_id, t.seq, {listed(MESSAGE_COLUMNS, 't')} FROM memory_calls c JOIN memory_turns t"
    " ON t.seq = c.message WHERE c.namespace = ? AND c.session = ? AND c.call_id IN ({wanted})"
)
_LIST = f"SELECT {listed(_COLUMNS)} FROM memory_deeds WHERE namespace = ?"
_OF_SESSION = (
    f"SELECT {listed(_COLUMNS, 'd')} FROM memory_turns t CROSS JOIN memory_deeds d ON d.turn = t.seq"
    " WHERE t.namespace = ? AND t.session = ?"
)
_UNREAD = "FROM deed_gaps g CROSS JOIN memory_turns t ON t.seq BETWEEN g.first AND g.last WHERE t.tool_calls <> ''"
_BY_SEQ = f"SELECT seq, {listed(MESSAGE_COLUMNS)} FROM memory_turns WHERE seq IN ({{wanted}})"
_MESSAGES = (
    f"SELECT seq, {listed(MESSAGE_COLUMNS)} FROM memory_turns WHERE seq BETWEEN ? AND ?"
    " AND (tool_calls <> '' OR call_id IS NOT NULL) ORDER BY seq LIMIT ?"
)


class DeedRow(NamedTuple):
    """A row of `memory_deeds`, as it stands there: `tables.deeds.MemoryDeed` says what each column is."""

    seq: int
    turn: int
    namespace: str
    session: str
    agent: str
    verb: str
    what: str
    destination: str
    folder: str
    purpose: str
    names: str
    outcome: int | None
    result: int | None
    at: str | None


_as_row: Callable[[Row], DeedRow] = partial(tuple.__new__, DeedRow)


class _Made(NamedTuple):
    """A call, its message with its `seq`, the number of its first deed, and what the call alone says that it did."""

    call: ToolCall
    message: LoggedMessage
    turn: int
    first: int
    kept: Sequence[KeptDeed]

    def rows(self, kept: Sequence[KeptDeed]) -> list[tuple[object, ...]]:
        """These deeds of the call as they are written."""
        whose = (self.turn, self.message.namespace, self.message.session, self.message.agent)
        at = moment_text(self.message.message.created_at)
        return [(seq, *whose, *deed, None, None, at) for seq, deed in enumerate(kept[:MOST_DEEDS], self.first)]


_Place = tuple[str, str, str]
"""Namespace, session, id of a call."""


@dataclass(frozen=True, slots=True)
class DeedTable:
    """Keeps deeds."""

    db: Connection

    def recent(
        self, namespaces: str | Sequence[str], limit: int = 20_000, *, verbs: Sequence[str] = ()
    ) -> list[DeedRow]:
        """The last deeds of these namespaces, newest first; with `verbs` only such ones."""
        names = [namespaces] if isinstance(namespaces, str) else list(dict.fromkeys(namespaces))
        asked = [value for name in names for value in (name, *verbs)]
        found = self.db.rows(_newest(len(names), len(verbs)), (*asked, limit)) if names else []
        return list(map(_as_row, found))

    def of_session(self, namespace: str, session: str) -> list[DeedRow]:
        """The deeds of a session, in the order of its messages."""
        return sorted(map(_as_row, self.db.rows(_OF_SESSION, (namespace, session))))

    def add(self, rows: Sequence[tuple[int, LoggedMessage]]) -> None:
        """Writes what the calls of these messages did, and how those ended that they answer, by `seq` of the message.

        Inside the transaction that writes the messages, before their calls are noted in `memory_calls`.
        """
        self._write(rows, {})

    def remove(self, messages: Mapping[int, LoggedMessage]) -> None:
        """Takes out what `add` took from these messages; before their rows are deleted."""
        self.db.many("DELETE FROM memory_deeds WHERE turn = ?", ((seq,) for seq in messages))
        answering = {seq: one for seq, one in messages.items() if one.message.tool_result}
        for namespace, session in dict.fromkeys((one.namespace, one.session) for one in answering.values()):
            self._unanswer([row for row in self.of_session(namespace, session) if row.result in answering])

    def behind(self) -> int:
        """How many messages of an older file have calls that were not read."""
        return self.db.number(f"SELECT count(*) {_UNREAD}")

    def strays(self) -> int:
        """How many deeds have lost their message, which never happens by this program."""
        lost = (
            "SELECT count(*) FROM memory_deeds d WHERE NOT EXISTS (SELECT 1 FROM memory_turns t WHERE t.seq = d.turn)"
        )
        return self.db.number(lost)

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Reads the calls of an older file, and returns how many messages made them.

        Goes on where it was stopped; `progress` gets the messages done so far.
        """
        done = 0
        known: dict[_Place, _Made] = {}
        while (rows := self._read_gap(known)) is not None:
            known = dict(list(known.items())[-_REMEMBERED:])
            done += rows
            if progress:
                progress(done)
        return done

    def _read_gap(self, known: dict[_Place, _Made]) -> int | None:
        """Reads the next messages of the gap, and returns how many of it made calls; None when there is no gap."""
        with self.db.atomic():
            gap = self.db.row("SELECT first, last FROM deed_gaps ORDER BY first LIMIT 1")
            if gap is None:
                return None
            first, last = gap
            # Beyond the gap stand results of calls in it; what is written twice is the same.
            found = self.db.rows(_MESSAGES, (first, last + AT_ONCE, AT_ONCE))
            rows = [(row[0], message_from(row[1:])) for row in found]
            self._write(rows, known)
            self.db.run("DELETE FROM deed_gaps WHERE first = ?", (first,))
            if len(rows) == AT_ONCE:
                self.db.run("INSERT INTO deed_gaps (first, last) VALUES (?, ?)", (rows[-1][0] + 1, last))
        return len([seq for seq, one in rows if one.message.tool_calls and seq <= last])

    def _write(self, rows: Iterable[tuple[int, LoggedMessage]], known: dict[_Place, _Made]) -> None:
        """`known` are calls of earlier messages, to which those of these messages are added."""
        new: list[tuple[object, ...]] = []
        answers: list[tuple[int, LoggedMessage, _Made]] = []
        late: list[tuple[int, LoggedMessage]] = []
        for seq, one in rows:
            if one.message.origin in NOT_SEARCHED:
                continue
            for made in _calls_of(seq, one) if one.message.tool_calls else ():
                new += made.rows(made.kept)
                if made.call.id:
                    known[one.namespace, one.session, made.call.id] = made
            if one.message.tool_result is not None:
                asked = known.get((one.namespace, one.session, one.message.tool_result.call_id))
                if asked is None:
                    late.append((seq, one))
                else:
                    answers.append((seq, one, asked))
        if new:
            self.db.many(_ADD, new)
        if late or answers:
            self._end([*self._asked_before(late), *answers])

    def _asked_before(self, late: Sequence[tuple[int, LoggedMessage]]) -> list[tuple[int, LoggedMessage, _Made]]:
        """Results with the calls that were stored before them."""
        found = []
        for place, group in groupby(late, key=lambda row: (row[1].namespace, row[1].session)):
            results = [(seq, one, one.message.tool_result.call_id) for seq, one in group if one.message.tool_result]
            wanted = [call_id for _, _, call_id in results]
            callers = {call_id: (turn, row) for call_id, turn, *row in self.db.among(_CALLERS, place, wanted)}
            for seq, one, call_id in results:
                turn, row = callers.get(call_id, (seq, ()))
                # Of an id that was used again the later call is known, which this does not answer.
                if turn < seq:
                    calls = _calls_of(turn, message_from(tuple(row)))
                    found += [(seq, one, made) for made in calls if made.call.id == call_id]
        return found

    def _end(self, answers: Sequence[tuple[int, LoggedMessage, _Made]]) -> None:
        """Notes how calls ended. The first result that says so counts."""
        from cfpm.extractor.kept_deeds import kept_by_result, may_be_told, outcome_of

        new: list[tuple[object, ...]] = []
        ends: list[tuple[object, ...]] = []
        for seq, one, made in answers:
            if not made.kept and not may_be_told(made.call):
                continue
            outcome = outcome_of(made.call, one.message)
            if not made.kept:
                new += made.rows(kept_by_result(made.call, outcome))
            at = made.message.message.created_at or one.message.created_at
            ok = None if outcome.ok is None else int(outcome.ok)
            ends.append((ok, seq, moment_text(at), made.first, made.first + MOST_DEEDS - 1))
        if new:
            self.db.many(_ADD, new)
        if ends:
            self.db.many(_END, ends)

    def _unanswer(self, rows: Sequence[DeedRow]) -> None:
        """Leaves of the calls of these deeds what they say by themselves."""
        calls = {row.seq // MOST_DEEDS * MOST_DEEDS for row in rows}
        self.db.many(
            "DELETE FROM memory_deeds WHERE seq BETWEEN ? AND ?", ((first, first + MOST_DEEDS - 1) for first in calls)
        )
        callers = self.db.among(_BY_SEQ, (), {row.turn for row in rows})
        made = (one for turn, *row in callers for one in _calls_of(turn, message_from(tuple(row))))
        self.db.many(_ADD, [row for one in made if one.first in calls for row in one.rows(one.kept)])


def _calls_of(turn: int, message: LoggedMessage) -> list[_Made]:
    """The calls of a message by its `seq`, with what they say that they do."""
    from cfpm.extractor.kept_deeds import kept_deeds  # the rules, which a gate does not need

    calls = enumerate(message.message.tool_calls[:MOST_CALLS], turn * MOST_CALLS)
    return [_Made(call, message, turn, number * MOST_DEEDS, kept_deeds(call)) for number, call in calls]


@lru_cache(16)
def _newest(namespaces: int, verbs: int = 0) -> str:
    # Each part is read backwards by its index, and the parts are merged: nothing is sorted.
    one = f"{_LIST} AND verb IN ({marks(verbs)})" if verbs else _LIST
    return f"{' UNION ALL '.join([one] * namespaces)} ORDER BY seq DESC LIMIT ?"
