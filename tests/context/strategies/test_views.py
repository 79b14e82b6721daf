"""What holds for every strategy, whatever the history: a view that a provider takes, within its budget, from which the
same comes again."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.compaction.provider_rules import refused
from cfpm.context.history import Kind, is_note, read_history
from cfpm.context.strategies.registry import NAMES, named
from cfpm.context.strategies.types import Limits, Outcome, Request
from cfpm.context.views import apply
from cfpm.recall.tokens import estimated
from tests.context.histories import histories

if TYPE_CHECKING:
    from cfpm.context.strategies.types import Compaction
    from tests.context.histories import Raw

pytestmark = pytest.mark.slow

MOST_NOTES = 3
"""A list of what was done, a summary, and the word to go on."""

each_strategy = pytest.mark.parametrize("name", NAMES)
thorough = settings(max_examples=60, deadline=None)
budgets = st.sampled_from((60, 150, 400, 1_000, 4_000))


def without_flags(message: Raw) -> Raw:
    return {key: value for key, value in message.items() if not key.endswith("_visible")}


def compacted(name: str, messages: list[Raw], max_tokens: int) -> Compaction:
    limits = Limits(max_tokens, manual=True)
    canonical, strategy = named(name)
    return apply(canonical, strategy, Request(read_history(messages, estimated), limits))


@each_strategy
@thorough
@given(messages=histories, max_tokens=budgets)
def test_a_provider_takes_the_view(name: str, messages: list[Raw], max_tokens: int) -> None:
    assert refused(compacted(name, messages, max_tokens).messages) == []


@each_strategy
@thorough
@given(messages=histories, max_tokens=budgets)
def test_the_budget_holds_or_nothing_changes(name: str, messages: list[Raw], max_tokens: int) -> None:
    done = compacted(name, messages, max_tokens)
    after = read_history(done.messages, estimated)
    assert after.tokens == done.after_tokens
    if done.changed:
        assert done.after_tokens <= max_tokens
        assert done.after_tokens < done.before_tokens
    else:
        assert list(done.messages) == messages
        assert done.problem
        assert done.outcome in (Outcome.NOTHING, Outcome.NOT_SMALLER, Outcome.CANNOT_FIT)


@each_strategy
@thorough
@given(messages=histories, max_tokens=budgets)
def test_the_input_is_not_touched(name: str, messages: list[Raw], max_tokens: int) -> None:
    before = deepcopy(messages)
    compacted(name, messages, max_tokens)
    assert messages == before


@each_strategy
@thorough
@given(messages=histories, max_tokens=budgets)
def test_the_same_comes_again(name: str, messages: list[Raw], max_tokens: int) -> None:
    """Deterministic, and idempotent: what was compacted is not compacted further."""
    done = compacted(name, messages, max_tokens)
    assert compacted(name, deepcopy(messages), max_tokens) == done
    again = compacted(name, list(done.messages), max_tokens)
    assert again.messages == done.messages


@each_strategy
@thorough
@given(messages=histories, max_tokens=budgets)
def test_what_leaves_the_view_stays_for_the_user(name: str, messages: list[Raw], max_tokens: int) -> None:
    done = compacted(name, messages, max_tokens)
    kept = [without_flags(message) for message in done.log if message["user_visible"]]
    assert kept == messages
    written = [message for message in done.log if not message["user_visible"]]
    assert all(is_note(message) and message["agent_visible"] for message in written)
    seen = [without_flags(message) for message in done.log if message["agent_visible"]]
    assert sorted(map(repr, seen)) == sorted(map(repr, done.messages))


@each_strategy
@thorough
@given(messages=histories, more=histories, max_tokens=budgets)
def test_going_on_leaves_one_checkpoint(name: str, messages: list[Raw], more: list[Raw], max_tokens: int) -> None:
    """Prior notes are updated, not nested."""
    first = compacted(name, messages, max_tokens)
    spoken = [message for message in more if message["role"] != "system"]
    second = compacted(name, [*first.messages, *spoken], max_tokens)
    notes = [g for g in read_history(second.messages, estimated).groups if g.kind is Kind.NOTE]
    if second.changed:
        assert len(notes) <= MOST_NOTES
