"""No literal of the table is overlooked, whichever way it is looked for."""

from __future__ import annotations

import pytest

from cfpm.secrets import load_patterns
from cfpm.secrets.matching import RUN, as_latin, literals, long_stretches, starts_of, views
from cfpm.secrets.patterns import Place

PLACES: tuple[Place, ...] = ("text", "folded", "shape")


@pytest.mark.parametrize("place", PLACES)
def test_a_literal_is_found_wherever_it_stands(place: Place) -> None:
    for literal, patterns in literals(place).items():
        assert patterns == tuple(
            pattern
            for pattern in load_patterns()
            if pattern.place == place and literal.decode("latin-1") in pattern.anchors
        )
        view = b"x" + literal + b" " + literal
        assert starts_of(view, literal) == [1, 2 + len(literal)], literal


@pytest.mark.parametrize("text", ["plain", "naïve café", "密码 → ok", "\ud83d torn", "tab\tand\x00zero"])
def test_every_view_has_the_length_of_the_text(text: str) -> None:
    assert {len(view) for view in views(as_latin(text)).values()} == {len(text)}


def test_a_stretch_is_long_and_not_all_small_letters() -> None:
    token = b"aB3" * 8
    raw = b"short aB3 " + token + b" " + b"only_small-letters_in_this_one" + b" " + token
    assert long_stretches(raw) == [(10, token), (len(raw) - len(token), token)]
    assert long_stretches(b"a1" * (RUN // 2 - 1)) == []


def test_the_table_is_read_once() -> None:
    assert load_patterns() is load_patterns()
