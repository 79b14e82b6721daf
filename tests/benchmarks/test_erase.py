"""The benchmark of erasing: its words are found where they stand, and it finds nothing where nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.erase.forgetting import FORGOTTEN, said_again
from benchmarks.erase.kills import kill
from benchmarks.erase.selectors import measure
from benchmarks.erase.words import Words, found, word

if TYPE_CHECKING:
    from pathlib import Path


def test_words_are_found_in_any_encoding_and_in_names(tmp_path: Path) -> None:
    words = Words("seed")
    (tmp_path / "plain").write_bytes(b"\0" + words("one").upper().encode())
    (tmp_path / "wide").write_bytes(words("two").encode("utf-16-le"))
    (tmp_path / words("three")).write_bytes(b"")
    words("four")
    assert found(tmp_path, words.places) == {
        "plain": ["seed: one"],
        "wide": ["seed: two"],
        word("seed", "three"): ["seed: three"],
    }


@pytest.mark.slow(5)
def test_nothing_is_left_and_nothing_is_lost(tmp_path: Path) -> None:
    outcome = measure("session", tmp_path / "session", chroma=False)
    assert outcome.before > outcome.seeded
    assert (outcome.left, outcome.lost) == ({}, [])


@pytest.mark.slow(5)
def test_killed_erasures_leave_nothing(tmp_path: Path) -> None:
    done = kill(tmp_path, 8)
    assert done.kills == 8
    assert (done.left, done.unsound) == ({}, [])


@pytest.mark.slow(5)
def test_nothing_comes_back(tmp_path: Path) -> None:
    done = said_again(tmp_path / "forgetting")
    assert done.said > 2 * len(FORGOTTEN)
    assert (done.learnt, done.shown, done.refused_others) == (0, 0, 0)
