"""Export and import: the whole store as canonical JSON lines, and back. The same content gives the same bytes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from cfpm.store.activity import ADD_GATE, ADD_RECALL
from cfpm.store.candidates import ADD_CANDIDATE, recount
from cfpm.store.events import LAST_EVENT
from cfpm.store.export_checks import Examiner
from cfpm.store.export_format import HEADER, KINDS, Digest, Kind, line_of, parsed, refusal, whole
from cfpm.store.fact_writer import ADD_EVENT, BlockKeys, count_change
from cfpm.store.log import ADD_LINE
from cfpm.store.rows import fact_from, message_from
from cfpm.store.schema import listed
from cfpm.store.sessions import ADD_DETAILS, TAKE_OVER
from cfpm.store.state import ADD_APPROVAL, ADD_ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cfpm.model import Fact
    from cfpm.store.connection import Connection, Row
    from cfpm.store.store import Store

_BATCH = 500
"""Rows that are written together on import."""

_SIMPLE = {
    "candidate": ADD_CANDIDATE,
    "line": ADD_LINE,
    "recall": ADD_RECALL,
    "gate": ADD_GATE,
    "details": ADD_DETAILS,
    "session": TAKE_OVER,
    "approval": ADD_APPROVAL,
    "state": ADD_ENTRY,
}
_TAKEN = "SELECT 1 FROM memory_facts WHERE id = ? OR (namespace = ? AND category = ? AND key = ?)"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many lines were read, and how many rows of each kind were new."""

    lines: int
    messages: int
    facts: int
    candidates: int
    events: int
    seen_lines: int
    recall_events: int
    gate_events: int
    documents: int = 0
    approvals: int = 0
    state: int = 0


def export_lines(store: Store, out: TextIO) -> int:
    """Writes everything as canonical JSON lines, a header first and a trailer last, and returns how many lines.

    Within a namespace each kind is in the order in which it was learnt; other namespaces do not matter.
    """
    written = Digest()
    with store.reading():
        out.write(written.add(HEADER + "\n"))
        for kind in KINDS:
            for row in _exported(store.connection, kind):
                out.write(written.add(line_of(kind, row) + "\n"))
    out.write(written.trailer())
    return written.lines + 1


def import_lines(
    store: Store,
    lines: Iterable[str],
    source: str,
    *,
    block_keys: BlockKeys,
    trailer: bool = True,
    clean: Callable[[str], str] = str,
) -> ImportReport:
    """Adds what an export holds and the store lacks, in one transaction; importing it again changes nothing.

    A fact that is here stays as it is, with its own history; so does everything else with an id that is known. Without
    `trailer` a file is taken that does not end with one, as those of older versions. `clean` takes out of a line what
    must not be stored. Raises InputError naming the source, the line and the remedy; then nothing was imported.
    """
    examiner = Examiner()
    read = Digest()
    with store.connection.atomic():
        incoming = _Incoming(store, source, block_keys)
        numbered = whole(lines, source, read, trailer=trailer)
        for number, kind, row in parsed(numbered, source, examiner.problem, clean):
            incoming.add(number, kind, row)
        incoming.flush()
        for number, problem in examiner.problems_at_end():
            raise refusal(source, number, problem)
        if incoming.new["candidate"]:
            recount(store.connection)
    new = incoming.new
    return ImportReport(
        lines=read.lines + int(read.ended),
        messages=new["message"],
        facts=new["fact"],
        candidates=new["candidate"],
        events=new["event"],
        seen_lines=new["line"],
        recall_events=new["recall"],
        gate_events=new["gate"],
        documents=new["document"],
        approvals=new["approval"],
        state=new["state"],
    )


def _exported(connection: Connection, kind: Kind) -> Iterator[Row]:
    columns = listed(tuple(kind.columns))
    if kind.order != "seq":
        yield from connection.each(f"SELECT {columns} FROM {kind.table} ORDER BY {kind.space}, {kind.order}")
        return
    # Only the numbers are sorted; the rows, which may be large, are fetched one by one.
    for (seq,) in connection.each(f"SELECT seq FROM {kind.table} ORDER BY namespace, seq"):
        yield from connection.rows(f"SELECT {columns} FROM {kind.table} WHERE seq = ?", (seq,))


class _Incoming:
    """The lines of one import on their way into the store, inside its transaction."""

    def __init__(self, store: Store, source: str, block_keys: BlockKeys) -> None:
        self.new: Counter[str] = Counter()
        self._store = store
        self._db = store.connection
        self._source = source
        self._block_keys = block_keys
        self._kind = ""
        self._batch: list[tuple[Any, ...]] = []
        self._here: set[str] = set()
        """Facts that the store had before; their history is not mixed with another."""
        self._numbers: dict[str, _Numbers] = {}
        self._documents: set[str] = set()
        """Documents that come with this import."""

    def add(self, number: int, kind: Kind, row: tuple[Any, ...]) -> None:
        if kind.name == "fact":
            self._add_fact(fact_from(row), row)
        elif kind.name == "event":
            self._add_event(number, row)
        elif kind.name == "document":
            self._add_document(row)
        elif kind.name == "chunk" and row[0] not in self._documents:
            # Of a document that the store had before.
            return
        else:
            if kind.name != self._kind or len(self._batch) == _BATCH:
                self.flush()
                self._kind = kind.name
            self._batch.append(row)

    def flush(self) -> None:
        """Writes what is waiting."""
        if not self._batch:
            return
        if self._kind == "message":
            added = self._store.log.append([message_from(row) for row in self._batch])
        elif self._kind == "chunk":
            added = len(self._batch)
            self._store.documents.add_chunks(self._batch)
        else:
            added = self._db.many(_SIMPLE[self._kind], self._batch)
        self.new[self._kind] += added
        self._batch.clear()

    def _add_fact(self, fact: Fact, row: tuple[Any, ...]) -> None:
        if self._db.row(_TAKEN, (fact.id, fact.namespace, fact.category.value, fact.key)):
            self._here.add(fact.id)
            return
        seq = self._store.fact_writer.create(fact, row, self._block_keys)
        self._store.vectors.add("fact", [(seq, fact.content)])
        self._store.fact_writer.add_counts([count_change(None, fact)])
        self.new["fact"] += 1

    def _add_document(self, row: tuple[Any, ...]) -> None:
        name, namespace = row[0], row[1]
        if self._store.documents.named(namespace, name) is None:
            self._store.documents.create(row)
            self._documents.add(name)
            self.new["document"] += 1

    def _add_event(self, place: int, row: tuple[Any, ...]) -> None:
        namespace, number, fact_id = row[:3]
        numbers = self._numbers.get(namespace)
        if numbers is None:
            numbers = self._numbers[namespace] = _Numbers(self._db.number(LAST_EVENT, (namespace,)))
        if number <= numbers.read:
            raise refusal(self._source, place, f"event {number} does not come after event {numbers.read}")
        numbers.read = number
        if fact_id in self._here:
            return
        # An empty namespace keeps the numbers; another one goes on counting, so that its own moments stay true.
        written = number if numbers.before == 0 else numbers.before + numbers.added + 1
        numbers.added += 1
        self._db.insert(ADD_EVENT, (namespace, written, *row[2:]))
        self.new["event"] += 1


@dataclass(slots=True)
class _Numbers:
    """The numbering of a namespace's events: the last one before the import, the last one read, how many were added."""

    before: int
    read: int = 0
    added: int = 0
