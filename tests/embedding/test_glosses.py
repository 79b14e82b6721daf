"""Chinese words in English."""

from __future__ import annotations

import pytest

from cfpm.embedding.glosses import glossed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("网关监听在 8080 端口", "gateway listen at 8080 port"),
        ("use tabs", "use tabs"),
        ("", ""),
        ("Redis 端口", "Redis port"),
    ],
)
def test_words_are_glossed_and_the_rest_stays(text: str, words: str) -> None:
    assert " ".join(glossed(text).split()) == words


def test_the_longest_known_word_wins() -> None:
    assert "mathematics" in glossed("数学") or "math" in glossed("数学")


def test_an_unknown_sign_stays() -> None:
    assert "龘" in glossed("龘")
