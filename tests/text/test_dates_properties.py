"""What holds for any text and any day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.model.clock import can_be_kept
from cfpm.text.dates import TimeKind, event_span, event_time, find_times
from cfpm.text.dates.lexicon import LANGUAGES, time_lexicon
from tests.text.times import MONDAY

GLUE = """of in on for ago the back from now so 3 7 31 2023 2023-05-07 1/2/2023 3:30 didn't will 前 后 年 月 周 号"""
TABLES = [table for language in LANGUAGES for table in time_lexicon(language).tables.values()]
WORDS = sorted({word for table in TABLES for word in table} | {*GLUE.split(), ",", ".", "\n"})
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=14).map("".join),
)
ANCHORS = st.none() | st.datetimes(timezones=st.just(UTC))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(TEXTS, ANCHORS)
def test_spans_lie_apart_inside_the_text_and_name_some_time(text: str, anchor: datetime | None) -> None:
    found = find_times(text, anchor)
    last = 0
    for span in found:
        assert last <= span.start < span.end <= len(text)
        assert span.said == text[span.start : span.end]
        last = span.end
        assert (span.begins is None) is (span.ends is None)
        if span.begins and span.ends:
            assert span.begins < span.ends
            assert span.begins.tzinfo is UTC
            assert span.ends.tzinfo is UTC
    assert find_times(text, anchor) == found


@settings(max_examples=150, deadline=None)
@given(TEXTS, ANCHORS)
def test_the_time_of_an_event_begins_an_expression_of_the_text(text: str, anchor: datetime | None) -> None:
    span = event_span(text, anchor)
    assert event_time(text, anchor) == (span.begins if span else None)
    if span is None:
        moments = [found for found in find_times(text, anchor) if found.kind is TimeKind.MOMENT and found.begins]
        assert not any(can_be_kept(found.begins) for found in moments if found.begins)
    else:
        assert span in find_times(text, anchor)
        assert span.days is not None
        assert span.days[0] <= span.days[1]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_without_the_time_of_the_turn_only_absolute_times_are_resolved(text: str) -> None:
    assert all(span.begins is None for span in find_times(text, None) if span.relative)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["yesterday", "last week", "two months ago", "last summer", "a year ago", "上个月", "前年"]),
    st.dates(),
)
def test_the_past_lies_before_the_turn(text: str, day: datetime) -> None:
    anchor = datetime(max(day.year, 10), day.month, min(day.day, 28), 12, tzinfo=UTC)
    [span] = find_times(text, anchor)
    assert span.ends is not None
    assert span.ends <= anchor


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0, max_value=4000))
def test_days_ago_are_days_ago(number: int) -> None:
    anchor = MONDAY + timedelta(days=number)
    [span] = find_times(f"{min(number, 999)} days ago", anchor)
    assert span.begins == (anchor - timedelta(days=min(number, 999))).replace(hour=0, minute=0)


@pytest.mark.parametrize("text", ["İstanbul yesterday", "ﬁnal yesterday", "ΑΣ yesterday", "\u0130\u0130 May 7"])
def test_letters_that_grow_in_lower_case_do_not_shift_the_words(text: str) -> None:
    [span] = find_times(text, MONDAY)
    assert span.said in text
    assert span.said in ("yesterday", "May 7")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_a_language_means_something(language: str) -> None:
    from cfpm.text.dates.resolve import MEANINGS

    known = MEANINGS | {"in", "ahead"}
    assert {form.means for form in time_lexicon(language).forms.values()} <= known
    leads = time_lexicon(language).leads
    assert all(not form.behind or form.behind in leads for form in time_lexicon(language).forms.values())
