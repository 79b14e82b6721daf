"""Phrases that are written as one tree of shared beginnings fit what the plain alternation fits, and as far."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.text import lexicon, plain_words
from cfpm.text.alternatives import alternatives
from cfpm.text.lexicon import LANGUAGES, _pattern

_TEXTS = (
    "i'd really prefer tabs and i don't like spaces; my favourite editor is vim",
    "from now on always run the tests, never push to main, and make sure to ask",
    "i've just moved to oslo two months ago, we do not ever use windows",
    "let's go with option b; we decided against it; all tests pass now and it was fixed",
    "can you please add a button? i want to build a shop. could it be done if i might?",
    "以后请一律用中文回答，我们决定用方案二，测试都通过了，能不能帮我看看？",
)
_ATOMS = st.sampled_from(["a", "b", "ab", "ba", "abc", "a?", "b*", "[ab]", "(?:a|b)", "(?:ab|a|)", "(?:a|bc)?", r"\w"])
_CHOICES = st.lists(st.lists(_ATOMS, max_size=4).map("".join), min_size=1, max_size=8)


@given(_CHOICES, st.text("abc", max_size=8))
def test_the_same_choice_fits_as_in_a_plain_alternation(choices: list[str], text: str) -> None:
    plain = re.compile(f"(?:{'|'.join(choices)})")
    tree = re.compile(f"(?:{alternatives(choices)})")
    assert [m.span() for m in tree.finditer(text)] == [m.span() for m in plain.finditer(text)]


@given(_CHOICES, st.text("abc", max_size=6))
def test_what_follows_may_ask_for_another_choice(choices: list[str], text: str) -> None:
    plain = re.compile(f"(?:{'|'.join(choices)})(?![a])")
    tree = re.compile(f"(?:{alternatives(choices)})(?![a])")
    assert [m.span() for m in tree.finditer(text)] == [m.span() for m in plain.finditer(text)]


def test_shared_beginnings_are_written_once() -> None:
    assert alternatives(["add", "address", "adjust", "build"]) == "a(?:d(?:d(?:|ress)|just))|build"


def test_a_choice_that_may_begin_with_anything_keeps_its_place() -> None:
    assert re.match(alternatives(["ab", r"\w", "abc"]), "abc").group() == "ab"  # type: ignore[union-attr]
    assert re.match(alternatives(["a?", "abc"]), "abc").group() == "a"  # type: ignore[union-attr]


def test_signs_of_a_regex_inside_sets_and_behind_backslashes_close_nothing() -> None:
    assert re.fullmatch(alternatives([r"(?:[)]|\))a", "(?:[]x]|y)b"]), ")a")
    assert re.fullmatch(alternatives([r"(?:[)]|\))a", "(?:[]x]|y)b"]), "]b")


def test_a_group_that_is_not_closed_is_named() -> None:
    with pytest.raises(ValueError, match="not closed"):
        alternatives(["(?:a|b"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_of_the_lexicons_finds_what_its_phrases_find(language: str) -> None:
    before, after = (r"(?<![a-z0-9_])", r"(?:(?![a-z0-9_])|(?<=[:!]))") if language != "zh" else ("", "")
    for section, lines in lexicon(language).entries.items():
        plain = re.compile(f"{before}(?:{'|'.join(map(_pattern, lines))}){after}", re.DOTALL)
        for text in _TEXTS:
            assert [(c.start, c.end) for c in lexicon(language)[section].find_all(text)] == [
                m.span() for m in plain.finditer(text)
            ], (section, text)


@given(st.text())
def test_plain_words_are_the_runs_of_letters_and_digits(text: str) -> None:
    lower = text.lower()
    assert plain_words(lower) == re.findall(r"[a-z0-9]+", lower)


@pytest.mark.parametrize("text", ["naïve café №5", "don’t", "a\ud800b", "x_y-z", "１２ three"])
def test_plain_words_end_at_every_other_sign(text: str) -> None:
    assert plain_words(text) == re.findall(r"[a-z0-9]+", text)
