"""The values of a text, as the benchmark of updates compares them."""

from __future__ import annotations

import pytest

from benchmarks.extraction.measures.update_cases import values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I pay $1,200. for rent", ("money", "1200")),
        ("coverage is 85 percent now", ("percent", "85")),
        ("coverage is 85% now", ("percent", "85")),
        ("the visit moved to Nov. 12", ("date", "11-12")),
        ("the visit moved to November 12", ("date", "11-12")),
        ("the visit moved to 2024-11-12", ("date", "2024-11-12")),
        ("call me at 6:15 p.m.", ("clock", "6:15pm")),
        ("call me at 6:15 PM", ("clock", "6:15pm")),
        ("we run v1.5.3", ("version", "1.5.3")),
        ("it answers in 180ms", ("number of ms", "180")),
        ("I read 1,200 pages", ("number", "1200")),
    ],
)
def test_a_value_has_its_kind_and_one_spelling(text: str, value: tuple[str, str]) -> None:
    assert values(text) == {value}


@pytest.mark.parametrize("month", ["January", "May", "September", "November", "December"])
def test_every_month_is_read(month: str) -> None:
    assert len(values(f"on {month} 3 and {month[:3]} 4")) == 2
