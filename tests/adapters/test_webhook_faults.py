"""Endpoints that fail, for real: the turn goes on, the failure is counted and shown, nothing is lost or sent twice."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters import RetryPolicy, WebhookProvider, signing
from cfpm_adapters.diagnosis import checks
from cfpm_adapters.ledger import Ledger
from cfpm_adapters.webhook import outbox

from tests.adapters.endpoints import Answer, Heard, closes, endpoint, hangs, replies
from tests.adapters.test_webhook import DONE, NOON, SAID, provider, sent
from tests.processes import HUNG

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
BLOCK = replies('{"block": "Kim is vegan."}')
ONCE = RetryPolicy(attempts=1, breaker_after=100)
SECRET = "a secret of some length"


def drips(connection: socket.socket, _: Heard) -> None:
    """Sends headers for ever, a little at a time, so that no single read takes long."""
    with suppress(OSError):
        connection.settimeout(0.01)
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X")
            with suppress(TimeoutError):
                if connection.recv(1) == b"":
                    return


def drips_body(connection: socket.socket, heard: Heard) -> None:
    """Sends a body for ever, a little at a time."""
    with suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n")
        drips(connection, heard)


def floods(connection: socket.socket, __: Heard) -> None:
    """Sends 100 MB without saying how much it will be."""
    connection.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"block": "')
    with suppress(OSError):
        for _ in range(100):
            connection.sendall(b"x" * 1_000_000)


def raw(data: bytes) -> Answer:
    return lambda connection, _: connection.sendall(data)


FAULTS: dict[str, tuple[Answer, str]] = {
    "hangs": (hangs, "timeout"),
    "drips": (drips, "timeout"),
    "drips its body": (drips_body, "timeout"),
    "500": (replies("oops", "500 Internal Server Error"), "status"),
    "503": (replies("", "503 Service Unavailable"), "status"),
    "401": (replies("", "401 Unauthorized"), "refused"),
    "closes": (closes, "broken"),
    "length too long": (replies('{"block": "Kim', length=500), "broken"),
    "length too short": (replies('{"block": "Kim is vegan."}', length=9), "bad_json"),
    "length no number": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx"), "broken"),
    "100 MB announced": (replies("{}", length=100_000_000), "too_large"),
    "100 MB sent": (floods, "too_large"),
    "chunk broken off": (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}"), "broken"),
    "redirect": (replies("", "302 Found", "Location: https://elsewhere.example/x\r\n"), "redirect"),
    "redirect keeping the method": (replies("", "307 Temporary Redirect", "Location: http://[\r\n"), "redirect"),
    "no HTTP": (raw(b"hello\r\n\r\n"), "broken"),
    "no JSON": (replies("<html>"), "bad_json"),
    "nothing": (replies(""), "bad_json"),
    "not UTF-8": (replies(b'{"block": "\xff"}'), "bad_json"),
    "too deep": (replies("[" * 100_000), "bad_json"),
    "a list": (replies("[]"), "wrong_type"),
    "a number as block": (replies('{"block": 7}'), "wrong_type"),
    "an object as block": (replies('{"block": {"text": "x"}}'), "wrong_type"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_load_gives_no_block_and_is_counted(tmp_path: Path, fault: str) -> None:
    answer, kind = FAULTS[fault]
    seconds = 0.3 if kind == "timeout" else HUNG
    with endpoint(answer) as here:
        sick = provider(here, tmp_path, retry=ONCE, timeout_seconds=seconds)
        assert sick.load("cook", "x") is None
        sick.close()
        # The thread of an exchange that was given up ends, although the other side goes on.
        left_behind = [thread for thread in threading.enumerate() if thread.name == "cfpm-webhook"]
        for thread in left_behind:
            thread.join(HUNG)
        assert not any(thread.is_alive() for thread in left_behind)
    assert sick.failures == 1
    assert f": {kind}: " in sick.last_failure
    (check,) = checks(tmp_path / "memory.db", lambda: NOON)
    assert not check.ok
    assert kind in check.detail


@pytest.mark.parametrize(
    "answer",
    [replies("{}"), replies('{"block": null}'), replies('{"block": " \\n"}'), raw(b"HTTP/1.1 204 No Content\r\n\r\n")],
)
def test_nothing_to_say_is_no_failure(tmp_path: Path, answer: Answer) -> None:
    with endpoint(answer) as here:
        well = provider(here, tmp_path, retry=ONCE)
        assert well.load("cook") is None
        assert well.failures == 0


def test_a_redirect_to_another_host_is_never_followed(tmp_path: Path) -> None:
    with endpoint(BLOCK) as other:
        moved = replies("", "308 Permanent Redirect", f"Location: {other.url}\r\n")
        with endpoint(moved) as here:
            sick = provider(here, tmp_path, retry=ONCE, headers={"Authorization": "Bearer abc"})
            assert sick.load("cook") is None
            sick.save("cook", SAID)
            sick.close()
        assert other.heard == []


def test_an_address_where_nobody_listens(tmp_path: Path) -> None:
    with endpoint(DONE) as here:
        pass
    sick = provider(here, tmp_path, retry=ONCE)
    assert sick.load("cook") is None
    sick.save("cook", SAID)
    assert sick.failures == 2
    assert "unreachable" in sick.last_failure


def test_encryption_where_there_is_none(tmp_path: Path) -> None:
    """The server answers whatever comes first: one that waits for the end of a line may wait for ever, since the random
    bytes of a greeting hold one or not."""

    def answers_anything(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answers_anything, args=(listener,), daemon=True).start()
        address = f"https://127.0.0.1:{listener.getsockname()[1]}/hook"
        sick = WebhookProvider(address, retry=ONCE, outbox=tmp_path / "p.db")
        assert sick.load("cook") is None
        assert "unreachable" in sick.last_failure


def test_a_load_is_tried_again_with_growing_waits(tmp_path: Path) -> None:
    waits: list[float] = []
    retry = RetryPolicy(attempts=3, first_wait=0.2, sleep=waits.append)
    with endpoint(replies("", "503 Busy"), closes, BLOCK) as here:
        patient = provider(here, tmp_path, retry=retry)
        assert "Kim is vegan." in (patient.load("cook") or "")
        assert waits == [0.2, 0.4]
        assert patient.failures == 0


def test_the_wait_that_an_endpoint_asks_for_is_kept(tmp_path: Path) -> None:
    waits: list[float] = []
    busy = replies("", "429 Too Many Requests", "Retry-After: 2\r\n")
    with endpoint(busy, BLOCK) as here:
        assert provider(here, tmp_path, retry=RetryPolicy(sleep=waits.append)).load("cook")
    assert waits == [2.0]


def test_a_wait_that_an_endpoint_asks_for_is_not_longer_than_the_call(tmp_path: Path) -> None:
    waits: list[float] = []
    busy = replies("", "429 Too Many Requests", "Retry-After: 99999\r\n")
    with endpoint(busy, BLOCK) as here:
        assert provider(here, tmp_path, retry=RetryPolicy(sleep=waits.append)).load("cook") is None
    assert waits == []


def test_what_cannot_get_better_is_not_tried_again(tmp_path: Path) -> None:
    with endpoint(replies("", "401 Unauthorized")) as here:
        provider(here, tmp_path).load("cook")
        assert len(here.heard) == 1


def test_the_breaker_opens_and_lets_one_call_try_after_a_pause(tmp_path: Path) -> None:
    now = [0.0]
    retry = RetryPolicy(attempts=2, breaker_after=2, breaker_pause=30, monotonic=lambda: now[0], sleep=lambda _: None)
    with endpoint(replies("", "500 Oops")) as here:
        sick = provider(here, tmp_path, retry=retry)
        for _ in range(5):
            sick.load("cook")
        assert (len(here.heard), sick.failures, sick.skipped) == (4, 2, 3)
        now[0] = 31
        sick.load("cook")
        sick.load("cook")
        assert (len(here.heard), sick.failures, sick.skipped) == (5, 3, 4)
        now[0] = 62
        here.answers[:] = [BLOCK]
        assert sick.load("cook")
        assert sick.load("cook")


def test_unsent_deltas_survive_a_restart_and_are_sent_once(tmp_path: Path) -> None:
    with endpoint(replies("", "500 Oops")) as here:
        first = provider(here, tmp_path, retry=ONCE)
        first.save("cook", SAID)
        # The process dies here: no flush, no close.
        (check,) = checks(tmp_path / "memory.db", lambda: NOON)
        assert "2 messages wait to be sent" in check.detail
        assert not check.ok
        here.answers[:] = [DONE]
        second = provider(here, tmp_path)
        second.save("cook", [*SAID, {"id": "3", "role": "user", "content": "Thanks."}])
        second.close()
        third = provider(here, tmp_path)
        third.save("cook", SAID)
        third.close()
        taken = [body["history"] for body in sent(here)[1:]]
        assert [[message["id"] for message in batch] for batch in taken] == [["1", "2"], ["3"]]
        assert here.heard[0].headers["idempotency-key"] == here.heard[1].headers["idempotency-key"]
        assert here.heard[0].body == here.heard[1].body
    (check,) = checks(tmp_path / "memory.db", lambda: NOON)
    assert check.ok
    assert "1 failures so far" in check.detail


@pytest.mark.parametrize("fault", ["closes", "length too long", "hangs"])
def test_an_answer_that_is_lost_is_asked_for_again_under_the_same_key(tmp_path: Path, fault: str) -> None:
    taken: dict[str, int] = {}

    def counted(connection: socket.socket, heard: Heard) -> None:
        first = not taken
        taken.setdefault(heard.headers["idempotency-key"], len(json.loads(heard.body)["history"]))
        (FAULTS[fault][0] if first else DONE)(connection, heard)

    with endpoint(counted) as here:
        while not taken:
            # On a busy machine the time may be over before the endpoint heard anything.
            lost = provider(here, tmp_path, retry=ONCE, timeout_seconds=0.5)
            lost.save("cook", SAID)
            assert lost.failures == 1
        full = provider(here, tmp_path)
        full.save("cook", SAID)
        full.close()
        assert full.failures == 0
        assert {heard.headers["idempotency-key"] for heard in here.heard} == set(taken)
        assert len(here.heard) >= 2
        assert list(taken.values()) == [2]


def test_a_body_that_is_refused_stays_and_the_others_pass(tmp_path: Path) -> None:
    with endpoint(replies("", "422 Unprocessable"), DONE) as here:
        full = provider(here, tmp_path)
        full.save("cook", SAID, session="bad")
        full.save("cook", SAID, session="good")
        assert [body["session"] for body in sent(here)] == ["bad", "good"]
        (check,) = checks(tmp_path / "memory.db", lambda: NOON)
        assert not check.ok
        assert "2 of them were refused" in check.detail
        full.flush(refused=True)
        assert [body["session"] for body in sent(here)] == ["bad", "good", "bad"]
        full.close()
    (check,) = checks(tmp_path / "memory.db", lambda: NOON)
    assert check.ok


def test_a_long_history_travels_in_batches_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "BATCH_MESSAGES", 3)
    history = [{"id": str(n), "role": "user", "content": f"Message {n}"} for n in range(8)]
    with endpoint(DONE) as here:
        full = provider(here, tmp_path)
        full.save("cook", history)
        full.close()
        ids = [[message["id"] for message in body["history"]] for body in sent(here)]
        assert ids == [["0", "1", "2"], ["3", "4", "5"], ["6", "7"]]


def test_a_full_outbox_takes_nothing_in_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_BYTES", 200)
    with endpoint(replies("", "500 Oops")) as here:
        full = provider(here, tmp_path, retry=ONCE, save_every=10)
        full.save("cook", SAID)
        assert "full" in full.last_failure
        monkeypatch.undo()
        here.answers[:] = [DONE]
        full.save("cook", SAID)
        full.close()
        assert [len(body["history"]) for body in sent(here)] == [2]


def test_two_tenants_of_one_address_do_not_mix(tmp_path: Path) -> None:
    with endpoint(replies("", "500 Oops")) as here:
        one = provider(here, tmp_path, retry=ONCE, headers={"Authorization": "Bearer one"})
        one.save("cook", SAID)
        here.answers[:] = [DONE]
        two = provider(here, tmp_path, headers={"Authorization": "Bearer two"})
        two.save("cook", [{"id": "9", "role": "user", "content": "Hello."}])
        two.close()
        assert [message["id"] for message in sent(here)[-1]["history"]] == ["9"]
        assert len(here.heard) == 2


def test_only_one_process_sends_at_a_time(tmp_path: Path) -> None:
    with endpoint(DONE) as here:
        full, other = provider(here, tmp_path), provider(here, tmp_path)
        other.save("cook", SAID)
        with other._box.send_lock(other._name) as mine:
            assert mine
            full.save("cook", [{"id": "9", "role": "user", "content": "Hello."}])
            assert len(here.heard) == 1
        full.close()
        assert len(here.heard) == 2
        assert full.failures == 0


def test_a_file_that_cannot_be_used_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "broken.db").write_bytes(b"not a database" * 100)
    for path in (tmp_path / "file" / "providers.db", tmp_path / "broken.db"):
        with endpoint(BLOCK) as here:
            full = provider(here, tmp_path, outbox=path)
            assert full.load("cook")
            full.save("cook", SAID)
            assert full.failures == 1
            full.close()


def test_a_ledger_waits_for_another_writer(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "providers.db")
    with ledger.writing():
        pass
    other = sqlite3.connect(ledger.file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    release.start()
    with ledger.writing() as db:
        assert db.in_transaction
    release.join()
    other.close()
    ledger.close()


def test_many_that_make_the_same_ledger_at_once_meet_no_lock(tmp_path: Path) -> None:
    ledgers = [Ledger(tmp_path / f"{number}.db") for number in range(20) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(_write_once, ledgers))


def _write_once(ledger: Ledger) -> None:
    with ledger.writing():
        pass
    ledger.close()


def test_a_broken_ledger_is_seen_by_the_doctor(tmp_path: Path) -> None:
    (tmp_path / "providers.db").write_bytes(b"not a database" * 100)
    (check,) = checks(tmp_path / "memory.db", lambda: NOON)
    assert not check.ok


def test_an_old_failure_of_a_provider_that_is_gone_is_forgiven(tmp_path: Path) -> None:
    with endpoint(replies("", "500 Oops")) as here:
        provider(here, tmp_path, retry=ONCE).load("cook")
    (check,) = checks(tmp_path / "memory.db", lambda: NOON + timedelta(days=6))
    assert not check.ok
    (check,) = checks(tmp_path / "memory.db", lambda: NOON + timedelta(days=8))
    assert check.ok


def test_no_ledger_no_checks_and_none_is_made(tmp_path: Path) -> None:
    assert checks(tmp_path / "memory.db", lambda: NOON) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_what_waits_is_for_this_user_only(tmp_path: Path) -> None:
    with endpoint(DONE) as here:
        full = provider(here, tmp_path)
        full.save("cook", SAID)
        files = [path for path in tmp_path.iterdir() if path.stat().st_size]
        assert files
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        full.close()


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "providers.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with endpoint(DONE) as here:
        full = provider(here, tmp_path)
        full.save("cook", SAID)
        assert "newer" in full.last_failure
        assert here.heard == []


def signed(body: str, secret: str = SECRET, request: str | None = None) -> Answer:
    """Signs its reply, to the request that it heard or to another one."""

    def answer(connection: socket.socket, heard: Heard) -> None:
        asked = heard.headers[signing.SIGNATURE_HEADER.lower()] if request is None else request
        signature = signing.sign_reply(secret.encode(), asked, "1", 200, body.encode())
        headers = f"{signing.TIMESTAMP_HEADER}: 1\r\n{signing.SIGNATURE_HEADER}: {signature}\r\n"
        replies(body, headers=headers)(connection, heard)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        BLOCK,
        replies('{"block": "x"}', headers=f"{signing.SIGNATURE_HEADER}: v1=00\r\n{signing.TIMESTAMP_HEADER}: 1\r\n"),
        signed('{"block": "x"}', secret="another secret, also long"),
        signed('{"block": "x"}', request="v1=of-an-older-request"),
    ],
)
def test_a_reply_that_fails_its_signature_is_refused(tmp_path: Path, answer: Answer) -> None:
    with endpoint(answer) as here:
        careful = provider(here, tmp_path, secret=SECRET, retry=ONCE)
        assert careful.load("cook") is None
        assert "forged" in careful.last_failure
        assert SECRET not in careful.last_failure + repr(careful)


def test_a_save_without_a_signed_reply_is_not_acknowledged(tmp_path: Path) -> None:
    with endpoint(DONE, signed("{}")) as here:
        careful = provider(here, tmp_path, secret=SECRET, retry=ONCE)
        careful.save("cook", SAID)
        assert careful.failures == 1
        careful.close()
        assert len(here.heard) == 2
        assert here.heard[0].body == here.heard[1].body
        assert careful.failures == 1


def test_the_doctor_shows_failing_providers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cfpm.cli import main

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("CFPM_PROVIDERS", str(tmp_path / "ledger.db"))
    monkeypatch.delenv("CFPM_DB", raising=False)
    with endpoint(replies("", "500 Oops")) as here:
        sick = WebhookProvider(f"{here.url}?token=abc", retry=ONCE)
        sick.load("cook")
        sick.close()
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json"])
    assert ended.value.code == 1
    (check,) = [check for check in json.loads(capsys.readouterr().out)["checks"] if "webhook" in check["name"]]
    assert here.url in check["name"]
    assert "token" not in check["name"] + check["detail"]
    assert "status 500" in check["detail"]
    assert "token" not in sick.last_failure


def test_a_process_that_is_killed_while_it_sends_loses_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from cfpm_adapters import WebhookProvider; from pathlib import Path\n"
        "hook = WebhookProvider('', sys.argv[1], outbox=Path(sys.argv[2]), timeout_seconds=1_200)\n"
        "hook.save('cook', [{'id': '1', 'role': 'user', 'content': 'Hello.'}])\n"
    )
    file = tmp_path / "providers.db"
    arrived = threading.Event()

    def hangs_and_tells(connection: socket.socket, heard: Heard) -> None:
        arrived.set()
        hangs(connection, heard)

    with endpoint(hangs_and_tells) as here:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen([sys.executable, "-c", program, here.url, str(file)], env=environment) as process:
            assert arrived.wait(HUNG)
            process.kill()
        here.answers[:] = [DONE]
        for _ in range(2):
            again = provider(here, tmp_path)
            again.save("cook", [{"id": "1", "role": "user", "content": "Hello."}])
            again.close()
        assert len(here.heard) == 2
        assert here.heard[0].headers["idempotency-key"] == here.heard[1].headers["idempotency-key"]
        assert here.heard[0].body == here.heard[1].body


def test_many_at_once_on_one_outbox_send_everything_once(tmp_path: Path) -> None:
    history = [{"id": str(n), "role": "user", "content": f"Message {n}"} for n in range(40)]
    with endpoint(DONE) as here:
        many = [provider(here, tmp_path) for _ in range(4)]

        def save_all(hook: WebhookProvider) -> None:
            for end in range(1, len(history) + 1):
                hook.save("cook", history[:end])

        threads = [threading.Thread(target=save_all, args=(hook,)) for hook in many]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for hook in many:
            hook.close()
        assert sum(hook.failures for hook in many) == 0, [hook.last_failure for hook in many]
        assert [message["id"] for body in sent(here) for message in body["history"]] == [m["id"] for m in history]
