"""Whether two facts say the same, or cannot both be true. Which facts are compared is the merger's business."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model import PATH_CATEGORIES, Category
from cfpm.pruner.contradiction import contradicts
from cfpm.pruner.roles import may_be_turned, same_roles
from cfpm.text.grammar.reading import MAX_CHARS, Reading, read
from cfpm.text.quantities.slots import topic_and_value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Sameness", "block_keys", "contradicts", "same", "topic_and_value"]

KEYS = 4
"""Measured on SICK and STS-B: each of the 808 merged pairs of two texts shares one of its four longest words."""

WORTH_READING = 45.0
"""Raw token_sort_ratio under which no pair is worth the careful reading. Measured on SICK: loses none of 501 merges,
and half of the pairs that share a key are settled in 2 microseconds."""

TYPO_LETTERS = 8
"""One wrong letter is a slip in a word of this length, and another word in a shorter one."""

_FOR_WHOM = re.compile(r"\b(?:by|for)\b")
"""Prepositions that say whose part somebody has: what was sent by Ann was not sent to her."""

EXTRA_WORDS = 1
"""Content words (Chinese: signs) that one text may have more than the other; two can carry another claim."""


@dataclass(frozen=True, slots=True)
class Sameness:
    """`score` is 0 to 100; `why` names the guard that said no, or what made them one."""

    score: float
    same: bool
    why: str


@lru_cache(maxsize=1_024)
def block_keys(content: str, category: Category) -> tuple[str, ...]:
    """At most four keys; two facts that say the same share at least one. Path categories: the file name."""
    if category in PATH_CATEGORIES:
        name = content.strip().strip("`\"'").replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
        return (name,) if name else ()
    reading = read(content[:MAX_CHARS])
    if reading.chinese:
        plain = "".join(word for word in reading.words if word not in reading.numbers)
        words = {plain[at : at + 2] for at in range(max(1, len(plain) - 1))} - {""}
    else:
        words = {word for word in reading.words if word not in reading.numbers} or set(reading.words)
    return tuple(sorted(words, key=lambda word: (-len(word), word))[:KEYS])


def same(a: str, b: str, *, threshold: float) -> Sameness:
    """True when the texts score at least `threshold` once normalised and no guard objects. Symmetric."""
    from rapidfuzz.fuzz import ratio, token_sort_ratio

    if a == b:
        return Sameness(100.0, True, "the same text")
    if max(len(a), len(b)) > MAX_CHARS:
        return Sameness(0.0, False, "too long to compare")
    if (rough := token_sort_ratio(a, b)) < WORTH_READING:
        return Sameness(rough, False, f"only {rough:.0f} of 100 alike")
    one, other = read(a), read(b)
    if one.folded == other.folded:
        return Sameness(100.0, True, "the same text")
    if one.spare != other.spare:
        one, other = _plainer(one, other), _plainer(other, one)
    if len(one.words) != len(other.words):
        one, other = _compounds_joined(one, other), _compounds_joined(other, one)
    if one.chinese or other.chinese:
        score = ratio("".join(one.words), "".join(other.words))
    else:
        score = token_sort_ratio(" ".join(one.words), " ".join(other.words))
    if not one.words or not other.words:
        return Sameness(score, False, "nothing but small words")
    if score < threshold:
        return Sameness(score, False, f"only {score:.0f} of 100 alike")
    objection = _objection(one, other)
    return Sameness(score, not objection, objection or "the same words, and all guards agree")


def _plainer(reading: Reading, model: Reading) -> Reading:
    """Leaves out one adverb of manner, or light participle, that the other text has not."""
    more = Counter(reading.spare) - Counter(model.spare)
    if len(reading.spare) != len(model.spare) + 1 or more.total() != 1:
        return reading
    (word,) = more
    return replace(
        reading,
        words=tuple(_without(list(reading.words), [word])),
        sequence=tuple(_without(list(reading.sequence), [word])),
        dropped=word,
    )


def _compounds_joined(reading: Reading, model: Reading) -> Reading:
    """Writes "time zone" as "timezone" where the other text does."""
    known = set(model.words) - set(reading.words)
    pairs: dict[tuple[str, str], str] = {}
    for first, second in pairwise(reading.words):
        for whole in (first + second, f"{first}e{second}"):  # the stem may have lost its silent e
            if whole in known:
                pairs[first, second] = whole
    if not pairs or reading.chinese:
        return reading
    return replace(reading, words=_join(reading.words, pairs), sequence=_join(reading.sequence, pairs))


def _join(words: tuple[str, ...], pairs: Mapping[tuple[str, str], str]) -> tuple[str, ...]:
    joined: list[str] = []
    for word in words:
        if joined and (whole := pairs.get((joined[-1], word))) is not None:
            joined[-1] = whole
        else:
            joined.append(word)
    return tuple(joined)


def _objection(one: Reading, other: Reading) -> str:
    """The first guard that says no, in words; empty when all agree."""
    guards = (
        ("numbers", one.numbers, other.numbers),
        ("paths or identifiers", one.exact, other.exact),
        ("negation", one.negated, other.negated),
        ("certainty or duty", one.modality, other.modality),
        ("comparison, quantity or direction", one.weights, other.weights),
        ("time", one.past, other.past),
        ("time", _told_only(one, other), _told_only(other, one)),
        ("question", one.question, other.question),
    )
    for name, mine, yours in guards:
        if mine != yours:
            return f"{name} differ: {_shown(mine)} and {_shown(yours)}"
    more, less = _left_over(one, other)
    if (more or less) and (one.dropped or other.dropped):
        return "more than one word differs"
    if more and less:
        return f"one says {_shown(more)}, the other {_shown(less)}"
    extra = more or less
    if why := _news(extra, one if more else other):
        return why
    for quoting, text in ((one.quoted, other.folded), (other.quoted, one.folded)):
        if missing := sorted(part for part in quoting if part not in text):
            return f"only one quotes {_shown(missing)}"
    if one.persons != other.persons and (extra or (one.persons and other.persons)):
        return f"persons differ: {_shown(one.persons)} and {_shown(other.persons)}"
    if _in_order(one, other, extra):
        first, second = (sorted(_FOR_WHOM.findall(reading.folded)) for reading in (one, other))
        return "" if first == second else f"for or by whom differs: {_shown(first)} and {_shown(second)}"
    return "" if _same_roles(one, other, extra) else "the same words in other roles"


def _news(extra: list[str], richer: Reading) -> str:
    """Why the words that only `richer` has are more than a detail; empty when they are not."""
    if (sum(map(len, extra)) if richer.chinese else len(extra)) > EXTRA_WORDS:
        return f"only one says {_shown(extra)}"
    if adverbs := sorted(set(extra) & richer.adverbs):
        return f"only one says {_shown(adverbs)}"
    if named := sorted(set(extra) & richer.names):
        return f"only one names {_shown(named)}"
    return ""


def _same_roles(one: Reading, other: Reading, extra: list[str]) -> bool:
    """True when each word stands in the same role although the order is another."""
    alike = not extra and one.clauses == other.clauses
    if one.chinese or other.chinese:
        return alike
    if not alike and not may_be_turned(one.text, other.text):
        return False
    spared = {*extra, one.dropped, other.dropped} - {""}
    if not spared.isdisjoint(set(one.words) & set(other.words)):
        return False
    return same_roles(
        one.text, other.text, renamed=tuple(sorted(_slips(one, other).items())), spared=tuple(sorted(spared))
    )


def _slips(one: Reading, other: Reading) -> dict[str, str]:
    """Words of the one that are written otherwise in the other."""
    mine, yours = sorted(set(one.words) - set(other.words)), sorted(set(other.words) - set(one.words))
    return {word: twin for word in mine for twin in yours if _slip(word, twin, one, other)}


def _told_only(one: Reading, other: Reading) -> bool:
    """One says what happened, the other what is going on."""
    return one.told and not one.ongoing and other.ongoing and not other.told


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "past" if value else "present"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _left_over(one: Reading, other: Reading) -> tuple[list[str], list[str]]:
    """Content words that only one side has, slips of one letter in long words forgiven."""
    mine, yours = Counter(one.words), Counter(other.words)
    more, less = sorted((mine - yours).elements()), sorted((yours - mine).elements())
    for word in list(more):
        if (slip := next((candidate for candidate in less if _slip(word, candidate, one, other)), None)) is not None:
            more.remove(word)
            less.remove(slip)
    return more, less


def _slip(a: str, b: str, one: Reading, other: Reading) -> bool:
    from rapidfuzz.distance import DamerauLevenshtein

    if min(len(a), len(b)) < TYPO_LETTERS or a[:3] != b[:3] or not (a.isalpha() and b.isalpha()):
        return False
    if a in one.names or b in other.names:
        return False
    return DamerauLevenshtein.distance(a, b, score_cutoff=1) <= 1


def _in_order(one: Reading, other: Reading, extra: list[str]) -> bool:
    """True for the same sequence of words, but for those in `extra`."""
    longer, shorter = (one, other) if len(one.sequence) >= len(other.sequence) else (other, one)
    slips = _slips(longer, shorter)
    said = [slips.get(word, word) for word in longer.sequence]
    return one.passives == other.passives and (
        list(shorter.sequence) in (_without(said, extra), _without(said[::-1], extra)[::-1])
    )


def _without(words: list[str], spare: list[str]) -> list[str]:
    left, kept = Counter(spare), []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
        else:
            kept.append(word)
    return kept
