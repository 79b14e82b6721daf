"""Holds what an extractor remembers against what it should. Works for any extractor: it sees texts and categories only.

Matching, in full. *Words* are lower-case runs of a-z and 0-9, and single Chinese characters. *Content tokens* and
*containment* are those of `benchmarks.extraction.scoring`: words without stop words, lightly stemmed; the share of the
expected text's distinct tokens that stand in the prediction. Only predictions whose status is `active` count.

* A text **stands in** a prediction when its words follow each other in it; a text of one word must be all of it.
* A prediction **holds** an expected text when the text stands in it. It also holds it when it cites a message in which
  the text stands (or cites nothing), the containment is at least .5 with at least two shared tokens, all numbers of the
  text stand in it, and no expected text of the other verdict explains the prediction better: for junk, a good fact that
  is contained at least as much; for a good fact, junk that is contained more.
* **Junk accepted**: some active prediction holds it. Where the case names categories, one with a category of
  ours outside of them is no mistake. A repetition is accepted when at least two predictions hold it or what it repeats.
* **Good lost**: no active prediction holds it. A wrong category is no loss; `fitting` counts the right ones apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.extraction.scoring import THRESHOLD, containment, tokens
from cfpm.model import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.extraction.conversation import Prediction
    from benchmarks.junk.cases import Case, Expectation

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_OURS = frozenset(Category)
_MIN_SHARED = 2
"""Content tokens. 'All tests pass' and 'Run the tests' share half of the first one's, and say different things."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one expectation: `wrong` is junk accepted or good lost, `held` the texts that hold it.

    `fitting` is whether a good fact that was found has a category that fits, None where that says nothing.
    """

    case: Case
    expected: Expectation
    wrong: bool
    held: tuple[str, ...]
    fitting: bool | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over some outcomes; a share is None when there is nothing to count."""

    junk: int
    junk_accepted: int
    good: int
    good_lost: int
    fitting: int
    with_category: int

    @property
    def accepted_share(self) -> float | None:
        return self.junk_accepted / self.junk if self.junk else None

    @property
    def lost_share(self) -> float | None:
        return self.good_lost / self.good if self.good else None

    @property
    def fitting_share(self) -> float | None:
        return self.fitting / self.with_category if self.with_category else None


def judge(case: Case, predictions: Sequence[Prediction]) -> list[Outcome]:
    """An outcome for each expectation of a case."""
    active = [item for item in predictions if item.status == "active"]
    return [_good(case, item, active) if item.stored else _junk(case, item, active) for item in case.expect]


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """The counts over some outcomes."""
    found = list(outcomes)
    good = [item for item in found if item.expected.stored]
    judged = [item.fitting for item in good if item.fitting is not None]
    return Tally(
        junk=len(found) - len(good),
        junk_accepted=sum(item.wrong for item in found if not item.expected.stored),
        good=len(good),
        good_lost=sum(item.wrong for item in good),
        fitting=sum(judged),
        with_category=len(judged),
    )


def holds(item: Expectation, text: str, sources: Sequence[str], against: Sequence[Expectation]) -> bool:
    """Whether a remembered text, with the messages that it cites, holds what is expected.

    `against` are the case's expectations of the other verdict.
    """
    if stands_in(item.text, text):
        return True
    share = containment(item.text, text)
    if share < THRESHOLD or _shared(item.text, text) < _MIN_SHARED or not _numbers(item.text) <= _numbers(text):
        return False
    if sources and item.messages.isdisjoint(map(_whole, sources)):
        return False
    rival = max((containment(other.text, text) for other in against), default=0.0)
    return share >= rival if item.stored else share > rival


def stands_in(text: str, prediction: str) -> bool:
    """Whether the words of a text follow each other in a prediction; one word alone must be all of it."""
    wanted, given = _words(text), _words(prediction)
    if len(wanted) < 2:
        return bool(wanted) and wanted == given
    return f" {' '.join(wanted)} " in f" {' '.join(given)} "


def _junk(case: Case, item: Expectation, active: Sequence[Prediction]) -> Outcome:
    repeated = [other for other in case.expect if item.repeats and other.text == item.repeats]
    good = [other for other in case.good if other not in repeated]
    held = tuple(
        prediction.text
        for prediction in active
        if _counts(prediction, item)
        and any(holds(wanted, prediction.text, prediction.sources, good) for wanted in (item, *repeated))
    )
    return Outcome(case, item, len(held) > len(repeated), held)


def _good(case: Case, item: Expectation, active: Sequence[Prediction]) -> Outcome:
    junk = [other for other in case.junk if other.repeats != item.text]
    found = [prediction for prediction in active if holds(item, prediction.text, prediction.sources, junk)]
    named = {prediction.category for prediction in found} & _OURS
    fitting = bool(named & item.categories) if named and item.categories else None
    return Outcome(case, item, not found, tuple(prediction.text for prediction in found), fitting)


def _counts(prediction: Prediction, item: Expectation) -> bool:
    return not item.categories or prediction.category not in _OURS or prediction.category in item.categories


@lru_cache(maxsize=50_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def _whole(source: str) -> str:
    """The id of a message for that of one of its parts: `recall_echo-open-1/0` for `recall_echo-open-1/0/2`."""
    return "/".join(source.split("/")[:2])


def _shared(text: str, prediction: str) -> int:
    return len(set(tokens(text)) & set(tokens(prediction)))


def _numbers(text: str) -> set[str]:
    return {word for word in tokens(text) if word.isdigit()}
