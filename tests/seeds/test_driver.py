"""When a history is compacted and what it leaves, row by row of the design's table: real compactions, no stand-ins."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from cfpm_adapters import Conversation

from cfpm import AsyncMemory, InputError, Memory, Settings, UsageError
from cfpm.context.driver import Driver
from cfpm.context.history import read_history
from cfpm.context.rules import Rules
from cfpm.context.states import EndTurn, Proceed, Reason, State, Stop
from cfpm.context.strategies.registry import named
from cfpm.context.strategies.types import Compaction, Limits, Outcome, Request, Spend, Summary
from cfpm.context.trims import context_error, is_context_error
from cfpm.context.views import apply, for_user
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.recall.tokens import estimated
from tests.seeds.histories import WIDE, turn, turns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cfpm.context.history import Raw
    from tests.cli.conftest import Run

STRATEGIES = ["cfpm", "intent", "segmented", "hybrid", "window", "lossless"]


def driven_turns(memory: Memory, count: int, **options: Any) -> tuple[Driver, list[Any], list[Raw]]:
    """A session that ends so many turns; what was driven, and the log."""
    driver = memory.driver(session="s", limit=WIDE, **options)
    log: list[Raw] = []
    found: list[Any] = []
    for number in range(count):
        driven = driver.after_turn([*log, *turn(number)])
        log = list(driven.log)
        found += driven.boundaries
    return driver, found, log


def boundaries(memory: Memory) -> list[str]:
    """What the log of the session keeps of compactions."""
    messages = memory.store.log.messages("default", session="s")
    return [one.message.text for one in messages if one.message.text.startswith(COMPACTION_PREFIX)]


def compactor(strategy: str) -> Any:
    name, run = named(strategy)

    def compact(messages: Sequence[Raw], limits: Limits) -> Compaction:
        return apply(name, run, Request(read_history(messages, estimated), limits))

    return compact


def test_row_1_11_attempts_that_did_nothing_are_not_told_as_compactions() -> None:
    log: Sequence[Raw] = turns(60)
    changed = 0
    told: list[Any] = []
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=5_000, strategy="intent")
        while isinstance((driven := driver.recover(log)).action, Proceed):
            log = driven.log
            changed += sum(one.outcome is Outcome.COMPACTED for one in driven.boundaries)
            told += driven.notices
    assert isinstance(driven.action, Stop)
    assert 0 < changed < 6
    assert f"after {changed} of at most 6" in driven.action.message
    assert [text for text in told if "attempt" in text] == [
        f"Compacting it, attempt {number} of 6 ..." for number in range(1, changed + 1)
    ]


def test_row_1_11_where_none_did_anything_it_says_so() -> None:
    waiting = {"role": "assistant", "content": None, "tool_calls": turn(1)[1]["tool_calls"]}
    log = [{"role": "user", "content": "lorem " * 9_000}, waiting]
    with Memory.open(":memory:") as memory:
        driven = memory.driver(session="s", limit=200, strategy="window").recover(log)
    assert isinstance(driven.action, Stop)
    assert driven.notices == ()
    assert "no compaction makes it smaller" in driven.action.message


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "lossless"])
def test_row_2_24_so_many_turns_compact_a_history_that_is_not_long(strategy: str) -> None:
    with Memory.open(":memory:") as memory:
        _, found, log = driven_turns(memory, 52, strategy=strategy)
    assert [(one.reason, one.outcome) for one in found] == [(Reason.TURNS, Outcome.COMPACTED)]
    assert found[0].after_tokens < found[0].before_tokens * 0.85
    assert len(for_user(log)) == 52 * 4


@pytest.mark.parametrize("reason", [Reason.MILESTONE, Reason.PAUSE, Reason.HANDOFF, Reason.EXECUTION, Reason.AGENT])
def test_row_2_24_named_reasons_compact_too(reason: Reason) -> None:
    with Memory.open(":memory:") as memory:
        driven = memory.driver(session="s", limit=WIDE).request(turns(30), reason, name="bread is baked")
    assert [(one.reason, one.outcome, one.name) for one in driven.boundaries] == [
        (reason, Outcome.COMPACTED, "bread is baked")
    ]


def test_row_2_24_what_is_not_compacted_is_told_as_it_is() -> None:
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=WIDE)
        problem = driver.request(turns(2), Reason.PAUSE).boundaries[0].problem
        assert "8 messages" in problem
        fits = memory.compact(turns(20), Limits(100_000), session="s")
    assert fits.outcome is Outcome.NOTHING
    assert "fits" in fits.problem


def test_row_2_25_the_last_turns_stay_whole() -> None:
    with Memory.open(":memory:", settings=Settings(compact_keep_turns=6)) as memory:
        driven = memory.driver(session="s", limit=WIDE).milestone(turns(40), "half of the recipes")
    assert list(driven.view[-24:]) == turns(40)[-24:]
    assert driven.view[-25]["role"] == "assistant"
    again = compactor("cfpm")(driven.log, Limits(80_000, keep_turns=6, forced=True))
    assert again.outcome is Outcome.NOTHING
    assert "checkpoint already" in again.problem


def test_row_2_26_a_session_that_is_taken_up_again_is_compacted_when_it_has_too_many_turns() -> None:
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=WIDE)
        driven = driver.before_reply(turns(80), "Go on.")
        assert [(one.reason, one.outcome) for one in driven.boundaries] == [(Reason.RESUME, Outcome.COMPACTED)]
        assert memory.driver(session="s", limit=WIDE).before_reply(driven.log, "And now?").boundaries == ()


def test_row_2_26_the_state_goes_through_json() -> None:
    with Memory.open(":memory:", settings=Settings(budget_cut_over_at=100_000)) as memory:
        driver = memory.driver(session="s", limit=WIDE)
        driver.before_reply(turns(30), "/compact")
        driver.after_turn(turns(30), agent="Ann", input_tokens=90_000, output_tokens=10)
        kept = json.loads(json.dumps(driver.state.to_json()))
        assert State.from_json(kept) == driver.state
        again = memory.driver(session="s", limit=WIDE, state=State.from_json(kept))
        driven = again.after_turn(turns(31), agent="Ann", input_tokens=20_000)
    assert [one.reason for one in driven.boundaries] == [Reason.CUT_OVER]


@pytest.mark.parametrize("broken", [None, {}, {"state": "asleep"}, {"state": "ready", "record": {"turns": "many"}}])
def test_row_2_26_a_state_that_is_none_is_refused(broken: object) -> None:
    with pytest.raises(InputError, match="state"):
        State.from_json(broken)


def test_row_2_28_fewer_turns_than_stay_are_refused() -> None:
    with pytest.raises(UsageError, match="compact_after_turns"):
        Rules(Settings(compact_after_turns=4))
    with pytest.raises(UsageError, match="compact_keep_turns"):
        Rules(Settings(compact_after_turns=9))


def test_row_2_36_thinking_is_shown_to_a_summariser_when_it_is_wanted() -> None:
    thought = {"type": "thinking", "thinking": "Reject the clay oven: it cracks.", "signature": "s"}
    log = turns(30)
    log[5] = {"role": "assistant", "content": [thought, {"type": "text", "text": "It needs a stone."}]}
    prompts: list[str] = []

    def summarise(prompt: str) -> str:
        prompts.append(prompt)
        return "Loaves were read."

    for reasoning in (0, 500):
        with Memory.open(":memory:", settings=Settings(compact_reasoning=reasoning)) as memory:
            memory.driver(session="s", limit=WIDE, strategy="llm", summarise=summarise).milestone(log, "read")
    assert ["clay oven" in prompt for prompt in prompts] == [False, True]


def test_row_2_38_a_message_in_a_prompt_for_a_summary_is_capped_with_its_length() -> None:
    log = turns(20)
    log[4] = {"role": "user", "content": "yeast " * 20_000}
    prompts: list[str] = []

    def summarise(prompt: str) -> str:
        prompts.append(prompt)
        return "Much yeast."

    with Memory.open(":memory:") as memory:
        memory.compact(log, Limits(4_000, 3, 10, 20), session="s", strategy="llm", summarise=summarise)
    assert len(prompts[0]) < 40_000
    assert "[TRUNCATED - 120,000 chars total]" in prompts[0]


def test_row_2_39_a_compaction_with_nothing_to_do_does_not_hold_back_the_next() -> None:
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=WIDE)
        for _ in range(4):
            driver.request(turns(2), Reason.PAUSE)
            driver.after_turn(turns(2))
        assert driver.state.record.savings.shares == ()
        assert driver.request(turns(30), Reason.PAUSE).boundaries[0].outcome is Outcome.COMPACTED


def test_row_2_42_a_summary_is_grounded_in_outcomes() -> None:
    prompts: list[str] = []

    def summarise(prompt: str) -> str:
        prompts.append(prompt)
        return "Read."

    log = turns(30)
    log[10] = {"role": "tool", "tool_call_id": "c2", "content": "cat: no such file", "is_error": True}
    with Memory.open(":memory:") as memory:
        memory.compact(log, Limits(3_000, 3, 10, 20), session="s", strategy="llm", summarise=summarise)
    verified = prompts[0].partition("<verified>")[2].partition("</verified>")[0]
    assert "- failed: bash cat recipes/loaf_2.md" in verified
    assert "- applied: bash cat recipes/loaf_3.md" in verified


def test_row_2_43_what_a_summary_took_is_told_and_summed() -> None:
    def summarise(prompt: str) -> Summary:
        return Summary("Loaves were read.", Spend(1_000, 20, 0.25))

    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=WIDE, strategy="llm", summarise=summarise)
        log = driver.milestone(turns(30), "one").log
        driver.after_turn(log)
        driven = driver.milestone([*log, *turns(30)], "two")
        assert driven.boundaries[0].spent == Spend(1_000, 20, 0.25)
        assert driver.state.record.spent == Spend(2_000, 40, 0.5)
        logged = boundaries(memory)
    assert json.loads(logged[-1].removeprefix(COMPACTION_PREFIX))["spent"]["cost"] == 0.25


def test_row_2_44_a_cut_over_compacts_whatever_the_window() -> None:
    with Memory.open(":memory:", settings=Settings(budget_warn_at=50_000, budget_cut_over_at=100_000)) as memory:
        driver = memory.driver(session="s", limit=WIDE)
        warned = driver.after_turn(turns(30), agent="Ann", input_tokens=60_000)
        driven = driver.after_turn(turns(31), agent="Ann", input_tokens=60_000)
    assert warned.warning is not None
    assert [(one.reason, one.outcome) for one in driven.boundaries] == [(Reason.CUT_OVER, Outcome.COMPACTED)]


def test_row_3_14_a_session_that_used_up_its_tokens_is_stopped() -> None:
    with Memory.open(":memory:", settings=Settings(max_total_tokens=1_000)) as memory:
        driver = memory.driver(session="s")
        driver.after_turn(turns(1), input_tokens=900, output_tokens=99)
        assert driver.before_reply(turns(1), "More.").action == Proceed()
        driver.after_turn(turns(2), input_tokens=1)
        action = driver.before_reply(turns(2), "More.").action
        assert driver.before_reply(turns(2), "/compact").action == EndTurn()
    assert isinstance(action, Stop)
    assert action.spent
    assert "max_total_tokens" in action.message


def test_row_4_3_the_log_tells_why_a_history_was_compacted() -> None:
    with Memory.open(":memory:") as memory:
        memory.driver(session="s", limit=WIDE).request(turns(30), Reason.HANDOFF)
        logged = boundaries(memory)
    assert json.loads(logged[0].removeprefix(COMPACTION_PREFIX))["reason"] == "handoff"


@pytest.mark.slow
def test_row_4_23_asyncio_hosts_have_a_driver_and_an_async_summariser(tmp_path: Path) -> None:
    async def summarise(prompt: str) -> str:
        await asyncio.sleep(0)
        return "Loaves were read."

    async def session() -> None:
        async with AsyncMemory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
            driver = await memory.driver(session="s", limit=WIDE, strategy="llm", summarise=summarise)
            driven = await driver.before_reply(turns(80), "Go on.")
            assert [one.outcome for one in driven.boundaries] == [Outcome.COMPACTED]
            assert any("Loaves were read." in str(message["content"]) for message in driven.view)
            assert (await driver.after_turn(driven.log)).action == Proceed()
            assert State.from_json(driver.state.to_json()) == driver.state
            with pytest.raises(UsageError, match="async"):
                Driver(Rules(Settings()), memory.compact)  # type: ignore[arg-type]

    asyncio.run(session())


def test_row_2_51_errors_of_providers_are_told_apart() -> None:
    told = {
        "too_large": {"status_code": 413, "error": {"message": ""}},
        "too_long": {"error": {"code": "context_length_exceeded", "message": "Too many tokens"}},
        "thinking_budget": "`max_tokens` must be greater than `thinking.budget_tokens`.",
        "orphaned_pair": "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: t1",
    }
    assert [found.kind for body in told.values() if (found := context_error(body))] == list(told)
    assert not is_context_error({"status_code": 429, "error": {"message": "Rate limit reached, try again in 2s."}})


def test_row_2_52_a_request_is_made_to_fit_tokens_and_bytes_by_the_command_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps([message for n in range(20) for message in turn(n, output="rye\n" * 1_000)]))
    done = run("context", "fit", path, "--max-tokens", 2_000, "--max-bytes", 6_000, "--json")
    assert done.code == 0, done.err
    assert done.document["before_tokens"] > 2_000 >= done.document["after_tokens"]
    assert done.document["after_bytes"] <= 6_000
    assert done.document["messages"][0]["role"] == "user"
    assert "no limit" in run("context", "fit", path).err
    assert "does not fit" in run("context", "fit", path, "--max-tokens", 5).err


def test_row_2_30_lossless_is_what_the_store_holds_with_its_evidence() -> None:
    log = [{"role": "user", "content": "Never bake rye above 250 degrees. Edit the recipes."}, *turns(30)]
    todo = {"name": "TodoWrite", "arguments": json.dumps({"todos": [{"content": "Sweep", "status": "pending"}]})}
    asked = {"name": "request_approval", "arguments": json.dumps({"action": "sell the oven"})}
    wrote = {"name": "write_file", "arguments": json.dumps({"path": "recipes/rye.md", "content": "Rye."})}
    calls = [{"id": f"x{n}", "type": "function", "function": one} for n, one in enumerate((todo, asked, wrote))]
    log[1:1] = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "x0", "content": "ok"},
        {"role": "tool", "tool_call_id": "x1", "content": "Denied by the user"},
        {"role": "tool", "tool_call_id": "x2", "content": "written"},
    ]
    with Memory.open(":memory:") as memory:
        done = memory.compact(
            log, Limits(2_500), session="s", strategy="lossless", extra=lambda _: ["contract A: kept"]
        )
        again = memory.compact(done.log, Limits(2_500), session="s", strategy="lossless", observe=False)
    assert done.outcome is Outcome.COMPACTED
    assert "250 degrees. (user, " in done.checkpoint
    assert "Sweep" in done.checkpoint
    assert "sell the oven" in done.checkpoint
    assert "wrote recipes/rye.md" in done.checkpoint.partition("Done, oldest first:")[2]
    assert any("contract A: kept" in str(message["content"]) for message in done.messages)
    assert again.outcome is Outcome.NOTHING


def test_row_2_31_hybrid_stands_on_lossless() -> None:
    with Memory.open(":memory:") as memory:
        done = memory.compact(
            turns(40), Limits(3_000, 3, 10, 20), session="s", strategy="hybrid", summarise=lambda _: "All was read."
        )
    assert "lossless: stands for" in done.checkpoint
    assert "All was read." in done.checkpoint


def test_row_2_32_lines_of_calls_tell_turn_and_agent() -> None:
    log = [message for number in range(30) for message in turn(number, agent="Developer" if number % 2 else "Tester")]
    with Memory.open(":memory:") as memory:
        done = memory.compact(log, Limits(2_000), session="s", strategy="intent")
        again = memory.compact([*done.log, *turns(30)], Limits(2_000), session="s", strategy="intent")
    assert "- applied: bash cat recipes/loaf_1.md (turn 2, Developer)" in done.checkpoint
    assert "- applied: bash cat recipes/loaf_12.md (turn 13, Tester)" in done.checkpoint
    assert "(turn 51)" in again.checkpoint
    assert "(turn 13, Tester) (turn" not in again.checkpoint


def test_row_2_37_texts_of_the_host_stand_beside_the_checkpoint_and_are_written_anew() -> None:
    found = iter([["def bake(oven): ..."], ["def bake(oven, stone): ..."]])
    with Memory.open(":memory:") as memory:
        done = memory.compact(turns(30), Limits(2_000), session="s", extra=lambda _: next(found))
        log = [*done.log, *turns(30)]
        again = memory.compact(log, Limits(2_000), session="s", extra=lambda _: next(found))
    assert "def bake(oven): ..." in str(done.messages)
    assert "def bake(oven): ..." not in str(again.messages)
    assert "def bake(oven, stone): ..." in str(again.messages)


@pytest.mark.slow
def test_row_2_53_the_turns_of_a_driven_session_are_drawn_by_the_command(run: Run, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        talk = Conversation(memory, session="s", limit=4_000)
        for number in range(24):
            user, called, result, answer = turn(number, output="rye bread\n" * 60)
            talk.before(text=user["content"])
            talk.add(called)
            talk.result(called["tool_calls"][0], result["content"])
            talk.before()
            talk.after(answer, agent="Baker", output_tokens=7)
    done = run("chart", "--session", "s", "--db", tmp_path / "memory.db", "-o", tmp_path / "viz.html")
    assert done.code == 0, done.err
    page = (tmp_path / "viz.html").read_text()
    assert "Turns: 24" in page
    assert "Compactions: 0" not in page
    assert "7 written" in page
    assert "No turns of session other" in run("chart", "--session", "other", "--db", tmp_path / "memory.db").err
    assert "not both" in run("chart").err
