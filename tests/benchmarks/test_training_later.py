"""What is said after a talk, beside what was said in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.train import later as module
from benchmarks.train.later import later, of_later
from cfpm.text.heads.relation import Relation

if TYPE_CHECKING:
    from pathlib import Path

TALK = [
    ["user", "The kiln is fired on Mondays. Wenke mixes the glazes."],
    ["assistant", "How hot does it get?"],
    ["user", "1,240 degrees. The clay comes from Adendorf."],
]


@pytest.fixture
def after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "talks-k.json").write_text(json.dumps({"messages": TALK}), encoding="utf-8")
    monkeypatch.setattr(module, "HERE", tmp_path)
    rows = [
        {
            "talk": "k",
            "message": "Busy week. We burn on Thursdays these days.",
            "changes": [["Mondays", "on Thursdays", "all"]],
        },
        {"talk": "k", "message": "Wenke has a cold.", "changes": []},
    ]
    path = tmp_path / "later-z.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_change_ends_the_sentence_that_holds_the_old_words(after: Path) -> None:
    found = {one.newer.text: [one.older[place].text for place in one.ends] for one in later([after])}
    assert found == {
        "Busy week.": [],
        "We burn on Thursdays these days.": ["The kiln is fired on Mondays."],
        "Wenke has a cold.": [],
    }


def test_all_that_was_said_before_stands_beside_it(after: Path) -> None:
    first = next(later([after]))
    told = [
        "The kiln is fired on Mondays.",
        "Wenke mixes the glazes.",
        "1,240 degrees.",
        "The clay comes from Adendorf.",
    ]
    assert [one.text for one in first.older] == told


def test_it_is_learnt_what_ends_and_that_the_others_stand(after: Path) -> None:
    pairs = [one for one in of_later([after]) if one.newer == "We burn on Thursdays these days."]
    assert [(one.older, one.relation) for one in pairs[:1]] == [("The kiln is fired on Mondays.", Relation.UPDATE)]
    assert {one.relation for one in pairs[1:]} == {Relation.DIFFERENT}
    assert "The kiln is fired on Mondays." not in {one.older for one in pairs[1:]}
