"""The gist of a statement: its content words, each with a weight, and whether one text still says what another said.

For finding again what was to be forgotten or erased, in other words too: an echo, a light paraphrase. Much coarser than
`pruner.relation.sameness`, which decides whether two facts may be merged; here to miss is worse than to take one more.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.text.grammar.lexicon import lexicon, stem
from cfpm.text.words import low_words

if TYPE_CHECKING:
    from collections.abc import Mapping

SHARE = 2 / 3
"""Of the weight of a statement that another text must hold to say it. The verb may be another, or the place left out;
who, how many and what it is called must mostly be there."""

TELLING = 2
"""Weight of a name or a number; any other content word weighs 1. Nobody says a street by accident."""

FEW_WORDS, SPARE_WORDS = 2, 3
"""A statement of so few words is said only by a text with at most so many words more: 'I smoke' is no part of every
text on smoke."""

MOST_WORDS = 256
"""Different words of a text that are looked at; a sentence has fewer."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = lazy_pattern(f"(?P<cjk>[{_CJK}]+)|[^\\W_{_CJK}]+")
_DENIES = lazy_pattern(r"n['’]t\b|[不没沒未无無]")


@dataclass(frozen=True, slots=True)
class Gist:
    """The words of a text with their weights, those among them that are numbers, and whether it denies something."""

    words: Mapping[str, int]
    numbers: frozenset[str]
    negated: bool

    @property
    def weight(self) -> int:
        """Of all words together."""
        return sum(self.words.values())


@dataclass(frozen=True, slots=True)
class Measure:
    """What must be known of a statement, beside which of its words a text has, to tell whether the text says it."""

    weight: int
    words: int
    numbers: int
    negated: bool


def measure(of: Gist) -> Measure:
    """The measure of a statement."""
    return Measure(of.weight, len(of.words), len(of.numbers), of.negated)


@lru_cache(maxsize=2_048)
def gist(text: str) -> Gist:
    """Reads a sentence or two. Linear in its length; never fails."""
    known, low = lexicon(), _nothing_said()
    words: dict[str, int] = {}
    numbers: set[str] = set()
    folded = unicodedata.normalize("NFKC", text)
    first = True
    for found in _TOKEN.finditer(folded):
        if len(words) >= MOST_WORDS:
            break
        if found["cjk"]:
            _add_signs(found["cjk"], words)
            continue
        lower = found[0].casefold()
        named = not first and found[0][0].isupper()
        first = False
        if lower in low:
            continue
        value = known.number.get(lower, lower)
        if value.isdigit() or any(map(str.isdigit, value)):
            numbers.add(value)
            words[value] = TELLING
        else:
            base = stem(lower, known.irregular)
            base = known.alias.get(base, base)
            words[base] = max(words.get(base, 1), TELLING if named else 1)
    lower_words = {token[0].casefold() for token in _TOKEN.finditer(folded[:_LONGEST_DENIED])}
    negated = bool(lower_words & known.negation) or _DENIES.search(folded.lower()) is not None
    return Gist(words, frozenset(numbers), negated)


_LONGEST_DENIED = 4_000
"""Characters in which a denial is looked for."""


def says(text: Gist, statement: Gist) -> bool:
    """True when the text still says what the statement said."""
    shared = [word for word in statement.words if word in text.words]
    return covered(
        measure(statement),
        len(text.words),
        negated=text.negated,
        weight=sum(statement.words[word] for word in shared),
        words=len(shared),
        numbers=sum(word in statement.numbers for word in shared),
    )


def covered(of: Measure, text_words: int, *, negated: bool, weight: int, words: int, numbers: int) -> bool:
    """As `says`, by counts: `weight`, `words` and `numbers` of the statement that the text has, of `text_words`."""
    if not words or of.negated is not negated or (of.numbers and not numbers):
        return False
    if of.words <= FEW_WORDS:
        return words == of.words and text_words <= of.words + SPARE_WORDS
    return weight >= SHARE * of.weight


def _add_signs(run: str, words: dict[str, int]) -> None:
    """Pairs of signs: a Chinese word mostly has two."""
    pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    for pair in pairs:
        words.setdefault(pair, 1)


@cache
def _nothing_said() -> frozenset[str]:
    known = lexicon()
    return (
        low_words() | known.stop | known.be | known.negation | known.determiner | {"s", "t", "re", "ve", "ll", "d", "m"}
    )
