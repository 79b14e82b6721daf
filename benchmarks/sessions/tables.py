"""The outcomes as Markdown tables, ready for the docs, and as JSON. Counts nothing itself."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cfpm import Category, Decision
from cfpm.auditor.reasons import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.sessions.outcomes import Outcome

DECISIONS = (Decision.ACCEPTED, Decision.MERGED, Decision.SUPERSEDED, Decision.REJECTED)


def sources_table(outcomes: Sequence[Outcome]) -> str:
    """One row a source. `in source` and `lost` come from a second reader; `stored` is counted in the store."""
    head = (
        "source", "files", "sessions", "in source", "lost", "stored", "problems", "candidates",
        *DECISIONS, "pruned", "facts", "seconds", "MB/s", "MB/s (process)",
    )  # fmt: skip
    return _table(head, [_source_row(outcome) for outcome in outcomes])


def categories_table(outcomes: Sequence[Outcome]) -> str:
    """Decisions by category, over all sources."""
    total: dict[Category, Counter[Decision]] = {}
    for outcome in outcomes:
        for category, counts in outcome.by_category.items():
            total.setdefault(category, Counter()).update(counts)
    rows = [(category, *(total[category][d] for d in DECISIONS)) for category in Category if category in total]
    return _table(("category", *DECISIONS), rows)


def reasons_table(outcomes: Sequence[Outcome]) -> str:
    """Candidates by reason code and source, the most frequent first."""
    total = all_reasons(outcomes)
    head = ("reason", "all", *(outcome.name for outcome in outcomes))
    ordered = sorted(total, key=lambda code: (-total[code], code))
    return _table(head, [(code, total[code], *(o.by_reason[code] or "" for o in outcomes)) for code in ordered])


def all_reasons(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Candidates by reason code."""
    return sum((outcome.by_reason for outcome in outcomes), Counter[str]())


def not_reached(outcomes: Iterable[Outcome]) -> list[str]:
    """The codes that no candidate of these sources got."""
    reached = all_reasons(outcomes)
    return [code for code in REASONS if not reached[code]]


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "sources": [
            {
                "name": outcome.name,
                "files": outcome.files,
                "bytes": outcome.bytes,
                "seconds": round(outcome.seconds, 3),
                "cpu_seconds": round(outcome.cpu, 3),
                "sessions": outcome.report.sessions,
                "turns": outcome.report.turns,
                "messages": outcome.report.messages,
                "stored": outcome.stored,
                "in_source": outcome.coverage.messages,
                "lost": list(outcome.coverage.lost),
                "crashed": list(outcome.crashed),
                "candidates": outcome.report.candidates,
                "pruned": outcome.report.pruned,
                "facts": outcome.report.facts,
                "adds_up": outcome.adds_up,
                "problems": [f"{p.source}, {p.place}: {p.problem}" for p in outcome.report.problems],
                "by_category": {
                    c.value: {d.value: n for d, n in counts.items()} for c, counts in outcome.by_category.items()
                },
                "by_reason": dict(sorted(outcome.by_reason.items())),
            }
            for outcome in outcomes
        ],
        "not_reached": not_reached(outcomes),
    }


def _source_row(outcome: Outcome) -> tuple[object, ...]:
    report, size = outcome.report, outcome.bytes / 1e6
    return (
        outcome.name, outcome.files, report.sessions, outcome.coverage.messages, len(outcome.coverage.lost),
        outcome.stored, len(report.problems), report.candidates,
        report.accepted, report.merged, report.superseded, report.rejected, report.pruned, report.facts,
        f"{outcome.seconds:.1f}", f"{size / outcome.seconds:.2f}", f"{size / outcome.cpu:.2f}",
    )  # fmt: skip


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(head))]
    lines = [
        "| "
        + " | ".join(cell.rjust(w) if n else cell.ljust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True)))
        + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (w + 1) + (":" if n else "-") for n, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
