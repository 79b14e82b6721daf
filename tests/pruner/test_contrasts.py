"""What only says what something is and is not: it corrects what is known, or is nothing."""

from __future__ import annotations

import pytest

from cfpm import Memory, Status
from cfpm.text.changes import denied_in, only_contrasts


def told(*sessions: str) -> tuple[list[str], list[str]]:
    """What is active, and what is superseded, after one message a session."""
    with Memory.open(":memory:") as memory:
        for number, text in enumerate(sessions):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        return tuple(  # type: ignore[return-value]
            [fact.content for fact in memory.facts(status=status)] for status in (Status.ACTIVE, Status.SUPERSEDED)
        )


def test_it_takes_the_place_of_what_names_the_thing_denied() -> None:
    active, gone = told("My nephew Ole can't have wheat.", "His results came. It's eggs, not wheat.")
    assert gone == ["My nephew Ole can't have wheat."]
    assert "His results came. It's eggs, not wheat." in active


def test_it_is_refused_where_nothing_is_known_that_it_could_correct() -> None:
    active, gone = told("My nephew Ole plays the cello.", "It's eggs, not wheat.")
    assert (active, gone) == (["My nephew Ole plays the cello."], [])


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("It's eggs, not wheat.", "wheat"),
        ("not wheat but eggs", "wheat"),
        ("是鸡蛋，不是小麦。", "小麦"),
        ("Write tabs, not spaces.", "spaces"),
        ("It's not that warm.", ""),
        ("We're not coming, sorry.", ""),
    ],
)
def test_what_is_denied(text: str, denied: str) -> None:
    assert denied_in(text) == denied


def test_what_names_its_subject_says_more_than_a_contrast() -> None:
    assert not only_contrasts("The ferry lands in Kiel, not Lübeck.")


def test_of_several_that_name_it_none_is_taken() -> None:
    active, gone = told("My nephew Ole can't have wheat.", "We grow wheat behind the barn.", "It's eggs, not wheat.")
    assert (len(active), gone) == (2, [])


def test_behind_a_sentence_that_names_its_subject_it_is_kept() -> None:
    active, _ = told("The spare key hangs in the shed. It's the green one, not the blue one.")
    assert any("green one" in fact for fact in active)
