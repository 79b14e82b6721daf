"""LangGraph: a `BaseStore` that keeps values exactly, in a file beside the memory, and ranks them without a model or a
key. Extra `langchain`.

    store = CFPMStore("sqlite:///memory.db")
    agent = create_agent(model, tools, store=store, middleware=[CFPMMiddleware("sqlite:///memory.db")])

What is put here is the application's own: it is not learnt from and never in a recalled block. Learning is the work of
the middleware (`cfpm_adapters.langchain`).
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cfpm.cli.location import make_room, sqlite_file
from cfpm.embedding import named_embedder
from cfpm.errors import MissingExtraError, UsageError
from cfpm.model.clock import Clock, utc_now

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise MissingExtraError("The store for LangGraph", "langchain") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TABLES = """
CREATE TABLE IF NOT EXISTS items (
  number INTEGER PRIMARY KEY, namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, created TEXT NOT NULL,
  updated TEXT NOT NULL, minutes REAL, expires TEXT, UNIQUE (namespace, key)
);
CREATE TABLE IF NOT EXISTS vectors (item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE, vector BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS vectors_of ON vectors (item);
"""

_PUT = """
INSERT INTO items (namespace, key, value, created, updated, minutes, expires) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, updated = excluded.updated,
  minutes = excluded.minutes, expires = excluded.expires
RETURNING number
"""

_FOUND = (
    "SELECT number, namespace, key, value, created, updated, minutes FROM items WHERE (expires IS NULL OR expires > ?)"
)

BUSY_SECONDS = 10.0
"""Seconds that a process waits while another one writes."""

_WHOLE = "$"
"""The path of a whole value."""


class _Row(NamedTuple):
    number: int
    namespace: str
    key: str
    value: str
    created: str
    updated: str
    minutes: float | None


class CFPMStore(BaseStore):
    """Any number of threads and processes may use one file. `url` is that of the memory; the values are in a file
    beside it, with `-store` behind its name; `:memory:` keeps them in this process.

    `index` is as for LangGraph's other stores; without it whole values are ranked by the static embedder of the memory.
    Values are JSON; another one raises TypeError. `ttl` and the `ttl` of `put` are minutes; what has expired is deleted
    with the next `put`.
    """

    supports_ttl = True

    def __init__(
        self, url: str, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None, clock: Clock = utc_now
    ) -> None:
        self.ttl_config = ttl
        self._clock = clock
        given: IndexConfig = index or {"dims": named_embedder("static").dimensions, "embed": _embedded}
        self._embed = ensure_embeddings(given["embed"])
        self._fields = given.get("fields") or [_WHOLE]
        self._lock = threading.RLock()
        self._db = sqlite3.connect(_file(url), timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; {_TABLES}")

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._db.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """What each operation gives. Reads see what was there before; of several puts of a key the last one holds."""
        given = list(ops)
        for op in given:
            validate_op_namespace(op)
        with self._lock:
            results = [self._read(op) for op in given]
            puts = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
            if puts:
                self._write(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same without holding up the loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                rows = self._rows("AND namespace = ? AND key = ?", (_joined(op.namespace), op.key))
                self._refresh(rows if op.refresh_ttl else ())
                return _item(rows[0]) if rows else None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        return None

    def _write(self, puts: Sequence[PutOp]) -> None:
        texts = [_texts(op, self._fields) for op in puts]
        vectors = iter(_rows_of(self._embed.embed_documents([text for of in texts for text in of])))
        values = [None if op.value is None else json.dumps(op.value, ensure_ascii=False) for op in puts]
        now = self._clock()
        with self._transaction():
            self._db.execute("DELETE FROM items WHERE expires <= ?", (_text(now),))
            for op, of, value in zip(puts, texts, values, strict=True):
                place = (_joined(op.namespace), op.key)
                if value is None:
                    self._db.execute("DELETE FROM items WHERE namespace = ? AND key = ?", place)
                    continue
                row = (*place, value, _text(now), _text(now), op.ttl, _later(now, op.ttl))
                (number,) = self._db.execute(_PUT, row).fetchone()
                self._db.execute("DELETE FROM vectors WHERE item = ?", (number,))
                found = [(number, next(vectors).tobytes()) for _ in of]
                self._db.executemany("INSERT INTO vectors VALUES (?, ?)", found)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _rows(self, where: str, values: Sequence[object]) -> list[_Row]:
        """The items that have not expired, what was put last first."""
        sql = f"{_FOUND} {where} ORDER BY updated DESC, number DESC"
        return [_Row(*row) for row in self._db.execute(sql, (_text(self._clock()), *values))]

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = _joined(op.namespace_prefix)
        within = "AND (namespace = ? OR substr(namespace, 1, ?) = ?)" if prefix else ""
        rows = self._rows(within, (prefix, len(prefix) + 1, f"{prefix}.") if prefix else ())
        if op.filter:
            rows = [row for row in rows if _fits_all(json.loads(row.value), op.filter)]
        scores = self._scores(op.query, {row.number for row in rows}) if op.query and rows else {}
        # What has no vector comes last, without a score.
        rows.sort(key=lambda row: -scores.get(row.number, -2.0))
        shown = rows[op.offset : op.offset + op.limit]
        self._refresh(shown if op.refresh_ttl else ())
        return [_search_item(row, scores.get(row.number)) for row in shown]

    def _scores(self, query: str, wanted: set[int]) -> dict[int, float]:
        """By items, the cosine of the nearest of their texts."""
        stored = [
            (number, raw) for number, raw in self._db.execute("SELECT item, vector FROM vectors") if number in wanted
        ]
        if not stored:
            return {}
        asked = _rows_of([self._embed.embed_query(query)])[0]
        # Rounded, so that the order is the same on every processor.
        cosines = np.round(np.stack([np.frombuffer(raw, np.float32) for _, raw in stored]) @ asked, 6)
        best: dict[int, float] = {}
        for (number, _), cosine in zip(stored, cosines.tolist(), strict=True):
            best[number] = max(cosine, best.get(number, -1.0))
        return best

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        names = {tuple(row.namespace.split(".")) for row in self._rows("", ())}
        found = (name for name in names if all(_matches(name, one) for one in op.match_conditions or ()))
        cut = {name[: op.max_depth] for name in found}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _refresh(self, rows: Iterable[_Row]) -> None:
        now = self._clock()
        anew = [(_later(now, row.minutes), row.number) for row in rows if row.minutes is not None]
        if anew:
            with self._transaction():
                self._db.executemany("UPDATE items SET expires = ? WHERE number = ?", anew)


def _file(url: str) -> str:
    file = sqlite_file(make_room(url))
    if file is None:
        if url.removeprefix("sqlite:///") != ":memory:":
            raise UsageError(url, "no file of this machine", "Pass sqlite:///FILE or :memory:")
        return ":memory:"
    beside = file.with_name(f"{file.name}-store")
    beside.touch(mode=0o600)
    return str(beside)


def _embedded(texts: Sequence[str]) -> list[list[float]]:
    found: list[list[float]] = named_embedder("static").embed(texts).tolist()
    return found


def _rows_of(vectors: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    """The vectors with length 1."""
    rows = np.array(vectors, dtype=np.float32)
    if not len(rows):
        return rows
    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, np.maximum(lengths, np.float32(1e-9)), dtype=np.float32)


def _texts(op: PutOp, fields: Sequence[str]) -> list[str]:
    """The texts of a value by which it is found."""
    if op.value is None or op.index is False:
        return []
    paths = fields if op.index is None else op.index
    value = dict(op.value)
    found = (
        text for path in paths for text in get_text_at_path(value, path if path == _WHOLE else tokenize_path(path))
    )
    return [text for text in found if text]


def _fits_all(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_fits(_at(value, key), want) for key, want in wanted.items())


def _at(value: Any, path: str) -> Any:
    """What stands under a key, or under keys with periods between them."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    first, period, rest = path.partition(".")
    return _at(value[first], rest) if period and isinstance(value, Mapping) and first in value else None


def _fits(value: Any, want: Any) -> bool:
    """Whether a value is what is wanted: equal, within the `$` comparisons, or with all that an object names."""
    if not isinstance(want, Mapping):
        return bool(value == want)
    if any(str(key).startswith("$") for key in want):
        return all(_compares(value, sign, other) for sign, other in want.items())
    return isinstance(value, Mapping) and _fits_all(value, want)


def _compares(value: Any, sign: str, other: Any) -> bool:
    match sign:
        case "$eq":
            return bool(value == other)
        case "$ne":
            return bool(value != other)
        case "$gt" | "$gte" | "$lt" | "$lte":
            try:
                one, two = float(value), float(other)
            except (TypeError, ValueError):
                return False
            return {"$gt": one > two, "$gte": one >= two, "$lt": one < two, "$lte": one <= two}[sign]
    raise ValueError(f"Unsupported operator: {sign}")


def _matches(name: Sequence[str], condition: MatchCondition) -> bool:
    path = condition.path
    if len(path) > len(name):
        return False
    own = name[: len(path)] if condition.match_type == "prefix" else name[-len(path) :] if path else ()
    return all(wanted in ("*", given) for wanted, given in zip(path, own, strict=True))


def _item(row: _Row) -> Item:
    return Item(
        namespace=tuple(row.namespace.split(".")),
        key=row.key,
        value=json.loads(row.value),
        created_at=datetime.fromisoformat(row.created),
        updated_at=datetime.fromisoformat(row.updated),
    )


def _search_item(row: _Row, score: float | None) -> SearchItem:
    item = _item(row)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _joined(namespace: Sequence[str]) -> str:
    # No label has a period: the store's base class sees to that.
    return ".".join(namespace)


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _later(now: datetime, minutes: float | None) -> str | None:
    return None if minutes is None else _text(now + timedelta(minutes=minutes))
