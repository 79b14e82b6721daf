"""The objects of a provider's library at every door that takes messages: observe, compact, view, rehydrate, driver,
provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cfpm_adapters import LocalProvider

from cfpm import Memory
from cfpm.context.strategies.types import Limits, Outcome
from cfpm.context.views import extended

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Call:
    id: str
    function: dict[str, str]
    type: str = "function"


@dataclass
class Answer:
    """Like OpenAI's ChatCompletionMessage."""

    content: str | None = None
    tool_calls: list[Call] | None = None
    role: str = "assistant"
    refusal: str | None = None


def loop(steps: int = 12) -> list[Any]:
    """A host's list as `messages.append(response.choices[0].message)` leaves it."""
    messages: list[Any] = [{"role": "user", "content": "Never touch src/vendored.py. The API port is 8081."}]
    for number in range(steps):
        arguments = f'{{"command": "cat src/part_{number}.py"}}'
        messages += [
            Answer(tool_calls=[Call(f"c{number}", {"name": "bash", "arguments": arguments})]),
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"value = {number}\n" * 40},
        ]
    return [*messages, Answer("All parts are read.")]


def test_observe_saves_them_once() -> None:
    with Memory.open(":memory:") as memory:
        assert memory.observe(loop()).messages == len(loop())
        assert memory.observe(loop()).messages == 0
        logged = memory.store.log.messages("default", session="default")
        calls = [call for one in logged for call in one.message.tool_calls]
        assert [call.id for call in calls] == [f"c{number}" for number in range(12)]
        assert calls[0].arguments == {"command": "cat src/part_0.py"}


def test_a_compaction_hands_back_dicts_and_learns_what_leaves() -> None:
    messages = loop()
    with Memory.open(":memory:") as memory:
        memory.observe(messages)
        done = memory.compact(messages, Limits(400, manual=True))
        assert done.outcome is Outcome.COMPACTED
        assert all(isinstance(message, dict) for message in (*done.messages, *done.log))
        # Observed before as objects, now as dicts: the same messages, with what the compaction wrote and its record.
        assert len(memory.store.log.messages("default", session="default")) == len(done.log) + 1
        assert {fact.content for fact in memory.facts()} >= {"The API port is 8081."}
        assert extended(done.log, [*done.messages, Answer("Go on.")])[-1] == {"role": "assistant", "content": "Go on."}


def test_views_rehydration_and_the_driver_read_them() -> None:
    messages = loop(2)
    with Memory.open(":memory:") as memory:
        view = memory.view(messages)
        assert view.messages[-1] == {"role": "assistant", "content": "All parts are read."}
        memory.observe(messages)
        assert any("vendored" in item.text for item in memory.rehydrate(messages))
        driven = memory.driver().before_reply(messages, "Go on.")
        assert driven.view == view.messages


def test_a_provider_saves_them(tmp_path: Path) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'memory.db'}")
    provider.save("coder", loop(1))
    assert (provider.failures, provider.last_failure) == (0, "")
    assert "8081" in (provider.load("coder", "which port?") or "")
    provider.close()
