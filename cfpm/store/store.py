"""The store: everything the memory keeps, in one SQLite file. Composes its parts; decides nothing about facts."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Self

from cfpm.store.activity import Activity
from cfpm.store.call_index import CallIndex
from cfpm.store.candidates import Candidates
from cfpm.store.change_feed import ChangeFeed
from cfpm.store.connection import Connection
from cfpm.store.deeds import DeedTable
from cfpm.store.documents import DocumentTable
from cfpm.store.events import Events
from cfpm.store.fact_writer import FactWriter
from cfpm.store.facts import Facts
from cfpm.store.identity import check_before, check_state, take_up
from cfpm.store.keys import KeyedHashes
from cfpm.store.log import Log
from cfpm.store.migrations import prepare
from cfpm.store.namespace_index import NamespaceIndex
from cfpm.store.neighbours import Neighbours
from cfpm.store.path_walk import PathWalk
from cfpm.store.search import Search
from cfpm.store.sentence_index import SentenceIndex
from cfpm.store.sentence_vectors import SentenceVectors
from cfpm.store.sessions import SessionTable
from cfpm.store.state import SessionState
from cfpm.store.tombstones import Tombstones
from cfpm.store.traces import Traces
from cfpm.store.trail import Trail
from cfpm.store.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType

    from cfpm.embedding import Embedder
    from cfpm.store.connection import Opening
    from cfpm.store.erasure import Erasure


class Store:
    """An open store. One thread at a time; any number of processes may have one on the same file.

    Every writing call is all or nothing by itself; inside `writing` all of them together are. Errors are StoreErrors
    that name the database and the remedy; after one the transaction is rolled back and the store is usable.
    """

    def __init__(self, connection: Connection, load: Callable[[], Embedder] | None = None) -> None:
        self.connection = connection
        self.trail = Trail(connection, connection.beside("-key"))
        connection.seal = self.trail.seal
        self.vectors = Vectors(connection, load)
        self.sentence_vectors = SentenceVectors(connection, load is not None)
        self.call_index = CallIndex(connection, self.vectors)
        self.deeds = DeedTable(connection)
        self.sessions = SessionTable(connection)
        self.log = Log(connection, self.vectors, self.call_index, self.deeds, self.sessions)
        self.facts = Facts(connection)
        self.neighbours = Neighbours(connection, self.vectors, self.sentence_vectors)
        hashes = KeyedHashes(connection)
        self.tombstones = Tombstones(connection, hashes)
        self.fact_writer = FactWriter(connection, self.vectors, self.tombstones, self.trail)
        self.candidates = Candidates(connection, self.trail)
        self.events = Events(connection)
        self.path_walk = PathWalk(connection)
        self.activity = Activity(connection)
        self.state = SessionState(connection)
        self.search = Search(connection, self.tombstones)
        self.namespace_index = NamespaceIndex(connection, self.vectors)
        self.sentence_index = SentenceIndex(connection, self.sentence_vectors)
        self.change_feed = ChangeFeed(connection)
        self.traces = Traces(connection, hashes)
        self.documents = DocumentTable(connection, self.vectors)

    @cached_property
    def erasure(self) -> Erasure:
        """What erases: loaded where something is erased, which few processes do."""
        from cfpm.store.erasure import Erasure

        found_by = (self.namespace_index, self.sentence_vectors, self.call_index, self.deeds)
        parts = (self.tombstones, self.traces, self.fact_writer, *found_by, self.documents, self.sessions, self.trail)
        return Erasure(self.connection, self.tombstones.hashes, *parts)

    @classmethod
    def open(cls, url: str, settings: Opening | None = None, *, read_only: bool = False) -> Self:
        """Opens `sqlite:///relative.db`, `sqlite:////absolute.db`, a plain path, or `sqlite://` (in memory).

        Creates the file and brings its schema up to date unless `read_only`. Raises UsageError for another scheme,
        StoreError for a file that cannot be used.
        """
        if settings is None:
            # pydantic costs a third of a second to import, so a process that brings its own settings never loads it.
            from cfpm.settings import Settings

            settings = Settings()
        check_before(url)
        connection = Connection(url, settings, read_only=read_only)
        try:
            prepare(connection)
            check_state(connection)
            store = cls(connection, _loader(settings.embedder))
            if not read_only:
                take_up(connection)
        except BaseException:
            # Also when interrupted or cancelled: an open database must not stay behind. Raised again as it came.
            connection.close()
            raise
        return store

    @property
    def url(self) -> str:
        """What it was opened with."""
        return self.connection.url

    @property
    def read_only(self) -> bool:
        """True when nothing can be written."""
        return self.connection.read_only

    def writing(self) -> AbstractContextManager[None]:
        """One transaction: `BEGIN IMMEDIATE`, then a commit, or a rollback if anything is raised.

        What is read inside stays true until the commit. Raises RuntimeError inside another one.
        """
        return self.connection.writing()

    def noting(self) -> AbstractContextManager[None]:
        """As `writing`, without waiting for the disk: for what the loss of would do no harm after a power cut."""
        return self.connection.noting()

    def reading(self) -> AbstractContextManager[None]:
        """One moment for all reads inside. Nothing can be written in it."""
        return self.connection.reading()

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _loader(name: str) -> Callable[[], Embedder] | None:
    # Asked for a dozen times in a recall.
    return None if name == "none" else cache(partial(_embedder, name))


def _embedder(name: str) -> Embedder:
    from cfpm.embedding import named_embedder

    return named_embedder(name)
