"""Whether one text still says what another said, in nearly the same words."""

from __future__ import annotations

import pytest

from cfpm.text.gist import gist, says


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("I live at 12 Rose Street in Leeds", "My home is 12 Rose Street, Leeds."),
        ("I live at 12 Rose Street in Leeds", "Noted: you live at 12 rose street in leeds"),
        ("I live at twelve Rose Street", "I live at 12 Rose Street"),
        ("The deploy port is 8080", "We deploy on port 8080."),
        ("I smoke", "So you smoke."),
        ("Don't use tabs in the shop project", "Never use tabs in this shop project."),
        ("我住在北京朝阳区", "用户住在北京朝阳区。"),
    ],
)
def test_the_same_in_other_words(statement: str, text: str) -> None:
    assert says(gist(text), gist(statement))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("I live at 12 Rose Street in Leeds", "I live at 7 Mill Lane in York"),
        ("I live at 12 Rose Street in Leeds", "I live in Leeds"),
        ("The deploy port is 8080", "The deploy port is 9090"),
        ("I smoke", "Smoke came out of the chimney of that old house"),
        ("I like coffee", "I don't like coffee"),
        ("Always use tabs in the shop project", "Never use spaces in the shop"),
        ("我住在北京朝阳区", "北京今天下雨"),
        ("I live in Leeds", ""),
        ("", "I live in Leeds"),
    ],
)
def test_something_else(statement: str, text: str) -> None:
    assert not says(gist(text), gist(statement))


def test_a_long_text_is_read_in_part() -> None:
    assert len(gist(" ".join(f"w{number}" for number in range(5_000))).words) <= 256
