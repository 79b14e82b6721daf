"""What a cut leaves, and how a note is told from a text that looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.context.trimming import is_placeholder
from cfpm.context.trimming.notes import MAX_NOTE, cut, is_note, note
from cfpm.model.markers import TRIMMED_OPEN


def test_a_cut_keeps_head_and_tail_and_says_how_much_is_gone() -> None:
    shorter = cut("a" * 600 + "b" * 600, 200)
    assert shorter.startswith("a" * 100 + "\n[")
    assert shorter.endswith("]\n" + "b" * 100)
    assert "1,000 characters removed; not the real value" in shorter


def test_a_cut_falls_at_the_end_of_a_line_that_is_near() -> None:
    shorter = cut("\n".join(["a line of some length"] * 100), 400)
    head, _, tail = shorter.partition(f"\n{TRIMMED_OPEN}")
    assert head.endswith("a line of some length")
    assert tail.partition("]\n")[2].startswith("a line of some length")


def test_a_short_text_is_not_cut() -> None:
    text = "x" * 200
    assert cut(text, 200) is text


def test_a_cut_that_would_save_nothing_is_not_made() -> None:
    text = "x" * 230
    assert cut(text, 200) is text


def test_a_shorter_cut_of_a_cut_text_leaves_one_note_with_the_whole_number() -> None:
    twice = cut(cut("ab" * 5_000, 4_000), 500)
    assert twice.count(TRIMMED_OPEN) == 1
    assert "9,500 characters removed" in twice
    assert cut(twice, 4_000) is twice


def test_what_stands_between_two_cuts_is_counted_as_removed() -> None:
    gap = note("1,000 characters removed")
    shorter = cut(f"{'a' * 300}\n{gap}\n{'b' * 500}\n{gap}\n{'c' * 300}", 200)
    assert shorter.count(TRIMMED_OPEN) == 1
    assert "2,900 characters removed" in shorter


def test_a_whole_note_is_never_cut() -> None:
    text = note("result of 9,000 characters left out" + " and so on" * 30)
    assert cut(text, 10) is text


def test_an_output_that_begins_like_a_note_is_cut_all_the_same() -> None:
    text = note("evicted") + "x" * MAX_NOTE
    assert not is_note(text)
    assert len(cut(text, 100)) < 300


@given(st.text(alphabet="ab\n[];, é", max_size=900), st.integers(0, 400), st.integers(0, 400), st.booleans())
def test_a_cut_is_never_longer_and_cutting_again_changes_nothing(text: str, one: int, two: int, head: bool) -> None:
    first = cut(text, one, head_only=head)
    assert len(first) <= len(text)
    assert cut(first, one, head_only=head) is first
    second = cut(first, two, head_only=head)
    assert len(second) <= len(first)
    assert cut(second, two, head_only=head) is second


@pytest.mark.parametrize(
    "text",
    [
        cut("x" * 9_000, 100),
        note("arguments of 9,000 characters left out"),
        "import os\n" + note("9,000 characters removed") + "\nprint()\n",
    ],
)
def test_a_text_with_a_note_in_it_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The result was trimmed; it is not the real value.",
        "[... 3,000 characters removed ...]",
        f'TRIMMED_OPEN = "{TRIMMED_OPEN}"',
        "; not the real value, do not reuse]",
    ],
)
def test_a_text_that_speaks_of_trims_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)
