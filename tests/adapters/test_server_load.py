"""The server among clients that are many, slow, idle or hostile: it goes on answering, and says what it does not do."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cfpm_adapters import WebhookProvider, signing
from cfpm_adapters.server import app, connections
from cfpm_adapters.server.replays import Replays
from cfpm_adapters.server.schemas import SaveReply
from cfpm_adapters.server.service import KeyInUseError, KeyReusedError, Receipts
from cfpm_adapters.server.workers import BusyError, Workers

from tests.adapters.endpoints import serving
from tests.adapters.test_server import JSON, RULE, SECRET, ask, signed
from tests.processes import HUNG


def place(base: str) -> tuple[str, int]:
    parts = urlsplit(base)
    return str(parts.hostname), int(parts.port or 0)


@contextmanager
def idle(base: str, count: int, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Connections that send this much and then nothing."""
    opened = [socket.create_connection(place(base), timeout=HUNG) for _ in range(count)]
    for one in opened:
        with suppress(OSError):
            one.sendall(first)
    try:
        yield opened
    finally:
        for one in opened:
            one.close()


HALF_A_HEAD = b"POST /v1/save HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = HALF_A_HEAD + b"yes\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"


@pytest.mark.slow
@pytest.mark.parametrize("first", [b"", HALF_A_HEAD, HALF_A_BODY])
def test_two_hundred_idle_connections_starve_nobody(tmp_path: Path, first: bytes) -> None:
    with serving(tmp_path / "m.db") as base, idle(base, 200, first):
        assert ask(base, "/health")[0] == 200
        assert ask(base, "/v1/save", {"agent": "cook", "history": [RULE]})[1]["accepted"] == 1
        assert "Norwegian" in ask(base, "/v1/load", {"agent": "cook", "query": "language"})[1]["block"]


def test_a_connection_without_a_request_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.05)
    with serving(tmp_path / "m.db") as base, idle(base, 2) as opened:
        opened[1].sendall(HALF_A_HEAD)
        for one in opened:
            with suppress(ConnectionResetError):
                assert one.recv(1) == b""


def test_health_answers_while_every_thread_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    working = threading.Semaphore(0)
    saved = app._saved

    def slow(service: Any, asked: Any) -> tuple[bytes, bool]:
        working.release()
        assert go_on.wait(HUNG)
        return saved(service, asked)

    monkeypatch.setattr(app, "_saved", slow)
    monkeypatch.setattr(app, "MOST_WAITING", 0)
    body = {"agent": "cook", "history": [RULE]}
    answers: list[int] = []
    with serving(tmp_path / "m.db") as base:
        threads = [
            threading.Thread(target=lambda: answers.append(ask(base, "/v1/save", body)[0])) for _ in range(app.SAVERS)
        ]
        for one in threads:
            one.start()
            assert working.acquire(timeout=HUNG)
        assert ask(base, "/health")[0] == 200
        assert ask(base, "/v1/load", {"agent": "cook"})[0] == 200
        # Nobody may wait here: whoever comes now is told to come again, at once.
        status, _, headers = ask(base, "/v1/save", body)
        assert (status, headers["retry-after"]) == (503, "1")
        go_on.set()
        for one in threads:
            one.join(HUNG)
    assert answers == [200] * app.SAVERS


def test_bodies_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_HELD", 1_000)
    with serving(tmp_path / "m.db") as base:
        status, told, headers = ask(base, "/v1/save", {"agent": "cook", "history": [{**RULE, "content": "x" * 2_000}]})
        assert (status, headers["retry-after"]) == (503, "1")
        assert "at once" in told["error"]
        assert ask(base, "/v1/save", {"agent": "cook", "history": [RULE]})[0] == 200


def test_a_failure_of_the_server_is_answered_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> bytes:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(app, "_loaded", broken)
    with serving(tmp_path / "m.db") as base:
        assert ask(base, "/v1/load", {"agent": "cook"})[:2] == (
            500, {"error": "the server failed; what happened stands in its log"},
        )  # fmt: skip


NOT_HERE = [
    "[::1].evil.example", "[::1]evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example",
    "127.0.0.1@evil.example", "localhost:80:80", "[::1", "", "[]", "127.0.0.1 evil.example", "2130706433", "::1",
]  # fmt: skip


@pytest.mark.parametrize("host", NOT_HERE)
def test_a_host_that_only_looks_like_this_machine_is_refused(tmp_path: Path, host: str) -> None:
    with serving(tmp_path / "m.db") as base:
        status, told, _ = ask(base, "/v1/load", {"agent": "cook"}, {**JSON, "Host": host})
        assert (status, told["error"]) == (403, "without a secret, ask by an address of this machine")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8642", "127.0.0.1", "127.8.9.10:1", "[::1]", "[::1]:8642"])
def test_this_machine_by_any_of_its_names_may_ask(tmp_path: Path, host: str) -> None:
    with serving(tmp_path / "m.db") as base:
        assert ask(base, "/v1/load", {"agent": "cook"}, {**JSON, "Host": host})[0] == 200


def test_a_page_of_another_site_may_not_ask(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        for origin, status in (("https://evil.example", 403), ("null", 403), ("http://localhost:3000", 200)):
            assert ask(base, "/v1/load", {"agent": "cook"}, {**JSON, "Origin": origin})[0] == status


@pytest.mark.parametrize("verb", ["load", "save"])
def test_a_signed_request_is_answered_once(tmp_path: Path, verb: Any) -> None:
    body = json.dumps({"agent": "cook"} if verb == "load" else {"agent": "cook", "history": [RULE]}).encode()
    with serving(tmp_path / "m.db", secret=SECRET) as base:
        headers = {**JSON, **signed(verb, body)}
        assert ask(base, f"/v1/{verb}", body, headers)[0] == 200
        status, told, _ = ask(base, f"/v1/{verb}", body, headers)
        assert (status, told["error"]) == (409, "this very request came before; send another CFPM-Nonce")


def test_a_nonce_tells_two_requests_apart_and_cannot_be_changed(tmp_path: Path) -> None:
    body = json.dumps({"agent": "cook"}).encode()
    with serving(tmp_path / "m.db", secret=SECRET) as base:
        stamp = signed("load", body)[signing.TIMESTAMP_HEADER]
        for nonce in ("one", "two"):
            signature = signing.sign_request(SECRET.encode(), "load", stamp, "", body, nonce)
            headers = {**JSON, signing.TIMESTAMP_HEADER: stamp, signing.SIGNATURE_HEADER: signature}
            assert ask(base, "/v1/load", body, {**headers, signing.NONCE_HEADER: nonce})[0] == 200
            assert ask(base, "/v1/load", body, {**headers, signing.NONCE_HEADER: "three"})[0] == 401
            moved = f"{nonce}\n".encode() + body
            assert ask(base, "/v1/load", moved, headers)[0] == 401


def test_the_webhook_provider_may_ask_the_same_twice_at_once(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db", secret=SECRET) as base:
        provider = WebhookProvider(
            f"{base}/v1/load", f"{base}/v1/save", secret=SECRET, outbox=tmp_path / "box.db",
        )  # fmt: skip
        provider.save("cook", [RULE], session="s")
        assert provider.load("cook", "language") == provider.load("cook", "language") is not None
        assert provider.failures == 0
        provider.close()


def test_replays_are_remembered_for_as_long_as_they_would_be_taken() -> None:
    replays = Replays(kept=2)
    assert replays.is_new("a", now=0, until=300)
    assert not replays.is_new("a", now=300, until=300)
    assert replays.is_new("b", now=300, until=600)
    assert replays.full
    assert replays.is_new("a", now=301, until=601)


def test_a_key_is_worked_on_once_at_a_time() -> None:
    receipts, reply = Receipts(), SaveReply(messages=1, accepted=0, merged=0, superseded=0, rejected=0)
    with receipts.working("k", "body") as known:
        assert known is None
        with pytest.raises(KeyInUseError), receipts.working("k", "body"):
            pass
        receipts.keep("k", "body", reply)
    with receipts.working("k", "body") as known:
        assert known is reply
    with pytest.raises(KeyReusedError), receipts.working("k", "another"):
        pass


class Nothing:
    def close(self) -> None:
        """Holds nothing."""


def test_a_job_that_nobody_waits_for_any_more_still_counts() -> None:
    go_on = threading.Event()

    def wait(_: Nothing) -> bool:
        return go_on.wait(HUNG)

    async def ask_twice() -> bool:
        workers = Workers("test", Nothing, count=1, most_waiting=0, seconds=0.01)
        workers.start()
        with pytest.raises(BusyError):
            await workers.run(wait)
        with pytest.raises(BusyError):
            await workers.run(lambda _: True)
        go_on.set()
        workers.seconds = HUNG
        while True:
            try:
                return await workers.run(lambda _: True)
            except BusyError:
                await asyncio.sleep(0)

    assert asyncio.run(ask_twice())


def test_an_incomplete_head_is_no_reason_to_wait_for_http(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        connection = http.client.HTTPConnection(*place(base), timeout=HUNG)
        for _ in range(3):
            connection.request("GET", "/health")
            assert connection.getresponse().read() == b'{"status":"ok"}'
        connection.close()
