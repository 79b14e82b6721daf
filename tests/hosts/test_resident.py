"""`cfpm hook` beside a running `cfpm mcp`: who answers, and that nothing is lost when the server goes away."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.hosts.learners import settle
from cfpm_adapters.hosts.resident import deciding, socket_of

from cfpm import Memory, utc_now
from cfpm.model import Category
from tests.processes import HUNG

pytest.importorskip("mcp")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the signals of POSIX stop and end the server"),
]

ROOT = Path(__file__).parents[2]
ASKED = "Which port does staging use?"
LOADED = """
import sys
from cfpm.cli import main
try:
    main(["hook", *sys.argv[1:]])
finally:
    print(" ".join(sys.modules), file=sys.stderr)
"""
"""The command, and then the names of all modules that it loaded."""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return filled(tmp_path / "m.db")


def filled(file: Path) -> Path:
    (file.parent / "Desktop").mkdir()
    with Memory.open(file, clock=utc_now) as memory:
        memory.observe([{"role": "user", "content": "We use port 8081 for staging."}], session="old")
        memory.remember(str(file.parent / "Desktop"), category=Category.ARTIFACT)
    return file


def environment(db: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "adapters")))
    deadlines = {"CFPM_GATE_DEADLINE": "600", "CFPM_HOOK_DEADLINE": "600"}
    return {**os.environ, "HOME": str(db.parent), "PYTHONPATH": path, **deadlines, **more}


@contextmanager
def served(db: Path, *, listens: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-m", "cfpm", "mcp", "--http", "--port", "0", "--db", str(db)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment(db), cwd=db.parent) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline()
            if listens:
                wait_for(socket_of(db).exists)
            yield server
        finally:
            server.kill()


def wait_for(what: Any) -> None:
    until = time.monotonic() + HUNG
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


def event_of(kind: str, number: int = 0, said: str = ASKED) -> tuple[str, dict[str, object]]:
    event: dict[str, object] = {"session_id": f"s{number}", "prompt_id": f"p{number}", "tool_use_id": f"t{number}"}
    if kind == "prompt":
        return "UserPromptSubmit", {**event, "prompt": said}
    return "PreToolUse", {**event, "tool_name": "Bash", "tool_input": {"command": "ls ~/Desktop"}}


def hook(db: Path, name: str, event: dict[str, object], **more: str) -> tuple[Any, set[str]]:
    """What the host is told, None for nothing, and the modules that the process loaded for it."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "claude-code", name, "--db", str(db)],
        input=json.dumps({"cwd": str(db.parent), **event}).encode(),
        capture_output=True,
        env=environment(db, **more),
        cwd=db.parent,
        timeout=HUNG,
        check=True,
    )
    told = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else None
    return told, set(done.stderr.decode().split())


def wait_until_learnt(db: Path, *said: str) -> None:
    """Waits until the log has each of these as the user's, and no more often."""
    wanted = sorted(said)

    def is_there() -> bool:
        settle(f"sqlite:///{db}", HUNG)
        with Memory.open(db) as memory:
            sessions = [one.name for one in memory.sessions()]
            rows = [row for name in sessions for row in memory.store.log.messages("default", session=name)]
        found = sorted(row.message.text for row in rows if row.message.text in wanted)
        assert len(found) <= len(wanted)
        return found == wanted

    wait_for(is_there)


def gate_actions(db: Path) -> list[object]:
    with Memory.open(db) as memory:
        return [one["action"] for one in memory.store.activity.gate_events("default")]


@pytest.mark.parametrize("kind", ["prompt", "gate"])
def test_the_server_answers_what_the_process_would(db: Path, kind: str) -> None:
    alone, loaded = hook(db, *event_of(kind, 1))
    assert "cfpm.store.store" in loaded
    with served(db):
        told, loaded = hook(db, *event_of(kind, 2))
        assert not {"cfpm.store.store", "cfpm.memory", "json", "sqlite3", "tomllib"} & loaded
    assert told == alone is not None
    if kind == "prompt":
        wait_until_learnt(db, ASKED, ASKED)
    else:
        wait_for(lambda: gate_actions(db) == ["rewrite", "rewrite"])


def test_only_this_user_may_ask_and_no_place_is_left_behind(db: Path) -> None:
    with served(db) as server:
        assert stat.S_IMODE(socket_of(db).stat().st_mode) == 0o600
        server.terminate()
        server.wait(HUNG)
        assert not socket_of(db).exists()


def test_where_a_path_is_too_long_for_a_socket_a_port_asks_for_a_password(tmp_path: Path) -> None:
    folder = tmp_path / ("a-long-name-" * 10)
    folder.mkdir()
    db = filled(folder / "m.db")
    with served(db):
        place = socket_of(db)
        assert place.is_file()
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert "cfpm.memory" not in hook(db, *event_of("prompt"))[1]
        port, password = place.read_text().split()
        place.write_text(f"{port} {'0' * len(password)}")
        told, loaded = hook(db, *event_of("prompt", 2))
        assert told is not None
        assert "cfpm.memory" in loaded


@pytest.mark.parametrize("setting", ["environment", "file"])
def test_a_process_with_other_settings_does_the_work_itself(db: Path, setting: str) -> None:
    with served(db):
        assert hook(db, *event_of("prompt", 1))[0] is not None
        none = {"CFPM_HOOK_RECALL_TOKENS": "0", "CFPM_HOOK_BRIEF_TOKENS": "0"}
        if setting == "file":
            (db.parent / "cfpm.toml").write_text("hook_recall_tokens = 0\nhook_brief_tokens = 0\n")
        name, event = event_of("prompt", 2)
        told, loaded = hook(db, name, event, **(none if setting == "environment" else {}))
    assert told is None
    assert "cfpm.memory" in loaded
    wait_until_learnt(db, ASKED, ASKED)


def test_a_server_that_hangs_keeps_no_host_waiting(db: Path) -> None:
    with served(db) as server:
        server.send_signal(signal.SIGSTOP)
        told, loaded = hook(db, *event_of("prompt"))
    assert told is not None
    assert "cfpm.memory" in loaded
    wait_until_learnt(db, ASKED)


def test_another_server_takes_the_place_of_one_that_was_killed(db: Path) -> None:
    with served(db) as first, served(db, listens=False):
        first.kill()
        wait_for(lambda: "cfpm.memory" not in hook(db, *event_of("gate"))[1])


def test_killed_in_the_middle_nothing_is_lost_and_nothing_stored_twice(db: Path) -> None:
    said = [f"The search service {number} listens on port {9000 + number}." for number in range(6)]
    words = [sys.executable, "-m", "cfpm", "hook", "claude-code", "UserPromptSubmit", "--db", str(db)]
    with served(db) as server:
        running = []
        for number, text in enumerate(said):
            _, event = event_of("prompt", number, text)
            pipe = subprocess.PIPE
            process = subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment(db), cwd=db.parent)
            assert process.stdin is not None
            process.stdin.write(json.dumps({"cwd": str(db.parent), **event}).encode())
            process.stdin.close()
            running.append(process)
            if number == len(said) // 2:
                running[0].wait(HUNG)
                server.kill()
        assert [process.wait(HUNG) for process in running] == [0] * len(said)
    wait_until_learnt(db, *said)


def test_what_an_answer_hangs_on() -> None:
    own = {"HOME": "/home/ann", "CFPM_DB": "/one.db", "PATH": "/bin", "XDG_RUNTIME_DIR": "/run"}
    assert deciding(own) == deciding({**own, "CFPM_DB": "/other.db", "PATH": "/usr/bin", "XDG_RUNTIME_DIR": "/tmp"})
    for name in ("HOME", "CFPM_EMBEDDER", "XDG_DESKTOP_DIR", "CLAUDE_CODE_SHELL"):
        assert deciding(own) != deciding({**own, name: "other"})
