"""Documents and their chunks: kept whole, found by words and vectors, replaced and removed as a whole.

Reads no file and judges nothing: see `cfpm.documents`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.ids import digest
from cfpm.store.rows import moment_if_sound, moment_text
from cfpm.store.schema import insert_into, listed, marks, types
from cfpm.store.search import index_text, match_expression
from cfpm.store.vectors import OF_A_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.model.erasures import Selector
    from cfpm.store.connection import Connection, Row
    from cfpm.store.vectors import Vectors

DOCUMENT_COLUMNS = tuple(types("documents"))
CHUNK_COLUMNS = tuple(types("document_chunks"))

AT_ONCE = 256
"""Chunks that are written together: their texts are in memory as numbers at the same time."""

COMPARED = 20_000
"""Vectors that a question is compared with, 2 MB and some 15 ms; among more, those that share a word with it."""

_ADD_DOCUMENT = insert_into("documents")
_ADD_CHUNK = insert_into("document_chunks", ("seq", *CHUNK_COLUMNS))
_INDEX = "INSERT INTO documents_text (rowid, text) VALUES (?, ?)"
_UNINDEX = "INSERT INTO documents_text (documents_text, rowid, text) VALUES ('delete', ?, ?)"
_LIST = f"SELECT {listed(DOCUMENT_COLUMNS)} FROM documents"
_CHUNKS = f"SELECT seq, {listed(CHUNK_COLUMNS)} FROM document_chunks WHERE document = ? ORDER BY number"
_BY_WORDS = (
    "SELECT c.seq, -bm25(documents_text) FROM documents_text JOIN document_chunks c ON c.seq = documents_text.rowid"
    " WHERE documents_text MATCH ? AND c.document IN ({documents}) ORDER BY bm25(documents_text), c.seq LIMIT ?"
)
_COUNT = "SELECT count(*) FROM document_chunks WHERE document IN ({documents})"
_VECTORS = (
    "SELECT v.seq, v.vector FROM document_chunks c JOIN document_vectors v ON v.seq = c.seq AND v.space = ?"
    " WHERE c.document IN ({documents}) ORDER BY v.seq"
)
_VECTORS_BY_SEQ = "SELECT seq, vector FROM document_vectors WHERE space = ? AND seq IN ({wanted})"
_BY_SEQ = f"SELECT seq, {listed(CHUNK_COLUMNS)} FROM document_chunks WHERE seq IN ({{wanted}})"


class Document(NamedTuple):
    """A document, by the columns of `tables.documents.Document`; `size` in bytes, `added_at` in UTC."""

    id: str
    namespace: str
    name: str
    kind: str
    path: str
    size: int
    digest: str
    version: int
    lines: int
    characters: int
    added_at: datetime | None


class Chunk(NamedTuple):
    """A stretch of a document's text with its line ends; `seq` is 0 for one that is not stored yet."""

    seq: int
    document: str
    number: int
    place: str
    first_line: int
    last_line: int
    text: str


def document_id(namespace: str, name: str) -> str:
    """The id of the document that has this name."""
    return "doc_" + digest(namespace, name)


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Keeps documents."""

    db: Connection
    vectors: Vectors

    def of(self, namespaces: Sequence[str]) -> list[Document]:
        """The documents of these namespaces, by their names."""
        if not namespaces:
            return []
        found = self.db.rows(f"{_LIST} WHERE namespace IN ({marks(len(namespaces))}) ORDER BY name, seq", namespaces)
        return [_document(row) for row in found]

    def named(self, namespace: str, name: str) -> Document | None:
        """The document of this name or id."""
        row = self.db.row(f"{_LIST} WHERE namespace = ? AND (name = ? OR id = ?)", (namespace, name, name))
        return _document(row) if row else None

    def chunks(self, document: str) -> Iterator[Chunk]:
        """The chunks of the document with this id, in order."""
        return map(Chunk._make, self.db.each(_CHUNKS, (document,)))

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Chunk]:
        """Chunks by their `seq`."""
        return {row[0]: Chunk._make(row) for row in self.db.among(_BY_SEQ, (), seqs)}

    def begins(self, document: str, place: str) -> int:
        """The line of the document in which a part of it begins."""
        first = "SELECT min(first_line) FROM document_chunks WHERE document = ? AND place = ?"
        return self.db.number(first, (document, place)) or 1

    def put(self, document: Document, chunks: Sequence[Chunk], progress: Callable[[int], None]) -> None:
        """Writes a document, in the place of the one of its name, in one transaction. `progress` gets the chunks
        written."""
        with self.db.atomic():
            self.drop([document.id])
            self.create((*document[:-1], moment_text(document.added_at)))
            for start in range(0, len(chunks), AT_ONCE):
                self.add_chunks([chunk[1:] for chunk in chunks[start : start + AT_ONCE]])
                progress(min(start + AT_ONCE, len(chunks)))

    def create(self, row: Row) -> None:
        """Writes the row of a document; its chunks follow."""
        self.db.run(_ADD_DOCUMENT, row)

    def add_chunks(self, rows: Sequence[Row]) -> None:
        """Writes chunks by their columns, with what they are found by; inside the transaction that wrote theirs."""
        if not rows:
            return
        first = self.db.number("SELECT max(seq) FROM document_chunks") + 1
        numbered = list(enumerate(rows, first))
        self.db.many(_ADD_CHUNK, ((seq, *row) for seq, row in numbered))
        self.db.many(_INDEX, ((seq, index_text(row[-1])) for seq, row in numbered))
        self.vectors.add("document", [(seq, row[-1][:OF_A_DOCUMENT]) for seq, row in numbered])

    def drop(self, ids: Iterable[str]) -> int:
        """Deletes these documents with all that was made of them; returns the chunks. Bytes stay in free pages."""
        gone = 0
        for name in ids:
            rows = self.db.rows("SELECT seq, text FROM document_chunks WHERE document = ?", (name,))
            self.db.many(_UNINDEX, ((seq, index_text(text)) for seq, text in rows))
            self.db.many("DELETE FROM document_vectors WHERE seq = ?", ((seq,) for seq, _ in rows))
            self.db.run("DELETE FROM document_chunks WHERE document = ?", (name,))
            self.db.run("DELETE FROM documents WHERE id = ?", (name,))
            gone += len(rows)
        return gone

    def chosen(self, namespace: str, selector: Selector) -> list[str]:
        """The ids of the documents that an erasure takes along: all of them, those with these ids or names, or those
        in which the words stand. They have no session and no speaker, and were not said at a time."""
        every = self.of([namespace])
        if selector.everything:
            return [one.id for one in every]
        if selector.session is not None or selector.speaker is not None or selector.since or selector.until:
            return []
        wanted = [one for one in every if not selector.ids or {one.id, one.name} & {*selector.ids}]
        if selector.query:
            return [one.id for one in wanted if self._holds(one, selector.query)]
        return [one.id for one in wanted] if selector.ids else []

    def _holds(self, document: Document, query: str) -> bool:
        from cfpm.store.selection import folded

        whole = "".join((document.name, "\n", document.path, "\n", *(one.text for one in self.chunks(document.id))))
        return folded(query) in folded(whole)

    def by_words(self, documents: Sequence[str], query: str, limit: int) -> list[tuple[int, float]]:
        """The chunks of these documents that match best, with their BM25, best first."""
        expression = match_expression(query, single=True)
        if not expression or not documents:
            return []
        sql = _BY_WORDS.format(documents=marks(len(documents)))
        return [(seq, score) for seq, score in self.db.rows(sql, (expression, *documents, limit))]

    def vectors_of(
        self, documents: Sequence[str], among: Sequence[int]
    ) -> tuple[list[int], NDArray[np.float32]] | None:
        """The chunks of these documents with their vectors, one row of length 1 each; of very many only those `among`
        these. None without vectors."""
        import numpy as np

        space = self.vectors.space()
        if space is None or not documents:
            return None
        names = marks(len(documents))
        if self.db.number(_COUNT.format(documents=names), documents) <= COMPARED:
            rows = self.db.rows(_VECTORS.format(documents=names), (space, *documents))
        else:
            rows = self.db.among(_VECTORS_BY_SEQ, (space,), among)
        if not rows:
            return None
        packed = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.int8)
        values = packed.reshape(len(rows), -1).astype(np.float32)
        values /= np.maximum(np.sqrt(np.square(values).sum(axis=1, keepdims=True)), np.float32(1e-9))
        return [seq for seq, _ in rows], values


def _document(row: Row) -> Document:
    return Document._make((*row[:-1], moment_if_sound(row[-1])))
