"""The table of sentences: what a sentence means, where the mean of its words' own vectors says little."""

from __future__ import annotations

import numpy as np
import pytest

from cfpm.embedding import sentence_embedder, static_embedder


@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        ("How strong is my evening pill?", "the doctor wasn't happy, I'm on 10 mg.", "My brother plays the trombone."),
        ("Where do we eat?", "Pulse please, at seven, the veggie place.", "The booking mails go out through Postmark."),
        ("晚上吃什么药？", "医生让我每天吃十毫克。", "我弟弟会吹长号。"),
    ],
)
def test_an_answer_in_other_words_is_nearer(asked: str, answer: str, other: str) -> None:
    question, near, far = sentence_embedder().embed([asked, answer, other])
    assert float(question @ near) > float(question @ far) + 0.1


def test_pieces_give_the_vector_of_their_text() -> None:
    text = "The courier comes on Thursday"
    embedder = sentence_embedder()
    (by_pieces,) = embedder.of_pieces([embedder.pieces(text)])
    assert np.array_equal(by_pieces, embedder.embed([text])[0])


def test_both_tables_have_the_same_pieces_and_the_same_closeness() -> None:
    words, sentences = static_embedder(), sentence_embedder()
    pieces = words.pieces("the courier comes")
    assert pieces == sentences.pieces("the courier comes")
    assert np.array_equal(words.closeness(pieces, np.array(pieces)), sentences.closeness(pieces, np.array(pieces)))
