"""Heads that sum whole numbers: one for each feature of a sentence and each answer, the same on every processor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from cfpm.text.heads.features import features

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

UNIT = 100
"""Weights are hundredths of a logit, so that sums are exact."""

BIAS = "#bias"
"""The feature that every sentence has."""

AXIS = "#axis"
"""Opens the names of the features that are the numbers of the sentence's vector, -127 to 127."""

_STEPS = 127


class Seen:
    """Sentences as heads see them: read once for all heads that judge them."""

    def __init__(self, texts: Sequence[str]) -> None:
        """`texts` are sentences in any language that is read."""
        self.texts = texts
        self.features = [features(text) for text in texts]

    @cached_property
    def vectors(self) -> NDArray[np.int64]:
        """A row of 128 whole numbers, -127 to 127, for each sentence."""
        import numpy as np

        from cfpm.embedding import static_embedder
        from cfpm.embedding.static import as_bytes

        rows = as_bytes(static_embedder().embed(self.texts))
        return np.array([np.frombuffer(row, dtype=np.int8) for row in rows], dtype=np.int64)


class LinearHead:
    """Tells how probable each answer is for a sentence."""

    def __init__(self, answers: Sequence[str], weights: Mapping[str, tuple[int, ...]]) -> None:
        """`weights` has for each feature a number for each answer, in hundredths of a logit."""
        self.answers = tuple(answers)
        self._weights = weights

    def table(self) -> list[tuple[str, tuple[int, ...]]]:
        """All features with their weights, by name."""
        return sorted(self._weights.items())

    def shares(self, texts: Sequence[str]) -> list[dict[str, int]]:
        """For each text the probability of each answer, in thousandths."""
        return self.of(Seen(texts))

    def of(self, seen: Seen) -> list[dict[str, int]]:
        """As `shares`, of sentences that were read before."""
        summed = [self._of_words(row) for row in seen.features]
        if summed and self._axes is not None:
            summed = (summed + (seen.vectors @ self._axes) // _STEPS).tolist()
        return [dict(zip(self.answers, _shares(row), strict=True)) for row in summed]

    @cached_property
    def _axes(self) -> NDArray[np.int64] | None:
        rows = [self._weights[name] for name in axes() if name in self._weights]
        if not rows:
            return None
        import numpy as np

        return np.array(rows, dtype=np.int64)

    def _of_words(self, found: Sequence[str]) -> list[int]:
        known = self._weights
        rows = [known[BIAS], *(known[name] for name in found if name in known)]
        return [sum(column) for column in zip(*rows, strict=True)]


def axes(count: int = 128) -> list[str]:
    """The names of the features that are the numbers of a vector."""
    return [f"{AXIS}{number}" for number in range(count)]


def _shares(logits: Sequence[int]) -> list[int]:
    most = max(logits)
    raised = [math.exp((logit - most) / UNIT) for logit in logits]
    whole = math.fsum(raised)
    return [round(1_000 * one / whole) for one in raised]


class _Table(Mapping[str, tuple[int, ...]]):
    """Lines of a file, each a feature and its numbers, which are read when they are first asked for: of the tens of
    thousands that the heads have, a process needs some hundred."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = dict(line.split("\t", 1) for line in lines)
        self._read: dict[str, tuple[int, ...]] = {}

    def __getitem__(self, name: str) -> tuple[int, ...]:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = tuple(map(int, self._lines[name].split("\t")))
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


@cache
def head(name: str) -> LinearHead:
    """The head of this name that ships with the package."""
    table = resources.files("cfpm.text.heads").joinpath("data", f"{name}.tsv").read_text(encoding="utf-8")
    first, *lines = table.splitlines()
    return LinearHead(first.split("\t")[1:], _Table(lines))


# The same statements are asked about again and again.
@lru_cache(maxsize=4_096)
def rule_share(text: str) -> float:
    """How likely a user's sentence says how something is to be done, from 0 to 1, whether or not it became a rule."""
    shares = head("user").of(Seen([text]))[0]
    return (shares["instruction"] + shares["preference"]) / 1_000
