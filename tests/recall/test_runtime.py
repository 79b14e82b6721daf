"""The message that shows a turn's work."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.recall.runtime import Verbosity, mode, parse_runtime_message, runtime_message


@dataclass(frozen=True)
class Work:
    accepted: int = 0
    merged: int = 0
    superseded: int = 0
    rejected: int = 0
    pruned: int = 0
    facts: int = 0
    rejected_by_reason: dict[str, int] = field(default_factory=dict)
    forgotten: int = 0
    unrecorded: int = 0


def test_what_a_user_asked_of_the_memory_is_told_when_it_was_asked() -> None:
    text = runtime_message(Work(forgotten=2, unrecorded=1), "brief", "turn_checkpoint")
    assert text is not None
    assert '"forgottenCount": 2, "unrecordedCount": 1' in text
    assert "forgottenCount" not in (runtime_message(Work(accepted=1), "brief", "turn_checkpoint") or "")


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (Work(), "noop"),
        (Work(pruned=1), "prune"),
        (Work(rejected=2), "candidate_only"),
        (Work(accepted=1, rejected=2), "merge"),
        (Work(merged=1), "merge"),
        (Work(superseded=1, pruned=3), "merge+prune"),
        (Work(rejected=1, pruned=1), "candidate_only+prune"),
    ],
)
def test_the_mode_says_what_was_done(work: Work, expected: str) -> None:
    assert mode(work) == expected


def test_off_says_nothing_and_debug_always_something() -> None:
    assert runtime_message(Work(accepted=3), "off", "turn_checkpoint") is None
    assert runtime_message(Work(), "debug", "turn_checkpoint") is not None


def test_brief_is_silent_when_nothing_happened() -> None:
    assert runtime_message(Work(facts=7), "brief", "turn_checkpoint") is None
    for work in (Work(accepted=1), Work(merged=1), Work(rejected=1), Work(pruned=1)):
        assert runtime_message(work, "brief", "turn_checkpoint") is not None


def test_the_fields_of_the_message() -> None:
    work = Work(accepted=1, merged=2, rejected=9, pruned=4, facts=12, rejected_by_reason={"negated": 9})
    text = runtime_message(work, "brief", "turn_checkpoint")
    assert text is not None
    prefix, _, document = text.partition(" ")
    assert prefix == "[CFPM_RUNTIME_V1]"
    assert json.loads(document) == {
        "version": "v1",
        "verbosity": "brief",
        "reason": "turn_checkpoint",
        "mode": "merge+prune",
        "acceptedCount": 3,
        "rejectedCount": 9,
        "prunedCount": 4,
        "factCount": 12,
        "rejectedReasonBreakdown": ["negated=9"],
    }


def test_the_five_most_frequent_reasons_are_shown_ties_by_code() -> None:
    reasons = {"b": 2, "a": 2, "z": 9, "c": 1, "d": 1, "e": 1}
    text = runtime_message(Work(rejected=16, rejected_by_reason=reasons), "brief", "r")
    assert text is not None
    assert json.loads(text.partition(" ")[2])["rejectedReasonBreakdown"] == ["z=9", "a=2", "b=2", "c=1", "d=1"]


COUNTS = ("accepted", "merged", "superseded", "rejected", "pruned", "facts")


@settings(max_examples=100)
@given(
    st.tuples(*[st.integers(min_value=0, max_value=10**6)] * 6),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(min_value=1, max_value=9)),
    st.sampled_from(["brief", "debug"]),
    st.text(max_size=30),
)
def test_what_is_written_can_be_read_back(
    counts: tuple[int, ...], reasons: dict[str, int], verbosity: Verbosity, reason: str
) -> None:
    work = Work(**dict(zip(COUNTS, counts, strict=True)), rejected_by_reason=reasons)
    text = runtime_message(work, verbosity, reason)
    if text is None:
        return
    read = parse_runtime_message(text)
    assert read is not None
    assert (read.reason, read.mode, read.verbosity, read.version) == (reason, mode(work), verbosity, "v1")
    assert read.accepted == work.accepted + work.merged + work.superseded
    assert (read.rejected, read.pruned, read.facts) == (work.rejected, work.pruned, work.facts)
    assert len(read.rejected_by_reason) == min(5, len(reasons))


def test_missing_fields_get_their_defaults() -> None:
    read = parse_runtime_message("  [CFPM_RUNTIME_V1] {}")
    assert read is not None
    assert (read.version, read.verbosity, read.reason, read.mode) == ("v1", "brief", "unknown", "unknown")
    assert (read.accepted, read.rejected, read.pruned, read.facts, read.rejected_by_reason) == (0, 0, 0, 0, {})


def test_wrong_types_are_defaults_too() -> None:
    odd = (
        '{"mode": 3, "acceptedCount": "many", "rejectedCount": true, "prunedCount": -1, "rejectedReasonBreakdown": "x"}'
    )
    read = parse_runtime_message(f"[CFPM_RUNTIME_V1] {odd}")
    assert read is not None
    assert (read.mode, read.accepted, read.rejected, read.pruned, read.rejected_by_reason) == ("unknown", 0, 0, 0, {})


@pytest.mark.parametrize(
    "other",
    ["", "hello", "[CFPM_RUNTIME_V1]", "[CFPM_RUNTIME_V1] [1]", "[CFPM_RUNTIME_V1] {", "x [CFPM_RUNTIME_V1] {}"],
)
def test_any_other_text_is_no_runtime_message(other: str) -> None:
    assert parse_runtime_message(other) is None
