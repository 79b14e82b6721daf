"""What holds for every trim over any history, in both forms."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.compaction.provider_rules import broken_rules, refused
from cfpm.context.artifacts import Artifacts, offload_results
from cfpm.context.trims import (
    Trim,
    cap_consumed_reads,
    cap_intermediate_text,
    cap_results,
    drop_superseded_reads,
    drop_superseded_writes,
    evict_results,
    filter_window,
    keep_last_results,
    keep_text,
    repair_pairs,
    shorten_repeated_commands,
    together,
    trim_stage,
)
from cfpm.context.trims.calls import Result, blocks_of, read_log
from cfpm.context.trims.trim import characters
from tests.context.histories import histories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cfpm.context.history import Raw

pytestmark = pytest.mark.slow

REWRITING: dict[str, Callable[[Sequence[Raw]], Trim]] = {
    "caps": partial(cap_results, cap=150, overrides={"read": 40}),
    "consumed": partial(cap_consumed_reads, keep=60, min_saving=0),
    "reads": partial(drop_superseded_reads, min_saving=0),
    "writes": partial(drop_superseded_writes, min_saving=0),
    "commands": partial(shorten_repeated_commands, min_saving=0),
    "window": partial(keep_last_results, groups=1, trigger=0),
    "tokens": partial(evict_results, max_tokens=60),
    "said": partial(cap_intermediate_text, keep=10, min_saving=0),
    "stage 1": partial(trim_stage, stage=1),
    "stage 2": partial(trim_stage, stage=2),
}
REWRITING["all"] = partial(together, trims=tuple(REWRITING.values()), min_saving=0)
REMOVING: dict[str, Callable[[Sequence[Raw]], Trim]] = {
    "repair": repair_pairs,
    "texts": keep_text,
    "stage 3": partial(trim_stage, stage=3),
    "turns": partial(filter_window, max_turns=2),
    "talk": partial(filter_window, text_only=True, max_turns=3),
    "authors": partial(filter_window, exclude=lambda message: "Thanks" in str(message)),
    "pinned": partial(filter_window, max_turns=1, pinned=lambda message: "Never" in str(message)),
}
TRIMS = {**REWRITING, **REMOVING}


@st.composite
def swollen(draw: st.DrawFn) -> list[Raw]:
    """A history of which some texts are much longer."""
    messages = json.loads(json.dumps(draw(histories)))
    times = draw(st.sampled_from((1, 30, 300)))
    for message in messages:
        if message["role"] == "tool" or message.get("tool_calls"):
            message["content"] = message["content"] and message["content"] * times
        for _, block in blocks_of(message):
            swell: Any = block
            if block["type"] == "tool_result":
                swell["content"] *= times
            if block["type"] == "text":
                swell["text"] *= times
            if block["type"] == "tool_use" and "content" in swell["input"]:
                swell["input"]["content"] *= times
    return messages  # type: ignore[no-any-return]


@settings(max_examples=40, deadline=None)
@given(swollen())
def test_a_trim_is_never_longer_repeats_nothing_and_leaves_its_input(messages: list[Raw]) -> None:
    before = deepcopy(messages)
    for name, trimmed in TRIMS.items():
        trim = trimmed(messages)
        assert messages == before, name
        assert characters(trim.messages) <= characters(messages), name
        assert trim.changed == (trim.messages is not messages), name
        assert trimmed(trim.messages).messages is trim.messages, name
        assert trimmed(before).messages == trim.messages, name


@settings(max_examples=40, deadline=None)
@given(swollen())
def test_what_a_trim_leaves_a_provider_takes(messages: list[Raw]) -> None:
    for name, trimmed in TRIMS.items():
        assert refused(trimmed(messages).messages) == [], name


@settings(max_examples=40, deadline=None)
@given(swollen())
def test_calls_ids_errors_and_thinking_stay(messages: list[Raw]) -> None:
    before = read_log(messages)
    for name, trimmed in REWRITING.items():
        left = trimmed(messages).messages
        assert [_bones(message) for message in left] == [_bones(message) for message in messages], name
        after = read_log(left)
        assert [_marks(result) for result in after.results] == [_marks(result) for result in before.results], name
        assert all(isinstance(json.loads(call.given), dict) for call in after.calls if isinstance(call.given, str))
        assert all(new.tool.arguments for new, old in zip(after.calls, before.calls, strict=True) if old.tool.arguments)


@settings(max_examples=40, deadline=None)
@given(swollen(), st.data())
def test_any_part_of_a_history_can_be_repaired(messages: list[Raw], data: st.DataObject) -> None:
    part = [message for message in messages if data.draw(st.booleans())]
    left = repair_pairs(part).messages
    problems = [p for p in broken_rules(left) if not p.startswith(("it does not open", "calls without results"))]
    assert problems == []
    assert repair_pairs(left).messages is left


@settings(max_examples=30, deadline=None)
@given(messages=swollen())
def test_offloading_keeps_pairs_and_is_done_once(tmp_path_factory: pytest.TempPathFactory, messages: list[Raw]) -> None:
    folder: Path = tmp_path_factory.mktemp("artifacts")
    artifacts = Artifacts(folder, over=2_000)
    before = deepcopy(messages)
    trim = offload_results(messages, artifacts)
    assert messages == before
    assert characters(trim.messages) == characters(messages) - trim.saved
    assert [_bones(message) for message in trim.messages] == [_bones(message) for message in messages]
    assert offload_results(trim.messages, artifacts).messages is trim.messages


def _marks(result: Result) -> object:
    return result.place, result.stated, result.media


def _bones(message: Raw) -> object:
    """What must stay of a message: all but texts, results and arguments."""
    calls: Any = message.get("tool_calls") or ()
    blocks = [
        {key: value for key, value in block.items() if key not in ("text", "content", "input")}
        for _, block in blocks_of(message)
    ]
    names = [(call["id"], call["function"]["name"]) for call in calls]
    return message["role"], message.get("tool_call_id"), names, blocks
