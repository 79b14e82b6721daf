"""What holds for every strategy, whatever the summariser does and however hostile the texts are: over generated
histories in both forms."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.compaction.provider_rules import refused
from cfpm.context.history import is_note
from cfpm.context.strategies.registry import NAMES, named
from cfpm.context.strategies.types import Compaction, ContextTooLong, Limits, Outcome, Summariser
from cfpm.context.tokens import total_tokens
from cfpm.recall.tokens import estimated
from tests.context.strategies.histories import Dicts, Event, compacted, events, forms

pytestmark = pytest.mark.slow


def _short(prompt: str) -> str:
    return "Goals\nBuild the shop without floats.\nDone\nsrc/cart.py edited."


def _long(prompt: str) -> str:
    return prompt * 2


def _broken(prompt: str) -> str:
    raise RuntimeError("the model is away")


def _picky(prompt: str) -> str:
    if prompt.count("[result of ") > 1:
        raise ContextTooLong
    return "The shop is being built."


summarisers = st.sampled_from([None, _short, _long, _broken, _picky])
limits = st.builds(
    Limits,
    st.sampled_from([150, 400, 900, 2_000, 6_000]),
    keep_first=st.integers(0, 4),
    keep_last=st.integers(0, 10),
    minimum=st.just(0),
    manual=st.booleans(),
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(happened=events, form=forms, within=limits, summarise=summarisers)
def test_a_view_is_valid_within_its_budget_and_final(
    name: str, happened: list[Event], form: Callable[[Iterable[Event]], Dicts], within: Limits, summarise: Summariser
) -> None:
    messages = form(happened)
    before = copy.deepcopy(messages)
    strategy = named(name)[1]
    result = compacted(strategy, messages, within, summarise)

    assert messages == before
    assert compacted(strategy, messages, within, summarise) == result
    assert not refused(result.messages)
    _keeps_everything_in_the_log(result, messages)
    if not result.changed:
        assert list(result.messages) == messages
        return
    assert total_tokens(result.messages, estimated) == result.after_tokens <= within.max_tokens
    assert result.after_tokens < result.before_tokens
    assert all(message in messages or is_note(message) for message in result.messages)
    assert compacted(strategy, result.messages, within, summarise).outcome is Outcome.NOTHING


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(happened=events, later=events, form=forms, within=limits, summarise=summarisers)
def test_a_second_compaction_goes_on_from_the_first(
    name: str,
    happened: list[Event],
    later: list[Event],
    form: Callable[[Iterable[Event]], Dicts],
    within: Limits,
    summarise: Summariser,
) -> None:
    strategy = named(name)[1]
    first = compacted(strategy, form(happened), within, summarise)
    grown = [*first.messages, *json.loads(json.dumps(form(later)).replace("call-", "later-"))]
    second = compacted(strategy, grown, within, summarise)

    assert not refused(second.messages)
    if second.changed:
        assert second.after_tokens <= within.max_tokens
        assert _kinds(second) == sorted(set(_kinds(second)))


def _kinds(result: Compaction) -> list[str]:
    """The first words of the notes in the view: one of each kind at most, side by side."""
    places = [place for place, message in enumerate(result.messages) if is_note(message)]
    assert places == list(range(places[0], places[-1] + 1)) if places else True
    return sorted(" ".join(str(result.messages[place]["content"]).split()[:2]) for place in places)


def _keeps_everything_in_the_log(result: Compaction, messages: Dicts) -> None:
    shown = [{k: v for k, v in raw.items() if not k.endswith("_visible")} for raw in result.log if raw["user_visible"]]
    assert shown == messages
    written = [raw for raw in result.log if not raw["user_visible"]]
    assert all(is_note(raw) and raw["agent_visible"] for raw in written)
