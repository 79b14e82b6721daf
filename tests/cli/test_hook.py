"""`cfpm hook`: what Claude Code is told before a call, and what is learnt after it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.hosts.event import Host, Options
from cfpm_adapters.hosts.hook import answer, read_words
from cfpm_adapters.hosts.resident import LARGEST_INPUT
from cfpm_adapters.hosts.session_file import TAIL
from cfpm_adapters.hosts.watchdog import Watchdog

from cfpm import Memory
from cfpm.errors import CFPMError
from cfpm.model import Category
from cfpm.model.markers import GATE_PREFIX
from tests.cli.conftest import Run
from tests.processes import HUNG
from tests.reference.transcripts import ran, user

ROOT = Path(__file__).parents[2]
CLAUDE = Host.named("claude-code")
UNHURRIED = """
import sys
import cfpm_adapters.hosts.hook as hook
from cfpm.cli import main
hook.DEADLINES = {kind: (name, 3_600.0) for kind, (name, _) in hook.DEADLINES.items()}
try:
    main(["hook", "claude-code", *sys.argv[1:]])
finally:
    print(" ".join({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
"""The command with time enough for a busy machine, and then the names of all modules that it loaded."""


UNAIDED = """
import sys
from cfpm_adapters.hosts import watchdog
watchdog.LAST_RESORT = 3_600.0
from cfpm.cli import main
main(["hook", "claude-code", *sys.argv[1:]])
"""
"""The command without the last resort of its watchdog, which may come first on a busy machine and exits with 1."""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of whoever runs the tests is in the way."""
    for name in (
        "CFPM_PRE_TOOL_GATE",
        "CFPM_TOOL_GATE_VISIBILITY",
        "CFPM_VISIBILITY",
        "CFPM_DB",
        "CFPM_NAMESPACE",
        "CLAUDE_CONFIG_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLAUDE_CODE_SHELL", "/bin/bash")
    monkeypatch.chdir(tmp_path)
    # A busy machine must not end the process of the tests.
    monkeypatch.setattr(
        "cfpm_adapters.hosts.hook.DEADLINES", dict.fromkeys(("gate", "start", "prompt"), ("none", 3600.0))
    )


def before(command: object = "ls ~/Desktop", tool: str = "Bash", **more: object) -> dict[str, Any]:
    """What the host says before a call."""
    called = {"command": command, "description": "List the desktop", "timeout": 1000}
    event = {"hook_event_name": "PreToolUse", "session_id": "s2", "tool_name": tool, "tool_input": called}
    return {**event, "tool_use_id": "toolu_1", **more}


def after(tool: str, arguments: dict[str, Any], response: object, **more: object) -> dict[str, Any]:
    """What the host says after a call that succeeded."""
    event = {"hook_event_name": "PostToolUse", "session_id": "s2", "tool_name": tool, "tool_input": arguments}
    return {**event, "tool_response": response, "tool_use_id": "toolu_1", **more}


def told(event: dict[str, Any], db: Path, **options: str) -> Any:
    """What the host is told, None for nothing."""
    found = answer(json.dumps(event).encode(), CLAUDE, "", Options(str(db), **options))
    if found.then is not None:
        found.then()
    return json.loads(found.text)["hookSpecificOutput"] if found.text else None


def start(*argv: str | Path, code: str | None = None, pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """The hook as a process of its own."""
    pipe = subprocess.PIPE
    path = os.pathsep.join((str(ROOT), str(ROOT / "adapters")))
    program = ["-c", code] if code else ["-m", "cfpm", "hook", "claude-code"]
    words = [sys.executable, *program, *map(str, argv)]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, pass_fds=pass_fds)


# --- before a call


def test_a_rewrite_replaces_the_whole_input_and_asks_the_user(known: Path, desktop: Path) -> None:
    said = told(before(), known)
    shown = said.pop("additionalContext")
    assert said == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": f"CFPM put known folders in place of probes: ~/Desktop is {desktop}",
        "updatedInput": {"command": f"ls {desktop}", "description": "List the desktop", "timeout": 1000},
    }
    assert shown.startswith(GATE_PREFIX)
    with Memory.open(f"sqlite:///{known}") as memory:
        (event,) = memory.store.activity.gate_events("default", session="s2")
    assert (event["action"], event["agent"], event["tool"]) == ("rewrite", "claude-code", "Bash")


def test_who_wants_it_is_not_asked(known: Path) -> None:
    assert told(before(), known, permission="allow")["permissionDecision"] == "allow"
    assert told(before(permission_mode="bypassPermissions"), known)["permissionDecision"] == "allow"


def test_where_nobody_can_be_asked_the_call_is_not_refused_but_left(known: Path) -> None:
    assert told(before(permission_mode="dontAsk"), known) is None


@pytest.mark.parametrize(
    "event",
    [
        before("make test"),
        before("echo '~/Desktop'"),
        before("ls ~/Music"),
        before(tool="Read"),
        before(7),
        before(hook_event_name="Stop"),
        {"hook_event_name": "PreToolUse", "tool_name": "Bash"},
        {"hook_event_name": ["PreToolUse"], "tool_name": {}, "tool_input": []},
        {},
    ],
)
def test_of_all_else_the_host_hears_nothing(known: Path, event: dict[str, Any]) -> None:
    assert told(event, known) is None


def test_the_model_is_told_of_a_path_that_has_moved(known: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    right = tmp_path / "config" / "app.toml"
    right.write_text("port = 1\n", encoding="utf-8")
    wrong = "/srv/shop/conf/app.toml"
    with Memory.open(f"sqlite:///{known}") as memory:
        memory.observe([user("Go on."), *ran(f"cat {wrong}", f"cat: {wrong}: No such file or directory")], session="s")
        memory.remember(str(right), category=Category.ARTIFACT)
    said = told(before(f"head -3 {wrong}"), known)
    assert set(said) == {"hookEventName", "additionalContext"}
    assert str(right) in said["additionalContext"]
    assert told(before("head -3 /srv/shop/conf/other.toml"), known) is None


@pytest.mark.parametrize("value", ["off", "disable", "Disabled", "0", "false"])
def test_the_kill_switch(known: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CFPM_PRE_TOOL_GATE", value)
    assert told(before(), known) is None


def test_the_settings_file_of_the_project_switches_it_off_too(known: Path) -> None:
    Path("cfpm.toml").write_text("pre_tool_gate = false\n", encoding="utf-8")
    assert told(before(), known) is None


def test_without_a_memory_nothing_is_said_and_none_is_made(tmp_path: Path, desktop: Path) -> None:
    assert told(before(), tmp_path / "none.db") is None
    assert not (tmp_path / "none.db").exists()


def test_the_dialect_is_that_of_the_users_shell(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SHELL", "/bin/zsh")
    told(before(), known)
    told(before('ls "$env:USERPROFILE\\Desktop"', tool="PowerShell"), known)
    with Memory.open(f"sqlite:///{known}") as memory:
        assert {event["dialect"] for event in memory.store.activity.gate_events("default")} == {"zsh", "powershell"}


# --- what the user said last


def session_file(tmp_path: Path, *rows: dict[str, Any], torn: str = "") -> str:
    file = tmp_path / "session.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + torn, encoding="utf-8")
    return str(file)


def says(text: object, **more: object) -> dict[str, Any]:
    return {"type": "user", "sessionId": "s2", "uuid": "u", "message": {"role": "user", "content": text}, **more}


AGAIN = says("Please verify the path again.")
WORK = {
    "type": "assistant",
    "sessionId": "s2",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "On it."}]},
}
RESULT = says([{"type": "tool_result", "tool_use_id": "toolu_0", "content": "verify again: 3 passed"}])


@pytest.mark.parametrize(
    ("rows", "rewritten"),
    [
        ([AGAIN, WORK, RESULT], False),
        ([says("Look around."), says([{"type": "text", "text": "No: verify again, please."}])], False),
        ([AGAIN, WORK, says("Thanks, and now list it.")], True),
        ([says("List it."), WORK, RESULT], True),
        ([says("List it."), says("verify again", isMeta=True)], True),
        ([says("List it."), says("verify again", isSidechain=True)], True),
        ([says("List it."), says("<local-command-stdout>verify again</local-command-stdout>")], True),
        ([], True),
    ],
)
def test_the_users_last_words_come_from_the_session_file(
    known: Path, tmp_path: Path, rows: list[dict[str, Any]], rewritten: bool
) -> None:
    transcript = session_file(tmp_path, *rows, torn='{"type": "user", "mess')
    assert (told(before(transcript_path=transcript), known) is not None) is rewritten


def test_what_lies_too_far_back_is_not_guessed(known: Path, tmp_path: Path) -> None:
    long = {**WORK, "padding": "x" * TAIL}
    with pytest.raises(CFPMError, match="no message of the user"):
        told(before(transcript_path=session_file(tmp_path, AGAIN, long)), known)


# --- after a call


def observed(event: dict[str, Any], db: Path) -> Memory:
    found = answer(json.dumps(event).encode(), CLAUDE, "", Options(str(db)))
    assert found.text == ""
    assert found.first is not None
    assert found.then is not None
    found.first()
    found.then()
    return Memory.open(f"sqlite:///{db}")


def test_a_listing_teaches_the_gate(tmp_path: Path, desktop: Path) -> None:
    db = tmp_path / "new.db"
    response = {"stdout": f"{desktop}\n", "stderr": "", "interrupted": False, "isImage": False}
    with observed(after("Bash", {"command": "xdg-user-dir DESKTOP"}, response), db) as memory:
        (fact,) = memory.facts(category=Category.ARTIFACT)
    assert (fact.content, fact.session, fact.agent) == (str(desktop), "s2", "claude-code")
    assert fact.created_at is not None
    assert told(before(), db)["updatedInput"]["command"] == f"ls {desktop}"


def test_the_same_event_twice_is_one_call(tmp_path: Path) -> None:
    event = after("Bash", {"command": "make test"}, {"stdout": "3 passed", "stderr": "warning"})
    observed(event, tmp_path / "m.db").close()
    with observed(event, tmp_path / "m.db") as memory:
        call, result = (row.message for row in memory.store.log.messages("default", session="s2"))
    assert (call.id, call.tool_calls[0].command) == ("toolu_1/call", "make test")
    assert (result.id, result.text) == ("toolu_1/result", "3 passed\nwarning")
    assert result.tool_result is not None
    assert result.tool_result.is_error is False


@pytest.mark.parametrize(
    "event",
    [
        after("Bash", {"command": "make"}, {"stdout": "", "stderr": "", "interrupted": True}),
        after("Bash", {"command": "make"}, {"stdout": "", "exit_code": 2}),
        after("Bash", {"command": "make"}, "Exit code 2\nmake: *** no rule"),
        after("Write", {"file_path": "/srv/a"}, {"success": False, "filePath": "/srv/a"}),
        {
            **after("Bash", {"command": "make"}, None),
            "hook_event_name": "PostToolUseFailure",
            "error": "Exit code 2\nno",
        },
    ],
)
def test_a_failed_call_is_marked_so(tmp_path: Path, event: dict[str, Any]) -> None:
    with observed(event, tmp_path / "m.db") as memory:
        result = memory.store.log.messages("default", session="s2")[-1].message.tool_result
    assert result is not None
    assert result.failed


def test_a_call_in_the_background_has_not_succeeded_yet(tmp_path: Path) -> None:
    event = after("Bash", {"command": "make test", "run_in_background": True}, {"stdout": "", "backgroundTaskId": "b1"})
    with observed(event, tmp_path / "m.db") as memory:
        result = memory.store.log.messages("default", session="s2")[-1].message.tool_result
    assert result is not None
    assert result.is_error is None


def test_a_written_file_is_known_without_its_content(tmp_path: Path) -> None:
    written = {"file_path": "/srv/shop/plan.md", "content": "# Plan"}
    response = {"type": "create", "filePath": "/srv/shop/plan.md", "originalFile": "x" * 5_000}
    with observed(after("Write", written, response), tmp_path / "m.db") as memory:
        text = memory.store.log.messages("default", session="s2")[-1].message.text
        assert [fact.content for fact in memory.facts(category=Category.ARTIFACT)] == ["/srv/shop/plan.md"]
    assert "/srv/shop/plan.md" in text
    assert "xxx" not in text


@pytest.mark.parametrize(
    "response", [None, 7, [], {}, [{"type": "text", "text": "done"}], [None, 3, "x"], {"stdout": 4}]
)
def test_whatever_the_response_is_made_of(tmp_path: Path, response: object) -> None:
    with observed(after("Bash", {"command": "make"}, response), tmp_path / "m.db") as memory:
        assert len(memory.store.log.messages("default", session="s2")) == 2


# --- the process: silent, and 0, whatever happens


def test_the_process_answers_without_the_heavy_libraries(known: Path, desktop: Path) -> None:
    heavy = {"pydantic", "sqlmodel", "sqlalchemy", "typer", "rich", "numpy", "rapidfuzz", "dateutil"}
    for command, rewritten in (("ls ~/Desktop", True), ("make test", False)):
        process = start("--db", known, code=UNHURRIED)
        out, err = process.communicate(json.dumps(before(command)).encode())
        assert process.returncode == 0
        assert (str(desktop) in out.decode()) is rewritten
        loaded = set(err.decode().split())
        assert heavy & loaded == set()
        assert ("sqlite3" in loaded) is rewritten


def test_a_host_that_never_ends_its_sentence_is_not_kept_waiting(known: Path) -> None:
    process = start("--db", known, code=UNAIDED)
    assert process.wait(timeout=HUNG) == 0
    assert process.stdout is not None
    assert process.stdout.read() == b""
    process.communicate()


def test_a_host_that_goes_away_gets_no_error(known: Path) -> None:
    process = start("--db", known, code=UNHURRIED)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(json.dumps(before()).encode())
    process.stdin.close()
    assert process.wait(timeout=HUNG) == 0


def test_even_a_call_that_stops_all_threads_is_ended() -> None:
    code = "from cfpm_adapters.hosts.watchdog import Watchdog\nimport re\nWatchdog(0.1)\nre.match('(a+)+b', 'a' * 60)"
    process = start(code=code)
    out, _ = process.communicate(timeout=HUNG)
    assert process.returncode in {0, 1}
    assert out == b""


def test_once_stopped_the_watchdog_is_gone() -> None:
    running = set(threading.enumerate())
    watchdog = Watchdog(3_600.0)
    watchdog.stop()
    watchdog.stop()
    assert set(threading.enumerate()) <= running


BAD = [b"", b"{", b"[]", b"7", b"null", b"\xff\xfe", b'{"hook_event_name": "PreToolUse"', b"[" * 100_000]


@pytest.mark.parametrize("raw", BAD)
def test_bad_input_is_silence(run: Run, known: Path, raw: bytes) -> None:
    result = sent(run, raw, "--db", known)
    assert result == (0, "", "")


def test_bad_input_is_named_in_debug(run: Run, known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFPM_TOOL_GATE_VISIBILITY", "debug")
    code, out, err = sent(run, b"{", "--db", known)
    assert (code, out) == (0, "")
    assert "JSONDecodeError" in err


def sent(run: Run, raw: bytes, *argv: str | Path) -> tuple[int, str, str]:
    """What the command makes of its input: exit code and both streams."""
    result = run("hook", "claude-code", *argv, stdin=raw)
    return result.code, result.out, result.err


def broken_memories(tmp_path: Path, known: Path) -> dict[str, Path]:
    text, newer = tmp_path / "letter.txt", tmp_path / "newer.db"
    text.write_text("Dear reader, " * 200, encoding="utf-8")
    newer.write_bytes(known.read_bytes())
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 1000")
    return {"no database": text, "newer": newer, "folder": tmp_path}


@pytest.mark.parametrize("kind", ["no database", "newer", "folder"])
def test_a_broken_memory_is_silence(run: Run, tmp_path: Path, known: Path, kind: str) -> None:
    raw = json.dumps(before()).encode()
    db = broken_memories(tmp_path, known)[kind]
    assert sent(run, raw, "--db", db) == (0, "", "")


def test_a_locked_memory_is_silence(run: Run, known: Path) -> None:
    raw = json.dumps(before()).encode()
    other = sqlite3.connect(known, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    assert sent(run, raw, "--db", known) == (0, "", "")
    other.execute("ROLLBACK")
    other.close()


def test_another_writer_is_no_hindrance(known: Path, desktop: Path) -> None:
    other = sqlite3.connect(known, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found = answer(json.dumps(before()).encode(), CLAUDE, "", Options(str(known)))
    assert str(desktop) in found.text
    other.execute("ROLLBACK")
    other.close()


def test_the_decision_is_kept_after_the_answer(known: Path) -> None:
    reading, writing = os.pipe()
    process = start("--db", known, code=UNHURRIED, pass_fds=(writing,))
    os.close(writing)
    process.communicate(json.dumps(before()).encode())
    # Another process keeps it; when that ends, the last end of the pipe is closed.
    assert os.read(reading, 1) == b""
    os.close(reading)
    with Memory.open(f"sqlite:///{known}") as memory:
        assert len(memory.store.activity.gate_events("default", session="s2")) == 1


def test_an_unreadable_session_file_is_silence(run: Run, known: Path, tmp_path: Path) -> None:
    for transcript in (tmp_path / "nowhere.jsonl", tmp_path):
        raw = json.dumps(before(transcript_path=str(transcript))).encode()
        assert sent(run, raw, "--db", known) == (0, "", "")


@pytest.mark.parametrize("argv", [["--nonsense"], ["--db"], ["--permission", "deny"], ["x"], ["--namespace="]])
def test_wrong_options_do_not_stop_the_host(run: Run, argv: list[str]) -> None:
    assert sent(run, json.dumps(before()).encode(), *argv) == (0, "", "")


def test_an_event_that_is_too_large_is_not_looked_at() -> None:
    with pytest.raises(ValueError, match="more than"):
        answer(b" " * (LARGEST_INPUT + 1), CLAUDE, "", Options())


def test_a_value_that_json_does_not_have_is_not_passed_on(known: Path) -> None:
    event = before()
    event["tool_input"]["timeout"] = float("nan")
    with pytest.raises(ValueError, match="JSON"):
        told(event, known)


def test_a_megabyte_of_command_is_answered(known: Path, desktop: Path) -> None:
    assert told(before("echo " + "x" * 1_000_000), known) is None


def test_words_of_the_command_line() -> None:
    assert read_words(["claude-code"]) == (CLAUDE, "", Options(None, "default", "ask"))
    given = ["--db=a b.db", "claude-code", "--namespace", "project:shop", "Stop", "--permission", "allow"]
    assert read_words(given) == (CLAUDE, "Stop", Options("a b.db", "project:shop", "allow"))


def test_help_is_there_for_people(run: Run) -> None:
    assert "agent host" in run("hook", "claude-code", "--help").out
