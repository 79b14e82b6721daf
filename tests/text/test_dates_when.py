"""Whether a time without a year lies before or after what is said of it, or repeats, where no list of words tells."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cfpm.text.dates import event_time

SAID = datetime(2026, 2, 16, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("The keys come in June, deposit is paid", "2026-06-01"),
        ("Bergen in August, what a week that was", "2025-08-01"),
        ("September was a nightmare, the roof leaked twice", "2025-09-01"),
        ("六月去冰岛，机票买好了", "2026-06-01"),
    ],
)
def test_a_bare_month_is_the_one_that_is_meant(text: str, begins: str) -> None:
    assert event_time(text, SAID) == datetime.fromisoformat(f"{begins}T00:00:00+00:00")


@pytest.mark.parametrize(
    "text",
    ["we are closed on Sunday, as every shop here", "rent leaves my account on the 2nd", "bins Thursday, blue lid"],
)
def test_what_comes_again_has_no_date(text: str) -> None:
    assert event_time(text, SAID) is None


@pytest.mark.parametrize(("text", "year"), [("We moved here in May", 2025), ("We will move in May", 2026)])
def test_a_plain_word_is_not_overruled(text: str, year: int) -> None:
    assert event_time(text, SAID) == datetime(year, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # What is put right in the same breath, and what another day takes the place of.
        ("The vet sees us on the 9th of April, no wait, the 11th", "2026-04-11"),
        ("Piano is Thursday. Sorry, Wednesday", "2026-02-18"),
        ("Friday won't work for the surveyor, Thursday then", "2026-02-19"),
        ("They put the launch back, from the 20th to the 27th", "2026-02-27"),
        ("彩排是4月2号,不对,4号", "2026-04-04"),
        # A day of the month that was named before.
        ("The marathon is in April. Start list says the 12th", "2026-04-12"),
        # A time that only names a thing gives way to one that says when.
        ("The May fair takes stalls until April 20", "2026-04-20"),
        ("The July leaflet was wrong, it turned up three days ago", "2026-02-13"),
        # Counted from a named day, halves, and more than one unit.
        ("Two weeks ago tomorrow we got the keys", "2026-02-03"),
        ("We fly out a week today", "2026-02-23"),
        ("We build the annexe in the second half of this year", "2026-07-01"),
        ("The oven is rented for the first two weeks of May", "2026-05-01"),
        ("下半年要搬办公室", "2026-07-01"),
        # Short names, holidays, the end of the month.
        ("Thu 9:30 dentist", "2026-02-19"),
        ("Mon and Tue are for the audit", "2026-02-23"),
        ("the parcel has to be there by EOM", "2026-02-28"),
        ("Presidents Day sale, can you draft the poster", None),
        ("清明去扫墓，票订了", "2026-04-05"),
    ],
)
def test_the_time_that_a_text_is_about(text: str, shown: str | None) -> None:
    expected = None if shown is None else datetime.fromisoformat(f"{shown}T00:00:00+00:00")
    found = event_time(text, SAID)
    assert (found and found.replace(hour=0, minute=0)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The meter is read on the 26th of the month",
        "Every month the insurance goes out on the 4th",
        "We're open Monday to Thursday, like every shop here",
        "合唱团3号交会费，月月如此",
    ],
)
def test_days_of_each_month_or_week_have_no_date(text: str) -> None:
    assert event_time(text, SAID) is None
