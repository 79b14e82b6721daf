"""The gate around a tool function: what runs, what is approved, and that a failing gate changes nothing."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import cfpm_adapters
import pytest
from cfpm_adapters import ToolGate, gated

from cfpm import AsyncMemory, Memory, UsageError
from cfpm.gate.decision import Decision
from cfpm.model.markers import GATE_PREFIX
from tests.reference.transcripts import user


@pytest.fixture
def url(known: Path) -> str:
    return f"sqlite:///{known}"


def shell(command: str, timeout: int = 5) -> str:
    """Runs nothing, and says what it would have run."""
    return f"{command} within {timeout}"


def test_the_tool_gets_the_known_path(url: str, desktop: Path) -> None:
    with Memory.open(url) as memory:
        tool = gated(memory, dialect="bash")(shell)
        assert tool("ls ~/Desktop") == f"ls {desktop} within 5"
        assert tool(command="ls -l ~/Desktop", timeout=9) == f"ls -l {desktop} within 9"
        assert tool("make test", 7) == "make test within 7"
        events = memory.store.gate_events("default")
    assert {event["tool"] for event in events} == {"shell"}
    assert [event["action"] for event in events] == ["pass", "rewrite", "rewrite"]


def test_it_looks_like_the_tool_itself(url: str) -> None:
    with Memory.open(url) as memory:
        tool = gated(memory, dialect="bash")(shell)
    assert (tool.__name__, tool.__doc__) == (shell.__name__, shell.__doc__)
    assert inspect.signature(tool) == inspect.signature(shell)


def test_methods_keyword_arguments_and_other_names(url: str, desktop: Path) -> None:
    with Memory.open(url) as memory:
        gate = gated(memory, dialect="bash", parameter="script")

        class Terminal:
            @gate
            def run(self, script: str) -> str:
                return script

            @gate
            def only_by_name(self, *, script: str) -> str:
                return script

            @gate
            def anything(self, **arguments: str) -> str:
                return arguments["script"]

        terminal = Terminal()
        assert terminal.run("ls ~/Desktop") == f"ls {desktop}"
        assert terminal.only_by_name(script="ls ~/Desktop") == f"ls {desktop}"
        assert terminal.anything(script="ls ~/Desktop") == f"ls {desktop}"


def test_what_is_no_command_is_none_of_its_business(url: str) -> None:
    def run(command: object = None) -> object:
        return command

    with Memory.open(url) as memory:
        tool = gated(memory, dialect="bash")(run)
        assert tool(["ls", "~/Desktop"]) == ["ls", "~/Desktop"]
        assert tool() is None
        with pytest.raises(TypeError, match="unexpected keyword"):
            tool(nonsense=1)  # type: ignore[call-arg]
        assert memory.store.gate_events("default") == []


def test_the_rewritten_command_is_what_is_approved(url: str, desktop: Path) -> None:
    asked: list[str] = []

    def approve(command: str) -> bool:
        asked.append(command)
        return "cat" not in command

    with Memory.open(url) as memory:
        tool = gated(memory, dialect="bash", approve=approve)(shell)
        assert tool("ls ~/Desktop") == f"ls {desktop} within 5"
        with pytest.raises(PermissionError, match="cat "):
            tool("cat ~/Desktop/plan.md")
    assert asked == [f"ls {desktop}", f"cat {desktop}/plan.md"]


def test_the_host_hears_of_the_decision(url: str, desktop: Path) -> None:
    decisions: list[Decision] = []
    messages: list[str] = []
    with Memory.open(url) as memory:
        gate = gated(memory, dialect="bash", tool="Shell", on_decision=decisions.append, notify=messages.append)
        tool = gate(shell)
        tool("ls ~/Desktop")
        tool("make test")
    assert [decision.command for decision in decisions] == [f"ls {desktop}", "make test"]
    (message,) = messages
    shown = json.loads(message.removeprefix(GATE_PREFIX))
    assert (shown["tool"], shown["path"]) == ("Shell", str(desktop))


def test_visibility(url: str) -> None:
    messages: list[str] = []
    with Memory.open(url) as memory:
        gated(memory, dialect="bash", notify=messages.append, visibility="off")(shell)("ls ~/Desktop")
        assert messages == []
        gated(memory, dialect="bash", notify=messages.append, visibility="debug")(shell)("make test")
        assert '"pass"' in messages[0]


def test_the_last_words_of_the_session_are_heard(url: str) -> None:
    with Memory.open(url) as memory:
        memory.observe([user("Please verify the path again.", at="2026-11-21T10:00:00Z")], session="s")
        tool = gated(memory, dialect="bash", session=lambda: "s")(shell)
        assert tool("ls ~/Desktop") == "ls ~/Desktop within 5"


def test_a_gate_that_fails_changes_nothing_and_is_counted(url: str) -> None:
    memory = Memory.open(url)
    gate = gated(memory, dialect="bash")
    tool = gate(shell)
    memory.close()
    assert tool("ls ~/Desktop") == "ls ~/Desktop within 5"
    assert gate.failures == 1
    assert "gate: " in gate.last_failure


def test_a_host_that_cannot_take_the_decision_gets_the_command_as_it_was(url: str) -> None:
    def refuse(_: Decision) -> None:
        raise OSError("the log is full")

    with Memory.open(url) as memory:
        gate = gated(memory, dialect="bash", on_decision=refuse)
        assert gate(shell)("ls ~/Desktop") == "ls ~/Desktop within 5"
    assert (gate.failures, gate.last_failure) == (1, "gate: OSError: the log is full")


def test_a_notice_that_is_lost_changes_nothing(url: str, desktop: Path) -> None:
    def refuse(_: str) -> None:
        raise OSError("nobody listens")

    with Memory.open(url) as memory:
        gate = gated(memory, dialect="bash", notify=refuse)
        assert gate(shell)("ls ~/Desktop") == f"ls {desktop} within 5"
    assert gate.failures == 1


def test_errors_of_the_tool_are_its_own(url: str) -> None:
    def run(command: str) -> None:
        raise ValueError(command)

    with Memory.open(url) as memory:
        gate = gated(memory, dialect="bash")
        with pytest.raises(ValueError, match="make test"):
            gate(run)("make test")
    assert gate.failures == 0


async def slow(command: str) -> str:
    await asyncio.sleep(0)
    return command


def in_async_memory(url: str, work: Callable[[AsyncMemory], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with await AsyncMemory.open(url) as memory:
            return await work(memory)

    return asyncio.run(run())


def test_async_tools_wait_without_stopping_the_others(url: str, desktop: Path) -> None:
    async def work(memory: AsyncMemory) -> list[str]:
        tool = gated(memory, dialect="bash")(slow)
        assert inspect.iscoroutinefunction(tool)
        return list(await asyncio.gather(*(tool(f"ls ~/Desktop/{n}") for n in range(5))))

    assert in_async_memory(url, work) == [f"ls {desktop}/{n}" for n in range(5)]


@pytest.mark.parametrize("later", [True, False])
def test_async_tools_are_approved_too(url: str, later: bool) -> None:
    asked: list[str] = []

    def refuse(command: str) -> bool:
        asked.append(command)
        return False

    async def refuse_later(command: str) -> bool:
        return refuse(command)

    async def work(memory: AsyncMemory) -> None:
        tool = gated(memory, dialect="bash", approve=refuse_later if later else refuse)(slow)
        with pytest.raises(PermissionError):
            await tool("make test")

    in_async_memory(url, work)
    assert asked == ["make test"]


def test_an_async_gate_that_fails_changes_nothing(url: str) -> None:
    async def work(memory: AsyncMemory) -> ToolGate:
        gate = gated(memory, dialect="bash", cwd=lambda: str(Path("/nowhere").resolve(strict=True)))
        assert await gate(slow)("ls ~/Desktop") == "ls ~/Desktop"
        return gate

    assert in_async_memory(url, work).failures == 1


def test_the_wrong_kind_of_memory_is_noticed_when_the_tool_is_made(url: str) -> None:
    async def yes(_: str) -> bool:
        return True

    async def work(memory: AsyncMemory) -> None:
        with pytest.raises(UsageError, match="async"):
            gated(memory, dialect="bash")(shell)

    in_async_memory(url, work)
    with Memory.open(url) as memory:
        with pytest.raises(UsageError, match="AsyncMemory"):
            gated(memory, dialect="bash")(slow)
        with pytest.raises(UsageError, match="async"):
            gated(memory, dialect="bash", approve=yes)(shell)
        with pytest.raises(UsageError, match="cmdline"):
            gated(memory, dialect="bash", parameter="cmdline")(shell)


def test_every_public_name_of_the_package_resolves() -> None:
    assert all(getattr(cfpm_adapters, name) is not None for name in cfpm_adapters.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cfpm_adapters.nonsense
