"""Words of a sentence: which carry content, and whether anything is said at all."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from cfpm.text.acknowledgement import all_acknowledged
from cfpm.text.lexicon import lexicon

_WORDS = re.compile(r"[a-z0-9][a-z0-9_'’.-]*[a-z0-9]|[a-z0-9]|[\u3400-\u9fff\uf900-\ufaff]")
_STATES = re.compile(r"\b(?:is|are|was|were|be|costs?|=)\b|[=:：是为]", re.IGNORECASE)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_BELOW_CJK = re.compile(r"[\x00-\u33ff]*")

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


@cache
def low_words() -> frozenset[str]:
    """Words that say nothing alone, of all languages."""
    found: set[str] = set()
    for language in ("en", "zh"):
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
