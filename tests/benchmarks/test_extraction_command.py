"""`python -m benchmarks extraction` on the set that ships with the project, and with what it cannot use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.extraction.__main__ import main, measure_of, names
from benchmarks.extraction.measures import bundled

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_runs_without_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "bundled", "--examples", "1"]) == 0
    shown = capsys.readouterr().out
    for words in ("BGR@1", "grounding", "turns per second", "bundled: miss", "bundled: junk"):
        assert words in shown


def test_the_document_holds_rows_examples_and_no_place_of_this_machine(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert main(["--set", "bundled", "--extractor", "turns", "--examples", "2", "--json", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    written = json.loads(text)
    assert {"extractor", "cfpm", "platform", "rows", "examples", "absent"} == written.keys()
    assert written["extractor"] == "turns"
    row = written["rows"][0]
    assert row == {"set": bundled.NAME, "measure": "BGR@1", "value": row["value"], "of": row["of"]} | {
        "goal": None,
        "at_least": True,
        "met": None,
    }
    kinds = [example["kind"] for example in written["examples"]]
    assert max(map(kinds.count, kinds)) == 2
    assert str(tmp_path) not in text


def test_the_same_run_gives_the_same_figures(tmp_path: Path) -> None:
    texts = []
    for name in ("a.json", "b.json"):
        main(["--set", "bundled", "--json", str(tmp_path / name)])
        rows = json.loads((tmp_path / name).read_text(encoding="utf-8"))["rows"]
        texts.append([row for row in rows if "second" not in row["measure"]])
    assert texts[0] == texts[1]


def test_an_unknown_set_is_refused_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "bundled", "nowhere"]) == 2
    told = capsys.readouterr().err
    assert "--set nowhere: there is no such set" in told
    assert "bundled" in told
    assert "locomo" in told


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path / "gone"), "--set", "locomo"]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_a_named_set_that_the_folder_lacks_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--set", "locomo"]) == 2
    assert main(["--set", "locomo"]) == 2
    assert capsys.readouterr().err.count("--data DIR") == 2


def test_an_extractor_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--extractor", "nobody"]) == 2
    assert "none of that name" in capsys.readouterr().err


def test_every_module_of_measures_can_be_loaded() -> None:
    measures = [name for name in names() if measure_of(name)]
    assert {"bundled", "beam", "locomo", "peers"} <= set(measures)
