"""The data files: every phrase is reached by the fast test, and every list is written as it is compared."""

from __future__ import annotations

import pytest

from cfpm.paths.failure_phrases import anchors, phrases
from cfpm.paths.lexicon import language_tables, names, prose, strings


def test_every_phrase_holds_an_anchor() -> None:
    assert [text for text in phrases() if phrases()[text] and not any(anchor in text for anchor in anchors())] == []


def test_phrases_and_anchors_are_in_lower_case() -> None:
    assert [text for text in (*phrases(), *anchors()) if text != text.lower()] == []


@pytest.mark.parametrize("table", language_tables("failures"))
def test_no_phrase_stands_twice(table: dict[str, list[dict[str, object]]]) -> None:
    texts = [text for entry in table["phrase"] for text in strings(entry, "texts")]
    assert sorted(texts) == sorted(set(texts))


@pytest.mark.parametrize(
    "key",
    [
        "source_folders",
        "word_folders",
        "word_partners",
        "extensions",
        "folder_endings",
        "host_endings",
        "known_folders",
        "html_tags",
        "commands",
    ],
)
def test_names_that_are_compared_in_lower_case_are_written_so(key: str) -> None:
    assert {name for name in names(key) if name != name.lower()} == set()


def test_both_languages_have_prose() -> None:
    assert "because" in prose("prose")
    assert "不" in prose("prose")
