"""What a run prints and writes: the tables with their definitions, and the JSON. Measures nothing."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import cfpm
from benchmarks.compaction.gold import AGAIN, WRITTEN
from benchmarks.compaction.requests import FEWEST_WORDS, HELD, LONG
from benchmarks.compaction.runs import BUDGETS, SHARES, Case, Left
from benchmarks.compaction.schemes import SCHEMES
from benchmarks.compaction.scoring import KINDS, MOST_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

HOW = ("strict", "lined", "plain")

GOALS = {1_000: 0.82, 2_000: 0.86, 4_000: 0.90, 8_000: 0.93}
"""Of `cfpm`, strictly (issue of the compaction)."""


def definitions(tokens: str) -> str:
    """What each figure means."""
    return f"""\
Cut: a session as a host would send it, without system messages and thinking, cut at {", ".join(map(str, SHARES))} % of
  its messages (and the tool results that still follow). What is before the cut is compacted to a budget of tokens
  (count: {tokens}). A cut is left out when it is within the budget anyway, or when nothing is used again.
Used again: the files (by file name), the identifiers and codes, and the commands (first three words) that stand before
  the cut, anywhere, and after it in what the agent or the user says or puts into a call (not in tool results, nor in an
  argument over {WRITTEN} characters, which is a text being written); and the sentences of the user or the agent before
  the cut that decide something ("let's", "switch to", ...) of whose content words one later message says or calls
  {AGAIN:.0%} and at least {FEWEST_WORDS}.
Plain: the share of these that stand anywhere in the view; a decision stands in it when one line has {HELD:.0%} of its
  content words. Mean over the cuts, each with the same weight. No view within the budget counts as 0.
Strict: the same, but a name counts only in a message that is still as it was, in a line of a message's text (of
  {FEWEST_WORDS} content words) or of the same call or result, or in a written line that has, besides its names, a word
  for what happened, how it stands or what it is (`words.toml`; not for mere occurrence, such as "results showed").
  Lines with the same other words and the same subject are one list, however it is broken: one of more than
  {MOST_NAMES} names counts only where a line of it has a single name. Bare lists of names do not count.
In a line: the same, but each written line is looked at by itself: it counts when it has at most {MOST_NAMES} names and
  a word about them, were it only that they occurred. A list that is broken over lines gets by this rule, not by the
  strict one.
Goals, rules: of all sentences of the user before the cut that ask for something (begin with a request or a verb of
  `words.toml`), or bind (hold must, should, make sure, or command with always, never, do not), and the first sentence
  of the first message if that asks for nothing, the share of which one line of the view has {HELD:.0%} of the content
  words, and a word of negation where the sentence forbids. Fenced blocks, diffs and lines that begin as those of a log
  or of pasted data are not the user's own words, nor is the middle of a message over {LONG:,} characters; questions do
  not bind; sentences with fewer than {FEWEST_WORDS} content words are left out. Share of all such sentences.
"""


def report(found: Sequence[Case | Left], names: Sequence[str], tokens: str) -> Iterator[str]:
    """The report for people."""
    yield definitions(tokens)
    for name in names:
        if name in SCHEMES:
            yield f"{name}: {SCHEMES[name][1]}"
    for set_name in dict.fromkeys(item.set for item in found):
        cases = [item for item in found if isinstance(item, Case) and item.set == set_name]
        left = [item for item in found if isinstance(item, Left) and item.set == set_name]
        yield f"\n{set_name}: {_counts(cases, left)}"
        if cases:
            yield f"\nrecall of what is used again, strict / in a line / plain, {set_name}"
            yield from recall_table(cases, names)
            yield from below(cases, names)
            yield f"\nstrict by kind, over all names of the set, and what the user asked for, {set_name}"
            yield from kinds_table(cases, names)


def _counts(cases: Sequence[Case], left: Sequence[Left]) -> str:
    used = {(case.session, case.share) for case in cases}
    every = used | {(item.session, item.share) for item in left}
    parts = [f"{len({session for session, _ in every})} sessions, {len(every)} cuts, {len(used)} measured"]
    for budget in BUDGETS:
        measured = len({(case.session, case.share) for case in cases if case.budget == budget})
        whys = Counter(item.why for item in left if item.budget == budget)
        reasons = "".join(f", {number} {why}" for why, number in sorted(whys.items()))
        parts.append(f"  at {budget:,} tokens {measured} measured{reasons}")
    return "\n".join(parts)


def recall_table(cases: Sequence[Case], names: Sequence[str]) -> list[str]:
    """One row a strategy: the mean over cuts at each budget."""
    rows = [("strategy", *(f"{budget // 1000}k" for budget in BUDGETS), "no view", "ms", "goal (strict)")]
    for name in names:
        own = [case for case in cases if case.strategy == name]
        cells = [" / ".join(_mean_text(own, budget, how) for how in HOW) for budget in BUDGETS]
        goal = " ".join(f"{value:.2f}" for value in GOALS.values()) if name == "cfpm" else ""
        time = f"{1_000 * sum(case.seconds for case in own) / len(own):.0f}" if own else "-"
        rows.append((name, *cells, str(sum(bool(case.problem) for case in own)), time, goal))
    return table(rows)


def below(cases: Sequence[Case], names: Sequence[str]) -> Iterator[str]:
    """Where ours hold less than plain tail truncation does, strictly."""
    if "tail" not in names:
        return
    every = {name: [case for case in cases if case.strategy == name] for name in names}
    for name in (name for name in names if name not in SCHEMES):
        less = [
            f"{budget:,}"
            for budget in BUDGETS
            if (_mean(every[name], budget) or 0.0) < (_mean(every["tail"], budget) or 0.0)
        ]
        yield (
            f"{name} holds less than tail at {', '.join(less)} tokens" if less else f"{name} never holds less than tail"
        )


def kinds_table(cases: Sequence[Case], names: Sequence[str]) -> list[str]:
    """One row a strategy and budget: each kind of name strictly, then goals and rules."""
    head = ("strategy", "tokens", *(f"{kind} ({_there(cases, kind)})" for kind in KINDS), "goals", "rules", "of")
    rows: list[tuple[str, ...]] = [head]
    for name in names:
        for budget in BUDGETS:
            own = [case.score for case in cases if case.strategy == name and case.budget == budget]
            if not own:
                continue
            kinds = (_share(sum(s.strict[k] for s in own), sum(s.there[k] for s in own)) for k in KINDS)
            asked = (_share(sum(s.asked_kept[k] for s in own), sum(s.asked[k] for s in own)) for k in ("goal", "rule"))
            of = " + ".join(str(sum(s.asked[k] for s in own)) for k in ("goal", "rule"))
            rows.append((name, f"{budget:,}", *kinds, *asked, of))
    return table(rows)


def _there(cases: Iterable[Case], kind: str) -> str:
    found = {(case.session, case.share): case.score.there[kind] for case in cases}
    return f"{sum(found.values()):,}"


def _mean(cases: Sequence[Case], budget: int, how: str = "strict") -> float | None:
    values = [case.score.share(how) for case in cases if case.budget == budget]
    return sum(values) / len(values) if values else None


def _mean_text(cases: Sequence[Case], budget: int, how: str) -> str:
    value = _mean(cases, budget, how)
    return "-" if value is None else f"{value:.3f}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as a Markdown table, the first as its head; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"| {' | '.join(c.rjust(w) if n else c.ljust(w) for n, (c, w) in enumerate(zip(row, widths, strict=True)))} |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (w + 1) + (":" if n else "-") for n, w in enumerate(widths)) + "|"
    return [lines[0], rule, *lines[1:]]


def lost(found: Sequence[Case | Left], name: str, limit: int) -> Iterator[str]:
    """What the user asked for and a strategy's views lack, the most frequent first."""
    counts = Counter(
        (case.session, text)
        for case in found
        if isinstance(case, Case) and case.strategy == name and not case.problem
        for text in case.score.lost
    )
    for (session, text), number in counts.most_common(limit):
        yield f"- {number} of the views [{session}] {' '.join(text.split())[:240]}"
    problems = Counter(
        case.problem for case in found if isinstance(case, Case) and case.strategy == name and case.problem
    )
    for problem, number in problems.most_common(limit):
        yield f"- {number} without a view: {problem}"


def document(found: Sequence[Case | Left], tokens: str) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "cfpm": cfpm.__version__,
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "definitions": definitions(tokens),
        "cases": [asdict(item) for item in found if isinstance(item, Case)],
        "left_out": [asdict(item) for item in found if isinstance(item, Left)],
    }
