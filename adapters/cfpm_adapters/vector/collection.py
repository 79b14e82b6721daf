"""The edge to Chroma: one collection of vectors, opened in a folder or at a server. Knows ids, no texts.

Chroma embeds nothing here (`embedding_function=None`). How it is reached: see `client`.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm.errors import MissingExtraError
from cfpm.store.change_feed import Mark
from cfpm_adapters.vector.client import RESTART, Place, connect
from cfpm_adapters.vector.errors import BrokenError, VectorError, rebuild_with
from cfpm_adapters.vector.folder_lock import FolderLock
from cfpm_adapters.vector.probe import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

_OWN_FILES = re.compile(r"chroma\.sqlite3(-\w+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OURS = "cfpm"
"""What the names of our collections begin with."""

QUERIES = 16
"""Vectors of one request; each takes a server some milliseconds."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A vector with its id, and the hash of the text that it was made of."""

    id: str
    text: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that was found, without its vector, and its cosine."""

    id: str
    text: str
    closeness: float


def collection_name(namespace: str, embedder: str) -> str:
    """At most 63 letters, digits and hyphens; never the same for two namespaces, nor for two embedders."""
    readable = [re.sub(r"[^A-Za-z0-9]+", "-", text)[:20].strip("-") for text in (namespace, embedder)]
    unique = sha256(f"{namespace}\0{embedder}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return "-".join(part for part in (_OURS, *readable, unique) if part)


class Collection:
    """An open collection. Every call raises VectorError when Chroma fails; then open it again."""

    def __init__(self, place: Place, name: str, *, create: bool = True) -> None:
        """Opens it, and creates it if `create`. Raises OwnedError, BrokenError or another VectorError."""
        self._place = place
        self._name = name
        self._process = os.getpid()
        self._lock = None if place.served else _lock_folder(place, name, create=create)
        self._client: Any = None
        try:
            with self._asked():
                self._client = connect(place)
                self._collection = self._opened(create=create)
        except BaseException:
            # Also when interrupted or cancelled: the lock of an owner must not stay behind. Raised again as it came.
            self.close()
            raise

    @property
    def usable(self) -> bool:
        """False when the folder went away under it, or in a process that was forked from the one that opened it."""
        return self._process == os.getpid() and (self._lock is None or self._lock.is_intact())

    def note_readable(self) -> None:
        """Notes that the files were read and did no harm."""
        if self._lock:
            self._lock.set_state("open")

    def mark(self) -> tuple[Mark, str]:
        """How far it has followed the store, and what stood there. At a server other processes move it too."""
        if self._place.served:
            with self._asked():
                self._collection = self._opened(create=False)
        kept = self._collection.metadata or {}
        return Mark(int(kept.get("turns", 0)), int(kept.get("events", 0))), str(kept.get("tip", ""))

    def erasures(self) -> int:
        """The number of the last erasure of the store that it has followed."""
        return int((self._collection.metadata or {}).get("erasures", 0))

    def set_mark(self, mark: Mark, tip: str, erasures: int) -> None:
        """Notes how far it has come; after the vectors are in, so that a crash only repeats some."""
        noted = {"turns": mark.turns, "events": mark.events, "tip": tip, "erasures": erasures}
        with self._asked():
            self._collection.modify(metadata=noted)

    def put(self, entries: Sequence[Entry]) -> None:
        """Adds the entries, or replaces those with the same ids."""
        if entries:
            with self._asked():
                # `add` would leave a known id as it is, without a word.
                self._collection.upsert(
                    ids=[entry.id for entry in entries],
                    embeddings=[entry.vector for entry in entries],
                    metadatas=[{"text": entry.text} for entry in entries],
                )

    def drop(self, ids: Sequence[str]) -> None:
        """Removes entries; one that is not there is no error."""
        if ids:
            with self._asked():
                self._collection.delete(ids=list(ids))

    def ids(self) -> list[str]:
        """The ids of all entries."""
        with self._asked():
            return [str(name) for name in self._collection.get(include=[])["ids"]]

    def count(self) -> int:
        """How many entries there are. No evidence that they are found."""
        with self._asked():
            return int(self._collection.count())

    def nearest(self, vectors: Sequence[NDArray[np.float32]], count: int) -> list[list[Hit]]:
        """For each vector the nearest entries, nearest first."""
        hits = []
        # A server looks for them one after another, and each request has its deadline.
        for start in range(0, len(vectors), QUERIES):
            asked = vectors[start : start + QUERIES]
            with self._asked():
                found = self._collection.query(
                    query_embeddings=list(asked), n_results=count, include=["distances", "metadatas"]
                )
                hits += [_hits(*row) for row in zip(found["ids"], found["metadatas"], found["distances"], strict=True)]
        return hits

    def vectors(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors of those entries that are there. No evidence that a search finds them."""
        with self._asked():
            found = self._collection.get(ids=list(ids), include=["embeddings"])
            return dict(zip(found["ids"], found["embeddings"], strict=True))

    def clear(self) -> None:
        """Empties it."""
        with self._asked():
            self._client.delete_collection(self._name)
            self._collection = self._opened(create=True)

    def close(self) -> None:
        """Lets go of the folder or the server; a second call does nothing."""
        client, self._client = self._client, None
        try:
            if client is not None and self._process == os.getpid():
                with self._asked():
                    client.close()
        finally:
            if self._lock:
                self._lock.release()

    def _opened(self, *, create: bool) -> Any:
        if not create:
            return self._client.get_collection(self._name, embedding_function=None)
        cosine = {"hnsw": {"space": "cosine"}}
        return self._client.get_or_create_collection(self._name, embedding_function=None, configuration=cosine)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Whatever Chroma raises as a VectorError: its own errors, those of the network, and panics of its core."""
        try:
            yield
        except (VectorError, MissingExtraError):
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            text = " ".join(str(error).split())[:300] or type(error).__name__
            if self._place.served:
                raise VectorError(self._place.where, text, RESTART) from error
            raise BrokenError(self._place.where, text, rebuild_with(self._place.where)) from error


def _hits(ids: Sequence[str], about: Sequence[Mapping[str, object] | None], distances: Sequence[float]) -> list[Hit]:
    return [
        Hit(ident, str((known or {}).get("text", "")), 1.0 - float(distance))
        for ident, known, distance in zip(ids, about, distances, strict=True)
    ]


def set_aside(place: Place) -> Path:
    """Moves Chroma's files of a folder into a new folder inside it, for nothing of others is deleted; returns that."""
    folder = Path(place.where)
    owner = FolderLock(folder)
    try:
        number = 1
        while (aside := folder / f"broken-{number}").exists():
            number += 1
        aside.mkdir()
        for path in sorted(folder.iterdir()):
            if _OWN_FILES.fullmatch(path.name):
                path.rename(aside / path.name)
        owner.set_state("closed")
    finally:
        owner.release()
    return aside


def remove_files(place: Place) -> bool:
    """Deletes Chroma's files of a folder, with what was deleted in them and is still there as bytes.

    False when the folder holds collections of somebody else: then nothing is deleted.
    """
    folder = Path(place.where)
    owner = FolderLock(folder)
    try:
        if not _all_ours(folder / "chroma.sqlite3"):
            return False
        for path in sorted(folder.iterdir()):
            if _OWN_FILES.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        owner.set_state("closed")
    finally:
        owner.release()
    return True


def _all_ours(file: Path) -> bool:
    """Whether a database of Chroma has no collection but those of a memory."""
    if not file.exists():
        return True
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            names = [name for (name,) in db.execute("SELECT name FROM collections")]
    except sqlite3.Error:
        return False
    return all(name.startswith(f"{_OURS}-") for name in names)


def _lock_folder(place: Place, name: str, *, create: bool) -> FolderLock:
    folder = Path(place.where)
    if not create and not folder.is_dir():
        raise VectorError(place.where, "there is no such folder", rebuild_with(place.where))
    try:
        owner = FolderLock(folder)
    except OSError as error:
        raise VectorError(place.where, error.strerror or str(error), "Choose a folder that can be written") from error
    if (dead := owner.died_opening) is not None:
        owner.release()
        raise BrokenError(place.where, f"process {dead} died while it opened it", rebuild_with(place.where))
    if owner.left_open and not is_readable(str(folder.resolve()), name):
        owner.release()
        raise BrokenError(place.where, "what a killed process left there cannot be read", rebuild_with(place.where))
    owner.set_state("opening")
    return owner
