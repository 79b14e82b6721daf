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
