"""What holds what, and what the trivial extractors score."""

from pathlib import Path

import pytest

from benchmarks.extraction.conversation import Prediction
from benchmarks.extraction.extractors import extractor
from benchmarks.extraction.measures import junk as measure_of_junk
from benchmarks.junk.audit_trail import agreement, reasons
from benchmarks.junk.bounds import everything, nothing
from benchmarks.junk.cases import Case, Expectation, cases
from benchmarks.junk.report import document, lines
from benchmarks.junk.runs import run
from benchmarks.junk.scoring import judge, stands_in, tally


def case(*expect: Expectation) -> Case:
    said = ({"role": "user", "content": " ".join(item.text for item in expect), "id": "case/0"},)
    return Case("case", "open", "kind", "en", said, expect, "because")


def good(text: str, *categories: str) -> Expectation:
    return Expectation(text, True, categories=frozenset(categories), messages=frozenset({"case/0"}))


def junk(text: str, *categories: str, repeats: str = "") -> Expectation:
    return Expectation(text, False, frozenset({"quoted"}), frozenset(categories), repeats, frozenset({"case/0"}))


def kept(text: str, category: str = "", *, source: str = "case/0", status: str = "active") -> Prediction:
    return Prediction(text, (source,), category, status=status)


def wrong(expect: tuple[Expectation, ...], *predictions: Prediction) -> list[bool]:
    return [item.wrong for item in judge(case(*expect), predictions)]


def test_words_must_follow_each_other() -> None:
    assert stands_in("The port is 8080.", "note: the PORT is 8080")
    assert not stands_in("the port is 8080", "the port of 8080 is open")
    assert stands_in("端口是 8080", "测试端口是8080")


def test_a_single_word_must_be_all() -> None:
    assert stands_in("ok", "OK!")
    assert not stands_in("ok", "ok, use tabs")


def test_what_is_said_in_other_words_counts_by_its_content() -> None:
    assert wrong((good("I moved to Aarhus last month"),), kept("moved to Aarhus (May 2025)")) == [False]
    assert wrong((good("I moved to Aarhus last month"),), kept("likes long walks")) == [True]


def test_numbers_must_agree() -> None:
    assert wrong((good("the staging port is 8081"),), kept("the staging port is 8080")) == [True]


def test_a_prediction_from_another_message_does_not_count_by_its_content() -> None:
    assert wrong((junk("I fixed the date filter"),), kept("Fix the date filter", source="case/7")) == [False]
    assert wrong((junk("I fixed the date filter"),), kept("I fixed the date filter", source="case/7")) == [True]


def test_a_part_of_a_message_is_that_message() -> None:
    assert wrong((good("I moved to Aarhus last month"),), kept("moved to Aarhus", source="case/0/2")) == [False]


def test_a_prediction_belongs_to_what_explains_it_best() -> None:
    both = (good("the staging port is 8081"), junk("the staging port is 8080"))
    assert wrong(both, kept("the port of staging is 8081 now")) == [False, False]
    assert wrong(both, kept("the port of staging: 8080")) == [True, True]


def test_what_holds_junk_and_a_good_fact_word_for_word_counts_for_both() -> None:
    both = (good("always use tabs"), junk("sounds good to me"))
    assert wrong(both, kept("Sounds good to me. Always use tabs.")) == [False, True]


def test_what_is_superseded_is_no_longer_held() -> None:
    assert wrong((junk("I live in Bergen"),), kept("I live in Bergen", status="superseded")) == [False]


def test_junk_may_be_wrong_in_some_categories_only() -> None:
    once = (junk("make the button larger", "instruction"),)
    assert wrong(once, kept("make the button larger", "goal")) == [False]
    assert wrong(once, kept("make the button larger", "instruction")) == [True]
    assert wrong(once, kept("make the button larger", "something of theirs")) == [True]


def test_a_repetition_may_be_held_once() -> None:
    twice = (good("I like tea"), junk("I do like tea", repeats="I like tea"))
    assert wrong(twice, kept("I like tea")) == [False, False]
    assert wrong(twice, kept("I like tea"), kept("I do like tea")) == [False, True]


def test_a_category_that_does_not_fit_is_counted_apart() -> None:
    found = judge(case(good("I like tea", "preference")), [kept("I like tea", "note")])
    assert (tally(found).good_lost, tally(found).fitting, tally(found).with_category) == (0, 0, 1)


@pytest.mark.parametrize("half", ["open", "kept"])
def test_who_keeps_nothing_loses_all_good_facts(half: str) -> None:
    total = run(half, nothing).total
    assert (total.accepted_share, total.lost_share) == (0.0, 1.0)


@pytest.mark.parametrize("half", ["open", "kept"])
def test_who_keeps_everything_accepts_nearly_all_junk(half: str) -> None:
    total = run(half, everything).total
    assert total.accepted_share is not None
    assert total.accepted_share > 0.95
    assert total.lost_share == 0.0


def test_the_trail_agrees_where_the_reason_is_allowed() -> None:
    found = next(item for item in cases(["open"]) if item.kind == "boot_file")
    scored = judge(found, extractor("cfpm")(found.conversation()))
    assert all(agreement(scored, reasons(found)))


def test_the_report_shows_no_text_of_the_kept_half() -> None:
    reports = [run(half, nothing) for half in ("open", "kept")]
    shown = "\n".join(lines("nothing", reports)) + str(document("nothing", reports))
    assert not [item.text for case in cases(["kept"]) for item in case.good if item.text in shown]
    assert [item.text for case in cases(["open"]) for item in case.good if item.text in shown]


def test_the_measure_needs_no_data_and_has_a_goal_for_each_row() -> None:
    result = measure_of_junk.measure(Path("nowhere"), nothing)
    assert result is not None
    assert [row.goal for row in result.rows] == [0.02, 0.03, 0.02, 0.03]
    assert all(example.source.split("-")[1] == "open" for example in result.examples)
