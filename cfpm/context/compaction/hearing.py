"""Whether something was said before in other signs: words alone are compared, so that nothing stands twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cfpm.context.compaction.checkpoint import MAX_LINE

_SIGNS = re.compile(r"[\W_]+")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}


@dataclass(slots=True)
class Heard:
    """The words that stand in a view already, blanks around each; grows with what is new."""

    _texts: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    """With the different words of each."""
    _lines: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, *texts: str) -> Heard:
        """With the words of these texts, which are one after the other."""
        heard = cls()
        heard._add(_words(" ".join(texts)))
        return heard

    def is_new(self, line: str) -> bool:
        """Whether no text says these words in this order; from then on, one does."""
        words = _words(line)
        if not words.strip() or words in self._lines or self._says(words):
            return False
        self._lines.add(words)
        return True

    def settle(self) -> None:
        """From now on, a part of a line that was new is not new any more."""
        self._add("\n".join(sorted(self._lines)))

    def _says(self, words: str) -> bool:
        several = words.split()
        return any(known.issuperset(several) and words in text for text, known in self._texts)

    def _add(self, text: str) -> None:
        self._texts.append((text, frozenset(text.split())))

    def packed(self, sentences: Iterable[str], limit: int = MAX_LINE // 2) -> Iterator[str]:
        """The sentences that are new, put together to lines of so many characters."""
        line = ""
        for sentence in sentences:
            if not self.is_new(sentence):
                continue
            if line and len(line) + len(sentence) >= limit:
                yield line
                line = ""
            line = f"{line} {sentence}" if line else sentence
        if line:
            yield line


def _words(text: str) -> str:
    lower = text.lower()
    plain = " ".join(lower.translate(_BLANKS).split()) if lower.isascii() else _SIGNS.sub(" ", lower).strip()
    return f" {plain} "
