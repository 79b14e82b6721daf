"""A session with more goals than a checkpoint can hold: the newest stay, and how many are older is told."""

from __future__ import annotations

from cfpm.context.checkpoint.budget import limited
from cfpm.context.checkpoint.checkpoint import Section
from cfpm.context.strategies.cfpm import compact
from cfpm.context.strategies.types import Limits, Outcome
from cfpm.recall.tokens import estimated
from tests.context.strategies.histories import Event, User, compacted, openai, ran

RULES, GOALS = Section.RULES, Section.GOALS


def test_what_fits_stays_whole() -> None:
    demands = {RULES: ["Never push."], GOALS: ["Fix the loader.", "Add a retry."]}
    assert limited(demands, 200, estimated) == demands


def test_of_too_many_the_newest_stay_and_the_others_are_counted() -> None:
    goals = [f"Fix part {n} of the loader." for n in range(100)]
    kept = limited({RULES: ["Never push."], GOALS: goals}, 300, estimated)
    assert kept[RULES] == ["Never push."]
    told, *newest = kept[GOALS]
    assert newest == goals[-len(newest) :]
    assert told.startswith(f"({100 - len(newest)} older ones")


def test_what_was_left_out_before_is_counted_in() -> None:
    goals = [f"Fix part {n} of the loader." for n in range(100)]
    once = limited({GOALS: goals}, 300, estimated)
    assert limited(once, 300, estimated)[GOALS] == once[GOALS]
    more = limited({GOALS: [*once[GOALS], *(f"Sort list {n} anew." for n in range(5))]}, 300, estimated)
    left = len(more[GOALS]) - 1
    assert more[GOALS][0].startswith(f"({105 - left} older ones")


def test_no_rule_is_left_out() -> None:
    rules = [f"Never touch part {n}." for n in range(100)]
    kept = limited({RULES: rules, GOALS: ["Fix the loader.", "Add a retry."]}, 300, estimated)
    assert kept == {RULES: rules, GOALS: ["(2 older ones are only in the log, where recall finds them)"]}


def test_a_session_of_a_thousand_requests_fits() -> None:
    events: list[Event] = [
        event for n in range(1_000) for event in (User(f"Fix part {n} of the loader."), ran(f"sed -n 1p part_{n}"))
    ]
    done = compacted(compact, openai(events), Limits(1_000))
    assert done.outcome is Outcome.COMPACTED
    assert "older ones are only in the log" in done.checkpoint
    assert "part 990" in done.checkpoint
