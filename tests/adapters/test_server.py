"""The reference server over real HTTP: both forms, limits, keys, signatures; and two memories joined through it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cfpm_adapters import RetryPolicy, WebhookProvider, signing
from cfpm_adapters.server.openapi import openapi_document
from cfpm_adapters.server.serve import Serving, serve

from cfpm import Memory
from cfpm.cli import main
from cfpm.errors import InputError, MissingExtraError, UsageError
from cfpm.model.markers import BLOCK_OPEN
from cfpm.recall.runtime import parse_runtime_message
from tests.adapters.endpoints import serving
from tests.processes import HUNG

ROOT = Path(__file__).parents[2]
SECRET = "a secret of some length"
RULE = {"role": "user", "content": "From now on, always answer in Norwegian."}
JSON = {"Content-Type": "application/json"}


def ask(
    base: str, path: str, body: object = None, headers: Mapping[str, str] = JSON
) -> tuple[int, Any, Mapping[str, str]]:
    """Status, JSON and headers of the answer; None is a GET, bytes are sent as they are."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=HUNG)
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection.request("GET" if raw is None else "POST", path, raw, dict(headers))
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    return answer.status, content, {name.lower(): value for name, value in answer.getheaders()}


def test_the_simple_form(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        assert ask(base, "/v1/load", {"agent": "cook"})[:2] == (200, {"block": ""})
        whole = {"agent": "cook", "history": [RULE, {"role": "assistant", "content": ""}]}
        assert ask(base, "/v1/save", whole)[1]["accepted"] == 1
        whole["history"] += [{"role": "tool", "content": ""}]  # type: ignore[operator]
        assert ask(base, "/v1/save", whole)[1] == {
            "messages": 1, "accepted": 0, "merged": 0, "superseded": 0, "rejected": 0,
        }  # fmt: skip
        status, answer, _ = ask(base, "/v1/load", {"agent": "cook"})
        assert status == 200
        assert list(answer) == ["block"]
        assert answer["block"].startswith(BLOCK_OPEN)
        assert "always answer in Norwegian" in answer["block"]


def test_our_form_tells_the_tokens(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        ask(base, "/v1/save", {"agent": "cook", "session": "s", "history": [RULE]})
        _, answer, _ = ask(base, "/v1/load", {"agent": "cook", "query": "language?", "max_tokens": 200})
        assert 0 < answer["tokens"] <= 200
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        (fact,) = memory.facts()
    assert (fact.session, fact.agent) == ("s", "cook")


def test_a_key_is_taken_in_once(tmp_path: Path) -> None:
    body = {"agent": "cook", "history": [RULE]}
    with serving(tmp_path / "m.db") as base:
        keyed = {**JSON, "Idempotency-Key": "k1"}
        first = ask(base, "/v1/save", body, keyed)
        again = ask(base, "/v1/save", body, keyed)
        assert first[1] == again[1]
        assert again[2]["idempotency-replayed"] == "true"
        assert ask(base, "/v1/save", {"agent": "cook", "history": []}, keyed)[0] == 422
        assert ask(base, "/v1/save", body, {**JSON, "Idempotency-Key": "k" * 300})[0] == 400


def test_what_says_it_is_no_speech_is_not_learnt(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        body = {"agent": "cook", "history": [{**RULE, "origin": "boot_file"}, {**RULE, "origin": "nonsense"}]}
        assert ask(base, "/v1/save", body)[1]["rejected"] >= 1


BAD: dict[str, tuple[object, Mapping[str, str], int]] = {
    "no JSON": (b"{", JSON, 422),
    "not UTF-8": (b'{"agent": "\xff"}', JSON, 422),
    "too deep": (b"[" * 100_000, JSON, 422),
    "a list": ([], JSON, 422),
    "no agent": ({"history": []}, JSON, 422),
    "no history": ({"agent": "a"}, JSON, 422),
    "agent is a number": ({"agent": 7, "history": []}, JSON, 422),
    "unknown role": ({"agent": "a", "history": [{"role": "wizard", "content": "x"}]}, JSON, 422),
    "no message": ({"agent": "a", "history": ["hello"]}, JSON, 422),
    "too large": (b" " * 200_000, JSON, 413),
    "a form of a page": ({"agent": "a", "history": []}, {"Content-Type": "text/plain"}, 415),
    "another host name": ({"agent": "a", "history": []}, {**JSON, "Host": "evil.example"}, 403),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_requests_are_refused_with_a_reason(tmp_path: Path, case: str) -> None:
    body, headers, status = BAD[case]
    with serving(tmp_path / "m.db", max_body=100_000) as base:
        got, answer, _ = ask(base, "/v1/save", body, headers)
        assert got == status
        assert answer["error"]
        assert ask(base, "/health")[:2] == (200, {"status": "ok"})


def test_a_body_in_chunks_is_measured_too(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db", max_body=10_000) as base:
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=HUNG)
        connection.request("POST", "/v1/save", iter([b"x" * 8_000] * 4), JSON, encode_chunked=True)
        assert connection.getresponse().status == 413
        connection.close()


def test_other_paths_and_verbs(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        assert ask(base, "/v2/load", {"agent": "a"})[0] == 404
        assert ask(base, "/v1/load")[0] == 405


def signed(verb: signing.Verb, body: bytes, *, at: float | None = None, secret: str = SECRET) -> dict[str, str]:
    stamp = str(int(datetime.now(UTC).timestamp() if at is None else at))
    signature = signing.sign_request(secret.encode(), verb, stamp, "", body)
    return {**JSON, signing.TIMESTAMP_HEADER: stamp, signing.SIGNATURE_HEADER: signature}


def test_signatures_are_asked_for_and_given(tmp_path: Path) -> None:
    body = b'{"agent": "cook"}'
    with serving(tmp_path / "m.db", secret=SECRET) as base:
        assert ask(base, "/v1/load", body)[0] == 401
        assert ask(base, "/v1/load", body, signed("load", body, secret="another secret, long"))[0] == 401
        assert ask(base, "/v1/load", body, signed("save", body))[0] == 401
        assert ask(base, "/v1/load", body + b" ", signed("load", body))[0] == 401
        assert ask(base, "/v1/load", body, signed("load", body, at=1))[0] == 401
        headers = signed("load", body)
        status, answer, said = ask(base, "/v1/load", body, headers)
        assert (status, answer) == (200, {"block": ""})
        wanted = signing.sign_reply(
            SECRET.encode(), headers[signing.SIGNATURE_HEADER], said["cfpm-timestamp"], 200, b'{"block":""}'
        )
        assert said["cfpm-signature"] == wanted


def test_the_document_is_the_one_in_the_docs(tmp_path: Path) -> None:
    # To write it: python -m cfpm_adapters.server.openapi > docs/openapi.json
    written = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    assert written == openapi_document()
    with serving(tmp_path / "m.db") as base:
        served = ask(base, "/openapi.json")[1]
    assert served == written
    assert {path: set(operations) for path, operations in served["paths"].items()} == {
        "/v1/load": {"post"}, "/v1/save": {"post"}, "/health": {"get"}, "/openapi.json": {"get"},
    }  # fmt: skip
    named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(served)))
    assert named == set(served["components"]["schemas"])


@pytest.mark.parametrize("secret", [None, SECRET])
@pytest.mark.parametrize("form", ["cfpm", "simple"])
def test_two_memories_joined(tmp_path: Path, secret: str | None, form: Any) -> None:
    history = [{**RULE, "id": "1"}, {"id": "2", "role": "assistant", "content": "Skal bli."}]
    with serving(tmp_path / "m.db", secret=secret) as base:
        joined = WebhookProvider(
            f"{base}/v1/load", f"{base}/v1/save", secret=secret, form=form, outbox=tmp_path / "p.db"
        )
        assert joined.load("cook", "language?") is None
        joined.save("cook", history, session="s")
        joined.save("cook", history, session="s")
        block = joined.load("cook", "language?")
        assert block is not None
        assert block.count("always answer in Norwegian") == 1
        joined.close()
        assert (joined.failures, joined.last_failure) == (0, "")
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        (fact,) = memory.facts()
        assert fact.agent == "cook"
        assert fact.created_at is not None
        assert fact.evidence_count == 1


def test_a_server_that_comes_back_takes_in_what_waited_once(tmp_path: Path) -> None:
    history = [{**RULE, "id": "1"}]
    with serving(tmp_path / "m.db") as base:
        pass
    once = RetryPolicy(attempts=1)
    waiting = WebhookProvider("", f"{base}/v1/save", outbox=tmp_path / "p.db", retry=once)
    waiting.save("cook", history)
    assert waiting.failures == 1
    with serving(tmp_path / "m.db", port=urlsplit(base).port or 0):
        again = WebhookProvider("", f"{base}/v1/save", outbox=tmp_path / "p.db", retry=once)
        again.save("cook", history)
        again.close()
        assert again.failures == 0
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        assert [fact.evidence_count for fact in memory.facts()] == [1]


@pytest.mark.parametrize(
    "options", [{"host": "0.0.0.0"}, {"host": "0.0.0.0", "anywhere": True}, {"host": "0.0.0.0", "secret": SECRET}]
)
def test_other_machines_need_leave_and_a_secret(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        serve(Serving("sqlite://", **options), print)


@pytest.mark.parametrize(
    "words", [["--host", "0.0.0.0"], ["--secret-env", "NOT_SET_ANYWHERE"], ["--host", "0.0.0.0", "--allow-remote"]]
)
def test_the_command_refuses_what_is_not_safe(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--db", str(tmp_path / "m.db"), "--port", "0", *words])
    assert ended.value.code == 2
    assert not (tmp_path / "m.db").exists()


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as base:
        port = urlsplit(base).port or 0
        with pytest.raises(InputError, match=str(port)):
            serve(Serving(f"sqlite:///{tmp_path / 'm.db'}", port=port), print)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"cfpm\[server\]"):
        serve(Serving("sqlite://"), print)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that can be caught")
def test_the_command_ends_in_order(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    environment |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'adapters'}", "HOOK_SECRET": SECRET}
    words = ["serve", "--port", "0", "--db", str(tmp_path / "m.db"), "--secret-env", "HOOK_SECRET"]
    with subprocess.Popen(
        [sys.executable, "-m", "cfpm", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        base = process.stdout.readline().decode().split()[-1]
        joined = WebhookProvider("", f"{base}/v1/save", secret=SECRET, outbox=tmp_path / "p.db")
        joined.save("cook", [RULE])
        joined.close()
        assert joined.last_failure == ""
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=HUNG)
        assert (process.returncode, err) == (0, b"")
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        assert len(memory.facts()) == 1


def test_the_provider_tells_the_user_what_the_server_took_in(tmp_path: Path) -> None:
    told: list[str] = []
    with serving(tmp_path / "m.db") as base:
        joined = WebhookProvider("", f"{base}/v1/save", outbox=tmp_path / "p.db", notify=told.append)
        joined.save("cook", [RULE])
        joined.close()
    (text,) = told
    message = parse_runtime_message(text)
    assert message is not None
    assert (message.accepted, message.mode) == (1, "merge")
