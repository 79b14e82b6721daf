"""Whether a time without a year lies before or after what is said of it, or comes again and again, as learnt.

"The keys come in June, deposit is paid" and "Bergen in August, what a week" have no word that says so. Weighed are the
words around the time, what the lists of `tense` make of them, and how near such a time is on either side. The weights
are made by `python -m benchmarks train when`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from enum import Enum
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.text.dates.tense import Tense

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfpm.text.dates.spans import Interval, Parts
    from cfpm.text.dates.tense import Said

    Naming = Callable[[Parts, Said], Interval | None]


class When(Enum):
    """Where a time lies beside the moment at which it was said."""

    BEFORE = "before"
    AFTER = "after"
    REPEATS = "repeats"


SURE = {When.BEFORE: 600, When.AFTER: 600, When.REPEATS: 800}
"""Thousandths from which an answer is taken: of authors judged by what is learnt of the others nine in ten are right
then, by the lists alone eight."""

AGAINST = 900
"""The same against what the words around it say plainly."""

DIRECTED = frozenset({"date", "weekday", "day_of_month", "season", "weekend", "holiday"})
"""Times that may lie on either side."""

TENSES = {When.BEFORE: Tense.PAST, When.AFTER: Tense.FUTURE}

_WORD = lazy_pattern(r"[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_\u3400-\u9fff]+)?|[0-9]+|[^\w\s]|[\u3400-\u9fff]")
_REACH = 14
"""Words on either side that tell of a time."""
_CLOSE = 3
"""Of these, those of which it counts how far away they stand."""
_ENDINGS = ("ed", "ing")
_SPARE = 3
"""Days added to both distances, so that today and tomorrow are alike."""
_FAR = 4


def is_open(parts: Parts) -> bool:
    """Whether a time is told by no year and no word like "next", so that what is said of it decides."""
    return parts.means in DIRECTED and parts.year is None and parts.direction is None


def when(parts: Parts, said: Said, named: Naming) -> When | None:
    """What is learnt of such a time, where that is sure; `named` makes the time of its words."""
    rows = _weights()
    totals = [0.0] * len(When)
    for sign in ("", *signs(parts, said, named)):
        for place, weight in enumerate(rows.get(sign, ())):
            totals[place] += weight
    most = max(totals)
    shares = [math.exp(round(total - most, 3)) for total in totals]
    best = shares.index(max(shares))
    answer = [*When][best]
    against = said.plain and TENSES.get(answer, said.by_lists) is not said.by_lists
    line = AGAINST if against else SURE[answer]
    return answer if round(1_000 * shares[best] / sum(shares)) >= line else None


def signs(parts: Parts, said: Said, named: Naming) -> list[str]:
    """What speaks for one side or the other."""
    left, right = _words(said.left)[-_REACH:], _words(said.right)[:_REACH]
    of_clause = [_words(part) for part in said.clause]
    before, after = of_clause[0][-_REACH:], of_clause[1][:_REACH]
    kind = "month" if parts.means == "date" and not parts.day_number else parts.means
    found = [f"-{place} {word}" for place, word in enumerate(reversed(left[-_CLOSE:]), 1)]
    found += [f"+{place} {word}" for place, word in enumerate(right[:_CLOSE], 1)]
    found += [f"clause {word}" for word in (*before, *after)] + [f"sentence {word}" for word in (*left, *right)]
    found += [f"before {word}" for word in before] + [f"after {word}" for word in after]
    found += [f"two before {one} {other}" for one, other in pairwise(left)][-_CLOSE:]
    found += [f"two after {one} {other}" for one, other in pairwise(right)][:_CLOSE]
    found += [f"ends {ending}" for ending in _ENDINGS if any(word.endswith(ending) for word in (*before, *after))]
    found += [f"opens {not left}", f"closes {not right}", f"long {min(5, (len(left) + len(right)) // 3)}"]
    found += [f"{name} {value}" for name, value in said.told_by_lists().items()] + [f"plain {said.plain}"]
    found += [f"kind {kind}", f"kind {kind} {said.by_lists.value}", f"kind {kind} {said.habitual}"]
    if (nearer := _nearer(parts, said, named)) is not None:
        found += [f"nearer {_step(1.5 * nearer)}", f"{kind} nearer {_step(nearer)}"]
    if said.context is not None:
        found.append(f"context {said.context.ends <= said.anchor}")
    return list(dict.fromkeys(found))


def _nearer(parts: Parts, said: Said, named: Naming) -> float | None:
    """Logarithm of how much nearer the next such time is than the last one."""
    try:
        last, following = named(parts, replace(said, back=True)), named(parts, replace(said, ahead=True))
    except (OverflowError, ValueError):
        return None
    if last is None or following is None:
        return None
    ago, ahead = (said.anchor - last.begins).days, (following.begins - said.anchor).days
    return math.log((max(ago, 0) + _SPARE) / (max(ahead, 0) + _SPARE))


def _step(value: float) -> int:
    return max(-_FAR, min(_FAR, round(value)))


def _words(text: str) -> list[str]:
    return ["0" * len(word) if word.isdigit() else word for word in _WORD.findall(text)]


@cache
def _weights() -> dict[str, Sequence[float]]:
    told = resources.files("cfpm.text.dates").joinpath("data", "when.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in told.splitlines()[1:])
    return {name: tuple(map(float, weights)) for name, *weights in rows}
