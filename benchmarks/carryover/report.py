"""What a run prints and writes. Measures nothing."""

from __future__ import annotations

import platform
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import cfpm
from benchmarks.carryover.methods import BUDGETS
from benchmarks.carryover.runs import METHODS, SHOWN_AT
from benchmarks.compaction.gold import WRITTEN
from benchmarks.compaction.report import table
from benchmarks.compaction.requests import LONG
from benchmarks.compaction.scoring import MOST_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.carryover.knowledge import Known
    from benchmarks.carryover.runs import Case, Found

DEFINITIONS = f"""\
Before each turn memory holds all earlier sessions of the project and the earlier turns of this one. Counted are the
  names (files by file name, identifiers and codes, commands by their first three words) that the agent then says or
  puts into a call, that earlier sessions had used so, and that neither the prompt nor anything in this session before
  it names. An argument over {WRITTEN} characters and a message over {LONG:,} are texts being written: they use nothing.
Plain: the share of these that stand anywhere in what is put into the prompt. Strict: those in a line that has, besides
  its names, a word for what happened, how it stands or what it is; lines with the same other words are one list, and
  one of more than {MOST_NAMES} names counts only where a line of it has a single name. A line that is quoted from a
  message is judged alike. Each name of each turn weighs the same. What is longer than its budget counts as empty.
"""


def report(found: Found) -> Iterator[str]:
    """The report for people."""
    yield DEFINITIONS
    wanted, new = sum(len(case.wanted) for case in found.cases), sum(case.new for case in found.cases)
    some = sum(bool(case.wanted) for case in found.cases)
    yield (
        f"{found.sessions} sessions, {found.counted} counted; {len(found.cases)} turns, {some} with something to find\n"
        f"names newly used {new:,}, known from earlier sessions {wanted:,} ({_share(wanted, new)})\n"
    )
    for name in _measured(found.cases):
        yield f"{name}: {METHODS[name]}"
    yield ""
    yield from shares_table(found.cases)
    yield from (f"{name}: {times} texts longer than their budget" for name, times in found.over_budget.items())
    yield ""
    if found.facts is not None:
        yield f"active facts at the end: {found.facts:,}"
        yield f"observing a turn: median {_ms(median, found.observe_seconds)}, mean {_ms(mean, found.observe_seconds)}"
        if found.has_brief:
            yield f"a brief: median {_ms(median, found.brief_seconds)} of {len(found.brief_seconds)}"
        else:
            yield "this memory makes no brief: recall stands for ours"
    yield from _stale(found)
    yield from _repeated(found)
    for what, known in (
        ("all active knowledge", found.all_known),
        ("a brief of 1,200 tokens at the end", found.brief_known),
        ("such a brief right after their session", found.left),
    ):
        if known is not None:
            yield knowledge(what, known)


def shares_table(cases: Sequence[Case]) -> list[str]:
    """One row a method: strict and plain at each budget, then strict by kind at the middle one."""
    kinds = ("path", "identifier", "command")
    heads = (f"{kind} ({sum(n.kind == kind for c in cases for n in c.wanted):,})" for kind in kinds)
    budgets = [f"{budget:,}" for budget in BUDGETS]
    rows = [("strict / plain", *budgets, *(f"{head} at {SHOWN_AT:,}" for head in heads))]
    for name in _measured(cases):
        cells = [f"{share(cases, name, budget):.2f} / {share(cases, name, budget, 'plain'):.2f}" for budget in BUDGETS]
        of_kinds = [
            f"{share(cases, name, SHOWN_AT, kind=kind):.2f} / {share(cases, name, SHOWN_AT, 'plain', kind):.2f}"
            for kind in kinds
        ]
        rows.append((name, *cells, *of_kinds))
    return table(rows)


def share(cases: Sequence[Case], method: str, budget: int, how: str = "strict", kind: str = "") -> float:
    """The share of the wanted names, of one kind or of all, that a method held; `how` is `strict` or `plain`."""
    there = got = 0
    for case in cases:
        if case.wanted:
            names = {name for name in case.wanted if kind in ("", name.kind)}
            there += len(names)
            got += len(names & getattr(case.held[method, budget], how))
    return got / there if there else 0.0


def _measured(cases: Sequence[Case]) -> list[str]:
    return [name for name in METHODS if any((name, BUDGETS[0]) in case.held for case in cases)]


def _stale(found: Found) -> Iterator[str]:
    if not found.stale:
        return
    lines = sum(one.lines for one in found.stale)
    gone, replaced = sum(one.gone for one in found.stale), sum(one.replaced for one in found.stale)
    yield (
        f"freshness, {len(found.stale)} briefs of {SHOWN_AT:,} tokens at a session's start, {lines:,} lines: "
        f"{gone} name a path that was removed or moved and do not say so; "
        f"{replaced} name a path whose newest fact was replaced"
    )


def _repeated(found: Found) -> Iterator[str]:
    if found.facts is None:
        return
    solved = [one for one in found.repeated if one.earlier.remedy]
    yield (
        f"failing shell calls that repeat a failure of an earlier session: {len(found.repeated)}, "
        f"warned of at {SHOWN_AT:,} tokens {sum(one.warned for one in found.repeated)}; another command worked "
        f"instead for {len(solved)}, named in that line for {sum(one.with_remedy for one in solved)}"
    )


def knowledge(what: str, known: Known) -> str:
    """One line: the share over all statements, and of each kind."""
    kinds = ", ".join(f"{kind} {known.said[kind]} of {number}" for kind, number in sorted(known.there.items()))
    return f"statements said by one line of {what}: {known.share:.2f} of {known.there.total()} ({kinds})"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _ms(of: Any, seconds: Sequence[float]) -> str:
    return f"{1_000 * of(seconds):.1f} ms" if seconds else "-"


def document(found: Found) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "cfpm": cfpm.__version__,
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "definitions": DEFINITIONS,
        "sessions": found.sessions,
        "counted": found.counted,
        "shares": {
            name: {
                how: {str(budget): round(share(found.cases, name, budget, how), 4) for budget in BUDGETS}
                for how in ("strict", "plain")
            }
            for name in _measured(found.cases)
        },
        "turns": [_turn(case) for case in found.cases],
        "over_budget": dict(found.over_budget),
        "stale": [{"lines": one.lines, "gone": one.gone, "replaced": one.replaced} for one in found.stale],
        "repeated_failures": [
            {
                "command": one.earlier.command,
                "line": one.earlier.line,
                "remedy": one.earlier.remedy,
                "warned": one.warned,
                "with_remedy": one.with_remedy,
            }
            for one in found.repeated
        ],
        "knowledge": {
            what: {kind: [known.said[kind], number] for kind, number in sorted(known.there.items())}
            for what, known in (("all", found.all_known), ("brief", found.brief_known), ("left", found.left))
            if known is not None
        },
        "facts": found.facts,
        "brief_seconds": found.brief_seconds,
        "observe_seconds": found.observe_seconds,
    }


def _turn(case: Case) -> dict[str, Any]:
    return {
        "session": case.session,
        "turn": case.turn,
        "new": case.new,
        "wanted": [[name.kind, name.text] for name in sorted(case.wanted)],
        "held": {
            f"{method} {budget}": {how: sorted(name.text for name in getattr(one, how)) for how in ("strict", "plain")}
            for (method, budget), one in case.held.items()
        },
    }
