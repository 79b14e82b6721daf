"""Trims, the driver, artifacts and rehydration by the front door alone: one memory reaches all of them."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from cfpm import Category, Memory, Settings, UsageError
from cfpm.context.artifacts import offload_results
from cfpm.context.states import Proceed, Reason
from cfpm.context.trims import cap_results, is_placeholder
from cfpm.model.state import Held

if TYPE_CHECKING:
    from pathlib import Path


def step(number: int, output: str = "flour\n" * 60) -> list[dict[str, Any]]:
    function = {"name": "bash", "arguments": json.dumps({"command": f"cat recipes/{number}.md"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


def baking(steps: int = 20) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Read all recipes."}, *(part for n in range(steps) for part in step(n))]


def test_the_driver_compacts_with_the_memory_behind_it() -> None:
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=2_000)
        driven = driver.before_reply(baking(), "And the next one?")
        assert driven.action == Proceed()
        assert [one.reason for one in driven.boundaries] == [Reason.THRESHOLD]
        assert len(driven.view) < len(baking()) < len(driven.log)
        # With what the compaction wrote, and the record of it.
        assert len(memory.store.log.messages("default", session="s")) == len(driven.log) + 1


def test_the_driver_takes_the_strategy_and_refuses_an_unknown_one() -> None:
    with Memory.open(":memory:", settings=Settings(compaction_strategy="intent")) as memory:
        assert memory.driver(limit=2_000).before_reply(baking(), "Next?").boundaries[0].strategy == "intent"
        assert memory.driver(strategy="window").rules.strategy == "window"
        with pytest.raises(UsageError, match="no strategy"):
            memory.driver(strategy="oven")


def test_a_view_is_without_what_was_compacted_and_trimmed() -> None:
    hidden = {"role": "user", "content": "Is it warm?", "agent_visible": False}
    log = [hidden, *baking(1), *step(2, "x" * 90_000)]
    with Memory.open(":memory:") as memory:
        assert list(memory.view(log).messages) == log[1:]
        view = memory.view(log, [partial(cap_results, cap=500)])
    assert view.rewritten == 1
    assert is_placeholder(str(view.messages[-1]["content"]))


def test_a_long_result_is_kept_in_a_file_and_read_again(tmp_path: Path) -> None:
    with Memory.open(":memory:") as memory:
        artifacts = memory.artifacts(tmp_path / "results")
        trim = offload_results(step(1, "rye\n" * 20_000), artifacts)
        name = str(trim.messages[-1]["content"]).partition("Artifact: ")[2][:32]
        found = memory.artifacts(tmp_path / "results").resolve(name)
    assert found is not None
    assert found.lines(1, 2) == "rye\nrye"


def test_what_goes_in_front_of_the_model_again_comes_from_the_log_and_the_facts() -> None:
    plan = {"name": "TodoWrite", "arguments": json.dumps({"todos": [{"content": "Bake", "status": "pending"}]})}
    call = {"id": "t", "type": "function", "function": plan}
    log: list[dict[str, Any]] = [
        {"role": "user", "content": "Never open the oven before the bell rings."},
        {"role": "assistant", "content": None, "tool_calls": [call], "agent_visible": False},
        {"role": "tool", "tool_call_id": "t", "content": "ok", "agent_visible": False},
    ]
    with Memory.open(":memory:") as memory:
        memory.observe(log[:1], session="s")
        rules = [fact.content for fact in memory.facts(category=Category.INSTRUCTION)]
        items = memory.rehydrate(log, session="s")
    assert [item.text for item in items if item.kind is Held.TODO] == ["[ ] Bake"]
    assert rules
    assert [item.text for item in items if item.kind is Held.INSTRUCTION] == rules
