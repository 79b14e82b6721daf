"""Cuts a text into the word pieces of a fixed vocabulary, as uncased BERT models do. Not for counting tokens."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST_WORD = 40
"""Characters; what is longer is a hash, a path without separators or a data URL, and has no meaning of its own."""

MAX_KNOWN = 10_000
"""Words whose pieces are remembered; then the memory starts anew."""

_SENTENCE = 300
"""Characters of a text whose pieces are remembered: a recall reads the same hundreds of sentences as the one before."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = lazy_pattern(f"[{_CJK}]|[^\\W_{_CJK}]+")
_WORD_OR_SIGN = lazy_pattern(f"[{_CJK}]|[^\\W_{_CJK}]+|[^\\w\\s]|_")
_BEYOND_ASCII = lazy_pattern(r"[^\x00-\x7f]")
_LETTERS = bytes(ord(chr(byte).lower()) if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256))
"""For each byte of ASCII the letter or digit in lower case, or a space."""


class WordPieces:
    """Greedy longest pieces from the left. Punctuation is left out: it says nothing about the subject."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._known = _Known(vocabulary)
        self._of_sentence = lru_cache(maxsize=4_096)(self._of)

    def of(self, text: str) -> list[int]:
        """The numbers of the pieces, in order; words that cannot be built from pieces are left out. Sentences are asked
        for again and again."""
        return list(self._of_sentence(text) if len(text) <= _SENTENCE else self._of(text))

    def _of(self, text: str) -> tuple[int, ...]:
        known = self._known
        if len(known) > MAX_KNOWN:
            known.clear()
        # No loop: a turn has hundreds of words, nearly all of them known.
        return tuple(chain.from_iterable(map(known.__getitem__, words(text))))

    def with_signs(self, text: str) -> list[int]:
        """As `of`, with punctuation, and `[UNK]` for what cannot be built: as models read that were tuned on it."""
        known, unknown = self._known, self._known.numbers.get("[UNK]", 0)
        found: list[int] = []
        for part in _WORD_OR_SIGN.findall(folded(text)):
            found.extend(known[part] or (unknown,))
        return found

    def number(self, piece: str) -> int | None:
        """The number of a piece, or None."""
        return self._known.numbers.get(piece)


class _Known(dict[str, tuple[int, ...]]):
    """The pieces of words; a word is cut when it is first asked for."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self.numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self.longest = max(map(len, vocabulary), default=0)

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._cut(word)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return ()
        found: list[int] = []
        start = 0
        while start < len(word):
            lead = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                number = self.numbers.get(lead + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return ()
        return tuple(found)


def words(text: str) -> list[str]:
    """The words of a text, folded."""
    if not text.isascii() and _has_letters(set(_BEYOND_ASCII.findall(text))):
        text = folded(text)
        if _has_letters(set(_BEYOND_ASCII.findall(text))):
            return _WORD.findall(text)
    # The same as above in a third of the time, where dashes, arrows and the like are all that is not ASCII.
    return text.encode("ascii", "replace").translate(_LETTERS).decode("ascii").split()


def _has_letters(signs: set[str]) -> bool:
    """Whether letters, digits or accents are among them, and not only dashes, arrows and the like."""
    return any(sign.isalnum() or unicodedata.category(sign) == "Mn" for sign in signs)


def folded(text: str) -> str:
    """Lower case without accents."""
    text = text.lower()
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", text)
    # Asked of each different sign once: a text has few of them.
    accents = {ord(sign): None for sign in set(text) if not sign.isascii() and unicodedata.category(sign) == "Mn"}
    return text.translate(accents) if accents else text
