"""Sessions: which there are, where one goes on from another, and what was told beside the words of messages.

Turns of a fork that it shares with its origin are not written twice: its history is that of the origin up to there, and
then its own. Believes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from cfpm.model import Details, LoggedMessage, Message, Origin, Role, TokenUsage
from cfpm.model.clock import FIRST_KEPT, LAST_KEPT
from cfpm.model.sessions import Session
from cfpm.store.rows import message_from, moment_if_sound, moment_text
from cfpm.store.schema import MESSAGE_COLUMNS, insert_into, listed, types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from cfpm.store.connection import Connection, Row

TASK_CHARS = 120
"""Of what a user said first: a line of a listing."""

_NOTE = (
    insert_into("sessions") + " ON CONFLICT DO UPDATE SET"
    " task = CASE task WHEN '' THEN excluded.task ELSE task END,"
    " cwd = CASE excluded.cwd WHEN '' THEN cwd ELSE excluded.cwd END,"
    " project = CASE project WHEN '' THEN excluded.project ELSE project END,"
    " model = CASE excluded.model WHEN '' THEN model ELSE excluded.model END,"
    " agent = CASE excluded.agent WHEN '' THEN agent ELSE excluded.agent END,"
    " started = min(coalesce(started, excluded.started), coalesce(excluded.started, started)),"
    " updated = max(coalesce(updated, excluded.updated), coalesce(excluded.updated, updated)),"
    " opening = min(opening, excluded.opening), turns = max(turns, excluded.turns),"
    " messages = messages + excluded.messages"
)
TAKE_OVER = (
    insert_into("sessions") + " ON CONFLICT DO UPDATE SET"
    " title = CASE title WHEN '' THEN excluded.title ELSE title END,"
    " task = CASE task WHEN '' THEN excluded.task ELSE task END,"
    " cwd = CASE cwd WHEN '' THEN excluded.cwd ELSE cwd END,"
    " project = CASE project WHEN '' THEN excluded.project ELSE project END,"
    " model = CASE model WHEN '' THEN excluded.model ELSE model END,"
    " done = max(done, excluded.done),"
    " parent_turn = CASE parent WHEN '' THEN excluded.parent_turn ELSE parent_turn END,"
    " parent = CASE parent WHEN '' THEN excluded.parent ELSE parent END,"
    " rewound = CASE rewound WHEN '' THEN excluded.rewound ELSE rewound END,"
    " turns = max(turns, excluded.turns)"
)
"""A row of an export beside one that was made of its messages: what is here stays, what is missing comes."""

ADD_DETAILS = insert_into("message_details") + " ON CONFLICT DO NOTHING"
_COLUMNS = tuple(types("sessions"))
_ROW = f"SELECT {listed(_COLUMNS)} FROM sessions WHERE namespace = ?"
_LISTED = (
    "SELECT session, CASE title WHEN '' THEN task ELSE title END, cwd, project, model, agent, started, updated,"
    " max(0, turns - opening), messages, done, parent,"
    " CASE parent WHEN '' THEN 0 ELSE max(0, parent_turn - opening) END, rewound FROM sessions WHERE namespace = ?"
)
"""In the order of the fields of `Session`."""
_TEXT, _TIME, _NUMBER = frozenset({str}), frozenset({str, type(None)}), frozenset({int})
_SOUND = (*[_TEXT] * 6, *[_TIME] * 2, *[_NUMBER] * 3, _TEXT, _NUMBER, _TEXT)
"""The types of those columns."""
_NEWEST_FIRST = " ORDER BY updated DESC, session"
_PARENT = "SELECT parent, parent_turn FROM sessions WHERE namespace = ? AND session = ? AND parent <> ''"
_DETAILS = (
    *("model", "reply", "input", "output", "cache_read", "cache_written", "cost"),
    *("signature", "user_visible", "agent_visible", "hidden_by", "stands_before", "said_as"),
)
_HISTORY = (
    f"SELECT {listed(MESSAGE_COLUMNS, 't')}, d.message_id, {listed(_DETAILS, 'd')}"
    " FROM memory_turns t LEFT JOIN message_details d"
    " ON d.namespace = t.namespace AND d.session = t.session AND d.message_id = t.message_id"
    " WHERE t.namespace = ? AND t.session = ? AND t.turn < ? ORDER BY t.turn, t.position, t.seq"
)
_SPENT = (
    "SELECT s.session, s.rewound, t.turn - s.opening + 1,"
    " CASE t.name WHEN '' THEN t.agent ELSE t.name END, d.model, d.reply,"
    " d.input, d.output, d.cache_read, d.cache_written, d.cost"
    " FROM message_details d"
    " JOIN memory_turns t ON t.namespace = d.namespace AND t.session = d.session AND t.message_id = d.message_id"
    " JOIN sessions s ON s.namespace = d.namespace AND s.session = d.session"
    " WHERE d.namespace = ? AND (d.input IS NOT NULL OR d.cost IS NOT NULL) ORDER BY t.seq"
)
_KNOWN_BEFORE = (
    "SELECT message_id FROM memory_turns WHERE namespace = ? AND session = ? AND turn < ? AND message_id IN ({wanted})"
)
_COUNTED = (
    "SELECT count(*), min(created_at), max(created_at), max(turn) FROM memory_turns WHERE namespace = ? AND session = ?"
)
_ASKED = (
    "SELECT turn, text FROM memory_turns WHERE namespace = ? AND session = ? AND role = 'user' AND origin = 'said'"
    " AND trim(text) <> '' ORDER BY turn, position LIMIT 1"
)
_RECOUNT = (
    "UPDATE sessions SET task = ?, started = ?, updated = ?, opening = ?, turns = max(?, parent_turn), messages = ?"
    " WHERE namespace = ? AND session = ?"
)
_SEEN = (
    "INSERT INTO message_details (namespace, session, message_id, model, reply, signature, user_visible, agent_visible,"
    " hidden_by, stands_before, said_as) VALUES (?, ?, ?, '', '', '', ?, ?, ?, ?, '')"
    " ON CONFLICT DO UPDATE SET user_visible = excluded.user_visible, agent_visible = excluded.agent_visible,"
    " hidden_by = excluded.hidden_by, stands_before = excluded.stands_before"
)
_ID = MESSAGE_COLUMNS.index("message_id")
NO_END = 2**62
"""Above every number of a turn."""


@dataclass(frozen=True, slots=True)
class Part:
    """Turns of a session, those with a number under `end`, that begin the history of another or are its own."""

    session: str
    end: int = NO_END


@dataclass(frozen=True, slots=True)
class Kept:
    """A message of a history with all that was told of it. `stands_before` is as in the table."""

    row: LoggedMessage
    reply: str = ""
    stands_before: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one message says that its reply took."""

    session: str
    rewound: str
    turn: int
    agent: str
    model: str
    reply: str
    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class SessionTable:
    """Keeps sessions, and the details of messages."""

    db: Connection

    def note(self, rows: Sequence[LoggedMessage]) -> None:
        """Counts new messages, and keeps what was told beside them; inside the transaction that writes them."""
        first = rows[0]
        if all(row.session == first.session and row.namespace == first.namespace for row in rows):
            self.db.run(_NOTE, _noted(rows))
        else:
            by_session: dict[tuple[str, str], list[LoggedMessage]] = {}
            for row in rows:
                by_session.setdefault((row.namespace, row.session), []).append(row)
            self.db.many(_NOTE, map(_noted, by_session.values()))
        told = [_details_row(row, row.message.details) for row in rows if row.message.details is not None]
        if told:
            self.db.many(ADD_DETAILS, told)

    def get(self, namespace: str, session: str) -> Session | None:
        """The session of this name, None for none."""
        found = self.db.row(f"{_LISTED} AND session = ?", (namespace, session))
        return _session(found) if found else None

    def find(self, namespace: str, *, rewound: bool = False, limit: int | None = None) -> list[Session]:
        """The sessions of a namespace, the last that went on first; with `rewound` also turns that were taken back."""
        of = "" if rewound else " AND rewound = ''"
        sql = f"{_LISTED}{of}{_NEWEST_FIRST}"
        values: list[object] = [namespace]
        if limit is not None:
            # Where there is none, a limit doubles what sorting takes.
            sql, values = f"{sql} LIMIT ?", [namespace, limit]
        return _sessions(self.db.rows(sql, values))

    def opening(self, namespace: str, session: str) -> int:
        """1 where the turn with the number 0 is no turn of the user, else 0."""
        return self.db.number("SELECT opening FROM sessions WHERE namespace = ? AND session = ?", (namespace, session))

    def forks(self, namespace: str, session: str) -> list[str]:
        """The sessions whose beginning stands in this one or in what was taken back out of it."""
        sql = (
            "SELECT session FROM sessions WHERE namespace = ? AND rewound = '' AND (parent = ? OR parent IN"
            " (SELECT session FROM sessions WHERE namespace = ? AND rewound = ?)) ORDER BY session"
        )
        return [name for (name,) in self.db.rows(sql, (namespace, session, namespace, session))]

    def taken_back(self, namespace: str, session: str) -> list[str]:
        """The sessions that hold what was taken back out of this one."""
        sql = "SELECT session FROM sessions WHERE namespace = ? AND rewound = ? ORDER BY session"
        return [name for (name,) in self.db.rows(sql, (namespace, session))]

    def lineage(self, namespace: str, session: str) -> list[Part]:
        """The parts of its history, the first first."""
        parts = [Part(session)]
        seen = {session}
        while found := self.db.row(_PARENT, (namespace, parts[0].session)):
            parent, turn = found
            if parent in seen:
                break  # a file that was changed by hand
            seen.add(parent)
            parts.insert(0, Part(parent, min(turn, parts[0].end)))
        return parts

    def parent_turn(self, namespace: str, session: str) -> int | None:
        """The number of the first turn that a fork does not share; None for what is no fork."""
        found = self.db.row(_PARENT, (namespace, session))
        return found[1] if found else None

    def inherited(self, namespace: str, session: str, ids: Sequence[str]) -> set[str]:
        """Which of these messages stand in what a fork shares with its origin."""
        if self.parent_turn(namespace, session) is None:
            return set()
        parts = self.lineage(namespace, session)[:-1]
        return {
            name for part in parts for (name,) in self.db.among(_KNOWN_BEFORE, (namespace, part.session, part.end), ids)
        }

    def history(self, namespace: str, session: str) -> list[Kept]:
        """All messages of a session, those that it shares with its origin first."""
        parts = self.lineage(namespace, session)
        rows = [row for part in parts for row in self.db.rows(_HISTORY, (namespace, part.session, part.end))]
        return list(map(partial(_kept, ids=frozenset(row[_ID] for row in rows)), rows))

    def replies(self, namespace: str) -> list[Reply]:
        """What all messages say that their replies took, in the order in which they came."""
        return list(map(_reply, self.db.rows(_SPENT, (namespace,))))

    def set(self, namespace: str, session: str, values: Mapping[str, object]) -> None:
        """Gives a session's columns these values; the session is made where there is none."""
        names = list(values)
        self.db.run(insert_into("sessions") + " ON CONFLICT DO NOTHING", _new(namespace, session))
        assigned = ", ".join(f"{name} = ?" for name in names)
        self.db.run(
            f"UPDATE sessions SET {assigned} WHERE namespace = ? AND session = ?",
            (*values.values(), namespace, session),
        )

    def show(self, namespace: str, session: str, seen: Iterable[tuple[str, bool, bool, str, str]]) -> None:
        """Who sees these messages from now on: the id, whether the user does, whether the agent does, the id of what
        hid it, and the id of the message before which it stands."""
        self.db.many(_SEEN, ((namespace, session, *row) for row in seen))

    def recount(self, namespace: str, session: str) -> None:
        """Counts a session anew, where messages have gone."""
        count, started, updated, last = self.db.rows(_COUNTED, (namespace, session))[0]
        asked = self.db.row(_ASKED, (namespace, session))
        opening = int(asked is None or asked[0] > 0) if not self.parent_turn(namespace, session) else None
        if opening is None:
            opening = self.opening(namespace, session)
        turns = 0 if last is None else last + 1
        task = _task(asked[1]) if asked else ""
        self.db.run(_RECOUNT, (task, started, updated, opening, turns, count, namespace, session))

    def remove(self, namespace: str, session: str) -> None:
        """Leaves no row of a session; what was forked from it begins with what it has itself."""
        self.db.run("DELETE FROM sessions WHERE namespace = ? AND session = ?", (namespace, session))
        self.db.run("DELETE FROM message_details WHERE namespace = ? AND session = ?", (namespace, session))
        self.db.run("UPDATE sessions SET parent = '' WHERE namespace = ? AND parent = ?", (namespace, session))

    def fill(self) -> None:
        """Makes the rows of all sessions of an older file."""
        for namespace, session in self.db.rows("SELECT DISTINCT namespace, session FROM memory_turns"):
            sql = "SELECT agent FROM memory_turns WHERE namespace = ? AND session = ? AND agent <> '' LIMIT 1"
            agent = self.db.row(sql, (namespace, session))
            self.set(namespace, session, {"agent": agent[0] if agent else "", "opening": 1})
            self.recount(namespace, session)


def begins_turn(message: Message) -> bool:
    """As `transcript.sessions.begins_turn`, which what only asks does not load."""
    return message.role is Role.USER and message.origin is Origin.SAID and bool(message.text.strip())


def _new(namespace: str, session: str) -> tuple[object, ...]:
    return (namespace, session, "", "", "", "", "", "", None, None, True, 0, 0, False, "", 0, "")


@lru_cache(maxsize=64)
def _task(text: str) -> str:
    line = " ".join(text[: 4 * TASK_CHARS].split())
    return line if len(line) <= TASK_CHARS else f"{line[: TASK_CHARS - 1]}…"


def _noted(rows: Sequence[LoggedMessage]) -> tuple[object, ...]:
    """What new messages of one session say of it."""
    first = rows[0]
    task = cwd = project = model = agent = ""
    opening, turns = True, 0
    times = [at for row in rows if (at := row.message.created_at) is not None]
    for row in rows:
        message, told = row.message, row.message.details
        turns = max(turns, row.turn + 1)
        agent = row.agent or (message.name if message.role is Role.ASSISTANT else "") or agent
        if (not task or opening) and begins_turn(message):
            task = task or _task(message.text)
            opening = opening and row.turn != 0
        if told is not None:
            project, cwd, model = project or told.cwd, told.cwd or cwd, told.model or model
    started, updated = (moment_text(min(times)), moment_text(max(times))) if times else (None, None)
    told_of = (task, cwd, project, model, agent, started, updated, opening, turns, len(rows))
    return (first.namespace, first.session, "", *told_of, False, "", 0, "")


def _details_row(row: LoggedMessage, told: Details) -> tuple[object, ...]:
    usage = told.usage
    counts: tuple[object, ...] = (None, None, None, None, None)
    if usage is not None:
        counts = (usage.input, usage.output, usage.cache_read, usage.cache_written, usage.cost)
    place = (row.namespace, row.session, row.message.id)
    return (*place, told.model, told.reply, *counts, told.signature, told.user_visible, told.agent_visible, "", "", "")


def _sessions(rows: Sequence[Row]) -> list[Session]:
    """By columns where all are sound, which takes a third of the time: a listing has thousands."""
    columns: list[Iterable[object]] = list(zip(*rows, strict=True))
    kinds = [set(map(type, column)) for column in columns]
    if not all(kind <= sound for kind, sound in zip(kinds, _SOUND, strict=False)):
        return list(map(_session, rows))
    try:
        columns[6:8] = [_moments(cast("Sequence[str | None]", column)) for column in columns[6:8]]
    except ValueError:
        return list(map(_session, rows))
    columns[10:11] = [map(bool, column) for column in columns[10:11]]
    return list(map(Session._make, zip(*columns, strict=True)))


def _moments(texts: Sequence[str | None]) -> list[datetime | None]:
    """Stored times. Raises ValueError for one that is none, or lies too far away."""
    found = [datetime.fromisoformat(text) if text is not None else None for text in texts]
    if not all(one is None or (one.tzinfo is UTC and FIRST_KEPT <= one < LAST_KEPT) for one in found):
        raise ValueError("a time that was not stored by us")
    return found


def _session(row: Row) -> Session:
    name, title, cwd, project, model, agent, begun, last, turns, messages, done, parent, shared, rewound = row
    about = (str(name), str(title), str(cwd), str(project), str(model), str(agent))
    times = (moment_if_sound(begun), moment_if_sound(last))
    return Session(*about, *times, int(turns), int(messages), done == 1, str(parent), int(shared), str(rewound))


def _kept(row: Row, ids: Set[str]) -> Kept:
    """A message of a history with these ids."""
    known = message_from(row[: len(MESSAGE_COLUMNS)])
    named, model, reply, *counts = row[len(MESSAGE_COLUMNS) : -6]
    signature, user_visible, agent_visible, hidden_by, stands_before, origin = row[-6:]
    if named is None:
        return Kept(known if known.message.origin is not Origin.REWOUND else _as_said(known, ""))
    usage = _usage(counts) if any(count is not None for count in counts) else None
    seen = bool(agent_visible) or (hidden_by != "" and hidden_by not in ids)
    details = Details(str(model), usage, str(reply), "", str(signature), bool(user_visible), seen)
    known = replace(known, message=replace(known.message, details=details))
    if known.message.origin is Origin.REWOUND:
        known = _as_said(known, str(origin))
    return Kept(known, str(reply), str(stands_before))


def _as_said(row: LoggedMessage, origin: str) -> LoggedMessage:
    return replace(row, message=replace(row.message, origin=Origin(origin) if origin in set(Origin) else Origin.SAID))


def _reply(row: Row) -> Reply:
    session, rewound, turn, agent, model, reply, *counts = row
    return Reply(session, rewound, turn, agent, model, reply, _usage(counts))


def _usage(counts: Sequence[object]) -> TokenUsage:
    sent, written, read, kept = (count if isinstance(count, int) else 0 for count in counts[:4])
    return TokenUsage(sent, written, read, kept, counts[4] if isinstance(counts[4], float) else None)
