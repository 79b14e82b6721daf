"""The figures as text and as a JSON document. The texts of the kept half are in neither."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from benchmarks.junk.scoring import Tally, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.junk.scoring import Outcome

JUNK_GOAL = 0.02
GOOD_GOAL = 0.03


@dataclass(frozen=True, slots=True)
class HalfReport:
    """All outcomes of one half; `agreed` holds a truth value for each junk, None for extractors without reasons."""

    half: str
    outcomes: tuple[Outcome, ...]
    agreed: tuple[bool, ...] | None = None

    @property
    def total(self) -> Tally:
        return tally(self.outcomes)

    @property
    def kinds(self) -> dict[str, Tally]:
        """The counts of each kind, by name."""
        groups: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in self.outcomes:
            groups[outcome.case.kind].append(outcome)
        return {kind: tally(groups[kind]) for kind in sorted(groups)}

    @property
    def agreement(self) -> float | None:
        return sum(self.agreed) / len(self.agreed) if self.agreed else None


def lines(extractor: str, halves: Sequence[HalfReport]) -> Iterator[str]:
    """The headline of each half, then the kinds side by side, then what went wrong in the open half."""
    yield f"extractor {extractor}"
    for half in halves:
        total = half.total
        yield (
            f"  {half.half:<5} junk accepted {_share(total.accepted_share)} ({total.junk_accepted} of {total.junk}, "
            f"goal under {JUNK_GOAL:.0%}), good lost {_share(total.lost_share)} ({total.good_lost} of {total.good}, "
            f"goal under {GOOD_GOAL:.0%}), fitting category {_share(total.fitting_share)}, "
            f"reasons agree {_share(half.agreement)}"
        )
    yield ""
    yield from _table(halves)
    for half in halves:
        if half.half == "open":
            yield from _wrong(half)


def document(extractor: str, halves: Sequence[HalfReport]) -> dict[str, object]:
    """All figures, and the texts of what went wrong in the open half."""
    return {
        "extractor": extractor,
        "goals": {"junk_accepted": JUNK_GOAL, "good_lost": GOOD_GOAL},
        "halves": {half.half: _half(half) for half in halves},
    }


def _half(half: HalfReport) -> dict[str, object]:
    found: dict[str, object] = {
        **_figures(half.total),
        "reasons_agree": half.agreement,
        "kinds": {kind: _figures(counts) for kind, counts in half.kinds.items()},
    }
    if half.half == "open":
        found["wrong"] = [
            {"case": item.case.id, "expected": item.expected.text, "stored": item.expected.stored, "held": item.held}
            for item in half.outcomes
            if item.wrong
        ]
    return found


def _figures(counts: Tally) -> dict[str, object]:
    shares = {
        "junk_accepted_share": counts.accepted_share,
        "good_lost_share": counts.lost_share,
        "fitting_share": counts.fitting_share,
    }
    return {**asdict(counts), **{name: None if value is None else round(value, 4) for name, value in shares.items()}}


def _table(halves: Sequence[HalfReport]) -> Iterator[str]:
    yield "kind".ljust(20) + "".join(f"{half.half} junk".rjust(12) + f"{half.half} lost".rjust(12) for half in halves)
    kinds = sorted({kind for half in halves for kind in half.kinds})
    for kind in kinds:
        cells = []
        for half in halves:
            counts = half.kinds[kind]
            cells += [f"{counts.junk_accepted}/{counts.junk}", f"{counts.good_lost}/{counts.good}"]
        yield kind.ljust(20) + "".join(cell.rjust(12) for cell in cells)


def _wrong(half: HalfReport) -> Iterator[str]:
    for item in half.outcomes:
        if item.wrong:
            what = "lost" if item.expected.stored else "junk"
            yield f"  {what} {item.case.id}: {item.expected.text!r}" + (f" in {item.held[0]!r}" if item.held else "")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
