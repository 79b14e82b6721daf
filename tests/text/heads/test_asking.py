"""A query's vector lies near to the sentences that answer it and to the rules that concern what it orders."""

from __future__ import annotations

import numpy as np
import pytest

from cfpm.text.heads.answering import sentence_vectors
from cfpm.text.heads.asking import asking_vector
from cfpm.text.heads.wide import MAX_PIECES, end_of, of_length_1, pieces_of


def nearest(query: str, *statements: str) -> str:
    asked = asking_vector(query)
    said = {one: np.frombuffer(sentence_vectors("", one), np.int8).astype(np.float32) for one in statements}
    return max(statements, key=lambda one: float(of_length_1(said[one]) @ asked))


@pytest.mark.parametrize(
    ("query", "answer", "others"),
    [
        (
            "What are the new floorboards made of?",
            "we took the oak, oiled, not varnished",
            ("the lamp in the cellar flickers again", "my sister walks the dog on Tuesdays"),
        ),
        (
            "Let the caterer know that we are six more.",
            "anything that goes to somebody outside, I read it first",
            ("call the cat Duchess in public", "the archive is sorted by year"),
        ),
    ],
)
def test_what_answers_or_applies_is_nearest(query: str, answer: str, others: tuple[str, ...]) -> None:
    assert nearest(query, answer, *others) == answer


def test_it_has_length_1_and_is_the_same_each_time() -> None:
    found = asking_vector("Where do the spare keys hang?")
    assert abs(float(found @ found) - 1) < 1e-5
    assert (found == asking_vector("Where do the spare keys hang?")).all()


def test_without_a_word_it_is_nothing() -> None:
    assert pieces_of("") == []
    assert not asking_vector("").any()


def test_a_long_query_is_cut() -> None:
    long = "where are the keys " * 500
    assert len(pieces_of(long)) <= MAX_PIECES
    assert np.isfinite(asking_vector(long)).all()


def test_of_a_chat_the_message_before_counts() -> None:
    last, before = "And the other one?", "Who mends the slate roof of the boathouse?"
    said = ("Bram mends roofs, slate ones too.", "The parrot eats sunflower seeds.")
    alone, behind = asking_vector(last), asking_vector(last, before)
    about, other = (of_length_1(np.frombuffer(sentence_vectors("", one), np.int8).astype(np.float32)) for one in said)
    assert float(behind @ (about - other)) > float(alone @ (about - other))


def test_of_what_was_said_before_the_end_is_read() -> None:
    assert np.isfinite(asking_vector("so " * 500, "well " * 500)).all()
    assert end_of("one two three", 2) == end_of("seven one two three", 2)
