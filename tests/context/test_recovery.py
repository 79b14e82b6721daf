"""What a host does after a context-length error, attempt by attempt."""

from __future__ import annotations

import pytest

from cfpm.context.machine import step
from cfpm.context.rules import Rules, Size
from cfpm.context.states import (
    BeforeReply,
    Compact,
    Compacted,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    State,
    Stop,
    TurnEnded,
)
from cfpm.context.strategies.types import Outcome
from cfpm.errors import UsageError
from cfpm.settings import Settings
from tests.context.hosts import HELLO, reason, record, result, rules, tell


def test_43_the_prelude_has_two_messages() -> None:
    """Reference 43."""
    action = step(rules(), Ready(), Overflowed(Size(12_000))).action
    assert isinstance(action, Compact)
    happened, doing = action.notices
    assert "10,000 tokens" in happened
    assert "attempt 1 of 6" in doing


@pytest.mark.parametrize(("strategy", "most"), [("cfpm", 6), ("segmented", 3)])
def test_a_reply_may_try_so_often(strategy: str, most: int) -> None:
    by = rules(strategy)
    state: State = Ready()
    for size in range(12_000, 12_000 - 1_000 * most, -1_000):
        done = tell(by, state, Overflowed(Size(size)), Compacted(result(size, size - 1_000)))
        assert done.action == Proceed()
        state = done.state
    assert record(state).attempts == most
    ended = step(by, state, Overflowed(Size(1_000)))
    assert isinstance(ended.action, Stop)
    # The counter is looked at before it is raised.
    assert record(ended.state).attempts == most


def test_42_the_last_message_has_the_limit_in_both_languages() -> None:
    """Reference 42."""
    action = step(rules(recovery_attempts=0), Ready(), Overflowed(Size(12_000))).action
    assert isinstance(action, Stop)
    english, chinese = action.message.split("\n")
    assert "10,000" in english
    assert "start a new session" in english
    assert "10,000" in chinese
    assert "新会话" in chinese


def test_each_attempt_has_a_smaller_budget_even_if_the_view_stays() -> None:
    by, state, budgets = rules(), Ready(), []
    done = step(by, state, Overflowed(Size(12_000)))
    while isinstance(done.action, Compact):
        budgets.append(done.action.limits.max_tokens)
        done = step(by, done.state, Compacted(result(12_000, 12_000, Outcome.NOT_SMALLER, "as long as before")))
    assert budgets == sorted(set(budgets), reverse=True)
    assert len(budgets) == 6
    assert isinstance(done.action, Stop)
    assert "as long as before" in done.action.message


def test_what_cannot_fit_is_said_at_once() -> None:
    problem = "9000 tokens at least, and the budget is 6000"
    done = tell(
        rules(),
        Ready(),
        Overflowed(Size(12_000)),
        Compacted(result(12_000, 12_000, Outcome.CANNOT_FIT, problem)),
    )
    assert isinstance(done.action, Stop)
    assert problem in done.action.message
    assert "no compaction makes it smaller" in done.action.message


def test_a_failed_summary_lets_the_session_go_on() -> None:
    done = tell(
        rules(), Ready(), Overflowed(Size(12_000)), Compacted(result(12_000, 3_000, Outcome.FAILED, "no answer"))
    )
    assert done.action == Proceed()


def test_a_history_of_few_messages_is_compacted_too() -> None:
    action = step(rules(), Ready(), Overflowed(Size(12_000))).action
    assert isinstance(action, Compact)
    assert action.limits.minimum == 0


def test_an_answer_ends_the_count() -> None:
    state = tell(rules(), Ready(), Overflowed(Size(12_000)), Compacted(result(12_000, 5_000))).state
    assert record(state).attempts == 1
    assert record(step(rules(), state, TurnEnded("", None, Size(5_000))).state).attempts == 0


def test_asking_again_before_an_answer_does_not() -> None:
    state = tell(rules(), Ready(), Overflowed(Size(12_000)), Compacted(result(12_000, 5_000))).state
    assert record(step(rules(), state, BeforeReply(HELLO, Size(5_000))).state).attempts == 1


def test_after_the_end_there_is_no_more_compaction_until_the_user_speaks() -> None:
    ended = step(rules(recovery_attempts=0), Ready(), Overflowed(Size(12_000)))
    again = step(rules(recovery_attempts=0), ended.state, Overflowed(Size(12_000)))
    assert (again.state, again.action) == (ended.state, ended.action)
    anew = step(rules(), ended.state, BeforeReply(HELLO, Size(5_000))).state
    assert reason(step(rules(), anew, Overflowed(Size(12_000))).action) is Reason.RECOVERY


def test_the_strategy_of_the_settings_decides_unless_one_is_named() -> None:
    summaries = Settings(compaction_strategy="legacy")
    assert Rules(summaries).attempts == 3
    assert Rules(summaries, "cfpm").attempts == 6
    with pytest.raises(UsageError, match="no strategy is called 'magic'"):
        Rules(Settings(compaction_strategy="magic"))
