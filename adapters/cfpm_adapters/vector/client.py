"""Where Chroma is, and how it is reached: in a folder, or at a server that proves to be one. Reads and writes nothing.

Telemetry is off. A server is `chroma run`, written in Rust; the one in Python (CVE-2026-45829: it runs code of whoever
can reach it) is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cfpm.errors import MissingExtraError, UsageError
from cfpm_adapters.vector.errors import VectorError

if TYPE_CHECKING:
    from collections.abc import Mapping

HEARTBEAT = "/api/v2/heartbeat"
RESTART = "Start it with: chroma run --host 127.0.0.1 --port PORT --path FOLDER"


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


def connect(place: Place) -> Any:
    """A client of Chroma. Raises VectorError for a server that does not answer as one; MissingExtraError."""
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
        raise VectorError(place.where, f"no answer ({error or type(error).__name__})", RESTART) from error
    except ValueError:
        alive = False
    finally:
        connection.close()
    if not alive:
        raise VectorError(place.where, "what answers there is not Chroma", f"The port is taken. {RESTART}")
    if "uvicorn" in (answer.getheader("server") or "").lower():
        problem = "this is the server in Python, which runs code of whoever can reach it (CVE-2026-45829)"
        raise VectorError(place.where, problem, RESTART)
