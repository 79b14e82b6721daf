"""What leads to a compaction after a turn."""

from __future__ import annotations

from cfpm.context.machine import step
from cfpm.context.rules import Size
from cfpm.context.states import (
    Asked,
    BeforeReply,
    Compact,
    Compacted,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    State,
    TurnEnded,
)
from tests.context.hosts import compacted, reason, record, result, rules, tell


def test_after_so_many_turns() -> None:
    state: State = Ready()
    for _ in range(49):
        done = step(rules(), state, TurnEnded("", None, Size(100)))
        assert done.action == Proceed()
        state = done.state
    done = step(rules(), state, TurnEnded("", None, Size(100)))
    assert reason(done.action) is Reason.TURNS
    assert record(step(rules(), done.state, Compacted(result(100, 50))).state).turns == 0


def test_an_agent_that_used_up_its_budget() -> None:
    by = rules(budget_cut_over_at=1_000)
    done = tell(by, Ready(), TurnEnded("Ann", 600, Size(500)), TurnEnded("bob", 600, Size(500)))
    assert done.action == Proceed()
    assert reason(step(by, done.state, TurnEnded("ANN", 400, Size(500))).action) is Reason.CUT_OVER


def test_a_warning_comes_once_in_a_cycle() -> None:
    by = rules(budget_warn_at=1_000, budget_cut_over_at=9_000)
    done = tell(by, Ready(), TurnEnded("Ann", 999, Size(500)), TurnEnded("ann", None, Size(500)))
    assert done.warning is None
    done = step(by, done.state, TurnEnded("ann", 1, Size(500)))
    assert done.warning is not None
    assert (done.warning.agent, done.warning.tokens) == ("ann", 1_000)
    done = step(by, done.state, TurnEnded("ann", 500, Size(500)))
    assert done.warning is None
    done = tell(
        by,
        done.state,
        BeforeReply("/compact", Size(500)),
        Compacted(result(500, 100)),
        TurnEnded("ann", 1_000, Size(9)),
    )
    assert done.warning is not None


def test_any_compaction_clears_the_counters() -> None:
    by = rules(budget_cut_over_at=1_000)
    state = tell(
        by,
        Ready(),
        TurnEnded("ann", 900, Size(500)),
        Overflowed(Size(12_000)),
        Compacted(result(12_000, 3_000)),
        TurnEnded("ann", 900, Size(3_000)),
    ).state
    assert record(state).usage.tokens_of("Ann") == 900


def test_a_milestone_in_a_turn_or_by_itself() -> None:
    assert reason(step(rules(), Ready(), Asked(Reason.MILESTONE, Size(500), "tests pass")).action) is Reason.MILESTONE
    ended = TurnEnded("", None, Size(500), milestone="tests pass")
    assert reason(step(rules(), Ready(), ended).action) is Reason.MILESTONE


def test_the_turn_after_a_compaction_is_left_alone() -> None:
    by = rules(budget_cut_over_at=1_000)
    state = compacted(by, 1_000, 500)
    assert step(by, state, Asked(Reason.MILESTONE, Size(500), "tests pass")).action == Proceed()
    done = step(by, state, TurnEnded("ann", 2_000, Size(500), milestone="tests pass"))
    assert done.action == Proceed()
    assert reason(step(by, done.state, TurnEnded("ann", 1, Size(500))).action) is Reason.CUT_OVER


def test_but_not_from_the_limit_of_a_single_turn() -> None:
    by = rules(max_turn_tokens=1_000)
    state = compacted(by, 1_000, 500)
    assert step(by, state, TurnEnded("ann", 1_000, Size(500))).action == Proceed()
    action = step(by, state, TurnEnded("ann", 1_001, Size(500))).action
    assert reason(action) is Reason.TURN_TOO_LARGE
    assert isinstance(action, Compact)
    assert action.limits.max_tokens == 1_000
