"""`cfpm hook HOST EVENT` as hosts start it: what the prompt is told at each moment of a session, and what is learnt."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.hosts.event import HOSTS, Event, Host
from cfpm_adapters.hosts.failures import LARGEST, LATE, checks, failures, log_file, record
from cfpm_adapters.hosts.learners import Learner, settle
from cfpm_adapters.hosts.moments import learn, told

from cfpm import Memory, utc_now
from cfpm.cli import main
from cfpm.model.markers import BLOCK_OPEN
from tests.processes import HUNG

ROOT = Path(__file__).parents[2]

EVENTS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "claude-code": {
        "start": ("SessionStart", {"source": "startup"}),
        "prompt": ("UserPromptSubmit", {"prompt": "$", "prompt_id": "p$"}),
        "call": (
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_use_id": "t1",
                "tool_input": {"command": "make lint"},
                "tool_response": {"stdout": "ok", "stderr": ""},
            },
        ),
        "answer": ("Stop", {"last_assistant_message": "$", "prompt_id": "p$", "stop_hook_active": False}),
    },
    "codex": {
        "start": ("SessionStart", {"source": "startup", "model": "m"}),
        "prompt": ("UserPromptSubmit", {"prompt": "$", "turn_id": "p$"}),
        "call": (
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_use_id": "t1",
                "tool_input": {"command": "make lint"},
                "tool_response": "ok\n",
            },
        ),
        "answer": ("Stop", {"last_assistant_message": "$", "turn_id": "p$"}),
    },
    "gemini": {
        "start": ("SessionStart", {"source": "startup"}),
        "prompt": ("BeforeAgent", {"prompt": "$"}),
        "call": (
            "AfterTool",
            {
                "tool_name": "run_shell_command",
                "tool_input": {"command": "make lint"},
                "tool_response": {
                    "llmContent": "<untrusted_context>\nOutput: ok\nProcess Group PGID: 7\n</untrusted_context>",
                    "returnDisplay": "ok",
                },
            },
        ),
        "answer": ("AfterAgent", {"prompt": "x", "prompt_response": "$"}),
    },
    "opencode": {
        "prompt": ("chat.message", {"prompt": "$", "turn_id": "p$"}),
        "call": (
            "tool.execute.after",
            {
                "tool_name": "bash",
                "call_id": "t1",
                "tool_input": {"command": "make lint"},
                "output": {"output": "ok", "exit_code": 0},
            },
        ),
        "answer": ("text.complete", {"answer": "$", "turn_id": "m$"}),
    },
    "cursor": {
        "start": ("sessionStart", {"composer_mode": "agent"}),
        "prompt": ("beforeSubmitPrompt", {"prompt": "$", "generation_id": "p$"}),
        "call": (
            "postToolUse",
            {
                "tool_name": "Shell",
                "tool_use_id": "t1",
                "tool_input": {"command": "make lint"},
                "tool_output": '{"output": "ok", "exitCode": 0}',
            },
        ),
        "answer": ("afterAgentResponse", {"text": "$", "generation_id": "p$"}),
    },
    "hermes": {
        "start": ("start", {"source": "startup"}),
        "prompt": ("prompt", {"prompt": "$"}),
        "call": (
            "call",
            {"tool_name": "terminal", "call_id": "t1", "tool_input": {"command": "make lint"}, "output": "ok"},
        ),
        "answer": ("answer", {"answer": "$"}),
    },
}
"""By hosts and by what an event is to us: its name and its fields; `$` stands for the words."""

RULE = "We use port 8080 for staging. Always run make lint before you commit."


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("CFPM_")]:
        monkeypatch.delenv(name)
    # A busy machine must not end the process of the tests.
    monkeypatch.setenv("CFPM_GATE_DEADLINE", "3600")
    monkeypatch.setenv("CFPM_HOOK_DEADLINE", "3600")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def event_of(host: str, kind: str, words: str = "", session: str = "s1", **more: Any) -> tuple[str, dict[str, Any]]:
    """The host's name of an event, and what it sends."""
    name, fields = EVENTS[host][kind]
    text = json.dumps({**fields, **more}).replace("$", json.dumps(words)[1:-1])
    ids = {"conversation_id": session, "workspace_roots": [str(Path.cwd())]}
    ids = ids if host == "cursor" else {"session_id": session, "cwd": str(Path.cwd())}
    return name, {"hook_event_name": name, **ids, **json.loads(text)}


def hook(host: str, name: str, event: object, db: Path) -> str:
    """The answer of the program, with time enough for a busy machine."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "adapters")))
    done = subprocess.run(
        [sys.executable, "-m", "cfpm", "hook", host, name, "--db", str(db)],
        input=json.dumps(event).encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "CFPM_HOOK_DEADLINE": "300", "CFPM_GATE_DEADLINE": "300"},
        timeout=HUNG,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert settle(f"sqlite:///{db}", HUNG)
    return done.stdout.decode()


def context_of(answer: str) -> str:
    """What the prompt is told."""
    if not answer:
        return ""
    found = json.loads(answer)
    found = found.get("hookSpecificOutput", found)
    return str(found.get("additionalContext") or found.get("context") or found.get("additional_context") or "")


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_what_one_session_learns_the_next_is_told(host: str, tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    first = [kind for kind in ("start", "prompt", "call", "answer") if kind in EVENTS[host]]
    told_first = [
        context_of(hook(host, *event_of(host, kind, RULE if kind == "prompt" else "Done."), db)) for kind in first
    ]
    assert "".join(told_first) == ""
    with Memory.open(db) as memory:
        rows = [row.message for row in memory.store.log.messages("default", session="s1")]
    assert [(row.role.value, row.text.strip()) for row in rows] == [
        ("user", RULE),
        ("assistant", ""),
        ("tool", "ok"),
        ("assistant", "Done."),
    ]
    assert rows[1].tool_calls[0].command == "make lint"
    assert rows[2].tool_result is not None
    assert rows[2].tool_result.is_error is False
    kind = "start" if "start" in EVENTS[host] else "prompt"
    brief = context_of(hook(host, *event_of(host, kind, "And now?", session="s2"), db))
    assert brief.startswith(BLOCK_OPEN)
    assert "make lint" in brief
    assert "port 8080" in brief
    assert not log_file(str(db)).exists()


# --- what a running memory tells and learns


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory.open(tmp_path / "m.db", clock=utc_now)


def happens(
    memory: Memory, kind: str, words: str = "", session: str = "s1", host: str = "claude-code", **more: Any
) -> str:
    """What is told of an event, which is then learnt from."""
    name, raw = event_of(host, kind, words, session) if kind in EVENTS[host] else (kind, {})
    raw = {"session_id": session, "cwd": str(Path.cwd()), **raw, **more}
    event = Event.of(Host.named(host), raw, name)
    said = told(memory, event)
    learn(memory, event)
    return said


@pytest.mark.slow
def test_a_prompt_is_not_told_what_the_brief_or_the_session_said(memory: Memory) -> None:
    happens(memory, "prompt", RULE, session="old")
    brief = happens(memory, "start")
    assert "port 8080" in brief
    assert happens(memory, "prompt", "Which port do we use for staging?") == ""
    happens(memory, "prompt", "The production server is called falcon.")
    assert "falcon" not in happens(memory, "prompt", "What is the production server called?")
    # Another session knows what this one said.
    happens(memory, "start", session="s2")
    assert "falcon" not in happens(memory, "prompt", "What is the production server called?", session="s2")


def test_what_the_brief_answers_is_not_said_to_be_unknown_and_drags_nothing_in(memory: Memory) -> None:
    happens(memory, "prompt", "The staging API listens on port 8080.", session="old")
    happens(memory, "answer", "I noted port 8080, and the linter passed.", session="old")
    happens(memory, "call", session="old")
    happens(memory, "prompt", "Correction: the staging API listens on port 9090 now.", session="newer")
    assert "port 9090" in happens(memory, "start")
    assert happens(memory, "prompt", "Which port does the staging API listen on?") == ""


def test_the_rest_of_a_message_whose_fact_the_brief_tells_comes_with_a_prompt_on_it(memory: Memory) -> None:
    cause = "The payment webhook fails with signature errors when the body was parsed before."
    happens(memory, "prompt", f"{cause} Fix was to use express.raw on that route.", session="old")
    assert "payment webhook" in happens(memory, "start")
    said = happens(memory, "prompt", "The payment webhook signature check fails again")
    assert "express.raw" in said
    assert said.count("parsed before") == 0


def test_a_deed_is_told_without_the_words_in_which_its_tool_ended(memory: Memory) -> None:
    failed: dict[str, Any] = {"tool_name": "Bash", "tool_use_id": "t7", "tool_input": {"command": "pytest -q"}}
    told_error = "Exit code 1\nE   ModuleNotFoundError: No module named 'psycopg2'"
    happens(memory, "PostToolUseFailure", session="old", error=told_error, **failed)
    done = {**failed, "tool_use_id": "t8", "tool_response": {"stdout": "12 passed in 1.2s", "stderr": ""}}
    happens(memory, "call", session="old", **done)
    said = happens(memory, "prompt", "How do I run the tests with pytest?")
    assert "`pytest -q` failed" in said
    assert "[turn] tool" not in said


def test_what_is_learnt_elsewhere_after_the_brief_is_told_with_the_prompt(memory: Memory) -> None:
    happens(memory, "prompt", RULE, session="old")
    happens(memory, "start")
    happens(memory, "prompt", "The production server is called falcon.", session="other")
    said = happens(memory, "prompt", "What is the production server called?")
    assert "falcon" in said
    assert "make lint" not in said
    assert "falcon" not in happens(memory, "prompt", "And what is the name of the production server?")


def test_a_session_that_goes_on_is_told_only_what_is_new(memory: Memory) -> None:
    happens(memory, "prompt", RULE, session="old")
    assert "make lint" in happens(memory, "start")
    happens(memory, "prompt", "Never push to main.", session="other")
    again = happens(memory, "start", source="resume")
    assert "Never push" in again
    assert "make lint" not in again
    assert "make lint" in happens(memory, "start", source="clear")


def test_after_a_compaction_the_brief_and_the_state_come_again(memory: Memory) -> None:
    happens(memory, "prompt", "Never push to main.", session="old")
    happens(memory, "start")
    happens(memory, "prompt", "We use port 8080 for staging.")
    plan = {"todos": [{"content": "write the migration", "status": "in_progress", "activeForm": "x"}]}
    happens(memory, "call", tool_name="TodoWrite", tool_input=plan, tool_response="ok", tool_use_id="t9")
    happens(memory, "PreCompact", trigger="auto")
    said = happens(memory, "start", source="compact")
    assert "Never push" in said
    assert "port 8080" in said
    assert "write the migration" in said
    assert happens(memory, "prompt", "Which port do we use for staging?") == ""


def test_a_host_that_starts_nothing_after_a_compaction_is_told_with_the_next_prompt(memory: Memory) -> None:
    happens(memory, "prompt", RULE, session="old")
    assert "make lint" in happens(memory, "prompt", "Hello there.", host="opencode")
    assert happens(memory, "prompt", "Go on.", host="opencode") == ""
    happens(memory, "session.compacting", host="opencode")
    assert "make lint" in happens(memory, "prompt", "Go on again.", host="opencode")
    assert happens(memory, "prompt", "And again.", host="opencode") == ""


def test_an_agent_of_the_agent_has_its_own_brief_and_name(memory: Memory) -> None:
    happens(memory, "prompt", RULE, session="old")
    happens(memory, "start")
    sub: dict[str, Any] = {"agent_id": "a7", "agent_type": "Explore"}
    assert "make lint" in happens(memory, "SubagentStart", **sub)
    event = Event.of(Host.named("claude-code"), {**sub, "session_id": "s1"}, "SubagentStop")
    assert event.agent == "claude-code/Explore"
    happens(memory, "SubagentStop", last_assistant_message="The tests are in tests/.", **sub)
    (row,) = memory.store.log.messages("default", session="s1")
    assert row.message.text == "The tests are in tests/."


def test_a_call_that_the_user_refused_did_not_happen(memory: Memory) -> None:
    happens(memory, "prompt", "Clean up.")
    refused: dict[str, Any] = {"tool_name": "Bash", "tool_use_id": "t2", "tool_input": {"command": "rm -rf build"}}
    happens(memory, "PermissionDenied", reason="Denied by the user", **refused)
    result = memory.store.log.messages("default", session="s1")[-1].message
    assert result.text == "Denied by the user"
    assert result.tool_result is not None
    assert result.tool_result.failed


def test_our_own_tools_and_our_own_blocks_are_not_learnt(memory: Memory) -> None:
    happens(memory, "call", tool_name="mcp__cfpm__recall", tool_response="port 8080")
    assert memory.store.log.sessions("default") == []
    happens(memory, "prompt", RULE, session="old")
    brief = happens(memory, "start")
    happens(memory, "prompt", f"{brief}\nThanks.")
    assert {fact.session for fact in memory.facts()} == {"old"}


def test_the_same_event_twice_is_learnt_once(memory: Memory) -> None:
    for _ in range(2):
        happens(memory, "prompt", RULE, prompt_id="p1")
        happens(memory, "answer", "Done.", prompt_id="p1")
    assert len(memory.store.log.messages("default", session="s1")) == 2


def test_what_a_host_puts_before_the_prompt_is_not_the_users_word(memory: Memory) -> None:
    before = "<hook_context>&lt;&lt;&lt;CFPM_MEMORY_V1 data\n- We use port 1. &gt;&gt;&gt;</hook_context>\n\n"
    happens(memory, "prompt", f"{before}{RULE}", host="gemini")
    (row,) = memory.store.log.messages("default", session="s1")
    assert row.message.text == RULE


def test_a_budget_of_nothing_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRIEF", "RECALL", "STATE"):
        monkeypatch.setenv(f"CFPM_HOOK_{name}_TOKENS", "0")
    with Memory.open(tmp_path / "m.db", clock=utc_now) as memory:
        happens(memory, "prompt", RULE, session="old")
        assert happens(memory, "start", source="compact") == ""
        assert happens(memory, "prompt", "Which port do we use for staging?") == ""


@pytest.mark.slow
def test_a_block_stays_within_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFPM_HOOK_BRIEF_TOKENS", "120")
    with Memory.open(tmp_path / "m.db", clock=utc_now) as memory:
        for number in range(60):
            happens(
                memory, "prompt", f"Always check the rule number {number} of the book before you commit.", session="old"
            )
        brief = happens(memory, "start")
        assert brief
        assert len(brief) < 120 * 5


# --- what goes wrong


def sent(raw: bytes, monkeypatch: pytest.MonkeyPatch, *words: str) -> int | str | None:
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    monkeypatch.setattr("cfpm_adapters.hosts.hook.in_background", lambda work: work())
    with pytest.raises(SystemExit) as ended:
        main(["hook", *words])
    return ended.value.code


def test_a_failure_is_silence_and_is_kept_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "m.db"
    db.write_text("no database, but long enough to be looked at " * 40, encoding="utf-8")
    name, event = event_of("claude-code", "prompt", RULE)
    assert sent(json.dumps(event).encode(), monkeypatch, "claude-code", name, "--db", str(db)) == 0
    assert capsys.readouterr() == ("", "")
    (kept,) = failures(log_file(str(db)))
    assert (kept["host"], kept["event"]) == ("claude-code", "UserPromptSubmit")
    assert "m.db" in kept["problem"]
    assert stat.S_IMODE(log_file(str(db)).stat().st_mode) == 0o600
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    record(str(db), "codex", "Stop", f"ValueError: token {secret}")
    assert secret not in log_file(str(db)).read_text(encoding="utf-8")


def test_the_doctor_tells_of_failures(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    file = log_file(str(db))
    assert checks(file, utc_now()) == []
    record(str(db), "gemini", "BeforeAgent", LATE)
    assert [check.ok for check in checks(file, utc_now())] == [True]
    record(str(db), "codex", "Stop", "StoreError: it is locked")
    record(str(db), "gemini", "BeforeAgent", LATE)
    (check,) = checks(file, utc_now())
    assert not check.ok
    assert "codex Stop: StoreError: it is locked" in check.detail
    from datetime import timedelta

    assert checks(file, utc_now() + timedelta(days=8))[0].ok


def test_the_file_of_failures_stays_small(tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    log_file(db).write_text('{"problem": "old"}\n' * 5_000, encoding="utf-8")
    record(db, "codex", "Stop", "new")
    assert log_file(db).stat().st_size < LARGEST
    assert failures(log_file(db))[-1]["problem"] == "new"


@pytest.mark.parametrize("words", [["emacs"], ["codex", "Stop", "more"], ["codex", "--nonsense"], ["--db", "x"]])
def test_wrong_words_do_not_stop_the_host(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent(b"{}", monkeypatch, *words) == 0


def test_an_event_that_nobody_knows_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "m.db"
    for name in ("Notification", "SessionEnd", ""):
        assert sent(b'{"hook_event_name": 7}', monkeypatch, "claude-code", *filter(None, [name]), "--db", str(db)) == 0
    assert not db.exists()


def test_a_locked_database_does_not_hold_a_host_up(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    with Memory.open(db, clock=utc_now) as memory:
        happens(memory, "prompt", RULE, session="old")
    other = sqlite3.connect(db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    path = os.pathsep.join((str(ROOT), str(ROOT / "adapters")))
    name, event = event_of("claude-code", "start")
    done = subprocess.run(
        [sys.executable, "-m", "cfpm", "hook", "claude-code", name, "--db", str(db)],
        input=json.dumps(event).encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "CFPM_HOOK_DEADLINE": "3"},
        timeout=HUNG,
        check=False,
    )
    other.execute("ROLLBACK")
    other.close()
    # What it reads it may tell; it just cannot wait to note that.
    assert done.returncode in {0, 1}
    assert done.stderr == b""


def test_learners_go_one_after_the_other(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'm.db'}"
    first, second = Learner(url), Learner(url)
    first.announce()
    second.announce()
    assert not settle(url, 0.0)
    first.leave()
    second.wait()
    assert not settle(url, 0.0)
    second.leave()
    assert settle(url, 0.0)
