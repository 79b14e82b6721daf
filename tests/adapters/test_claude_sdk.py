"""The hooks for the Claude Agent SDK: with the SDK's own program against a scripted model, and one event at a time."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cfpm import Memory, utc_now
from tests.adapters.shells import know_desktop
from tests.hosts.scripted import scripted_model
from tests.processes import HUNG

pytest.importorskip("claude_agent_sdk", reason="needs claude-agent-sdk: pip install 'cfpm[claude-agent-sdk]'")

from cfpm_adapters.claude_sdk import EVENTS, cfpm_hooks

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "claude_sdk_agent.py"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


def ask(memory: Memory, name: str, **fields: Any) -> dict[str, Any]:
    (matcher,) = cfpm_hooks(memory)[name]
    event: Any = {"hook_event_name": name, "session_id": "s1", "transcript_path": "", **fields}
    context: Any = {"signal": None}
    answered: Any = matcher.hooks[0](event, fields.get("tool_use_id"), context)
    return dict(asyncio.run(answered))


def test_the_real_program_knows_in_the_second_session_what_the_first_one_taught(url: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    with scripted_model() as model:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(EXAMPLE.parents[1]), str(EXAMPLE.parents[1] / "adapters")]),
            "HOME": str(tmp_path / "home"),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
        }
        command = [sys.executable, str(EXAMPLE), url]
        done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, timeout=HUNG, check=False)
        assert done.returncode == 0, done.stderr
        last = model.texts()[-1]
    assert "8081" in done.stdout
    told = last.partition("CFPM_MEMORY_V1")[2]
    assert "8081" in told
    with Memory.open(url, namespace="user:kim", read_only=True) as memory:
        sessions = {row[1] for row in memory.store.log.places("user:kim")}
        assert sessions
        assert any("8081" in fact.content for fact in memory.facts())


def test_every_event_that_the_sdk_has_is_answered(url: str) -> None:
    with Memory.open(url, clock=utc_now) as memory:
        ask(memory, "UserPromptSubmit", prompt="We use port 8081 for staging.", session_id="s0")
        told = ask(memory, "UserPromptSubmit", prompt="Which port does staging use?")
        assert "8081" in told["hookSpecificOutput"]["additionalContext"]
        call = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "t1"}
        assert ask(memory, "PreToolUse", **call) == {}
        assert ask(memory, "PostToolUse", **call, tool_response={"stdout": "12 passed", "stderr": ""}) == {}
        assert ask(memory, "Stop", last_assistant_message="It is 8081.") == {}
        assert ask(memory, "PreCompact", trigger="auto") == {}
        roles = [row.message.role.value for row in memory.store.log.messages("default", session="s1")]
    assert set(cfpm_hooks(memory)) == set(EVENTS)
    assert roles == ["user", "assistant", "tool", "assistant", "system"]


def test_a_probe_is_rewritten(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    with Memory.open(url, clock=utc_now) as memory:
        call = {"tool_name": "Bash", "tool_input": {"command": "ls ~/Desktop", "timeout": 5}, "tool_use_id": "t1"}
        told = ask(memory, "PreToolUse", **call)["hookSpecificOutput"]
    assert told["updatedInput"] == {"command": f"ls {desktop}", "timeout": 5}
    assert told["permissionDecision"] == "allow"


def test_a_memory_that_fails_does_not_stop_the_agent(url: str, caplog: pytest.LogCaptureFixture) -> None:
    memory = Memory.open(url, clock=utc_now)
    memory.close()
    assert ask(memory, "UserPromptSubmit", prompt="Which port?") == {}
    assert json.dumps("UserPromptSubmit")[1:-1] in caplog.text
