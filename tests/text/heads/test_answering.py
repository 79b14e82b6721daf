"""Sentences as vectors, read with what stands before them."""

import numpy as np
import pytest

from cfpm.text.heads.answering import GOING_ON, MOST_SENTENCES, WIDTH, sentence_vectors, spans, windows
from cfpm.text.heads.asking import asking_vector
from cfpm.text.heads.wide import MAX_PIECES

TOLD = "The slipway winch needs a new cable before June. My neighbour bought a parrot. We row on Tuesdays."


def cosines(query: str, before: str, text: str) -> list[float]:
    rows = np.frombuffer(sentence_vectors(before, text), dtype=np.int8).astype(np.float32).reshape(-1, WIDTH)
    found = (rows / np.linalg.norm(rows, axis=1, keepdims=True)) @ asking_vector(query)
    return [float(one) for one in found]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("What has to be replaced on the boat ramp?", 0),
        ("Who has got a new bird?", 1),
        ("On which day do they train on the water?", 2),
    ],
)
def test_a_query_in_other_words_is_nearest_to_its_answer(query: str, place: int) -> None:
    assert int(np.argmax(cosines(query, "", TOLD))) == place


def test_half_an_answer_is_read_with_what_it_answers() -> None:
    query = "Which boat do we take to the regatta?"
    (alone,) = cosines(query, "", "The blue one.")
    (answering,) = cosines(query, "Which boat do you want to take to the regatta?", "The blue one.")
    assert answering > alone


def test_each_sentence_has_a_vector_and_code_has_none() -> None:
    text = "Run it twice a day.\n```\nmake all\n```\nThe log stays."
    assert [text[start:end] for start, end in spans(text)] == ["Run it twice a day.", "The log stays."]
    assert len(sentence_vectors("", text)) == 2 * WIDTH


def test_a_message_without_a_word_has_no_vector() -> None:
    assert sentence_vectors("", "") == b""
    assert sentence_vectors("", " \n\t") == b""


def test_long_messages_are_read_in_windows_each_with_what_stands_before_it() -> None:
    text = " ".join(f"The crate number {number} holds seventeen brass lamps for the chapel." for number in range(40))
    read = windows("What is in the crates?", text)
    assert len(read) > 1
    assert [number for one in read for number, _, _ in one.places] == list(range(MOST_SENTENCES))
    assert read[0].before == []
    assert read[1].before == read[0].row[-GOING_ON:]


def test_a_sentence_that_says_enough_is_read_without_what_it_answers() -> None:
    text = "The spare anchor lies under the tarpaulin behind the old boathouse by the slipway."
    assert windows(TOLD, text) == windows("", text)


def test_of_an_endless_sentence_the_beginning_is_read() -> None:
    read = windows("", "brass " * 5_000)
    assert all(end - begin <= MAX_PIECES for one in read for _, begin, end in one.places)


def test_the_same_words_have_the_same_vectors() -> None:
    assert sentence_vectors("Hello?", TOLD) == sentence_vectors("Hello?", TOLD)
