"""`chart`: the tokens of each turn and agent as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cfpm.cli.output import show
from cfpm.cli.parser import Argument, Option


def chart(
    path: Annotated[Path, Argument(metavar="PATH", help="One JSON object a line: turn, agent, tokens and compacted.")],
    *,
    warn_at: Annotated[int, Option("--warn-at", min=0, metavar="N", help="Draws a line; 0 for none.")] = 0,
    cut_over_at: Annotated[int, Option("--cut-over-at", min=0, metavar="N", help="Another line.")] = 0,
) -> None:
    """Draw the tokens of each turn and agent, as a page of HTML on standard output.

    The page needs no network and runs no script.
    """
    from cfpm.context.chart import chart, from_jsonl

    snapshots = from_jsonl(path.read_text(encoding="utf-8"), str(path))
    show(chart(snapshots, warn_at=warn_at, cut_over_at=cut_over_at))
