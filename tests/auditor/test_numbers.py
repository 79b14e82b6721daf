"""How long a fact may be."""

from __future__ import annotations

import pytest

from cfpm import Memory


@pytest.mark.parametrize(("words", "kept"), [(45, True), (130, False)])
def test_a_sentence_of_some_lines_is_a_fact_and_one_of_a_page_is_not(words: int, kept: bool) -> None:
    sentence = "I prefer the report with " + " ".join(f"street{n}" for n in range(words)) + "."
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": sentence}], session="s")
        assert (sentence in {fact.content for fact in memory.facts()}) is kept
