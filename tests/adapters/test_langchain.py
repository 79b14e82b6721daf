"""The LangChain middleware against the library itself, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cfpm import Memory
from tests.adapters.shells import know_desktop

pytest.importorskip("langchain", reason="needs langchain: pip install 'cfpm[langchain]'")

from cfpm_adapters.langchain import CFPMMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

pytestmark = pytest.mark.slow


class Model(GenericFakeChatModel):
    """Keeps what it was sent."""

    sent: list[list[BaseMessage]]

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """A scripted model needs no tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        self.sent.append(messages)
        return super()._generate(messages, *args, **options)


def scripted(*answers: AIMessage) -> Model:
    said: Iterator[AIMessage] = iter(answers)
    return Model(messages=said, sent=[])


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


def run_shell(command: str) -> str:
    """Runs a command."""
    return f"done: {command}"


SHELL = {"name": "run_shell", "args": {"command": "ls ~/Desktop"}, "id": "c1"}


@pytest.mark.parametrize("waits", [False, True])
def test_a_probe_is_rewritten_and_the_state_keeps_what_the_model_said(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    model = scripted(AIMessage("", tool_calls=[SHELL]), AIMessage("Noted."))
    agent = create_agent(model, [run_shell], middleware=[CFPMMiddleware(url, shells={"run_shell": "bash"})])
    asked: Any = {"messages": [HumanMessage("We use port 8081 for staging.")]}
    done = asyncio.run(agent.ainvoke(asked)) if waits else agent.invoke(asked)
    assert done["messages"][2].text == f"done: ls {desktop}"
    assert done["messages"][1].tool_calls[0]["args"] == SHELL["args"]
    with Memory.open(url, read_only=True) as memory:
        assert any("8081" in fact.content for fact in memory.facts())


def test_a_compaction_is_for_the_model_alone(url: str) -> None:
    model = scripted(AIMessage("The first one."))
    history: list[BaseMessage] = []
    for number in range(40):
        history += [
            HumanMessage(f"Read module {number}. " + "More words about it. " * 20),
            AIMessage(f"Module {number} is a parser. " + "More words about it. " * 20),
        ]
    agent = create_agent(model, [], middleware=[CFPMMiddleware(url, window=2_000)])
    asked: Any = {"messages": [*history, HumanMessage("Which module was first?")]}
    done = agent.invoke(asked)
    assert len(done["messages"]) == len(history) + 2
    (sent,) = model.sent
    assert len(sent) < 30
    assert any("CFPM_CHECKPOINT_V1" in message.text for message in sent)
    assert sent[-1].text == "Which module was first?"


def test_a_broken_memory_does_not_stop_the_agent(tmp_path: Path) -> None:
    broken = tmp_path / "memory.db"
    broken.write_bytes(b"no database at all" * 100)
    middleware = CFPMMiddleware(f"sqlite:///{broken}", window=2_000, shells={"run_shell": "bash"})
    agent = create_agent(scripted(AIMessage("Hello.")), [run_shell], middleware=[middleware])
    asked: Any = {"messages": [HumanMessage("Hello there.")]}
    assert agent.invoke(asked)["messages"][-1].text == "Hello."
    assert middleware.companion.failures
