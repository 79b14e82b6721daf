"""Chooses the passages of a message that are worth keeping as one: runs of neighbouring pieces, rated by the weights.

Pure and linear in the number of pieces: a run has at most `MAX_PIECES` of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import add, sub

from cfpm.text.salience.clauses import Piece
from cfpm.text.salience.cues import COUNTS
from cfpm.text.salience.weights import Weights, content_words, features, log_odds, shares, worth

MAX_PIECES = {"chat": 6, "assistant": 8}
MAX_WORDS = 30
"""Content words of a run of several pieces; the longest gold facts read had about as many."""
_MIN_WORDS = 2


@dataclass(frozen=True, slots=True)
class Rating:
    """What the weights say of a run of `content` words, before a rule has said what kind of fact it is."""

    logit: float
    content: int
    shares: tuple[tuple[str, float], ...]

    def salience(self, weights: Weights, rule: str) -> float:
        """The salience in [0, 1] of a run that this rule of the extractor fired on."""
        return worth(self.logit + weights.rules.get(rule, 0.0), self.content, weights.length_exponent)

    def with_rule(self, weights: Weights, rule: str) -> tuple[tuple[str, float], ...]:
        """The shares that count for anything, the rule's own among them: the strongest first, then by name."""
        parts = (*self.shares, (f"rule {rule}", weights.rules.get(rule, 0.0)))
        ranked = sorted([(-abs(value), name, value) for name, value in parts if value])
        return tuple([(name, value) for _, name, value in ranked])


@dataclass(frozen=True, slots=True)
class Passage:
    """The slice [start, end) of a message; `asks` is true when a part of it asks, `whole` for full sentences."""

    start: int
    end: int
    rating: Rating
    asks: bool
    whole: bool
    points: bool
    """True when it opens by pointing to something before it and names nothing itself: 'That is on purpose.'"""


@dataclass(frozen=True, slots=True)
class Run:
    """Pieces `first` to `last` of a message, with all that the weights look at."""

    first: int
    last: int
    start: int
    end: int
    counts: tuple[int, ...]
    features: dict[str, float]
    words: tuple[str, ...]
    asks: bool = False
    whole: bool = True

    @property
    def content(self) -> int:
        """Content words."""
        return content_words(self.counts)


def runs(pieces: Sequence[Piece | None], kind: str) -> Iterator[Run]:
    """Every run of neighbouring pieces that may be a passage. None in `pieces` parts what must not be joined."""
    sums = _sums(pieces)
    message = content_words(sums[-1])
    total = len(pieces)
    for first, opening in enumerate(pieces):
        if opening is None:
            continue
        words: tuple[str, ...] = ()
        asks = False
        for last in range(first, min(first + MAX_PIECES[kind], total)):
            piece = pieces[last]
            if piece is None:
                break
            words += piece.words
            asks = asks or piece.asks
            counts = tuple(map(sub, sums[last + 1], sums[first]))
            size = content_words(counts)
            if last > first and size > MAX_WORDS:
                break
            if size >= _MIN_WORDS:
                found = features(counts, opening, piece, (first, last, total), message)
                yield Run(
                    first, last, opening.start, piece.end, counts, found, words, asks, opening.opens and piece.closes
                )


def passages(pieces: Sequence[Piece | None], kind: str, weights: Weights) -> list[Passage]:
    """The passages of a message, in its order, without overlap: the best for its length first, then what is left."""
    word_sums = list(accumulate((weights.word(p) if p else 0.0 for p in pieces), initial=0.0))
    found = list(runs(pieces, kind))
    words = [word_sums[run.last + 1] - word_sums[run.first] for run in found]
    logits = [log_odds(weights, run.features, word) for run, word in zip(found, words, strict=True)]
    values = [worth(logit, run.content, weights.choice_exponent) for run, logit in zip(found, logits, strict=True)]
    return [
        Passage(
            run.start, run.end, _rating(run, logits[place], words[place], weights), run.asks, run.whole, _points(run)
        )
        for place in sorted(best_first(found, values))
        if (run := found[place])
    ]


def best_first(found: Sequence[Run], values: Sequence[float]) -> list[int]:
    """The positions of the runs that are taken, by value, when no piece may be taken twice."""
    taken: set[int] = set()
    chosen = []
    for place in sorted(range(len(found)), key=lambda place: (-values[place], found[place].first, found[place].last)):
        pieces = range(found[place].first, found[place].last + 1)
        if taken.isdisjoint(pieces):
            taken.update(pieces)
            chosen.append(place)
    return chosen


def whole(pieces: Sequence[Piece]) -> Run:
    """All pieces of a sentence as one run; there must be one."""
    counts = _sums(pieces)[-1]
    last = len(pieces) - 1
    found = features(counts, pieces[0], pieces[-1], (0, last, len(pieces)), content_words(counts))
    words = tuple(word for piece in pieces for word in piece.words)
    return Run(0, last, pieces[0].start, pieces[-1].end, counts, found, words)


def rate(pieces: Sequence[Piece], weights: Weights) -> Rating:
    """Rates a whole sentence, whatever its pieces; one without content has the lowest odds."""
    if not pieces:
        return Rating(-30.0, 1, ())
    run = whole(pieces)
    words = sum(weights.word(piece) for piece in pieces)
    return _rating(run, log_odds(weights, run.features, words), words, weights)


def _points(run: Run) -> bool:
    named = any(run.features.get(name) for name in ("any number", "names", "symbols"))
    return "pointing opens" in run.features and not named


def _rating(run: Run, logit: float, words: float, weights: Weights) -> Rating:
    return Rating(logit, run.content, shares(weights, run.features, words))


def _sums(pieces: Sequence[Piece | None]) -> list[tuple[int, ...]]:
    zero = (0,) * len(COUNTS)
    return list(
        accumulate(
            (piece.counts if piece else zero for piece in pieces),
            lambda one, other: tuple(map(add, one, other)),
            initial=zero,
        )
    )
