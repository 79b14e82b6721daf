"""The same transcript gives the same memory: on any day, in any process, in any parts, and again after a round trip."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfpm import Memory
from cfpm.model.clock import from_text
from tests.processes import HUNG

pytestmark = pytest.mark.slow

Chat = list[dict[str, Any]]

ROOT = Path(__file__).parents[1]
LAST = datetime(2026, 3, 4, 11, 30, tzinfo=UTC)
"""The newest time that any fixture holds."""


def _at(time: str, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "created_at": f"2026-03-04T{time}Z", "content": content, **more}


def _running(call_id: str, command: str) -> list[dict[str, Any]]:
    arguments = json.dumps({"command": command})
    return [{"id": call_id, "type": "function", "function": {"name": "bash", "arguments": arguments}}]


DATED: Chat = [
    _at("10:00:00", "user", "Always run the tests with `make test`. The goal is to release version 2 on Friday."),
    _at("10:00:09", "assistant", "I look there.", tool_calls=_running("c1", "ls /srv/shop/services/cart")),
    _at(
        "10:00:10",
        "tool",
        "ls: cannot access '/srv/shop/services/cart': No such file or directory",
        tool_call_id="c1",
        exit_code=2,
    ),
    _at("10:01:00", "assistant", "If we moved the cart, the build might be faster. I have not fixed the login yet."),
    _at("11:14:00", "user", "I prefer short commit messages. The staging port is 8080."),
    _at("11:15:00", "user", "The staging port is 8081, not 8080. We decided to keep SQLite: it needs no server."),
    _at("11:20:00", "assistant", "", tool_calls=_running("c2", "make test")),
    _at("11:21:00", "tool", "42 passed in 3.1s", tool_call_id="c2", exit_code=0),
    _at("11:30:00", "assistant", "All tests pass. TODO: update the changelog."),
    _at("11:30:00", "user", "请记住：以后提交信息都用中文写。我住在柏林。"),
]
UNDATED: Chat = [{key: value for key, value in message.items() if key != "created_at"} for message in DATED]
TIMES_THAT_LOOK_AHEAD = {"stale_at", "event_time"}
"""When decay will have made a fact stale, and when a thing will happen: computed from the turn's own time and words."""


@pytest.fixture
def sessions(tmp_path: Path) -> list[Path]:
    return _written(tmp_path)


def _written(folder: Path) -> list[Path]:
    paths = []
    for name, chat in (("dated", DATED), ("undated", UNDATED)):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(m, ensure_ascii=False) + "\n" for m in chat), encoding="utf-8")
        paths.append(path)
    return paths


def _cfpm(folder: Path, *arguments: str | Path, **environment: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "cfpm", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=False,
        capture_output=True,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def _exported_by_a_process(folder: Path, **environment: str) -> bytes:
    """Observes the fixtures from another folder, in two fresh processes, and gives the export."""
    folder.mkdir()
    paths = _written(folder)
    _cfpm(folder, "observe", *paths, "--db", "memory.db", "--json", **environment)
    return _cfpm(folder, "export", "--db", "memory.db", **environment)


def test_processes_of_other_hash_seeds_time_zones_and_folders_export_the_same_bytes(tmp_path: Path) -> None:
    exports = {
        _exported_by_a_process(tmp_path / "a", PYTHONHASHSEED="0", TZ="UTC"),
        _exported_by_a_process(tmp_path / "a longer name", PYTHONHASHSEED="1", TZ="Asia/Kolkata", LC_ALL="C"),
        _exported_by_a_process(tmp_path / "c", PYTHONHASHSEED="4242", TZ="America/St_Johns", COLUMNS="40"),
    }
    assert len(exports) == 1
    assert exports.pop().count(b'"type":"fact"') >= 8


def test_no_stored_time_is_newer_than_the_newest_turn(sessions: list[Path]) -> None:
    with Memory.open("sqlite://") as memory:
        for path in sessions:
            memory.observe_file(path)
        rows = [json.loads(line) for line in _exported(memory).splitlines()]
    moments = [
        (name, moment)
        for row in rows
        for name, value in row.items()
        if name not in TIMES_THAT_LOOK_AHEAD and isinstance(value, str) and (moment := _moment(value))
    ]
    assert {name for name, _ in moments} >= {"created_at", "updated_at", "at"}
    assert [(name, moment) for name, moment in moments if moment > LAST] == []


def test_a_session_without_times_leaves_none(tmp_path: Path) -> None:
    _, undated = _written(tmp_path)
    with Memory.open("sqlite://") as memory:
        memory.observe_file(undated)
        rows = [json.loads(line) for line in _exported(memory).splitlines()]
    for name in ("created_at", "updated_at", "valid_from", "at"):
        assert {row[name] for row in rows if name in row} == {None}


def test_the_same_file_again_changes_nothing(sessions: list[Path]) -> None:
    with Memory.open("sqlite://") as memory:
        for path in sessions:
            memory.observe_file(path)
        before = _exported(memory)
        for path in sessions:
            again = memory.observe_file(path)
            assert (again.turns, again.messages, again.candidates, again.pruned) == (0, 0, 0, 0)
            assert again.facts == memory.store.facts.active("default")
        assert _exported(memory) == before


def test_the_order_of_keys_in_a_message_changes_nothing() -> None:
    turned = [dict(reversed(list(message.items()))) for message in DATED]
    assert _memory_of([DATED])[1] == _memory_of([turned])[1]


def test_an_imported_export_exports_the_same_bytes(sessions: list[Path]) -> None:
    with Memory.open("sqlite://") as memory, Memory.open("sqlite://") as other:
        for path in sessions:
            memory.observe_file(path)
        note = memory.facts()[0]
        memory.pin(note.id)
        memory.forget(memory.facts()[-1].id)
        memory.recall("which port does staging use?")
        exported = _exported(memory)
        other.import_lines(io.StringIO(exported), "backup.jsonl")
        assert _exported(other) == exported
        other.import_lines(io.StringIO(exported), "backup.jsonl")
        assert _exported(other) == exported


_WORDS = st.sampled_from(
    [
        "Always run the tests with make test.",
        "The port is 8080.",
        "The port is 8081.",
        "ok",
        "Done. All tests pass.",
        "请用中文回答。",
        "/srv/shop/out/report.pdf",
    ]
)


@st.composite
def chats(draw: st.DrawFn) -> Chat:
    """Chats with ids, in which the same words may come many times and a result may answer an earlier call."""
    chat: Chat = []
    open_calls: list[str] = []
    for number in range(draw(st.integers(1, 14))):
        role = draw(st.sampled_from(["user", "assistant", "call", "tool"]))
        message: dict[str, Any] = {"id": f"m{number}", "role": role, "content": draw(_WORDS)}
        if role == "call":
            open_calls.append(f"c{number}")
            function = {"name": "bash", "arguments": '{"command": "make test"}'}
            call = {"id": f"c{number}", "type": "function", "function": function}
            message |= {"role": "assistant", "content": "", "tool_calls": [call]}
        elif role == "tool":
            message["tool_call_id"] = open_calls.pop() if open_calls else "lost"
        chat.append(message)
    return chat


_PROPERTY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_PROPERTY
@given(chats(), st.data())
def test_a_session_in_parts_ends_in_the_same_messages(chat: Chat, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(chat)), max_size=len(chat))) | {0, len(chat)})
    parts = [chat[start:end] for start, end in pairwise(cuts)]
    assert _memory_of(parts)[0] == _memory_of([chat])[0]


@_PROPERTY
@given(chats())
def test_a_host_that_sends_the_whole_history_each_time_loses_and_doubles_nothing(chat: Chat) -> None:
    nameless = [{key: value for key, value in message.items() if key != "id"} for message in chat]
    growing = [nameless[:end] for end in range(1, len(nameless) + 1)]
    assert _memory_of(growing)[0] == _memory_of([nameless])[0]


@_PROPERTY
@given(chats())
def test_observing_is_repeatable_and_survives_a_round_trip(chat: Chat) -> None:
    messages, exported = _memory_of([chat])
    assert _memory_of([chat]) == (messages, exported)
    with Memory.open("sqlite://") as other:
        other.import_lines(io.StringIO(exported), "backup.jsonl")
        assert _exported(other) == exported


def _memory_of(parts: list[Chat]) -> tuple[list[tuple[int, str, str, str]], str]:
    """What the log holds after these calls: turn, id, role and text of each message in order; and the export."""
    with Memory.open("sqlite://") as memory:
        taken = sum(memory.observe(part, session="s").messages for part in parts)
        logged = memory.store.log.messages("default", session="s")
        assert taken == len(logged)
        return [(row.turn, row.message.id, row.message.role.value, row.message.text) for row in logged], _exported(
            memory
        )


def _exported(memory: Memory) -> str:
    out = io.StringIO()
    memory.export(out)
    return out.getvalue()


def _moment(text: str) -> datetime | None:
    if len(text) != len("2026-03-04T10:00:00.000000Z"):
        return None
    try:
        return from_text(text)
    except ValueError:
        return None
