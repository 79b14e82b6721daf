"""What a single English word does in a sentence, worked out once per word. See `reading` for whole sentences."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from cfpm.text.grammar.lexicon import Lexicon, lexicon, stem


class Kind(IntEnum):
    """What a word is to the reader."""

    CONTENT = 0
    ADVERB = 1
    SMALL = 2
    """Carries nothing: an article, "do", "very"."""
    BE = 3
    HAVE = 4
    NEGATION = 5
    PERSON = 6
    NUMBER = 7
    MODAL = 8
    PAST = 9
    COMPARISON = 10
    """A comparison or quantity."""
    PARTICLE = 11
    """A direction without an object: "turn off"."""
    DIRECTION = 12
    """A preposition of direction, which must agree."""
    PREPOSITION = 13
    RELATIVE = 14
    CONJUNCTION = 15


class Word(NamedTuple):
    """`value` is the stem, or the class of a word that is no content."""

    kind: Kind
    value: str
    participle: bool = False
    """Its form can be a passive."""
    attribute: bool = False
    """Its form can be an adjective."""
    manner: bool = False
    """An adverb that only colours what somebody is doing."""


@lru_cache(maxsize=8_192)
def classify(lower: str) -> Word:
    """What the lower-case word `lower` is."""
    known = lexicon()
    return _small(lower, known) or _content(lower, known)


def _small(lower: str, known: Lexicon) -> Word | None:
    sets = (
        (known.negation, Kind.NEGATION),
        (known.be, Kind.BE),
        (known.stop, Kind.SMALL),
        (known.past, Kind.PAST),
        (known.relative, Kind.RELATIVE),
        (known.conjunction, Kind.CONJUNCTION),
    )
    for words, kind in sets:
        if lower in words:
            return Word(kind, lower)
    maps = ((known.person, Kind.PERSON), (known.number, Kind.NUMBER), (known.modality, Kind.MODAL))
    for table, kind in maps:
        if lower in table:
            return Word(kind, table[lower])
    if lower in known.weight:
        same = known.alias.get(lower, lower)
        if lower in known.preposition:
            return Word(Kind.DIRECTION, same)
        return Word(Kind.PARTICLE if known.weight[lower] == "direction" else Kind.COMPARISON, same)
    if lower in known.preposition:
        return Word(Kind.PREPOSITION, known.preposition[lower])
    return Word(Kind.HAVE, "have") if lower in ("have", "has", "had", "having") else None


def _content(lower: str, known: Lexicon) -> Word:
    kind, base = Kind.CONTENT, lower
    if lower.endswith("ly") and len(lower) > 4 and lower not in known.not_adverb:
        kind, base = Kind.ADVERB, lower[:-3] + "y" if lower.endswith("ily") else lower[:-2]
    reduced = stem(base, known.irregular)
    ongoing = lower.endswith("ing")
    changed = lower.endswith("ed") or (lower in known.participle and not ongoing)
    return Word(
        kind,
        known.alias.get(reduced, reduced),
        changed or lower.endswith("en"),
        not changed and not ongoing,
        lower in known.manner,
    )
