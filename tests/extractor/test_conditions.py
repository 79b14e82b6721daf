"""A condition with an order behind it is a rule; a condition with what would follow supposes."""

from __future__ import annotations

import pytest

from cfpm import Memory
from cfpm.model import Category, Mark


def told(text: str) -> list[tuple[Category, frozenset[Mark]]]:
    with Memory.open("sqlite://") as memory:
        memory.observe(
            [
                {"role": "user", "content": "Good morning, a busy week ahead."},
                {"role": "assistant", "content": "Good morning!"},
                {"role": "user", "content": text},
            ]
        )
        return [(one.category, frozenset(map(Mark, one.marks))) for one in memory.candidates() if one.content in text]


@pytest.mark.parametrize(
    "text",
    [
        "If a parent writes about the fees, be polite but name no figures, I check them first.",
        "If you can't reach me, call the office in Husum.",
        "And if a pupil cancels twice, send the reminder about the rules.",
    ],
)
def test_what_is_to_be_done_in_a_case_is_a_rule(text: str) -> None:
    assert told(text) == [(Category.INSTRUCTION, frozenset())]


@pytest.mark.parametrize(
    "text",
    [
        "If we got the grant we'd hire a second teacher.",
        "If it snows on Friday we'll teach online.",
        "If we ever had a second room, put the piano there.",
    ],
)
def test_what_would_follow_is_none(text: str) -> None:
    found = told(text)
    assert found
    assert all(Mark.HYPOTHETICAL in marks for _, marks in found)
