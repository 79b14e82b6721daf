"""Automatic compactions that no longer pay are held back."""

from __future__ import annotations

from typing import Any

import pytest

from cfpm.context.machine import step
from cfpm.context.rules import Rules, Size
from cfpm.context.states import (
    Asked,
    BeforeReply,
    Compact,
    Compacted,
    Event,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    TurnEnded,
)
from tests.context.hosts import HELLO, reason, result, rules, tell, without_grace


def poor(by: Rules, size: int = 8_500) -> Ready:
    state = Ready()
    for _ in range(3):
        done = tell(by, state, BeforeReply("/compact", Size(size)), Compacted(result(size, int(size * 0.95))))
        assert isinstance(done.state, Ready)
        state = done.state
    return without_grace(state)


@pytest.mark.parametrize(
    "event",
    [
        BeforeReply(HELLO, Size(8_500)),
        Asked(Reason.MILESTONE, Size(8_500), "tests pass"),
        TurnEnded("", None, Size(8_500), milestone="tests pass"),
        TurnEnded("ann", 1_000, Size(8_500)),
    ],
)
def test_what_no_longer_pays_is_not_done_by_itself(event: Event) -> None:
    by = rules(budget_cut_over_at=1_000)
    assert step(by, poor(by), event).action == Proceed()
    assert isinstance(step(by, Ready(), event).action, Compact)


def test_one_that_paid_is_enough() -> None:
    by = rules()
    state = poor(by)
    state = Ready(tell(by, state, BeforeReply("/compact", Size(8_500)), Compacted(result(8_500, 7_650))).state.record)
    assert reason(step(by, state, BeforeReply(HELLO, Size(8_001))).action) is Reason.THRESHOLD


def test_growth_lifts_it() -> None:
    by, left = rules(), int(8_500 * 0.95)
    assert step(by, poor(by), BeforeReply(HELLO, Size(int(left * 1.1)))).action == Proceed()
    grown = BeforeReply(HELLO, Size(int(left * 1.12)))
    assert reason(step(by, poor(by), grown).action) is Reason.THRESHOLD


def test_it_is_the_size_that_counts_and_not_the_messages() -> None:
    by, state = rules(), Ready()
    for _ in range(3):
        few = result(8_500, 4_000)
        state = Ready(tell(by, state, BeforeReply("/compact", Size(8_500)), Compacted(few)).state.record)
    assert reason(step(by, state, BeforeReply(HELLO, Size(8_500))).action) is Reason.THRESHOLD


@pytest.mark.parametrize(
    "event", [BeforeReply("/compact", Size(8_500)), Overflowed(Size(8_500)), TurnEnded("ann", 9_001, Size(8_500))]
)
def test_never_a_user_a_recovery_or_a_turn_that_is_too_large(event: Event) -> None:
    by = rules(max_turn_tokens=9_000)
    assert isinstance(step(by, poor(by), event).action, Compact)


@pytest.mark.parametrize("off", [{"thrash_window": 0}, {"thrash_min_saving": 0.0}])
def test_it_can_be_switched_off(off: dict[str, Any]) -> None:
    by = rules(**off)
    assert isinstance(step(by, poor(by), BeforeReply(HELLO, Size(8_500))).action, Compact)
