"""What another program's memory holds, one statement at a time, as its file tells. Believes nothing of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.errors import InputError, UsageError
from cfpm.model.clock import can_be_kept, from_text
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from pathlib import Path

MAX_SIZE = 256 * 1024 * 1024
"""Bytes of a JSON or text file, which is read whole."""

_MARK = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_OBSERVATION = lazy_pattern(r"\s*[-*]\s+\[(?P<kind>[^\]\[]{1,40})\]\s+(?P<text>.+)")
_RELATION = lazy_pattern(r"\s*[-*]\s+(?P<verb>[a-z][a-z0-9_ -]{0,60}?)\s+\[\[(?P<to>[^\]]{1,200})\]\]")
_HEADING = lazy_pattern(r"^#\s+(.+)$")
_TITLE = lazy_pattern(r"^title:\s*(.+)$")


class Statement(NamedTuple):
    """One thing that another memory holds; `at` is when it was written there."""

    id: str
    text: str
    at: datetime | None = None


Reader = Callable[["Path"], Iterator[Statement]]


def read_foreign(kind: str, path: Path) -> Iterator[Statement]:
    """The statements of a file of this kind, in its order.

    Raises UsageError for an unknown kind, InputError naming the file for what is no such file.
    """
    reader = READERS.get(kind)
    if reader is None:
        raise UsageError(f"import {kind}", "nothing is known of such a memory", f"Use one of: {', '.join(READERS)}")
    if not path.exists():
        raise InputError(str(path), "does not exist", "Check the path")
    if not path.is_file() and not (path.is_dir() and kind == "basic-memory"):
        raise InputError(str(path), "is no file", f"Name a file that {kind} wrote")
    try:
        for found in reader(path):
            if text := " ".join(found.text.split()):
                yield found._replace(text=text)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise _other(path, kind, type(error).__name__) from error
    except (sqlite3.Error, OSError) as error:
        raise _other(path, kind, str(error)) from error


def _other(path: Path, kind: str, told: str) -> InputError:
    return InputError(str(path), f"is not as {kind} writes it ({told})", "Check the file and its kind")


def _mem0(path: Path) -> Iterator[Statement]:
    """`{"results": [{"id", "memory", ...}]}`, a list of these, or the SQLite history of changes."""
    if _is_database(path):
        yield from _mem0_history(path)
        return
    document = _json(path)
    rows = document["results"] if isinstance(document, dict) else document
    for place, row in enumerate(rows):
        text = row.get("memory") or row.get("text") or row["data"]
        yield Statement(str(row.get("id", place)), _text(text), _time(row.get("updated_at") or row.get("created_at")))


def _mem0_history(path: Path) -> Iterator[Statement]:
    """The last state of each memory that was not deleted."""
    rows = _rows(path, "history", "memory_id", "new_memory", "event", "created_at", order="rowid")
    last = {row[0]: row for row in rows}
    for name, text, event, at in last.values():
        if event != "DELETE" and text:
            yield Statement(str(name), _text(text), _time(at))


def _claude_mem(path: Path) -> Iterator[Statement]:
    """SQLite: the facts of observations, and what summaries say was learnt and done."""
    observed = _rows(path, "observations", "id", "facts", "narrative", "text", "title", "created_at_epoch")
    for number, facts, narrative, text, title, at in observed:
        listed = json.loads(facts) if facts else []
        for place, fact in enumerate(listed or [narrative or text or title]):
            if fact:
                yield Statement(f"observation/{number}/{place}", _text(fact), _time(at))
    summaries = _rows(path, "session_summaries", "id", "learned", "completed", "next_steps", "created_at_epoch")
    for number, learned, completed, next_steps, at in summaries:
        for name, text in (("learned", learned), ("completed", completed), ("next_steps", next_steps)):
            for place, line in enumerate(_lines(text or "")):
                yield Statement(f"summary/{number}/{name}/{place}", line, _time(at))


def _mempalace(path: Path) -> Iterator[Statement]:
    """Triples: SQLite, or JSON (a list, or one object a line) with subject, predicate and object."""
    if _is_database(path):
        names = dict(_rows(path, "entities", "id", "name"))
        columns = ("subject", "predicate", "object", "valid_from")
        rows = list(_rows(path, "triples", *columns, "valid_to", order="rowid"))
        for place, (subject, predicate, what, since, until) in enumerate(rows):
            if until is None:
                said = f"{names.get(subject, subject)} {str(predicate).replace('_', ' ')} {names.get(what, what)}"
                yield Statement(f"{place}", said, _time(since))
        return
    for place, row in enumerate(_objects(path)):
        if not row.get("valid_to"):
            said = f"{row['subject']} {str(row['predicate']).replace('_', ' ')} {row['object']}"
            yield Statement(str(row.get("id", place)), said, _time(row.get("valid_from")))


def _letta(path: Path) -> Iterator[Statement]:
    """An agent file (.af): the lines of its memory blocks."""
    document = _json(path)
    blocks = [*document.get("blocks", ()), *(one for agent in document["agents"] for one in _inside(agent))]
    for block in blocks:
        for place, line in enumerate(_lines(_text(block["value"]))):
            yield Statement(f"{block.get('id', block['label'])}/{place}", line, _time(block.get("updated_at")))


def _inside(agent: dict[str, Any]) -> Iterable[dict[str, Any]]:
    memory = agent.get("memory")
    found: Iterable[dict[str, Any]] = (memory if isinstance(memory, dict) else agent).get("blocks", ())
    return found


def _langgraph(path: Path) -> Iterator[Statement]:
    """A store: SQLite (table `store`), or JSON (a list, or one item a line) with namespace, key and value."""
    if _is_database(path):
        for prefix, key, value, at in _rows(path, "store", "prefix", "key", "value", "updated_at", order="prefix, key"):
            yield from _of_value(f"{prefix}/{key}", json.loads(value), _time(at))
        return
    for place, row in enumerate(_objects(path)):
        space = row.get("namespace", ())
        prefix = space if isinstance(space, str) else ".".join(map(str, space))
        at = _time(row.get("updated_at") or row.get("created_at"))
        yield from _of_value(f"{prefix}/{row.get('key', place)}", row["value"], at)


_TOLD = ("memory", "content", "text", "fact", "data", "value")
"""Fields that hold what is remembered; of an item without any, each text in it."""


def _of_value(name: str, value: object, at: datetime | None) -> Iterator[Statement]:
    if isinstance(value, dict) and (told := [value[one] for one in _TOLD if value.get(one)]):
        yield from _of_value(name, told[0], at)
        return
    for place, text in enumerate(_texts(value)):
        yield Statement(f"{name}/{place}", text, at)


def _basic_memory(path: Path) -> Iterator[Statement]:
    """A note, or a folder of them: `- [kind] observation` and `- relation [[Note]]`."""
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        text = _read(file)
        title = next(
            (found[1] for line in text.split("\n") if (found := _TITLE.match(line) or _HEADING.match(line))), ""
        )
        for number, line in enumerate(text.split("\n"), 1):
            if (found := _OBSERVATION.match(line)) and found["kind"].strip() not in ("", "x", "X"):
                yield Statement(f"{name}:{number}", found["text"])
            elif found := _RELATION.match(line):
                yield Statement(
                    f"{name}:{number}", f"{title or file.stem} {found['verb'].replace('_', ' ')} {found['to']}"
                )


def _chatgpt(path: Path) -> Iterator[Statement]:
    """Saved memories: a JSON list of texts or objects, or the list as it is shown, one a line."""
    text = _read(path)
    if text.lstrip()[:1] in ("[", "{"):
        document = json.loads(text)
        rows: Any = document
        if isinstance(document, dict):
            rows = document.get("memories", document.get("results", ()))
        for place, row in enumerate(rows):
            if isinstance(row, str):
                yield Statement(str(place), row)
            else:
                told = next((row[one] for one in _TOLD if row.get(one)), None)
                yield Statement(
                    str(row.get("id", place)), _text(told), _time(row.get("updated_at") or row.get("created_at"))
                )
        return
    for place, line in enumerate(_lines(text)):
        yield Statement(str(place), line)


READERS: dict[str, Reader] = {
    "mem0": _mem0,
    "claude-mem": _claude_mem,
    "mempalace": _mempalace,
    "letta": _letta,
    "langgraph": _langgraph,
    "basic-memory": _basic_memory,
    "chatgpt-memories": _chatgpt,
}
"""By the names that a user gives."""


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(16) == b"SQLite format 3\0"


def _rows(path: Path, table: str, *columns: str, order: str = "id") -> Iterator[tuple[Any, ...]]:
    """The rows of a table; NULL for a column that it has not, none without the table."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        there = [name for _, name, *_ in database.execute("SELECT * FROM pragma_table_info(?)", (table,))]
        if there:
            listed = ", ".join(f'"{name}"' if name in there else "NULL" for name in columns)
            sorted_by = order if order == "rowid" or order.partition(",")[0] in there else "rowid"
            yield from database.execute(f'SELECT {listed} FROM "{table}" ORDER BY {sorted_by}')


def _json(path: Path) -> Any:
    return json.loads(_read(path))


def _objects(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list, of its first list, or of JSON Lines."""
    text = _read(path)
    try:
        document = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(document, dict):
        return next((value for value in document.values() if isinstance(value, list)), [document])
    return list(document)


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_SIZE:
        raise InputError(str(path), f"has more than {MAX_SIZE // 1024**2} MB", "Split it")
    return path.read_text(encoding="utf-8-sig")


def _lines(text: str) -> list[str]:
    """The lines with words, without list marks and headings."""
    found = (line[mark.end() :] if (mark := _MARK.match(line)) else line for line in text.split("\n"))
    return [line.strip() for line in found if line.strip() and not line.lstrip().startswith("#")]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a memory that is no text but {type(value).__name__}")
    return value


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                if isinstance(inner, str | int | float) and not isinstance(inner, bool):
                    yield f"{str(name).replace('_', ' ')}: {inner}"
                else:
                    yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


def _time(value: object) -> datetime | None:
    """A moment in UTC, of ISO 8601 or of seconds or milliseconds since 1970; None for what is none."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            found: datetime | None = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        else:
            found = from_text(value) if isinstance(value, str) and value else None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is not None and can_be_kept(found) else None
