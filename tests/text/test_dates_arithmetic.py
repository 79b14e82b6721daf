"""Month ends, leap years, year ends, weekends: the same words on other days."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from cfpm.text.dates import event_time, find_times
from tests.text.times import only, short


@pytest.mark.parametrize(
    ("day", "text", "time"),
    [
        ("2023-03-31", "last month", "2023-02"),
        ("2023-03-31", "one month ago", "2023-02"),
        ("2023-01-31", "next month", "2023-02"),
        ("2023-12-31", "tomorrow", "2024-01-01"),
        ("2024-01-01", "yesterday", "2023-12-31"),
        ("2024-01-15", "last month", "2023-12"),
        ("2023-12-15", "next month", "2024-01"),
        ("2024-03-01", "yesterday", "2024-02-29"),
        ("2023-03-01", "yesterday", "2023-02-28"),
        ("2024-02-29", "a year ago", "2023"),
        ("2024-02-29", "for a year now", "2023-02-28T13:56..2024-02-29T13:56"),
        ("2023-03-31", "for a month now", "2023-02-28T13:56..2023-03-31T13:56"),
        ("2024-03-31", "for a month now", "2024-02-29T13:56..2024-03-31T13:56"),
        ("2020-05-08", "I was born on February 29", "2020-02-29"),
        ("2023-05-08", "The party will be on February 29", "2024-02-29"),
        ("2023-02-10", "late last month", "2023-01-21..2023-01-31"),
        ("2023-03-10", "late last month", "2023-02-19..2023-02-28"),
        ("2024-03-10", "the end of last month", "2024-02-23..2024-02-29"),
        ("2023-05-13", "I hike this weekend", "2023-05-13..2023-05-14"),
        ("2023-05-14", "I hiked this weekend", "2023-05-13..2023-05-14"),
        ("2023-05-14", "I hiked last weekend", "2023-05-06..2023-05-07"),
        ("2023-05-15", "I hiked last weekend", "2023-05-13..2023-05-14"),
        ("2023-05-12", "I hiked over the weekend", "2023-05-06..2023-05-07"),
        ("2023-05-14", "last week", "2023-05-01..2023-05-07"),
        ("2023-01-01", "this week", "2022-12-26..2023-01-01"),
        ("2023-01-02", "last Sunday", "2023-01-01"),
        ("2023-01-01", "last Sunday", "2022-12-25"),
        ("2023-05-12", "next Friday", "2023-05-19"),
        ("2023-05-12", "this Friday", "2023-05-12"),
        ("2023-01-15", "last winter", "2021-12-01..2022-02-28"),
        ("2023-03-15", "last winter", "2022-12-01..2023-02-28"),
        ("2023-01-15", "last quarter", "2022-10-01..2022-12-31"),
        ("2023-01-15", "winter 2023", "2023-12-01..2024-02-29"),
        ("2023-01-31", "It came out on the 31st.", "2023-01-31"),
        ("2023-02-10", "It came out on the 31st.", "2023-01-31"),
        ("2023-12-26", "I met her on Christmas", "2023-12-25"),
        ("2023-12-24", "See you on Christmas", "2023-12-25"),
        ("2023-03-31", "上个月", "2023-02"),
        ("2024-03-01", "昨天", "2024-02-29"),
        ("2023-12-31", "明年一月", "2024-01"),
    ],
)
def test_on_another_day(day: str, text: str, time: str) -> None:
    anchor = datetime.fromisoformat(f"{day}T13:56:00+00:00")
    assert short(only(text, anchor)) == time


def test_midnight_belongs_to_the_day_it_begins() -> None:
    assert short(only("yesterday", datetime(2023, 5, 8, tzinfo=UTC))) == "2023-05-07"


def test_days_are_those_of_utc() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert short(only("today", late)) == "2023-05-09"


def test_a_naive_turn_is_in_utc() -> None:
    assert short(only("today", datetime(2023, 5, 8, 23, 30))) == "2023-05-08"  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("on 7 May 2023", "2023-05-07"),
        ("in May 2023", "2023-05"),
        ("in 2019", "2019"),
        ("on 2023-05-07", "2023-05-07"),
        ("the week before 9 June 2023", "2023-06-02..2023-06-08"),
        ("summer of 2019", "2019-06-01..2019-08-31"),
        ("2023年5月7日", "2023-05-07"),
        ("yesterday", "?"),
        ("last May", "?"),
        ("on May 7", "?"),
        ("since 2016", "?"),
        ("for three years now", "?"),
        ("on Friday", "?"),
        ("昨天", "?"),
    ],
)
def test_without_the_time_of_the_turn_only_dates_with_a_year_resolve(text: str, time: str) -> None:
    assert short(only(text, None)) == time


@pytest.mark.parametrize(("text", "anchor"), [("999 years ago", 900), ("999 years ago", 1), ("next year", 9999)])
def test_before_the_first_and_after_the_last_year_nothing_is_resolved(text: str, anchor: int) -> None:
    assert short(only(text, datetime(anchor, 12, 31, tzinfo=UTC))) == "?"


NOON = datetime(2023, 5, 8, 12, tzinfo=UTC)


def test_a_day_beside_a_named_one_is_the_nearer_that_is_to_come() -> None:
    at = datetime(2026, 4, 30, 9, tzinfo=UTC)
    due, away = "The lease is due on 11 May 2026. ", "We sail on 28 May 2026. "
    assert event_time("Remind me on the 8th.", at, before=due) == datetime(2026, 5, 8, tzinfo=UTC)
    assert event_time("We are back on the 3rd.", at, before=away) == datetime(2026, 6, 3, tzinfo=UTC)


def test_the_time_of_an_event_is_where_its_first_moment_begins_or_a_finer_one_within_it() -> None:
    assert event_time("I met her last month, and again today", NOON) == datetime(2023, 4, 1, tzinfo=UTC)
    assert event_time("I met her last week, on 3 May 2023", NOON) == datetime(2023, 5, 3, tzinfo=UTC)
    assert event_time("I'm in Rome in June, and the talk is on the 22nd", NOON) == datetime(2023, 6, 22, tzinfo=UTC)
    assert event_time("Not on Friday, on Saturday", NOON) == datetime(2023, 5, 13, tzinfo=UTC)
    assert event_time("After years ago, for three years now, yesterday", NOON) == datetime(2023, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize("text", ["I like tea", "ages ago", "I have lived here for three years", ""])
def test_no_moment_no_time_of_the_event(text: str) -> None:
    assert event_time(text, NOON) is None


def test_reading_language_loads_no_dateutil() -> None:
    code = "import sys, cfpm.text.dates; print('dateutil' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_absolute_time_is_the_same_on_every_day() -> None:
    days = [None, NOON, NOON + timedelta(days=400)]
    assert len({short(*find_times("on 7 May 2023", day)) for day in days}) == 1


def test_movable_holidays_fall_on_their_days() -> None:
    from dateutil.easter import easter  # type: ignore[import-untyped]

    from cfpm.text.dates.lexicon import movable_days

    assert all(day == easter(year) for year, day in movable_days()["easter"].items())
    assert all(day.weekday() == 3 and 22 <= day.day <= 28 for day in movable_days()["thanksgiving"].values())
