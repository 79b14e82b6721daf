"""Which runs of clauses become passages, and that every share of a salience can be accounted for."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.text.salience import Piece, Weights, clauses, passages, rate, weights
from cfpm.text.salience.passages import MAX_PIECES, MAX_WORDS, runs
from cfpm.text.salience.weights import features

PLAIN = Weights(0.0, {}, {}, {}, 0.0, 0.0, 0.0)


def pieces(text: str, kind: str = "assistant") -> list[Piece | None]:
    return list(clauses(text, 0, kind))


@pytest.mark.parametrize("kind", ["chat", "assistant"])
def test_the_weights_of_the_package_name_known_features_only(kind: str) -> None:
    (piece, *_) = clauses("I sold 3 kayaks to Ivo yesterday, so can you order `paint_red`?", 0, kind)
    every = replace(piece, counts=(9,) * len(piece.counts), opens=True, closes=True)
    known = features(every.counts, every, every, (0, 0, 1), 9) | {"pointing opens": 1, "starts at": 1, "ends at": 1}
    table = weights(kind)
    assert set(table.features) <= set(known)
    assert len(table.features) > 20
    assert all(math.isfinite(weight) for weight in (*table.features.values(), *table.words.values()))
    assert all(word == word.lower() for word in table.words)


@pytest.mark.parametrize("kind", ["chat", "assistant"])
def test_shares_add_up_to_the_odds(kind: str) -> None:
    text = "I moved to Ghent in May, and I rent a studio with two kilns"
    for passage in passages(pieces(text, kind), kind, weights(kind)):
        shares = passage.rating.with_rule(weights(kind), "event.past")
        odds = sum(share for _, share in shares)
        content = passage.rating.content
        expected = 1 / (1 + math.exp(-odds)) * (8 / content) ** weights(kind).length_exponent
        assert passage.rating.salience(weights(kind), "event.past") == pytest.approx(min(1, expected), abs=0.03)
        assert dict(shares)["rule event.past"] == weights(kind).rules["event.past"]


def test_a_fact_about_oneself_outranks_a_reaction() -> None:
    told = rate(
        tuple(clauses("I adopted two greyhounds from a shelter in Ghent last week.", 0, "chat")), weights("chat")
    )
    reacted = rate(tuple(clauses("That sounds really great, good for you!", 0, "chat")), weights("chat"))
    assert told.salience(weights("chat"), "") > 4 * reacted.salience(weights("chat"), "")


def test_no_passage_crosses_a_border() -> None:
    first, second = pieces("I sold the boat"), list(clauses("I bought a kiln", 20, "assistant"))
    found = passages([*first, None, *second], "assistant", PLAIN)
    assert [(p.start, p.end) for p in found] == [(0, 15), (20, 35)]


def test_the_choice_exponent_decides_between_long_and_short() -> None:
    text = "I sold the old boat, and I bought a new kiln"
    (whole,) = passages(pieces(text), "assistant", replace(PLAIN, features={"content words": 4.0}))
    assert (whole.start, whole.end) == (0, len(text))
    parts = passages(pieces(text), "assistant", replace(PLAIN, choice_exponent=1.0))
    assert len(parts) == 2


def test_a_sentence_without_content_has_no_salience() -> None:
    assert rate((), PLAIN).salience(PLAIN, "") == pytest.approx(0.0, abs=1e-6)


@given(st.lists(st.sampled_from(["I sold 3 boats", "and we met Ivo in Ghent", "because it rained", None]), max_size=25))
def test_passages_cover_each_piece_at_most_once_and_in_order(texts: list[str | None]) -> None:
    row: list[Piece | None] = []
    place = 0
    for text in texts:
        row.extend(clauses(text, place, "assistant") if text else [None])
        place += len(text or "") + 1
    found = passages(row, "assistant", weights("assistant"))
    ends = [0, *(passage.end for passage in found)]
    assert all(end <= passage.start for end, passage in zip(ends, found, strict=False))
    assert found == passages(row, "assistant", weights("assistant"))
    for run in runs(row, "assistant"):
        assert run.last - run.first < MAX_PIECES["assistant"]
        assert run.first == run.last or run.content <= MAX_WORDS
