"""A list of messages as groups: what belongs together, what no provider would take, and what is counted."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from benchmarks.compaction.provider_rules import refused
from cfpm.context.history import Kind, is_note, read_history
from cfpm.context.tokens import PER_MEDIUM, PER_MESSAGE, message_tokens
from cfpm.errors import InputError
from cfpm.model.markers import CHECKPOINT_OPEN
from cfpm.recall.tokens import estimated
from tests.context.histories import histories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.context.histories import Raw


def kinds(messages: Sequence[object]) -> list[str]:
    return [group.kind.value for group in read_history(messages, estimated).groups]


def call(*ids: str, text: str | None = None) -> Raw:
    listed = [{"id": name, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for name in ids]
    return {"role": "assistant", "content": text, "tool_calls": listed}


def result(name: str, text: str = "ok") -> Raw:
    return {"role": "tool", "tool_call_id": name, "content": text}


SAID: Raw = {"role": "user", "content": "Build it."}


def test_a_call_keeps_all_its_results() -> None:
    messages = [SAID, call("a", "b"), result("b"), result("a"), {"role": "assistant", "content": "done"}]
    groups = read_history(messages, estimated).groups
    assert [group.kind for group in groups] == [Kind.USER, Kind.CALLS, Kind.ASSISTANT]
    assert [entry.position for entry in groups[1].entries] == [1, 2, 3]


def test_anthropic_results_stand_in_a_user_message_that_opens_nothing() -> None:
    answers = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}, {"type": "text", "text": "and be quick"}]
    messages = [
        SAID,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "bash", "input": {"command": "ls"}}]},
        {"role": "user", "content": answers},
    ]
    group = read_history(messages, estimated).groups[1]
    assert (group.kind, group.opens) == (Kind.CALLS, False)
    assert group.entries[1].said == "and be quick"


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([SAID, result("a")], id="a result without a call"),
        pytest.param([SAID, call("a", "b"), result("a"), SAID], id="a result is missing"),
        pytest.param([SAID, call("a"), SAID, result("a")], id="a result comes too late"),
    ],
)
def test_what_no_provider_takes_is_broken(messages: list[Raw]) -> None:
    assert "broken" in kinds(messages)


def test_calls_that_still_run_at_the_end_are_whole() -> None:
    assert kinds([SAID, call("a", "b"), result("a")]) == ["user", "calls"]


def test_what_a_compaction_wrote_is_a_note() -> None:
    note = {"role": "user", "content": f"{CHECKPOINT_OPEN} ..."}
    blocks = {"role": "user", "content": [{"type": "text", "text": f"{CHECKPOINT_OPEN} ..."}]}
    assert kinds([SAID, note, blocks]) == ["user", "note", "note"]
    assert not is_note({"role": "user", "content": f"what is {CHECKPOINT_OPEN}?"})


def test_what_left_the_view_before_is_hidden() -> None:
    history = read_history([{**SAID, "agent_visible": False}, SAID], estimated)
    assert [entry.position for entry in history.entries] == [1]
    assert [entry.position for entry in history.hidden] == [0]


def test_the_size_leaves_out_system_messages() -> None:
    with_system = [{"role": "system", "content": "You are careful. " * 50}, SAID]
    assert read_history(with_system, estimated).tokens == read_history([SAID], estimated).tokens


def test_all_that_is_sent_is_counted_and_ids_are_not() -> None:
    plain = {"role": "user", "content": "Build it."}
    assert message_tokens(plain, estimated) == PER_MESSAGE + estimated("Build it.")
    assert message_tokens({**plain, "id": "m" * 400, "created_at": "2026-01-01"}, estimated) == message_tokens(
        plain, estimated
    )
    image = {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "A" * 9000}}]}
    assert message_tokens(image, estimated) == PER_MESSAGE + PER_MEDIUM
    long = {"type": "tool_use", "id": "t", "name": "Write", "input": {"content": "word " * 500}}
    assert message_tokens({"role": "assistant", "content": [long]}, estimated) > 500
    nested = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "word " * 500}]}
    assert message_tokens({"role": "user", "content": [nested]}, estimated) > 500


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ("hello", "a str instead of a list"),
        ({"role": "user"}, "a dict instead of a list"),
        ([SAID, 7], "message 1"),
        ([SAID, {"role": "nobody", "content": "x"}], "message 1"),
    ],
)
def test_what_is_no_list_of_messages_is_refused_by_name(messages: list[object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_history(messages, estimated)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(histories)
def test_every_message_is_in_one_group_in_its_order_and_unchanged(messages: list[Raw]) -> None:
    before = deepcopy(messages)
    history = read_history(messages, estimated)
    assert [entry.raw for entry in history.entries] == before == messages
    assert Kind.BROKEN not in {group.kind for group in history.groups}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(histories)
def test_the_histories_of_these_tests_keep_the_rules_of_the_providers(messages: list[Raw]) -> None:
    """Otherwise the properties of compaction would be tested on lists that no host can have."""
    assert refused(messages) == []
