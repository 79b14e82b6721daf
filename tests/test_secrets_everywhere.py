"""A secret in each field of each public entry: no byte of any file that the memory writes holds it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cfpm import Memory, Message, Settings
from cfpm.errors import CFPMError
from cfpm.model import Category, Role, ToolCall, ToolResult, Turn

TOKEN = "gh" + "p_Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"
PASSWORD = "Quokka7!velvet"
WRAPPED = "cGFzc3dvcmQ9UXVva2thNyF2ZWx2ZXQ="
"""`password=` and the password, in base64."""

SAID = [TOKEN, f"password={PASSWORD}", f"data: {WRAPPED}"]
SECRETS = [TOKEN.encode(), PASSWORD.encode(), WRAPPED.encode()]


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def _named(folder: Path) -> bytes:
    return "\n".join(str(path.relative_to(folder)) for path in folder.rglob("*")).encode()


def _open(folder: Path, namespace: str = "default", agent: str = "") -> Memory:
    settings = Settings(log_mode="full")
    return Memory.open(f"sqlite:///{folder / 'memory.db'}", settings=settings, namespace=namespace, agent=agent)


def _observe(*messages: object, session: str = "s") -> Callable[[Memory], object]:
    return lambda memory: memory.observe(messages, session=session)


def _call(text: str, **changes: object) -> dict[str, object]:
    function = {"name": "Bash", "arguments": json.dumps({"command": text}), **changes}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


def _entries(text: str) -> dict[str, Callable[[Memory], object]]:
    """Each way in with the text in one of its fields."""
    ask = {"role": "user", "content": "go on"}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return {
        "text": _observe({"role": "user", "content": text}),
        "system": _observe({"role": "system", "content": text}),
        "parts": _observe({"role": "user", "content": [{"type": "text", "text": text}]}),
        "image title": _observe({"role": "user", "content": [{"type": "input_file", "filename": text}]}),
        "thinking": _observe(ask, {"role": "assistant", "content": [{"type": "thinking", "thinking": text}]}),
        "reasoning": _observe(ask, {"role": "assistant", "content": "ok", "reasoning": text}),
        "refusal": _observe(ask, {"role": "assistant", "content": None, "refusal": text}),
        "speaker": _observe({"role": "user", "content": "hi", "name": text}),
        "message id": _observe({"role": "user", "content": "hi", "id": text}),
        "session": _observe(ask, session=text),
        "tool name": _observe(ask, _call("ls", name=text), answer),
        "argument": _observe(ask, _call(text), answer),
        "argument key": _observe(ask, _call("", arguments=json.dumps({text: 1})), answer),
        "broken arguments": _observe(ask, _call("", arguments=f'{{"command": {text}')),
        "path": _observe(ask, _call("", arguments=json.dumps({"file_path": f"/srv/{text}/a.txt"})), answer),
        "call id": _observe(ask, Message(Role.ASSISTANT, "", tool_calls=(ToolCall(text, "Bash", {"command": "ls"}),))),
        "result id": _observe(ask, Message(Role.TOOL, "ok", tool_result=ToolResult(text))),
        "result": _observe(ask, _call("cat a"), {**answer, "content": text}),
        "error": _observe(ask, _call("cat a"), {**answer, "content": f"Error: {text}\nexit status 1"}),
        "turn": _observe(Turn(text, 0, (Message(Role.USER, text, created_at=at),))),
        "query": lambda memory: memory.recall(text),
        "remember": lambda memory: memory.remember(f"always use {text}", category=Category.INSTRUCTION),
        "gate command": lambda memory: memory.gate("bash", f"echo {text} ~/Desktop"),
        "gate session": lambda memory: memory.gate("bash", "ls ~/Desktop", session=text),
        "gate tool": lambda memory: memory.gate("bash", "ls ~/Desktop", tool=text),
        "gate call": lambda memory: memory.gate("bash", "ls ~/Desktop", call_id=text),
        "gate directory": lambda memory: memory.gate("bash", "ls Desktop", cwd=f"/srv/{text}"),
        "gate dialect": lambda memory: memory.gate(text, "ls ~/Desktop"),
        "gate said": lambda memory: memory.gate("bash", "ls ~/Desktop", said=text),
        "compaction": lambda memory: memory.compact(
            [ask, {"role": "assistant", "content": text}] * 40 + [ask], session=text
        ),
        "import": lambda memory: memory.import_lines([f'{{"type": "{text}", "text": "{text}"}}'], text),
        "names of facts": lambda memory: memory.fact(text),
        "names of candidates": lambda memory: memory.explain(text),
    }


FIELDS = list(_entries(""))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", SAID, ids=["token", "password", "wrapped"])
def test_no_byte_holds_it(tmp_path: Path, field: str, text: str) -> None:
    told = ""
    with _open(tmp_path) as memory:
        memory.observe([{"role": "user", "content": "Always run the tests before you commit."}])
        try:
            _entries(text)[field](memory)
        except CFPMError as error:
            told = str(error)
        memory.recall("tests")
        out = io.StringIO()
        memory.export(out)
        stored = _bytes(tmp_path) + out.getvalue().encode()
    for found in (stored, _bytes(tmp_path), _named(tmp_path), told.encode()):
        assert not any(secret in found for secret in SECRETS)


@pytest.mark.parametrize("text", SAID[:2], ids=["token", "password"])
@pytest.mark.parametrize("option", ["namespace", "agent"])
def test_no_byte_holds_it_as_the_name_of_a_namespace_or_an_agent(tmp_path: Path, option: str, text: str) -> None:
    with _open(tmp_path, **{option: text}) as memory:
        memory.observe([{"role": "user", "content": "Always run the tests before you commit."}])
        memory.recall("tests")
        memory.gate("bash", "ls ~/Desktop", session="s")
        out = io.StringIO()
        memory.export(out)
        stored = _bytes(tmp_path) + out.getvalue().encode()
    assert not any(secret in stored for secret in SECRETS)
    with _open(tmp_path, **{option: text}) as memory:
        assert len(memory.facts()) == 1


@pytest.mark.parametrize("text", SAID, ids=["token", "password", "wrapped"])
def test_no_byte_of_an_artifact_holds_it(tmp_path: Path, text: str) -> None:
    with _open(tmp_path) as memory:
        kept = memory.artifacts(tmp_path / "artifacts").offload(f"{text}\n" * 3_000, tool=text, hint=text)
    assert kept.id
    assert not any(secret in _bytes(tmp_path) + kept.text.encode() for secret in SECRETS)


@pytest.mark.parametrize("text", SAID, ids=["token", "password", "wrapped"])
def test_no_byte_of_a_transcript_that_is_read_holds_it(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    row = {"role": "user", "content": text, "name": text, "id": text}
    source = tmp_path / "session.jsonl"
    source.write_text(f"{json.dumps(row)}\n{{broken {text}\n", encoding="utf-8")
    with _open(folder) as memory:
        try:
            told = str(memory.observe_file(source, session=text))
        except CFPMError as error:
            told = str(error)
    assert not any(secret in _bytes(folder) + told.encode() for secret in SECRETS)
