"""Whether two facts cannot both be true: one statement negated, turned round, or given another value. Conservative."""

from __future__ import annotations

import re
from collections import Counter

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.reading import MAX_CHARS, Reading, read
from cfpm.text.quantities.slots import ON, topic_and_value

SAME_FRAME = 50.0
"""Raw token_sort_ratio under which two texts do not share a frame around one differing word."""

EMPHASIS = frozenset({"always"})
"""Stands where "never" stands in the opposite statement."""

_VALUE_WORDS = re.compile(r"\w[\w.:/-]*")


def contradicts(a: str, b: str) -> str:
    """Why the two cannot both be true, or an empty text. Conservative: in doubt both may stand."""
    from rapidfuzz.fuzz import token_sort_ratio

    if a == b or max(len(a), len(b)) > MAX_CHARS:
        return ""
    if token_sort_ratio(a, b) >= SAME_FRAME:
        one, other = read(a), read(b)
        if one.folded == other.folded or one.question or other.question:
            return ""
        if why := _opposed(one, other) or _alternative(one, other):
            return why
    return _other_value(a, b)


def _frame_agrees(one: Reading, other: Reading) -> bool:
    return (
        one.numbers == other.numbers
        and one.exact == other.exact
        and one.modality == other.modality
        and one.persons == other.persons
        and one.past == other.past
        and len(one.words) == len(other.words)
    )


def _of_any(one: Reading, other: Reading) -> bool:
    """One of them speaks of "a" thing: a black cat and a white cat can both be there."""
    return one.indefinite or other.indefinite


def _differing(one: Reading, other: Reading) -> list[tuple[str, str]]:
    return [(a, b) for a, b in zip(one.words, other.words, strict=True) if a != b]


def _opposed(one: Reading, other: Reading) -> str:
    """The same frame with opposite polarity: a negation on one side, or an antonym."""
    if not _frame_agrees(one, other):
        return ""
    opposite = lexicon().opposite
    differing = _differing(one, other)
    flips = [pair for pair in differing if pair[1] in opposite.get(pair[0], ()) or _prefixed(*pair)]
    if len(flips) != len(differing) or len(flips) > 1 or (flips and _of_any(one, other)):
        return ""
    turned = _weight_turn(one, other)
    if turned is None:
        return ""
    turns = len(flips) + abs(len(one.negated) - len(other.negated)) + turned
    if turns % 2 == 0:
        return ""
    if flips:
        return f"the same statement with {flips[0][0]} and {flips[0][1]}"
    return "the same statement, once negated" if not turned else "the same statement, turned round"


def _weight_turn(one: Reading, other: Reading) -> int | None:
    """0 when comparisons and directions agree, 1 when one of them is turned round, None when they differ otherwise."""
    mine, yours = Counter(one.weights), Counter(other.weights)
    more, less = list((mine - yours).elements()), list((yours - mine).elements())
    if not (set(more) | set(less)) - EMPHASIS:
        return 0
    if len(more) == len(less) == 1 and less[0] in lexicon().opposite.get(more[0], ()):
        return 1
    return None


def _prefixed(a: str, b: str) -> bool:
    long, short = (a, b) if len(a) > len(b) else (b, a)
    return len(short) >= 4 and long in {prefix + short for prefix in ("un", "in", "im", "dis", "non", "ir", "de")}


def _alternative(one: Reading, other: Reading) -> str:
    """The same frame around two words of which it can hold only one."""
    if not _frame_agrees(one, other) or one.negated != other.negated or one.weights != other.weights:
        return ""
    if _of_any(one, other) or {"would", "may"} & set(one.modality):
        return ""
    groups = lexicon().alternative
    differing = _differing(one, other)
    if len(differing) == 1:
        a, b = differing[0]
        if groups.get(a, frozenset()) & groups.get(b, frozenset()):
            return f"the same statement with {a} and {b}"
    return ""


def _other_value(a: str, b: str) -> str:
    """One slot with two values. A value that only adds detail to the other is no contradiction."""
    topic, value = topic_and_value(a)
    if not topic or topic.endswith(ON):
        return ""
    topic_b, value_b = topic_and_value(b)
    if topic != topic_b:
        return ""
    one, other = set(_VALUE_WORDS.findall(value.casefold())), set(_VALUE_WORDS.findall(value_b.casefold()))
    words, words_b = read(value).words, read(value_b).words
    if one <= other or other <= one or (words and words == words_b):
        return ""
    return f"{topic} has the value {value} and {value_b}"
