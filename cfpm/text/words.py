"""Words of a sentence: which carry content, and whether anything is said at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.text.lexicon import LANGUAGES, Lexicon, lexicon

_SPACE = lazy_pattern(r"[\W_]*")
_ATOM = lazy_pattern(r"(?P<set>\[[^\]]*\]|\\[dw])(?P<may>[?*]?)|\\?(?P<sign>.)(?P<maybe>[?*]?)")
_HEADS = "abcdefghijklmnopqrstuvwxyz0123456789"


def all_acknowledged(text: str) -> bool:
    """True when phrases of the lexicon, signs between them, fill the text.

    Every place is read once, by each phrase in its longest form, so that the work is linear in the text.
    """
    lower = text.lower().replace("’", "'")
    ahead = [_SPACE.match(lower).end()]  # type: ignore[union-attr]
    seen = set(ahead)
    while ahead:
        at = ahead.pop()
        if at == len(lower):
            return len(seen) > 1
        for phrase in _phrases().get(lower[at], ()):
            match = phrase.match(lower, at)
            if match and match.end() not in seen:
                seen.add(match.end())
                ahead.append(match.end())
    return False


@cache
def _phrases() -> dict[str, tuple[re.Pattern[str], ...]]:
    """The phrases by the characters that they can begin with."""
    found: dict[str, list[re.Pattern[str]]] = {}
    for language in LANGUAGES:
        bound = "(?![a-z0-9])" if language == "en" else ""
        for line in lexicon(language).entries["acknowledgement"]:
            pattern = lazy_pattern(rf"(?:{_longest_first(line)}){bound}[\W_]*")
            for head in sorted(set(_heads(line.replace("(?:", "(")))):
                found.setdefault(head, []).append(pattern)
    return {head: tuple(patterns) for head, patterns in found.items()}


def _longest_first(line: str) -> str:
    """A line that is one group, so written that its longest choice is tried first."""
    choices, rest = _group(line) if line.startswith("(") else ([], line)
    return line if rest else "|".join(sorted(choices, key=lambda choice: (-len(choice), choice)))


def _heads(line: str) -> Iterator[str]:
    """The characters that a phrase can begin with; a line is made of literals, sets and groups."""
    if line.startswith("("):
        choices, rest = _group(line)
        if rest[:1] in ("?", "*"):
            yield from _heads(rest[1:])
        for choice in choices:
            yield from _heads(choice + rest)
        return
    atom = _ATOM.match(line)
    if atom is None:
        return
    if kind := atom["set"]:
        yield from filter(re.compile(kind).match, _HEADS + "".join(char for char in kind if not char.isascii()))
    else:
        yield atom["sign"]
    if atom["may"] or atom["maybe"]:
        yield from _heads(line[atom.end() :])


def _group(line: str) -> tuple[list[str], str]:
    """The choices of the group that a line begins with, and what follows it."""
    depth, begun = 0, 1
    choices: list[str] = []
    for at, char in enumerate(line):
        if char == "|" and depth == 1:
            choices.append(line[begun:at])
            begun = at + 1
        depth += {"(": 1, ")": -1}.get(char, 0) if line[at - 1 : at] != "\\" else 0
        if not depth:
            return [*choices, line[begun:at]], line[at + 1 :]
    raise ValueError(f"a group is not closed in {line!r}")


_WORDS = lazy_pattern(r"[a-z0-9][a-z0-9_'’.-]*[a-z0-9]|[a-z0-9]|[\u3400-\u9fff\uf900-\ufaff]")
_STATES = lazy_pattern(r"\b(?:is|are|was|were|be|costs?|=)\b|[=:：是为]", re.IGNORECASE)
_CJK = lazy_pattern(r"[\u3400-\u9fff\uf900-\ufaff]")
_BELOW_CJK = lazy_pattern(r"[\x00-\u33ff]*")

_MAX_ACKNOWLEDGEMENT = 80
"""Characters; people acknowledge briefly."""


_LETTERS = bytes(byte if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256))
"""For each byte of ASCII the letter or digit that it is, or a space."""


def plain_words(lower: str) -> list[str]:
    """The runs of ASCII letters and digits of a lower-case text: what `[a-z0-9]+` finds, in a third of its time."""
    return lower.encode("ascii", "replace").translate(_LETTERS).decode("ascii").split()


def has_cjk(text: str) -> bool:
    """True when the text holds a Chinese character."""
    if text.isascii():
        return False
    # A run of signs below is passed over eight times as fast as each of them is looked at for what begins here.
    below = _BELOW_CJK.match(text)
    return _CJK.search(text, below.end() if below else 0) is not None


def lexicons_for(lower: str) -> tuple[Lexicon, ...]:
    """Those of the languages that a text may be in: Chinese only where a sign of it stands."""
    return tuple(map(lexicon, LANGUAGES if has_cjk(lower) else LANGUAGES[:1]))


@cache
def low_words() -> frozenset[str]:
    """Words that say nothing alone, of all languages."""
    found: set[str] = set()
    for language in LANGUAGES:
        for line in lexicon(language).entries["low"]:
            found.update(line.split())
    return frozenset(found)


def content_words(text: str) -> list[str]:
    """Lower-case words and single Chinese characters that are no stop words, in order."""
    return list(_content_words(text))


@lru_cache(maxsize=512)
def _content_words(text: str) -> tuple[str, ...]:
    low = low_words()
    return tuple([word for word in _WORDS.findall(text.lower()) if word not in low])


@lru_cache(maxsize=2_048)
def is_acknowledgement(text: str) -> bool:
    """True for a text of nothing but acknowledgements, greetings, thanks and choices from a list."""
    return len(text) <= _MAX_ACKNOWLEDGEMENT and all_acknowledged(text)


@cache
def _reactions() -> frozenset[str]:
    return frozenset(word for line in lexicon("en").entries["reaction"] for word in line.split())


def only_reacts(text: str) -> bool:
    """True for an English text whose words are all those with which people comment on an answer."""
    words = _content_words(text)
    return text.isascii() and all(word.replace("'s", "").replace("'m", "") in _reactions() for word in words)


@lru_cache(maxsize=1_024)
def is_low_information(text: str) -> bool:
    """True for an acknowledgement, a menu choice, or a text with fewer than two content words."""
    if is_acknowledgement(text):
        return True
    words = _content_words(text)
    cjk = sum(1 for word in words if len(word) == 1 and _CJK.match(word))
    numbers = sum(1 for word in words if word.isdigit())
    # A Chinese word is mostly two characters, so three of them carry about as much as two English words.
    # 'Address 7' is a choice from a list that will be gone; 'the port is 7' gives something a value.
    number_weight = 0.0 if not numbers else 1.5 if _STATES.search(text) else 0.75
    # A name in Latin letters inside Chinese is a thing by itself: '我用 fish'.
    word_weight = 2.0 if cjk else 1.5
    return (len(words) - cjk - numbers) * word_weight + cjk + number_weight < 3
