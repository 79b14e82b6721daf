"""The adapter for OpenAI Agents against the SDK itself, with its scripted model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters import Companion

from cfpm import Memory
from tests.adapters.shells import know_desktop

pytest.importorskip("agents", reason="needs openai-agents: pip install 'cfpm[openai-agents]'")

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from cfpm_adapters.openai_agents import CFPMSession, gated_tools, recalling

pytestmark = pytest.mark.slow

RAN: list[str] = []


@function_tool
def run_shell(command: str) -> str:
    """Runs a command."""
    RAN.append(command)
    return "done"


@pytest.fixture
def url(tmp_path: Path) -> str:
    RAN.clear()
    return f"sqlite:///{tmp_path / 'memory.db'}"


def test_a_probe_is_rewritten_and_the_session_keeps_what_the_model_said(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    memory = Companion(url, shells={"run_shell": "bash"})
    call = function_call("run_shell", {"command": "ls ~/Desktop"}, call_id="c1")
    model = ScriptedModel([[call], [assistant_message("Noted.")]])
    agent = Agent("helper", model=model, tools=gated_tools([run_shell], memory))
    session = CFPMSession(memory, "s1")

    async def run() -> list[Any]:
        config = RunConfig(call_model_input_filter=recalling(memory, "s1"), tracing_disabled=True)
        await Runner.run(agent, "We use port 8081 for staging.", session=session, run_config=config)
        return await session.get_items()

    kept = asyncio.run(run())
    memory.close()
    assert [f"ls {desktop}"] == RAN
    assert "~/Desktop" in str(kept)
    with Memory.open(url, read_only=True) as opened:
        assert any("8081" in fact.content for fact in opened.facts())
        assert len([fact for fact in opened.facts() if "8081" in fact.content]) == 1


def test_a_compaction_is_for_the_model_alone(url: str) -> None:
    memory = Companion(url, window=2_000)
    session = CFPMSession(memory, "s1")
    items: list[Any] = []
    for number in range(40):
        items += [
            {"role": "user", "content": f"Read module {number}. " + "More words about it. " * 20},
            {"role": "assistant", "content": f"Module {number} is a parser. " + "More words about it. " * 20},
        ]
    model = ScriptedModel([[assistant_message("The first one.")]])

    async def run() -> list[Any]:
        await session.inner.add_items(items)
        config = RunConfig(call_model_input_filter=recalling(memory, "s1"), tracing_disabled=True)
        await Runner.run(Agent("helper", model=model), "Which was first?", session=session, run_config=config)
        return await session.get_items()

    kept = asyncio.run(run())
    memory.close()
    assert len(kept) == len(items) + 2
    assert model.last_call is not None
    sent = model.last_call.input
    assert len(sent) < 30
    assert "CFPM_CHECKPOINT_V1" in str(sent)
