"""The verbatim log: what was said, in order, and the lines that are never learnt from. Judges nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model import Role
from cfpm.model.ids import after_short, beginning, numbered
from cfpm.store.rows import calls_if_sound, message_from, message_row, moment_if_sound
from cfpm.store.schema import MESSAGE_COLUMNS, insert_into, listed, marks
from cfpm.store.search import NOT_SEARCHED, index_text
from cfpm.store.vectors import OF_A_TOOL, searched_words, with_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.model import LoggedMessage, Message, ToolCall
    from cfpm.store.call_index import CallIndex
    from cfpm.store.connection import Connection
    from cfpm.store.deeds import DeedTable
    from cfpm.store.sessions import SessionTable
    from cfpm.store.vectors import Vectors

SHOWN_OF_ACTION = 4_000
"""Characters of each end of a long output that `actions` reads: how it ended stands there."""

_COLUMNS = listed(MESSAGE_COLUMNS)
_INSERT = insert_into("memory_turns", ("seq", *MESSAGE_COLUMNS)) + " ON CONFLICT DO NOTHING"
_INDEX = "INSERT INTO turns_text (rowid, text) VALUES (?, ?)"
_CALL = (
    "INSERT INTO memory_calls (namespace, session, call_id, message) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET message = excluded.message"
)
_KNOWN = "SELECT message_id FROM memory_turns WHERE namespace = ? AND session = ? AND message_id IN ({wanted})"
_LAST = (
    "SELECT turn, position, created_at FROM memory_turns"
    " WHERE namespace = ? AND session = ? ORDER BY turn DESC, position DESC LIMIT 1"
)
_CALLS = (
    "SELECT c.call_id, t.tool_calls FROM memory_calls c JOIN memory_turns t ON t.seq = c.message"
    " WHERE c.namespace = ? AND c.session = ? AND c.call_id IN ({wanted})"
)
# A number that was erased is not given away again: an index outside of the file goes on from the last it has seen.
_LAST_SEQ = (
    "SELECT max(coalesce((SELECT max(seq) FROM memory_turns), 0), coalesce((SELECT max(last_turn) FROM erasures), 0))"
)
_SAID_BEFORE = (
    "SELECT role, text FROM memory_turns WHERE namespace = ? AND session = ? AND turn < ? AND origin = 'said'"
    " AND text <> '' AND role IN ('user', 'assistant') ORDER BY turn DESC, position DESC LIMIT 1"
)
_SAID_BY_USER = (
    "SELECT substr(text, 1, ?) FROM memory_turns WHERE namespace = ? AND session = ? AND (turn, position) < (?, ?)"
    " AND role = 'user' AND origin = 'said' AND name = '' ORDER BY turn DESC, position DESC LIMIT ?"
)
_ONE = f"SELECT {_COLUMNS} FROM memory_turns WHERE namespace = ? AND session = ? AND message_id = ?"
_BEGINNING = f"{_ONE.removesuffix('= ?')}>= ? AND message_id < ? LIMIT 1"
_SAID_LATELY = (
    "SELECT namespace, session, message_id, text FROM memory_turns WHERE seq > (SELECT max(seq) FROM memory_turns) - ?"
    " AND role = 'user' AND origin = 'said' ORDER BY seq DESC LIMIT 16"
)
_BEGINNING_OF_TEXT = 600
"""Characters of a message in which somebody hands over to somebody else."""
_LATELY = 200
"""Messages of any kind that are looked through for the running one: more than a turn has. Sixteen of users are enough
for as many hosts that talk at once."""
_BY_SEQ = f"SELECT seq, {_COLUMNS} FROM memory_turns WHERE seq IN ({{wanted}})"
_SESSIONS = "SELECT DISTINCT session FROM memory_turns WHERE namespace = ?"
_PLACES = "SELECT session, message_id FROM memory_turns WHERE namespace = ? ORDER BY seq"
_TURN = f"SELECT {_COLUMNS} FROM memory_turns WHERE namespace = ? AND session = ? AND turn = ? ORDER BY position, seq"
_LAST_OF_TURN = (
    f"SELECT {_COLUMNS} FROM memory_turns WHERE namespace = ? AND session = ? AND turn = ?"
    " ORDER BY position DESC, seq DESC LIMIT ?"
)
_ACTIONS = f"""
SELECT {listed(MESSAGE_COLUMNS[:-1])}, CASE WHEN length(text) > {2 * SHOWN_OF_ACTION}
  THEN substr(text, 1, {SHOWN_OF_ACTION}) || char(10) || substr(text, -{SHOWN_OF_ACTION}) ELSE text END
FROM memory_turns WHERE namespace = ? AND session = ? AND (turn, position) {{beyond}} (?, ?)
  AND (tool_calls <> '' OR call_id IS NOT NULL) ORDER BY turn {{order}}, position {{order}} LIMIT ?
"""
_AFTER, _BEFORE = _ACTIONS.format(beyond=">", order="ASC"), _ACTIONS.format(beyond="<", order="DESC")
_UNRECORDED = (
    "SELECT 1 FROM memory_turns"
    " WHERE namespace = ? AND session = ? AND turn = ? AND role = 'user' AND text = '' AND cut <> 0 LIMIT 1"
)
_SESSION = f"SELECT {_COLUMNS} FROM memory_turns WHERE namespace = ? AND session = ? ORDER BY turn, position, seq"
_FIRST_USER = (
    "SELECT name FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'user' AND origin = 'said'"
    " ORDER BY turn, position LIMIT 1"
)
_FIRST_SAID = (
    "SELECT text FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'user' AND origin = 'said'"
    " AND text <> '' ORDER BY turn, position LIMIT 1"
)
_ASKED = (
    "SELECT seq, text FROM memory_turns WHERE namespace = ? AND session = ? AND turn = ? AND role = 'user'"
    " AND origin = 'said' AND name = '' AND text <> '' ORDER BY position LIMIT 1"
)
_LAST_OF_AGENTS = (
    "SELECT seq, message_id, namespace, session, turn, agent, created_at, text FROM memory_turns"
    " WHERE namespace IN ({names}){of} AND role = 'assistant' AND origin = 'said' AND text <> ''"
    " ORDER BY seq DESC LIMIT ?"
)
_UPDATED = "SELECT max(updated) FROM sessions WHERE namespace = ?"
_NEWEST = "SELECT max(created_at) FROM memory_turns WHERE namespace = ?"
_HEADS = (
    "SELECT message_id, substr(text, 1, ?) FROM memory_turns WHERE namespace = ? AND session = ?"
    " ORDER BY turn DESC, position DESC LIMIT ?"
)
_TEXTS = "SELECT seq, substr(text, 1, ?) FROM memory_turns WHERE seq IN ({wanted})"
_IDS = "SELECT seq, message_id FROM memory_turns WHERE seq IN ({wanted})"
_HAS_AGENT = "SELECT EXISTS (SELECT 1 FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'assistant')"
_LINES = "SELECT line_hash, kind FROM seen_lines WHERE namespace = ? AND line_hash IN ({wanted})"
ADD_LINE = insert_into("seen_lines") + " ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class LastTurn:
    """Where a session stands: its last turn, the next free position in it, and the time of its last message."""

    turn: int
    next_position: int
    created_at: datetime | None


class AgentSaid(NamedTuple):
    """A message of an agent."""

    seq: int
    message_id: str
    namespace: str
    session: str
    turn: int
    agent: str
    at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Log:
    """Keeps messages and seen lines."""

    db: Connection
    vectors: Vectors
    call_index: CallIndex
    deeds: DeedTable
    sessions_table: SessionTable

    def known_ids(self, namespace: str, session: str, ids: Iterable[str]) -> set[str]:
        """Which of these message ids the session already has."""
        found = self.db.among(_KNOWN, (namespace, session), ids)
        return {message_id for (message_id,) in found}

    def last_turn(self, namespace: str, session: str) -> LastTurn | None:
        """Where the session stands, or None for a new one."""
        row = self.db.row(_LAST, (namespace, session))
        if row is None:
            return None
        turn, position = (value if isinstance(value, int) else 0 for value in row[:2])
        return LastTurn(turn, position + 1, moment_if_sound(row[2]))

    def calls(self, namespace: str, session: str, call_ids: Iterable[str]) -> dict[str, ToolCall]:
        """The tool calls with these ids that the session has seen; of a reused id the latest."""
        found = {}
        for call_id, text in self.db.among(_CALLS, (namespace, session), call_ids):
            for call in calls_if_sound(text):
                if call.id == call_id:
                    found[call_id] = call
        return found

    def append(self, rows: Sequence[LoggedMessage]) -> int:
        """Stores and indexes the messages that are not yet there, and returns how many those were."""
        if not rows:
            return 0
        with self.db.atomic():
            first = self.db.number(_LAST_SEQ) + 1
            numbered = list(enumerate(rows, first))
            added = self.db.many(_INSERT, ((seq, *message_row(row)) for seq, row in numbered))
            if added != len(rows):
                new = {seq for (seq,) in self.db.rows("SELECT seq FROM memory_turns WHERE seq >= ?", (first,))}
                numbered = [(seq, row) for seq, row in numbered if seq in new]
            searched = [(seq, row.message) for seq, row in numbered if row.message.origin not in NOT_SEARCHED]
            self.db.many(_INDEX, ((seq, index_text(message.text)) for seq, message in searched))
            words = {seq: searched_words(message.tool_calls) for seq, message in searched if message.tool_calls}
            self.call_index.add(words)
            self.vectors.add("turn", [(seq, _embedded(message, words.get(seq, ""))) for seq, message in searched])
            self.deeds.add(numbered)
            self.db.many(_CALL, _call_rows(numbered))
            if numbered:
                self.sessions_table.note([row for _, row in numbered])
        return added

    def get(self, namespace: str, message_id: str, session: str | None = None) -> LoggedMessage | None:
        """The message with this id, or with an id of which this is the beginning as a prompt shows it, or of which a
        brief shows the number.

        Without a session, that of the first session (by name) that has it.
        """
        if session is not None:
            row = self.db.row(_ONE, (namespace, session, message_id))
            return message_from(row) if row else None
        names = self.sessions(namespace)
        for name in names:
            if row := self.db.row(_ONE, (namespace, name, message_id)):
                return message_from(row)
        if number := numbered(message_id):
            message = self.by_seq([number]).get(number)
            return message if message is not None and message.namespace == namespace else None
        start = beginning(message_id)
        for name in names if start else ():
            if row := self.db.row(_BEGINNING, (namespace, name, start, after_short(start))):
                return message_from(row)
        return None

    def messages(
        self, namespace: str, *, session: str, turn: int | None = None, last: int | None = None
    ) -> list[LoggedMessage]:
        """The messages of a session, of one of its turns, or the `last` of a turn, in order."""
        if turn is None:
            found = self.db.rows(_SESSION, (namespace, session))
        elif last is not None:
            found = self.db.rows(_LAST_OF_TURN, (namespace, session, turn, last))[::-1]
        else:
            found = self.db.rows(_TURN, (namespace, session, turn))
        return [message_from(row) for row in found]

    def actions(self, place: LoggedMessage, limit: int, *, backwards: bool = False) -> list[LoggedMessage]:
        """The next messages of a session that make tool calls or answer them, or with `backwards` those before, the
        nearest first. Of long texts both ends."""
        asked = (place.namespace, place.session, place.turn, place.position, limit)
        return [message_from(row) for row in self.db.rows(_BEFORE if backwards else _AFTER, asked)]

    def is_unrecorded(self, namespace: str, session: str, turn: int) -> bool:
        """Whether a user's message of this turn is stored without its words."""
        return self.db.row(_UNRECORDED, (namespace, session, turn)) is not None

    def last_said(self, namespace: str, session: str) -> str:
        """What the user said last in a session, empty when there is nothing."""
        row = self.db.row(
            "SELECT text FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'user' AND origin = 'said'"
            " ORDER BY turn DESC, position DESC LIMIT 1",
            (namespace, session),
        )
        return row[0] if row else ""

    def said_before(self, namespace: str, session: str, turn: int) -> str:
        """What the agent said last before a turn of a session; empty when the user spoke last, or nobody."""
        row = self.db.row(_SAID_BEFORE, (namespace, session, turn))
        # A row that something else wrote may hold bytes.
        return row[1] if row and row[0] == Role.ASSISTANT and isinstance(row[1], str) else ""

    def speaker(self, logged: LoggedMessage) -> str:
        """Who said a message under the role of the user: the name that it carries or its words tell; empty for the
        user."""
        if logged.message.name:
            return logged.message.name
        place = logged.namespace, logged.session, logged.turn, logged.position
        # What only reads the store needs no reader of language.
        from cfpm.text.pasted.speakers import LOOKED_BACK, other_speaker

        found = self.db.rows(_SAID_BY_USER, (_BEGINNING_OF_TEXT, *place, LOOKED_BACK))
        return other_speaker(logged.message.text, [text for (text,) in reversed(found)])

    def first_said(self, namespace: str, session: str) -> str:
        """What the user said first in a session, empty when there is nothing."""
        row = self.db.row(_FIRST_SAID, (namespace, session))
        return row[0] if row else ""

    def asked(self, namespace: str, session: str, turn: int) -> tuple[int, str]:
        """The `seq` and the words of the user's message that a turn began with; 0 and nothing where there is none."""
        row = self.db.row(_ASKED, (namespace, session, turn))
        # A row that something else wrote may hold bytes.
        return (row[0], row[1]) if row and isinstance(row[1], str) else (0, "")

    def last_of_agents(self, namespaces: Sequence[str], limit: int, session: str = "") -> Iterator[AgentSaid]:
        """What agents said last in each turn, the newest first, of the last `limit` messages with words of theirs; of
        one session, or of all."""
        of, names = (" AND session = ?", (session,)) if session else ("", ())
        sql = _LAST_OF_AGENTS.format(names=marks(len(namespaces)), of=of)
        seen = set()
        for seq, name, namespace, whose, turn, agent, at, text in self.db.rows(sql, (*namespaces, *names, limit)):
            said = AgentSaid(seq, name, namespace, whose, turn, agent, moment_if_sound(at), text)
            place = (said.namespace, said.session, said.turn)
            if place not in seen:
                seen.add(place)
                yield said

    def ids_since(self, namespace: str, session: str, since: str, limit: int) -> frozenset[str]:
        """The ids of a session's messages from a moment on, empty for all, the newest `limit` of them."""
        sql = (
            "SELECT message_id FROM memory_turns WHERE namespace = ? AND session = ? AND coalesce(created_at, '') >= ?"
            " ORDER BY turn DESC, position DESC LIMIT ?"
        )
        return frozenset(row[0] for row in self.db.rows(sql, (namespace, session, since, limit)))

    def last_notice(self, namespace: str, session: str, prefix: str) -> str:
        """The time of a session's newest notice of ours that begins so; empty for none."""
        row = self.db.row(
            "SELECT created_at FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'system'"
            " AND substr(text, 1, ?) = ? ORDER BY turn DESC, position DESC LIMIT 1",
            (namespace, session, len(prefix), prefix),
        )
        return (row[0] or "") if row else ""

    def ids(self, seqs: Iterable[int]) -> dict[int, str]:
        """The ids of the messages of these rows."""
        return dict(self.db.among(_IDS, (), seqs))

    def texts(self, seqs: Iterable[int]) -> dict[int, str]:
        """The first characters of the texts of these rows, as many as `actions` reads of an end."""
        return dict(self.db.among(_TEXTS, (SHOWN_OF_ACTION,), seqs))

    def heads(self, namespace: str, session: str, last: int, chars: int) -> list[tuple[str, str]]:
        """Ids and the first characters of the last messages of a session, the newest first."""
        return self.db.rows(_HEADS, (chars, namespace, session, last))

    def last_said_by_session(self, namespaces: Sequence[str]) -> list[tuple[str, str]]:
        """Id and text of what the user said last in each session, of the messages that came last: the running one is
        among them."""
        newest: dict[tuple[str, str], tuple[str, str]] = {}
        for namespace, session, message_id, text in self.db.rows(_SAID_LATELY, (_LATELY,)):
            if namespace in namespaces:
                newest.setdefault((namespace, session), (message_id, text))
        return list(newest.values())

    def principal(self, namespace: str, session: str) -> str | None:
        """Who the user of a session is: the name on the first message of a user.

        Without one there, whom the namespace names: `user:ida` is Ida's; empty when it names nobody. None where no user
        has spoken, or people with names talk to each other and no agent answers.
        """
        row = self.db.row(_FIRST_USER, (namespace, session))
        if row is None:
            return None
        if not row[0]:
            return namespace.rpartition(":")[2] if ":" in namespace else ""
        return str(row[0]) if self.db.number(_HAS_AGENT, (namespace, session)) else None

    def by_seq(self, seqs: Iterable[int]) -> dict[int, LoggedMessage]:
        """The messages of these rows."""
        return {row[0]: message_from(row[1:]) for row in self.db.among(_BY_SEQ, (), seqs)}

    def sessions(self, namespace: str) -> list[str]:
        """The names of the sessions of a namespace, sorted."""
        return sorted(name for (name,) in self.db.rows(_SESSIONS, (namespace,)))

    def newest(self, namespace: str) -> datetime | None:
        """The time of the newest message of a namespace; None when none has a time."""
        # Of each session its last one is at hand, and few messages stand in none.
        for sql in (_UPDATED, _NEWEST):
            row = self.db.row(sql, (namespace,))
            if row and (moment := moment_if_sound(row[0])):
                return moment
        return None

    def places(self, namespace: str) -> list[tuple[str, str]]:
        """Session and id of all messages of a namespace."""
        return self.db.rows(_PLACES, (namespace,))

    def known_lines(self, namespace: str, hashes: Iterable[str]) -> dict[str, str]:
        """The kind of each of these lines that has been seen."""
        return dict(self.db.among(_LINES, (namespace,), hashes))

    def add_lines(self, namespace: str, kinds: Mapping[str, str]) -> int:
        """Remembers lines by hash; what was known keeps its kind. Returns how many were new."""
        if not kinds:
            return 0
        with self.db.atomic():
            return self.db.many(ADD_LINE, ((namespace, line, kind) for line, kind in kinds.items()))


def _embedded(message: Message, calls: str) -> str:
    return with_calls(message.text[:OF_A_TOOL] if message.role is Role.TOOL else message.text, calls)


def _call_rows(numbered: Iterable[tuple[int, LoggedMessage]]) -> Iterable[tuple[str, str, str, int]]:
    return (
        (row.namespace, row.session, call.id, seq)
        for seq, row in numbered
        for call in row.message.tool_calls
        if call.id
    )
