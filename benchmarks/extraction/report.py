"""What a run prints and writes: the table of rows, the texts of the worst cases, the JSON. Computes no figure."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import cfpm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.extraction.result import Example, Row

_MET = {True: "yes", False: "no", None: ""}
_LONGEST = 240


def table(rows: Sequence[Row]) -> str:
    """The rows as a table that reads well in a terminal and in Markdown."""
    cells = [("set", "measure", "value", "of", "goal", "met"), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "| "
        + " | ".join(
            c.ljust(w) if n in (0, 1, 5) else c.rjust(w) for n, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (w + 2) if n in (0, 1, 5) else "-" * (w + 1) + ":" for n, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _cells(row: Row) -> tuple[str, ...]:
    goal = "" if row.goal is None else f"{'>=' if row.at_least else '<='} {_number(row.goal)}"
    return (row.set, row.measure, _number(row.value), str(row.of), goal, _MET[row.met])


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def worst(examples: Sequence[Example], limit: int) -> list[Example]:
    """The first `limit` of each kind of each set, kind by kind."""
    by_kind: dict[tuple[str, str], list[Example]] = {}
    for example in examples:
        by_kind.setdefault((example.set, example.kind), []).append(example)
    return [example for kind in by_kind.values() for example in kind[: max(limit, 0)]]


def example_lines(examples: Sequence[Example]) -> Iterator[str]:
    """The examples for reading, under a heading for each kind of each set."""
    heading = None
    for example in examples:
        if heading != (heading := (example.set, example.kind)):
            yield f"\n{example.set}: {example.kind}"
        yield f"- [{_short(example.source)}] {_short(example.text)}" if example.source else f"- {_short(example.text)}"
        if example.why:
            yield f"      {_short(example.why)}"


def _short(text: str) -> str:
    """On one line, without characters that could steer a terminal."""
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def document(extractor: str, rows: Sequence[Row], examples: Sequence[Example], absent: Sequence[str]) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "extractor": extractor,
        "cfpm": cfpm.__version__,
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "absent": list(absent),
        "rows": [{**asdict(row), "met": row.met} for row in rows],
        "examples": [asdict(example) for example in examples],
    }
