"""Runs an extractor over the cases, each in an empty memory of its own. Prints nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.junk.audit_trail import agreement, reasons
from benchmarks.junk.cases import cases
from benchmarks.junk.report import HalfReport
from benchmarks.junk.scoring import judge

if TYPE_CHECKING:
    from benchmarks.extraction.conversation import Extractor
    from benchmarks.junk.scoring import Outcome


def run(half: str, scored: Extractor, *, with_reasons: bool = False) -> HalfReport:
    """Every case of a half; `with_reasons` asks cfpm's audit trail as well, which takes as long again."""
    outcomes: list[Outcome] = []
    agreed: list[bool] = []
    for case in cases([half]):
        found = judge(case, scored(case.conversation()))
        outcomes += found
        if with_reasons:
            agreed += agreement(found, reasons(case))
    return HalfReport(half, tuple(outcomes), tuple(agreed) if with_reasons else None)
