"""The last request in a small checkpoint: shortened in its middle, never left out."""

from __future__ import annotations

import pytest

from cfpm.context.strategies.cfpm import compact
from cfpm.context.strategies.types import Limits
from tests.context.strategies.histories import Event, User, compacted, openai, ran

ROW = "/srv/exports/2026-02/" + "very_long_name_of_an_export_" * 12 + ".csv"


def shown(request: str, max_tokens: int = 500) -> str:
    events: list[Event] = [User("Keep the exports sorted."), User(request), *(ran(f"cat part_{n}") for n in range(20))]
    return compacted(compact, openai(events), Limits(max_tokens, manual=True)).checkpoint


def test_a_short_one_is_there_as_it_was_written() -> None:
    assert "> Why is the total wrong?\n> See line 3." in shown("Why is the total wrong?\nSee line 3.")


def test_behind_a_long_first_line_the_question_is_still_there() -> None:
    text = shown(f"Look at {ROW}\n{ROW}\nWhy is the total wrong?")
    assert "> Look at" in text
    assert "> Why is the total wrong?" in text
    assert "characters left out" in text


@pytest.mark.parametrize("words", [60, 600])
def test_of_a_single_long_line_the_beginning_is_there(words: int) -> None:
    text = shown("Explain " + "the total of all exports " * words)
    assert "> Explain the total" in text
    assert text.count("characters left out") == 1
