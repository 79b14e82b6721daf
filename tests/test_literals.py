"""Asking for many literals at once finds what asking for each would find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cfpm.model.literals import Anchors

REFUSALS = ("not found", "not permitted", "is not a directory", "denied", "no", "不存在")
TEXTS = st.text(alphabet="abno tfed不存在", max_size=60)


def test_only_what_stands_in_the_text_is_among_it() -> None:
    assert Anchors.of(REFUSALS).among("cat: x: file not found, nothing else") == {"not found", "no"}


def test_a_part_that_literals_share_is_no_literal() -> None:
    assert not Anchors.of(("not found", "not permitted")).any_in("it is not so")


def test_without_literals_nothing_stands_anywhere() -> None:
    assert not Anchors.of(()).any_in("not found")
    assert Anchors.of(()).among("not found") == frozenset()


@given(st.lists(st.one_of(TEXTS.filter(bool), st.sampled_from(REFUSALS)), max_size=8), TEXTS)
def test_groups_change_nothing(literals: list[str], text: str) -> None:
    standing = {literal for literal in literals if literal in text}
    assert Anchors.of(literals).among(text) == standing
    assert Anchors.of(literals).any_in(text) is bool(standing)
