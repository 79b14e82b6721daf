"""A memory behind a compaction: what leaves the view is learnt first, and nothing is learnt from what was written."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.compaction.provider_rules import refused
from cfpm import AsyncMemory, InputError, Memory, Settings, UsageError
from cfpm.context.strategies.types import Limits, Outcome
from cfpm.model.markers import COMPACTION_PREFIX

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.context.strategies.types import Compaction


def step(number: int) -> list[dict[str, Any]]:
    function = {"name": "bash", "arguments": json.dumps({"command": f"cat src/part_{number}.py"})}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"value = {number}\n" * 40},
    ]


def history(start: int = 0, steps: int = 12) -> list[dict[str, Any]]:
    opening = {
        "role": "user",
        "content": f"Part {start}: never touch src/vendored_{start}.py. The API port is {8000 + start}.",
    }
    return [opening, *(message for n in range(start, start + steps) for message in step(n))]


def test_what_leaves_the_view_is_learnt_first() -> None:
    with Memory.open(":memory:") as memory:
        done = memory.compact(history(), Limits(400, manual=True), session="s")
        assert done.outcome is Outcome.COMPACTED
        assert {fact.content for fact in memory.facts()} >= {"The API port is 8000."}
        assert len(memory.store.log.messages("default", session="s")) == len(history()) + 2


def test_a_host_that_observes_anyway_says_so() -> None:
    with Memory.open(":memory:") as memory:
        memory.compact(history(), Limits(400, manual=True), session="s", observe=False)
        assert memory.facts() == []


def test_the_log_tells_of_it_once() -> None:
    with Memory.open(":memory:") as memory:
        for _ in range(2):
            done = memory.compact(history(), Limits(400, manual=True), session="s")
        logged = memory.store.log.messages("default", session="s")
        told = [one.message.text for one in logged if one.message.text.startswith(COMPACTION_PREFIX)]
        event = json.loads(told[0].removeprefix(COMPACTION_PREFIX))
        assert len(told) == 1
        assert (event["strategy"], event["after_tokens"]) == (done.strategy, done.after_tokens)


def test_a_memory_that_is_only_read_is_not_written(tmp_path: Path) -> None:
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        memory.observe(history(), session="s")
    before = (tmp_path / "m.db").read_bytes()
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}", read_only=True) as memory:
        assert memory.compact(history(), Limits(400, manual=True), session="s").changed
    assert (tmp_path / "m.db").read_bytes() == before


def test_the_setting_names_the_strategy_and_an_argument_wins() -> None:
    with Memory.open(":memory:", settings=Settings(compaction_strategy="window")) as memory:
        limits = Limits(700, manual=True)
        assert memory.compact(history(), limits).strategy == "window"
        assert memory.compact(history(), limits, strategy="legacy_segmented").strategy == "segmented"


def test_an_unknown_strategy_is_refused_before_anything_is_stored() -> None:
    with Memory.open(":memory:") as memory:
        with pytest.raises(UsageError, match="no strategy is called 'magic'"):
            memory.compact(history(), strategy="magic", session="s")
        assert memory.store.log.messages("default", session="s") == []
        assert memory.candidates() == []


def test_so_is_one_of_the_settings() -> None:
    with Memory.open(":memory:", settings=Settings(compaction_strategy="magic")) as memory:
        with pytest.raises(UsageError, match="no strategy is called 'magic'"):
            memory.compact(history(), session="s")
        assert memory.store.log.messages("default", session="s") == []


def test_what_is_no_message_is_named_before_anything_is_stored() -> None:
    with Memory.open(":memory:") as memory:
        with pytest.raises(InputError, match="message 1"):
            memory.compact([*history(steps=0), 7], session="s")
        assert memory.store.log.messages("default", session="s") == []


def test_a_short_history_is_left_alone_unless_a_person_asks() -> None:
    with Memory.open(":memory:") as memory:
        assert memory.compact(history(steps=1)).outcome is Outcome.NOTHING


def test_asyncio_has_the_same_verb() -> None:
    async def compacted() -> Compaction:
        async with await AsyncMemory.open(":memory:") as memory:
            return await memory.compact(history(), Limits(400, manual=True))

    assert asyncio.run(compacted()).after_tokens <= 400


def test_asyncio_refuses_an_unknown_strategy_as_early() -> None:
    async def session() -> None:
        async with await AsyncMemory.open(":memory:") as memory:
            with pytest.raises(UsageError, match="no strategy is called 'magic'"):
                await memory.compact(history(), strategy="magic")
            assert await memory.candidates() == []

    asyncio.run(session())


def test_ten_compactions_of_a_growing_session_keep_the_budget_and_all_facts() -> None:
    """Each goes on from the view of the last, as a host would."""
    limits = Limits(1_200)
    with Memory.open(":memory:") as memory:
        view: list[Any] = []
        for part in range(10):
            view += history(part * 10, 10)
            before = {fact.id for fact in memory.facts()}
            done = memory.compact(view, limits, session="s")
            view = list(done.messages)
            assert done.after_tokens <= limits.max_tokens
            assert refused(view) == []
            assert {fact.id for fact in memory.facts()} >= before
        contents = [fact.content for fact in memory.facts()]
        assert all("CFPM_" not in content for content in contents)
        rules = "\n".join(str(message["content"]) for message in view)
        assert [n for n in range(0, 100, 10) if f"src/vendored_{n}.py" not in rules] == []


def test_a_summariser_has_as_long_as_the_settings_say() -> None:
    released = threading.Event()

    def never(prompt: str) -> str:
        released.wait()
        return ""

    with Memory.open(":memory:", settings=Settings(summary_deadline=0.05)) as memory:
        limits = Limits(700, manual=True)
        done = memory.compact(history(), limits, strategy="segmented", summarise=never)
        assert done.outcome is Outcome.FAILED
        assert "no answer within 0.05 seconds" in done.problem
        assert done.after_tokens <= 700
    released.set()
    for thread in threading.enumerate():
        if thread.name == "cfpm-summariser":
            thread.join()
