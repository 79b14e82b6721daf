"""No literal of the table is overlooked, whichever way it is looked for."""

from __future__ import annotations

import pytest

from cfpm.secrets import load_patterns, sieve
from cfpm.secrets.patterns import Place
from cfpm.secrets.views import RUN, long_stretches, look

PLACES: tuple[Place, ...] = ("text", "folded", "shape")
CASES = [(place, literal) for place in PLACES for literal in sieve.by_literal(place)]


@pytest.mark.parametrize(("place", "literal"), CASES, ids=str)
def test_a_literal_is_found_wherever_it_stands(place: Place, literal: bytes) -> None:
    patterns = sieve.by_literal(place)[literal]
    view = b"x" + literal + b" " + literal
    found = [starts for those, starts in sieve.build(place).places(view) if those == patterns]
    assert [1, 2 + len(literal)] in found


@pytest.mark.parametrize("text", ["plain", "naïve café", "密码 → ok", "\ud83d torn", "tab\tand\x00zero"])
def test_every_view_has_the_length_of_the_text(text: str) -> None:
    views = look(text)
    assert {len(views.raw), len(views.folded), len(views.shape)} == {len(text)}


def test_a_stretch_is_long_and_not_all_small_letters() -> None:
    token = b"aB3" * 8
    raw = b"short aB3 " + token + b" " + b"only_small-letters_in_this_one" + b" " + token
    assert long_stretches(raw) == [(10, token), (len(raw) - len(token), token)]
    assert long_stretches(b"a1" * (RUN // 2 - 1)) == []


def test_the_table_is_read_once() -> None:
    assert load_patterns() is load_patterns()
