"""The capability for Pydantic AI against the library itself, with its function model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from cfpm_adapters import Companion

from cfpm import Memory
from tests.adapters.shells import know_desktop

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai-slim: pip install 'cfpm[pydantic-ai]'")

from cfpm_adapters.pydantic_ai import CFPMMemory, GatedToolset
from pydantic_ai import (
    Agent,
    FunctionToolset,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

pytestmark = pytest.mark.slow


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


def calls_the_shell(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("run_shell", {"command": "ls ~/Desktop"}, "c1")])
    return ModelResponse(parts=[TextPart("Noted.")])


@pytest.mark.parametrize("by", ["capability", "toolset"])
def test_a_probe_is_rewritten(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    companion = Companion(url, shells={"run_shell": "bash"})
    ran: list[str] = []
    tools: FunctionToolset[None] = FunctionToolset()

    @tools.tool_plain
    def run_shell(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return "done"

    if by == "capability":
        agent = Agent(FunctionModel(calls_the_shell), toolsets=[tools], capabilities=[CFPMMemory(companion)])
    else:
        agent = Agent(FunctionModel(calls_the_shell), toolsets=[GatedToolset(tools, companion)])
    asyncio.run(agent.run("We use port 8081 for staging.", conversation_id="s1"))
    companion.close()
    assert ran == [f"ls {desktop}"]
    if by == "capability":
        with Memory.open(url, read_only=True) as memory:
            assert any("8081" in fact.content for fact in memory.facts())


def test_a_compaction_is_for_the_model_alone(url: str) -> None:
    sent: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(messages)
        return ModelResponse(parts=[TextPart("The first one.")])

    history: list[ModelMessage] = []
    for number in range(40):
        history += [
            ModelRequest(parts=[UserPromptPart(f"Read module {number}. " + "More words about it. " * 20)]),
            ModelResponse(parts=[TextPart(f"Module {number} is a parser. " + "More words about it. " * 20)]),
        ]
    agent = Agent(FunctionModel(model), capabilities=[CFPMMemory(url, window=2_000)])
    done = asyncio.run(agent.run("Which was first?", message_history=history))
    assert len(done.all_messages()) == len(history) + 2
    assert len(sent[0]) < 30
    assert "CFPM_CHECKPOINT_V1" in str(sent[0])
