"""What leads to a compaction before a reply, and how the state machine ends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.context.machine import CompactCommand, compact_command, step
from cfpm.context.rules import Rules, Size
from cfpm.context.states import (
    Asked,
    BeforeReply,
    Compact,
    Compacted,
    Compacting,
    Ended,
    EndTurn,
    Event,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    State,
    Stop,
    TurnEnded,
)
from cfpm.context.strategies.types import Limits, Outcome
from cfpm.errors import InputError, UsageError
from cfpm.settings import Settings
from tests.context.hosts import HELLO, WINDOW, reason, record, result, rules, tell


@pytest.mark.parametrize(("tokens", "expected"), [(7_999, None), (8_000, None), (8_001, Reason.THRESHOLD)])
def test_it_is_compacted_strictly_above_the_threshold(tokens: int, expected: Reason | None) -> None:
    assert reason(step(rules(), Ready(), BeforeReply(HELLO, Size(tokens))).action) is expected


@pytest.mark.parametrize("off", [0, -1, 1, 1.5])
def test_a_threshold_of_nothing_or_all_switches_it_off(off: float) -> None:
    by = rules(auto_compact_threshold=off)
    assert step(by, Ready(), BeforeReply(HELLO, Size(9_999))).action == Proceed()


def test_the_total_that_the_provider_reports_counts() -> None:
    assert step(rules(), Ready(), BeforeReply(HELLO, Size(9_000, reported=100))).action == Proceed()
    assert reason(step(rules(), Ready(), BeforeReply(HELLO, Size(10, reported=9_000))).action) is Reason.THRESHOLD


def test_without_it_the_hosts_prompt_counts_too() -> None:
    assert reason(step(rules(), Ready(), BeforeReply(HELLO, Size(5_000, 3_001))).action) is Reason.THRESHOLD


def test_the_window_of_the_model_goes_before_that_of_the_settings() -> None:
    assert step(rules(), Ready(), BeforeReply(HELLO, Size(9_000, limit=20_000))).action == Proceed()


def test_the_budget_leaves_as_much_room_as_it_takes() -> None:
    done = step(rules(), Ready(), BeforeReply(HELLO, Size(9_000, 2_000)))
    assert done.action == Compact(Reason.THRESHOLD, Limits((8_000 - 2_000) // 2))


def test_strategies_that_summarise_keep_more() -> None:
    done = step(rules("segmented"), Ready(), BeforeReply(HELLO, Size(9_000)))
    assert done.action == Compact(Reason.THRESHOLD, Limits(4_000, 3, 10, 20))


@pytest.mark.parametrize("outcome", Outcome)
def test_the_session_goes_on_whatever_became_of_it(outcome: Outcome) -> None:
    done = tell(rules(), Ready(), BeforeReply(HELLO, Size(9_000)), Compacted(result(9_000, 9_000, outcome)))
    assert done.action == Proceed()
    assert isinstance(done.state, Ready)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please compact this conversation", CompactCommand()),
        ("  /compact\n", CompactCommand()),
        ("/summarize", CompactCommand()),
        ("/compact the login bug", CompactCommand("the login bug")),
        ("/compact\n the login bug ", CompactCommand("the login bug")),
        ("please compact this conversation", None),
        ("Please compact this conversation now", None),
        ("/Compact", None),
        ("/compacted", None),
        ("/compact/all", None),
        ("/summarize the login bug", None),
        ("what does /compact do?", None),
        ("", None),
    ],
)
def test_the_phrases_are_exact(text: str, expected: CompactCommand | None) -> None:
    assert compact_command(text) == expected


def test_a_short_history_is_compacted_too() -> None:
    action = step(rules(), Ready(), BeforeReply("/compact the login bug", Size(100))).action
    assert action == Compact(Reason.MANUAL, Limits(4_000, manual=True, focus="the login bug"))


@pytest.mark.parametrize("outcome", Outcome)
def test_the_turn_ends_without_a_reply(outcome: Outcome) -> None:
    done = tell(rules(), Ready(), BeforeReply("/compact", Size(900)), Compacted(result(900, 90, outcome)))
    assert done.action == EndTurn()
    assert isinstance(done.state, Ready)


def test_a_result_that_nobody_asked_for() -> None:
    with pytest.raises(UsageError, match="Compacted while Ready"):
        step(rules(), Ready(), Compacted(result(2, 1)))


@pytest.mark.parametrize(
    "event",
    [
        BeforeReply(HELLO, Size(1)),
        Overflowed(Size(1)),
        TurnEnded("", None, Size(1)),
        Asked(Reason.MILESTONE, Size(1), "m"),
    ],
)
def test_anything_else_during_a_compaction(event: Event) -> None:
    state = Compacting(record(Ready()), Reason.MANUAL, Limits(1), Size(1))
    with pytest.raises(UsageError, match="while Compacting"):
        step(rules(), state, event)


def test_warnings_that_come_too_late_name_the_settings() -> None:
    with pytest.raises(UsageError, match=r"budget_cut_over_at.*budget_warn_at \(9\) must be below"):
        Settings.load({"CFPM_BUDGET_WARN_AT": "9", "CFPM_BUDGET_CUT_OVER_AT": "9"})


def test_turns_that_all_stay_name_the_setting() -> None:
    with pytest.raises(UsageError, match="compact_after_turns"):
        rules(compact_after_turns=4)
    with pytest.raises(UsageError, match="the last 10 turns stay"):
        rules(compact_after_turns=5)
    assert rules(compact_after_turns=5, compact_keep_turns=4).settings.compact_after_turns == 5


def test_the_threshold_has_the_name_of_the_reference() -> None:
    assert Settings.load({"CFPM_AUTO_COMPACT_THRESHOLD": "0.5"}).auto_compact_threshold == 0.5
    with pytest.raises(UsageError, match="auto_compact_threshold"):
        Settings.load({"CFPM_AUTO_COMPACT_THRESHOLD": "nan"})


@pytest.mark.parametrize("name", ["view", "overhead", "reported", "limit"])
def test_a_size_below_nothing_names_the_field(name: str) -> None:
    with pytest.raises(InputError, match=name):
        Size(**{"view": 1, name: -1})


TOKENS = st.integers(0, 3 * WINDOW)
SIZES = st.builds(Size, TOKENS, st.integers(0, WINDOW), st.none() | TOKENS, st.none() | st.integers(1, WINDOW))
EVENTS = st.one_of(
    st.builds(BeforeReply, st.sampled_from([HELLO, "/compact", "/compact it"]), SIZES),
    st.builds(Overflowed, SIZES),
    st.builds(TurnEnded, st.sampled_from(["ann", "Ann", "bob"]), st.none() | TOKENS, SIZES, st.sampled_from(["", "m"])),
    st.builds(Asked, st.just(Reason.MILESTONE), SIZES, st.just("m")),
)
RESULTS = st.tuples(st.floats(0, 1), st.sampled_from(Outcome))
RULES = st.sampled_from(
    [rules(), rules("segmented"), rules(auto_compact_threshold=0, budget_warn_at=5_000, budget_cut_over_at=9_000)]
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(RULES, st.lists(EVENTS, max_size=30), st.lists(RESULTS, min_size=6, max_size=6))
def test_every_event_ends_after_a_bounded_number_of_ever_smaller_compactions(
    given_rules: Rules, events: list[Event], results: list[tuple[float, Outcome]]
) -> None:
    state: State = Ready()
    for event in events:
        done, budgets = step(given_rules, state, event), []
        while isinstance(done.action, Compact):
            assert isinstance(done.state, Compacting)
            budgets.append(done.action.limits.max_tokens)
            share, outcome = results[len(budgets) - 1]
            before = done.state.size.view
            changed = outcome in (Outcome.COMPACTED, Outcome.FAILED)
            compaction = result(before, int(before * share) if changed else before, outcome)
            done = step(given_rules, done.state, Compacted(compaction))
        assert len(budgets) <= given_rules.attempts
        assert all(later < earlier or later == 0 for earlier, later in pairwise(budgets))
        assert isinstance(done.state, Ready | Ended)
        assert isinstance(done.state, Ended) == isinstance(done.action, Stop)
        state = done.state
