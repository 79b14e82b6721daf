"""What a newer statement is to an older one, by the weights that ship."""

from __future__ import annotations

import io

import numpy as np
import pytest

from cfpm.embedding import stored
from cfpm.embedding.encoder import MAX_PIECES, Encoder, fitted
from cfpm.text.heads import relation
from cfpm.text.heads.relation import Judgement, Relation, judge


def likeliest(newer: str, older: str) -> Relation:
    (shares,) = judge(newer, [older])
    return list(Relation)[shares.index(max(shares))]


@pytest.mark.parametrize(
    ("older", "newer", "wanted"),
    [
        ("Our office is in Bruges.", "We have left Bruges, the office is in Namur.", Relation.UPDATE),
        ("The regatta fee is 50 euros.", "We decided to raise the regatta fee to 60 euros.", Relation.UPDATE),
        ("Petra looks after the invoices.", "Petra takes care of the invoices.", Relation.SAME),
        ("Petra looks after the invoices.", "Petra has two sons.", Relation.DIFFERENT),
        ("The staging server has 16 GB.", "The build server has 32 GB.", Relation.DIFFERENT),
        ("我住在苏州。", "我们搬到南京了。", Relation.UPDATE),
    ],
)
def test_clear_cases(older: str, newer: str, wanted: Relation) -> None:
    assert likeliest(newer, older) is wanted


def test_shares_are_thousandths() -> None:
    for shares in judge("We use Go.", ["We use Rust.", "The cat sleeps."]):
        assert abs(sum(shares) - 1_000) <= 2


def test_nothing_older_no_judgement() -> None:
    assert judge("We use Go.", []) == []


def test_together_or_one_by_one_it_is_the_same() -> None:
    older = ["The port is 8080.", "My aunt lives in Split and keeps bees on her roof.", "Use tabs."]
    newer = "The port is 9090 these days."
    alone = [judge(newer, [text])[0] for text in older]
    for one, other in zip(judge(newer, older), alone, strict=True):
        assert np.abs(np.array(one) - np.array(other)).max() <= 2


def test_long_statements_are_cut_at_their_end() -> None:
    assert judge("word " * 5_000, ["other " * 5_000])[0] == judge("word " * 500, ["other " * 500])[0]


@pytest.mark.parametrize(("one", "other"), [(10, 10), (200, 5), (5, 200), (200, 200), (0, 300)])
def test_two_statements_are_made_to_fit(one: int, other: int) -> None:
    first, second = fitted(list(range(one)), list(range(other)))
    assert len(first) + len(second) + 3 <= MAX_PIECES
    assert len(first) == one or len(first) >= (MAX_PIECES - 3) // 2
    assert len(second) == other or len(second) >= (MAX_PIECES - 3) // 2


def test_empty_statements_have_an_answer() -> None:
    assert isinstance(judge("", [""])[0], Judgement)


def test_an_altered_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    right = stored._opened
    monkeypatch.setattr(stored, "_opened", lambda *of: io.BytesIO(right(*of).read() + b"x"))
    relation.encoder.cache_clear()
    with pytest.raises(Exception, match="not the released file"):
        judge("a", ["b"])
    monkeypatch.undo()
    relation.encoder.cache_clear()
    assert isinstance(relation.encoder(), Encoder)
