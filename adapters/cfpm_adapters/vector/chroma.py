"""The edge to Chroma: one collection of vectors, opened in a folder or at a server. Knows ids, no texts.

Chroma embeds nothing and reports nothing here: `embedding_function=None`, telemetry off. A server is `chroma run`,
written in Rust; the one in Python (CVE-2026-45829: it runs code of whoever can reach it) is refused.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cfpm.errors import MissingExtraError, UsageError
from cfpm.store.following import Mark
from cfpm_adapters.vector.errors import BrokenError, VectorError, rebuild_with
from cfpm_adapters.vector.owner import Owner
from cfpm_adapters.vector.trying import survives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

HEARTBEAT = "/api/v2/heartbeat"
_OWN_FILES = re.compile(r"chroma\.sqlite3(-\w+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RESTART = "Start it with: chroma run --host 127.0.0.1 --port PORT --path FOLDER"


QUERIES = 16
"""Vectors of one request; each takes a server some milliseconds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where Chroma is: a folder, or the address of a server. `timeout` is in seconds, for a server."""

    where: str
    timeout: float = 5.0
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises UsageError for an address that is none."""
        if not self.where.strip():
            raise UsageError("Chroma", "neither a folder nor an address is given", "Give a folder or http://host:port")
        if "://" in self.where and not (self.served and urlsplit(self.where).hostname):
            raise UsageError(self.where, "not the address of a Chroma server", "Give a folder or http://host:port")

    @property
    def served(self) -> bool:
        """True for a server."""
        return self.where.startswith(("http://", "https://"))


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
    return "-".join(part for part in ("cfpm", *readable, unique) if part)


class Collection:
    """An open collection. Every call raises VectorError when Chroma fails; then open it again."""

    def __init__(self, place: Place, name: str, *, create: bool = True) -> None:
        """Opens it, and creates it if `create`. Raises OwnedError, BrokenError or another VectorError."""
        self._place = place
        self._name = name
        self._process = os.getpid()
        self._owner = None if place.served else _owner(place, name, create=create)
        self._client: Any = None
        try:
            with self._asked():
                self._client = _client(place)
                self._collection = self._opened(create=create)
        except VectorError:
            self.close()
            raise

    @property
    def usable(self) -> bool:
        """False when the folder went away under it, or in a process that was forked from the one that opened it."""
        return self._process == os.getpid() and (self._owner is None or self._owner.undisturbed())

    def proven(self) -> None:
        """Notes that the files were read and did no harm."""
        if self._owner:
            self._owner.says("open")

    def mark(self) -> tuple[Mark, str]:
        """How far it has followed the store, and what stood there. At a server other processes move it too."""
        if self._place.served:
            with self._asked():
                self._collection = self._opened(create=False)
        kept = self._collection.metadata or {}
        return Mark(int(kept.get("turns", 0)), int(kept.get("events", 0))), str(kept.get("tip", ""))

    def set_mark(self, mark: Mark, tip: str) -> None:
        """Notes how far it has come; after the vectors are in, so that a crash only repeats some."""
        with self._asked():
            self._collection.modify(metadata={"turns": mark.turns, "events": mark.events, "tip": tip})

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

    def count(self) -> int:
        """How many entries there are. No evidence that they are found."""
        with self._asked():
            return int(self._collection.count())

    def nearest(self, vectors: NDArray[np.float32], count: int) -> list[list[Hit]]:
        """For each vector the nearest entries, nearest first."""
        hits = []
        # A server looks for them one after another, and each request has its deadline.
        for start in range(0, len(vectors), QUERIES):
            asked = vectors[start : start + QUERIES]
            with self._asked():
                found = self._collection.query(
                    query_embeddings=asked, n_results=count, include=["distances", "metadatas"]
                )
                hits += [_hits(*row) for row in zip(found["ids"], found["metadatas"], found["distances"], strict=True)]
        return hits

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
            if self._owner:
                self._owner.release()

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
                raise VectorError(self._place.where, text, _RESTART) from error
            raise BrokenError(self._place.where, text, rebuild_with(self._place.where)) from error


def _hits(ids: Sequence[str], about: Sequence[Mapping[str, object] | None], distances: Sequence[float]) -> list[Hit]:
    return [
        Hit(ident, str((known or {}).get("text", "")), 1.0 - float(distance))
        for ident, known, distance in zip(ids, about, distances, strict=True)
    ]


def set_aside(place: Place) -> Path:
    """Moves Chroma's files of a folder into a new folder inside it, for nothing of others is deleted; returns that."""
    folder = Path(place.where)
    owner = Owner(folder)
    try:
        number = 1
        while (aside := folder / f"broken-{number}").exists():
            number += 1
        aside.mkdir()
        for path in sorted(folder.iterdir()):
            if _OWN_FILES.fullmatch(path.name):
                path.rename(aside / path.name)
        owner.says("closed")
    finally:
        owner.release()
    return aside


def _owner(place: Place, name: str, *, create: bool) -> Owner:
    folder = Path(place.where)
    if not create and not folder.is_dir():
        raise VectorError(place.where, "there is no such folder", rebuild_with(place.where))
    try:
        owner = Owner(folder)
    except OSError as error:
        raise VectorError(place.where, error.strerror or str(error), "Choose a folder that can be written") from error
    if (dead := owner.died_opening) is not None:
        owner.release()
        raise BrokenError(place.where, f"process {dead} died while it opened it", rebuild_with(place.where))
    if owner.left_open and not survives(str(folder.resolve()), name):
        owner.release()
        raise BrokenError(place.where, "what a killed process left there cannot be read", rebuild_with(place.where))
    owner.says("opening")
    return owner


def _client(place: Place) -> Any:
    try:
        chromadb, config = import_module("chromadb"), import_module("chromadb.config")
    except ImportError as error:
        raise MissingExtraError("The vector provider", "vector") from error
    # Not the `.env` of whatever directory the host runs in.
    settings = config.Settings(_env_file=None, anonymized_telemetry=False)
    if not place.served:
        folder = str(Path(place.where).resolve())
        _without_remains(folder)
        return chromadb.PersistentClient(folder, settings=settings)
    _greet(place)
    url = urlsplit(place.where)
    secure = url.scheme == "https"
    port = url.port or (443 if secure else 8000)
    client = chromadb.HttpClient(url.hostname, port, secure, dict(place.headers), settings)
    # Chroma's client waits for ever by itself; a host's turn does not.
    client._server._session.timeout = place.timeout
    return client


def _without_remains(folder: str) -> None:
    """Chroma keeps what it made of a folder that could not be opened, and would answer from that ever after."""
    shared = import_module("chromadb.api.shared_system_client").SharedSystemClient
    if not shared._identifier_to_refcount.get(folder):
        shared._identifier_to_system.pop(folder, None)


def _greet(place: Place) -> None:
    """Raises VectorError unless a Chroma server in Rust answers in time."""
    url = urlsplit(place.where)
    make = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = make(url.hostname or "", url.port or (443 if make is HTTPSConnection else 8000), timeout=place.timeout)
    try:
        connection.request("GET", HEARTBEAT, headers=dict(place.headers))
        answer = connection.getresponse()
        found = json.loads(answer.read(4096))
        alive = answer.status == 200 and isinstance(found, dict) and "nanosecond heartbeat" in found
    except (OSError, HTTPException) as error:
        raise VectorError(place.where, f"no answer ({error or type(error).__name__})", _RESTART) from error
    except ValueError:
        alive = False
    finally:
        connection.close()
    if not alive:
        raise VectorError(place.where, "what answers there is not Chroma", f"The port is taken. {_RESTART}")
    if "uvicorn" in (answer.getheader("server") or "").lower():
        problem = "this is the server in Python, which runs code of whoever can reach it (CVE-2026-45829)"
        raise VectorError(place.where, problem, _RESTART)
