"""Asking for many literals at once finds what asking for each would find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cfpm.model.literals import LiteralSet

REFUSALS = ("not found", "not permitted", "is not a directory", "denied", "no", "不存在")
TEXTS = st.text(alphabet="abno tfed不存在", max_size=60)


def test_only_what_stands_in_the_text_is_among_it() -> None:
    assert LiteralSet(REFUSALS).among("cat: x: file not found, nothing else") == {"not found", "no"}


def test_a_part_that_literals_share_is_no_literal() -> None:
    assert not LiteralSet(("not found", "not permitted")).any_in("it is not so")


def test_without_literals_nothing_stands_anywhere() -> None:
    assert not LiteralSet(()).any_in("not found")
    assert LiteralSet(()).among("not found") == frozenset()


@given(st.lists(st.one_of(TEXTS.filter(bool), st.sampled_from(REFUSALS)), max_size=8), TEXTS)
def test_asking_at_once_is_asking_for_each(literals: list[str], text: str) -> None:
    standing = {literal for literal in literals if literal in text}
    assert LiteralSet(literals).among(text) == standing
    assert LiteralSet(literals).any_in(text) is bool(standing)
