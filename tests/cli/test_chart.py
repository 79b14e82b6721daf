"""`cfpm chart`: the page that `cfpm.context.chart` draws, from lines of JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cfpm.context.chart import Snapshot, chart, to_jsonl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_the_page_is_on_standard_output(run: Run, tmp_path: Path) -> None:
    snapshots = [Snapshot(1, "baker", 900), Snapshot(2, "baker", 400, compacted=True)]
    (tmp_path / "turns.jsonl").write_text(to_jsonl(snapshots), encoding="utf-8")
    done = run("chart", tmp_path / "turns.jsonl", "--warn-at", "800")
    assert (done.code, done.out.rstrip("\n")) == (0, chart(snapshots, warn_at=800).rstrip("\n"))


def test_a_line_that_is_no_snapshot_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "turns.jsonl").write_text(json.dumps({"turn": 1}) + "\n", encoding="utf-8")
    done = run("chart", tmp_path / "turns.jsonl")
    assert done.code == 1
    assert "line 1" in done.err
