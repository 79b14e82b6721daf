"""The linear model of salience: features by name, weights from a data file, and what each feature contributed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress

from cfpm.model.tables import toml_table
from cfpm.text.salience.clauses import Piece
from cfpm.text.salience.cues import COUNTS

_CONTENT = COUNTS.index("content")
_TYPICAL = 8.0
"""Content words of a usual fact, for which salience and probability agree."""
_CAP = 5
"""Numbers, names and symbols above this add nothing: a list of twenty is not four times a list of five."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learnt for one kind of conversation. `words` are weights of single words, as features of their own."""

    intercept: float
    features: Mapping[str, float]
    words: Mapping[str, float]
    rules: Mapping[str, float]
    """What it adds that a rule of the extractor fired, by the rule's name."""
    choice_exponent: float
    """Among the runs of a message, probability divided by content words to this power decides which are passages."""
    length_exponent: float
    """The salience of a passage is its probability divided by its content words to this power."""
    minimum: float
    """Salience under which a plain statement is refused as not worth its tokens."""

    def word(self, piece: Piece) -> float:
        """What the words of a piece add up to."""
        get = self.words.get
        return sum([weight for word in piece.words if (weight := get(word)) is not None])


@cache
def weights(kind: str) -> Weights:
    """The weights for `chat` (people among themselves) or `assistant` (a user who speaks to an agent)."""
    table = toml_table("cfpm.text.salience", "weights")[kind]
    return Weights(
        table["intercept"],
        table["features"],
        {word: float(weight) for weight, words in table["words"].items() for word in words.split()},
        table["rules"],
        table["choice_exponent"],
        table["length_exponent"],
        table["minimum"],
    )


def features(
    counts: Sequence[int], first: Piece, last: Piece, place: tuple[int, int, int], message: int
) -> dict[str, float]:
    """The features of a run of pieces by name, from the sums of their counts.

    `place` is (index of the first piece, of the last one, number of pieces in the message), `message` the message's
    content words. What is so or not counts as 1 or 0.
    """
    n = dict(zip(COUNTS, counts, strict=True))
    size = n["words"] or 1
    begin, end, total = place
    found = {
        "length": math.log1p(n["content"]),
        "content words": n["content"] / 10,
        "density": n["content"] / size,
        "filler": n["filler"] / size,
        "first person": n["first_person"] / size,
        "any first person": n["first_person"] > 0,
        "first person opens": first.by_first_person,
        "second person": n["second_person"] / size,
        "any second person": n["second_person"] > 0,
        "past": n["past"] > 0,
        "time": n["time"] > 0,
        "numbers": min(n["numbers"], _CAP) / _CAP,
        "any number": n["numbers"] > 0,
        "names": min(n["names"], _CAP) / _CAP,
        "capitals": min(n["capitals"], 2 * _CAP) / _CAP,
        "symbols": min(n["symbols"], _CAP) / _CAP,
        "request": n["requests"] > 0,
        "frame": n["frames"] > 0,
        "question": n["questions"] > 0,
        "exclamation": n["exclamations"] > 0,
        "pointing opens": first.by_pointing,
        "at the beginning": begin == 0,
        "at the end": end == total - 1,
        "starts at": begin / total,
        "ends at": end / total,
        "whole sentence begins": first.opens,
        "whole sentence ends": last.closes,
        "pieces": (end - begin + 1) / 4,
        "share of the message": n["content"] / (message or 1),
        "message length": math.log1p(message) / 4,
        "pieces in the message": min(total, 20) / 10,
    }
    return dict(compress(found.items(), found.values()))


def content_words(counts: Sequence[int]) -> int:
    """The number of content words among the counts."""
    return counts[_CONTENT]


def log_odds(weights: Weights, found: Mapping[str, float], words: float) -> float:
    """The log odds that a careful reader would note the passage down."""
    table = weights.features
    return weights.intercept + words + sum([table[name] * value for name, value in found.items() if name in table])


def worth(logit: float, content: int, exponent: float) -> float:
    """The probability, lowered for more content words than usual, raised for fewer; in [0, 1]."""
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
    return round(min(1.0, likely * math.pow(_TYPICAL / max(1, content), exponent)), 4)


@lru_cache(maxsize=4_096)
def _share(weight: float, value: float) -> float:
    # To round takes longer than all else that is done for a feature, and most are either there or not.
    return round(weight * value, 2)


def shares(weights: Weights, found: Mapping[str, float], words: float) -> tuple[tuple[str, float], ...]:
    """What each feature added to the logit, in no order; the words together are one feature."""
    table = weights.features
    parts = [(name, _share(table[name], value)) for name, value in found.items() if name in table]
    return (*parts, ("words", round(words, 2)), ("base", round(weights.intercept, 2)))
