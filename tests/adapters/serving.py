"""Servers for the tests, on loopback, at ports that the system chose: Chroma's own, and other programs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


def free_port() -> int:
    """A port that nobody had a moment ago."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class ChromaServer:
    """`chroma run` on a folder. It can be killed and started again at the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers. What it prints goes to a file: a full pipe would stop it."""
        command = Path(sys.executable).with_name("chroma")
        log = self.folder.with_name("server.log")
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [command, "run", "--host", "127.0.0.1", "--port", str(self.port), "--path", self.folder],
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(self.folder.parent)},
            )
        while not self._listens():
            if self._process.poll() is not None:
                raise RuntimeError(f"chroma run ended: {log.read_text()}")
            time.sleep(0.02)

    def _listens(self) -> bool:
        """Whether it answers; a port that is only just being opened may refuse a connection or drop it."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/api/v2/heartbeat")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        """Lets it neither read nor answer from now on, while its port stays open."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        """Ends the process as a crash would; a second call does nothing."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGKILL)
            process.wait()


@contextmanager
def answering(body: bytes, server: str = "somebody") -> Iterator[str]:
    """A program that answers every request with this body and this name; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def version_string(self) -> str:
            return server

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{found.server_address[1]}"
        found.shutdown()
        thread.join()


@contextmanager
def mute() -> Iterator[str]:
    """A program that takes connections and never says a word; yields its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
