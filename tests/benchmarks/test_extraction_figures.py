"""From an extractor's answer to rows, misses and junk."""

from __future__ import annotations

from benchmarks.extraction import figures, misses
from benchmarks.extraction.conversation import Conversation, Prediction
from benchmarks.extraction.labelled import Answer, Labelled, answer, said
from benchmarks.extraction.scoring import Gold
from cfpm import Message, Role
from cfpm.model import ToolCall

MESSAGES = (
    Message(Role.USER, "I keep bees. I sold honey at the fair.", "m1", name="Ada"),
    Message(Role.USER, "My brother builds violins.", "m2", name="Ben"),
    Message(Role.USER, "It rained.", "m3", name="Ben"),
)
LABELLED = Labelled(
    Conversation("c", MESSAGES),
    (
        Gold("Ada keeps bees", frozenset({"m1"}), "profile", "one"),
        Gold("Ben's brother builds violins", frozenset({"m2"}), "profile", "two"),
        Gold("Ada's honey sold out at the spring fair", frozenset({"m1"}), "event", "one"),
    ),
    {"m1": "one", "m2": "two", "m3": "three"},
)


def answered(*predicted: Prediction) -> list[Answer]:
    return [answer(LABELLED, lambda _: predicted)]


def value(answers: list[Answer], measure: str) -> float | None:
    return next(row.value for row in figures.rows("set", answers, {1: 0.5}) if row.measure == measure)


def test_each_stretch_has_its_own_budget() -> None:
    long = Prediction("Ada: I keep bees and many other things that nobody asked about so far today", ("m1",), score=2)
    bees = Prediction("Ada: I keep bees", ("m1",), score=1)
    violins = Prediction("Ben: My brother builds violins", ("m2",))
    (found,) = answered(long, bees, violins)
    assert found.within[1] == {1}
    assert found.within[4] == {0, 1}


def test_what_is_said_where_nobody_marked_facts_is_not_judged() -> None:
    answers = answered(Prediction("Ada: I keep bees", ("m1",)), Prediction("Ben: It rained", ("m3",)))
    assert value(answers, "precision") == 1
    assert value(answers, "facts per gold fact") == 2 / 3


def test_a_fact_without_sources_is_junk_where_evidence_is_asked_for() -> None:
    answers = answered(Prediction("Ada keeps bees", ()))
    assert value(answers, "precision") == 0
    assert value(answers, "grounding") == 0


def test_misses_say_whether_anything_was_kept_and_junk_comes_best_ranked_first() -> None:
    answers = answered(
        Prediction("Ada: I sold honey", ("m1",), "event", 0.2),
        Prediction("Ada: I like the fair", ("m1",), "preference", 0.9),
    )
    assert misses.causes(answers) == {misses.NOTHING_KEPT: 1, misses.TOO_FEW_WORDS: 1, misses.TAKEN: 0}
    shown = [(example.kind, example.text) for example in misses.examples("set", answers)]
    assert shown == [
        ("miss", "Ada keeps bees"),
        (misses.NOTHING_KEPT, "Ben's brother builds violins"),
        ("junk", "Ada: I like the fair"),
    ]


def test_a_goal_of_recall_is_met_or_not() -> None:
    first, *_ = figures.rows("set", answered(Prediction("Ada: I keep bees", ("m1",))), {1: 0.3})
    assert (first.measure, first.value, first.goal, first.met) == ("BGR@1", 1 / 3, 0.3, True)


def test_rows_by_label_and_by_category() -> None:
    answers = answered(Prediction("Ada: I keep bees", ("m1",), "profile"))
    labels = {row.measure: row.value for row in figures.label_rows("set", answers, str)}
    assert labels == {"BGR@1, event": 0, "BGR@1, profile": 0.5, "recall, event": 0, "recall, profile": 0.5}
    assert [(row.measure, row.value) for row in figures.category_rows("set", answers)] == [("precision, profile", 1)]


def test_a_call_says_what_it_asks_for() -> None:
    call = ToolCall("c1", "bash", {"command": "make test", "options": ["-k"]})
    assert said(Message(Role.ASSISTANT, "", "m1", tool_calls=(call,))) == "assistant: bash make test -k"
