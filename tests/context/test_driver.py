"""A host's log, driven with a real way to compact."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm import Memory
from cfpm.context.driver import Compactor, Driver
from cfpm.context.history import Raw, read_history
from cfpm.context.rules import measure
from cfpm.context.states import EndTurn, Proceed, Reason, Stop
from cfpm.context.strategies.registry import NAMES, named
from cfpm.context.strategies.types import Compaction, Limits, Request
from cfpm.context.tokens import total_tokens
from cfpm.context.views import apply, for_agent, for_user
from cfpm.errors import InputError
from cfpm.recall.tokens import estimated
from tests.context.histories import anthropic_histories, openai_histories
from tests.context.hosts import HELLO, Compactions, rules, said

PROMPT = {"role": "system", "content": "You bake bread. " * 50}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "oven"}


def tokens(messages: Sequence[Raw]) -> int:
    return total_tokens(messages, estimated)


def test_a_short_log_is_left_as_it_is() -> None:
    log = said(10)
    driven = Driver(rules(), Compactions()).before_reply(log, HELLO)
    assert driven.action == Proceed()
    assert list(driven.log) == log
    assert list(driven.view) == log
    assert driven.boundaries == ()


def test_above_the_threshold_the_view_shrinks_and_the_user_still_sees_all() -> None:
    log = said(600)
    driven = Driver(rules(), Compactions()).before_reply(log, HELLO)
    assert driven.action == Proceed()
    assert tokens(driven.view) <= 4_000
    assert list(for_user(driven.log)) == log
    assert [b.reason for b in driven.boundaries] == [Reason.THRESHOLD]


def test_a_command_of_the_user_compacts_and_ends_the_turn() -> None:
    asked = Compactions()
    driven = Driver(rules(), asked).before_reply(said(100, turns=50), "/compact the oven")
    assert driven.action == EndTurn()
    assert asked.asked[0].focus == "the oven"
    assert driven.boundaries[0].outcome == "compacted"


def test_a16_each_recovery_shrinks_until_it_says_that_it_cannot() -> None:
    """The opposite of defect A16: repeated compaction by fixed counts that keeps the same tail."""
    log: Sequence[Raw] = said(600)
    driver, sizes, tried = Driver(rules(), Compactions()), [tokens(log)], 0
    while True:
        driven = driver.recover(log)
        tried += len(driven.boundaries)
        if isinstance(driven.action, Stop):
            break
        log = driven.log
        sizes.append(tokens(driven.view))
    assert len(sizes) > 3
    assert sizes == sorted(set(sizes), reverse=True)
    assert tried <= 6
    assert "10,000" in driven.action.message
    assert isinstance(driver.recover(log).action, Stop)


def test_a_view_of_one_message_that_is_too_long_ends_the_loop() -> None:
    log = [{"role": "user", "content": "lorem " * 20_000}]

    def nothing(messages: Sequence[Raw], limits: Limits) -> Compaction:
        return Compactions(note=9_000)(messages, limits)

    driven = Driver(rules(), nothing).recover(log)
    assert isinstance(driven.action, Stop)
    assert "at least" in driven.action.message
    assert list(driven.log) == log


def test_the_window_that_an_error_names_is_remembered() -> None:
    asked = Compactions()
    driver = Driver(rules(), asked)
    driver.recover(said(600), limit=4_000)
    assert asked.asked[0].max_tokens == 2_400
    assert driver.before_reply(said(180), HELLO).boundaries != ()


def test_what_the_compactor_raises_leaves_all_as_it_was() -> None:
    def broken(messages: Sequence[Raw], limits: Limits) -> Compaction:
        raise OSError("no disk")

    driver = Driver(rules(), broken)
    before = driver.state
    with pytest.raises(OSError, match="no disk"):
        driver.recover(said(600))
    assert driver.state == before


def test_the_hosts_test_names_a_milestone() -> None:
    driver = Driver(rules(), Compactions(), milestone=lambda log: "baked" if log[-1]["content"] == "done" else "")
    log = said(50, turns=20)
    assert driver.after_turn(log).boundaries == ()
    driven = driver.after_turn([*log, {"role": "user", "content": "?"}, {"role": "assistant", "content": "done"}])
    assert [b.reason for b in driven.boundaries] == [Reason.MILESTONE]


def test_a_named_milestone_compacts_too() -> None:
    assert Driver(rules(), Compactions()).milestone(said(50, turns=20), "baked").boundaries != ()


def test_a_warning_reaches_the_host() -> None:
    driver = Driver(rules(budget_warn_at=10), Compactions())
    assert driver.after_turn(said(5), agent="Ann").warning is None
    warning = driver.after_turn(said(5), agent="Ann", input_tokens=10).warning
    assert warning is not None
    assert warning.agent == "Ann"


def test_a_session_that_is_taken_up_again_goes_on_with_its_state() -> None:
    first = Driver(rules(budget_cut_over_at=100), Compactions())
    first.after_turn(said(50, turns=20), agent="Ann", input_tokens=90)
    second = Driver(rules(budget_cut_over_at=100), Compactions(), state=first.state)
    assert second.after_turn(said(50, turns=20), agent="Ann", input_tokens=10).boundaries != ()


def test_a_growing_session_stays_below_the_threshold_for_good() -> None:
    driver = Driver(rules(), Compactions(), overhead=500)
    log: list[Raw] = []
    at = most = 0
    for turn in range(120):
        log.append({"role": "user", "content": f"{turn} " + "lorem " * 300})
        driven = driver.before_reply(log, HELLO)
        most = max(most, tokens(driven.view) + 500)
        log = [*driven.log, {"role": "assistant", "content": f"{turn} " + "ipsum " * 300}]
        log = list(driver.after_turn(log).log)
        at += len(driven.boundaries)
    assert most <= 8_000
    assert len(for_user(log)) == 240
    assert at < 30


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([PROMPT, CALL, RESULT, *said(3, 2), {**RESULT, "agent_visible": False}]), max_size=12))
def test_the_size_of_a_list_is_that_of_its_history(messages: list[dict[str, object]]) -> None:
    history = read_history(messages, estimated)
    size = measure(messages, estimated, overhead=7)
    assert (size.view, size.total) == (history.tokens, tokens(for_agent(messages)) + 7)


def test_what_is_no_message_is_named() -> None:
    with pytest.raises(InputError, match="message 1"):
        measure([PROMPT, "hello"], estimated)


def compactor(strategy: str) -> Compactor:
    name, run = named(strategy)
    return lambda messages, limits: apply(name, run, Request(read_history(messages, estimated), limits))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(openai_histories(), anthropic_histories()), st.sampled_from(sorted(NAMES)))
def test_any_history_shrinks_with_each_recovery_or_the_loop_ends(messages: list[Raw], strategy: str) -> None:
    before = deepcopy(messages)
    by = rules(strategy)
    driver, log, sizes, tried = Driver(by, compactor(strategy)), tuple(messages), [tokens(messages)], 0
    while isinstance((driven := driver.recover(log)).action, Proceed):
        log, tried = driven.log, tried + len(driven.boundaries)
        sizes.append(tokens(driven.view))
    assert isinstance(driven.action, Stop)
    assert sizes == sorted(set(sizes), reverse=True)
    assert tried + len(driven.boundaries) <= by.attempts
    assert messages == before
    assert list(for_user(driven.log)) == messages


def test_a_memory_is_a_compactor(tmp_path: Path) -> None:
    memory = Memory.open(f"sqlite:///{tmp_path / 'memory.db'}")
    log: list[Raw] = [{"role": "user", "content": "We must keep the oven at 230 degrees."}, *said(600)]
    driven = Driver(rules(), memory.compact).before_reply(log, HELLO)
    assert driven.action == Proceed()
    assert tokens(driven.view) <= 4_000
    assert list(for_user(driven.log)) == log
