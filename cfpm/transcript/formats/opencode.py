"""opencode's sessions: its SQLite database of messages and their parts, and the JSON that `opencode export` prints."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolResult
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_call
from cfpm.transcript.fields import clean, label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    Progress,
    Reader,
    entries_of,
    is_list_of,
    kinds,
    of_sidechain,
)
from cfpm.transcript.origins import number_parts
from cfpm.transcript.outcomes import outcome
from cfpm.transcript.records import Entries, NotATranscript, Problem

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_COLUMNS = {
    "session": {"id", "parent_id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}
"""What is read of its tables. A version that names them otherwise is told, not guessed."""
_GIVEN = lazy_pattern(r'"((?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*)"\s*')
"""A prompt that was given on the command line: opencode puts each argument with a blank into quotes."""
_WAIT = 3.0
"""Seconds to wait while opencode writes."""


@dataclass(slots=True)
class _Reader(Reader):
    """Reads message by message."""

    def entries(self, place: str, info: object, parts: Iterable[object], session: str, *, child: bool) -> Entries:
        """The entries of a message with its parts; those of a `child` session are an agent's that an agent started."""
        read = partial(self._messages, place, list(parts), child)
        yield from entries_of(info, self.source, place, read, session, own=bool(session))

    def _messages(self, place: str, parts: list[object], child: bool, info: Mapping[str, object]) -> list[Message]:
        role, identity = text_of(info.get("role")), label(info.get("id"))
        if role not in _ROLES:
            self.unknown.add(f"message of role {role}", place)
            return []
        at = loose_moment(object_of(info.get("time")).get("created"))
        found = [message for part in parts for message in self._part(place, object_of(part), _ROLES[role])]
        messages = [replace(message, created_at=message.created_at or at) for message in found]
        return number_parts([of_sidechain(one) for one in messages] if child else messages, identity)

    def _part(self, place: str, part: Mapping[str, object], role: Role) -> Iterator[Message]:
        kind = text_of(part.get("type"))
        text = text_of(part.get("text"))
        if kind == "text":
            if role is Role.USER and (found := _GIVEN.fullmatch(text)):
                text = found[1].replace('\\"', '"')
            if text and part.get("ignored") is not True:
                yield Message(role, text, origin=Origin.HOST_NOTICE if part.get("synthetic") is True else Origin.SAID)
        elif kind == "reasoning":
            if text.strip():
                yield Message(Role.ASSISTANT, text, origin=Origin.THINKING)
        elif kind == "tool":
            yield from _tool(part)
        elif kind == "file":
            yield Message(role, f"[file: {label(part.get('filename')) or label(part.get('mime')) or 'unnamed'}]")
        elif kind not in kinds("opencode")["bookkeeping"]:
            self.unknown.add(f"part of type {kind}", place)


def _tool(part: Mapping[str, object]) -> Iterator[Message]:
    state = object_of(part.get("state"))
    call = tool_call(part.get("callID"), part.get("tool"), state.get("input"))
    time = object_of(state.get("time"))
    yield Message(Role.ASSISTANT, "", created_at=loose_moment(time.get("start")), tool_calls=(call,))
    status = state.get("status")
    if status not in ("completed", "error"):
        return
    text = text_of(state.get("output")) or text_of(state.get("error"))
    code = object_of(state.get("metadata")).get("exit")
    known = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else outcome(text)[1]
    failed = status == "error" or known not in (None, 0)
    result = ToolResult(call.id, failed, known)
    yield Message(Role.TOOL, text, created_at=loose_moment(time.get("end")), tool_result=result)


def _is_export(value: object) -> bool:
    return (
        isinstance(value, Mapping) and isinstance(value.get("info"), Mapping) and _are_messages(value.get("messages"))
    )


def _are_messages(value: object) -> bool:
    return is_list_of(value, lambda item: isinstance(item.get("info"), Mapping) and isinstance(item.get("parts"), list))


def _read_export(value: object, source: str) -> Entries:
    info = object_of(object_of(value).get("info"))
    reader = _Reader(source)
    for number, item in enumerate(list_of(object_of(value).get("messages")), start=1):
        message = object_of(item)
        session = label(info.get("id")) or label(object_of(message.get("info")).get("sessionID"))
        parts = list_of(message.get("parts"))
        child = bool(info.get("parentID"))
        yield from reader.entries(f"message {number}", message.get("info"), parts, session, child=child)
    yield from reader.unknown.problems()


def _read_database(path: Path, source: str, progress: Progress | None) -> Entries:
    """The sessions in the order in which they began, from one state of the database while opencode goes on writing."""
    with _opened(path, source) as connection:
        _check(connection, source)
    return _whole(path, source, progress or (lambda _: None))


def _whole(path: Path, source: str, progress: Progress) -> Entries:
    with _opened(path, source) as connection:
        yield from _sessions(connection, source, progress, path.stat().st_size)


@contextmanager
def _opened(path: Path, source: str) -> Iterator[sqlite3.Connection]:
    """The database for reading, in one transaction. What SQLite refuses becomes an error that names the remedy."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_WAIT)) as connection:
            connection.execute("BEGIN")
            yield connection
    except sqlite3.DatabaseError as error:
        raise _refused(source, error) from error


def _check(connection: sqlite3.Connection, source: str) -> None:
    found = {name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for name in _COLUMNS}
    if not any(found.values()):
        raise NotATranscript(source, "is a database of no known host", "Name the file of a host that is read")
    missing = [f"{table}.{name}" for table, names in _COLUMNS.items() for name in sorted(names - found[table])]
    if missing:
        told = f"a database without {', '.join(missing)}, which opencode has"
        raise NotATranscript(source, told, "Export the session: opencode export SESSION > FILE")


def _sessions(connection: sqlite3.Connection, source: str, progress: Callable[[int], None], size: int) -> Entries:
    reader = _Reader(source)
    listed = connection.execute("SELECT id, parent_id FROM session ORDER BY id").fetchall()
    order = dict(connection.execute("SELECT session_id, MIN(id) FROM message GROUP BY session_id").fetchall())
    listed.sort(key=lambda row: (str(order.get(row[0], "")), str(row[0])))
    for done, (session, parent) in enumerate(listed, start=1):
        parts = defaultdict(list)
        rows = connection.execute(
            "SELECT part.message_id, part.id, part.data FROM part JOIN message ON message.id = part.message_id"
            " WHERE message.session_id = ? ORDER BY part.id",
            (session,),
        )
        for message, name, data in rows:
            parts[message].append(_json(data, f"part {name}", source))
        for name, data in connection.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,)
        ):
            place = f"message {clean(str(name))}"
            info = _json(data, place, source)
            found = [part for part in parts[name] if not isinstance(part, Problem)]
            yield from (part for part in parts[name] if isinstance(part, Problem))
            if isinstance(info, Problem):
                yield info
                continue
            told = {**object_of(info), "id": str(name)}
            yield from reader.entries(place, told, found, label(session), child=bool(parent))
        progress(size * done // len(listed))
    yield from reader.unknown.problems()


def _json(data: object, place: str, source: str) -> object:
    try:
        return json.loads(data) if isinstance(data, str | bytes) else Problem(source, place, "no JSON", "Leave it out")
    except (ValueError, RecursionError):
        return Problem(source, clean(place), "not valid JSON", "opencode may still be writing it: try again later")


def _refused(source: str, error: sqlite3.Error) -> InputError:
    told = clean(str(error))
    if "locked" in told or "busy" in told:
        return InputError(source, f"the database is in use ({told})", "Close opencode, or try again later")
    if isinstance(error, sqlite3.OperationalError):
        return InputError(source, f"the database cannot be read ({told})", "Check its permissions and its folder's")
    return NotATranscript(source, f"is no sound database ({told})", "Restore it from a copy")


FORMAT = Format(
    name="opencode",
    about="opencode's database and what it exports",
    fits_document=_is_export,
    document=_read_export,
    database=_read_database,
)
