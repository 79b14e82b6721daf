"""Labelled sentences of real sessions are found in the data package, and what became of them is counted."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.train.labels import sentences
from benchmarks.worth.__main__ import of_sessions, show, written

if TYPE_CHECKING:
    from pathlib import Path

SAID = "My sister Hanna is allergic to walnuts."


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "transcripts"
    folder.mkdir(parents=True)
    rows = [
        {"role": "user", "content": "Hello there."},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": f"Well. {SAID}"},
    ]
    (folder / "chat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    label = {"file": "chat.jsonl", "message": 2, "start": 6, "end": 6 + len(SAID), "role": "user", "kind": "profile"}
    label |= {"lasting": "later", "sha256": hashlib.sha256(SAID.encode()).hexdigest()[:16]}
    path = tmp_path / "sessions-x1.jsonl"
    path.write_text(json.dumps(label) + "\n", encoding="utf-8")
    return path


def test_the_sentence_is_read_from_the_transcript(labelled: Path) -> None:
    (found,) = sentences([labelled], labelled.parent / "data")
    assert (found.text, found.lasting, found.writer) == (SAID, "later", "sessions")


def test_without_the_data_package_it_is_left_out(labelled: Path) -> None:
    assert list(sentences([labelled])) == []


def test_another_sentence_in_its_place_is_told(labelled: Path) -> None:
    row = json.loads(labelled.read_text(encoding="utf-8"))
    labelled.write_text(json.dumps(row | {"start": 0}) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"chat\.jsonl, message 2"):
        list(sentences([labelled], labelled.parent / "data"))


def test_what_was_kept_of_a_session_is_counted(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in labelled.read_text(encoding="utf-8").splitlines()]
    show("chat", of_sessions(labelled, rows, labelled.parent / "data"))
    assert "user, kept: later 1.00 of 1" in capsys.readouterr().out


def test_a_written_sentence_is_told_behind_what_stood_before_it() -> None:
    row = {"role": "user", "before": "", "text": SAID, "lasting": "later"}
    other = {"role": "assistant", "before": "", "text": "Let me have a look at it.", "lasting": "moment"}
    assert written([row, other]) == [("user", "later", True), ("assistant", "moment", False)]
