"""One sentence as the rules see it, and what a rule answers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from cfpm.model import Category, Mark, Message
from cfpm.model.patterns import lazy_pattern
from cfpm.text import Cue, Kind, Lexicon, lexicons_for, plain_words

_POLITE = lazy_pattern(
    r"[\s*_>\"'`-]*(?:(?:(?:please|kindly|also|and|then|now|next|so|ok|okay|great|good|cool|nice|perfect|thanks|"
    r"thank you|yes|yeah|"
    r"yep|no|well|first|second|third|finally|lastly|hmm|alright|right|sure|but|hi|hello|hey|just|go ahead and|i think|"
    r"actually|instead|additionally|furthermore)\b|请|麻烦|好的|好|那么|那|然后|接下来|另外|并且|还有|帮我)[\s,.!:;，。：、*_-]*)*"
)
"""Openers that say nothing of the sentence's kind."""


class Utterance(NamedTuple):
    """A sentence, or the part of it before a trailing question, in the message it stands in.

    `lower` is the sentence in lower case, same length as `text`; `words` are its ASCII words. `opening` is true while
    nothing but this message has been said in the session. `pasted` is true inside a document that the speaker only
    pastes.
    """

    message: Message
    text: str
    start: int
    kind: Kind
    first: bool
    opening: bool
    pasted: bool
    asks: bool
    """True when the sentence goes on in a question that was cut off, or is one."""
    lower: str
    words: frozenset[str]
    lexicons: tuple[Lexicon, ...]
    """Those of its languages."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def line(self) -> str:
        """The sentence with the list mark or check box before it."""
        text = self.message.text
        begin = max(text.rfind("\n", 0, self.start) + 1, self.start - 12) if self.kind is Kind.BULLET else self.start
        return text[begin : self.end]

    @property
    def announces(self) -> bool:
        """Whether it only says what comes behind its colon: "The landlord mailed:"."""
        return f"{self.text}{self.message.text[self.end : self.end + 2]}".rstrip().endswith((":", "："))

    def find(self, section: str) -> Cue | None:
        """The first cue of a lexicon section in this sentence, in any of its languages."""
        for lexicon in self.lexicons:
            if cue := lexicon[section].find(self.lower, self.words):
                return cue
        return None

    def starts(self, section: str) -> Cue | None:
        """A cue of a section at the start of the sentence, after polite openers."""
        for lexicon in self.lexicons:
            phrases = lexicon[section]
            if phrases.lacks(self.words):
                continue
            offset, rest = _opened(self.lower)
            if cue := phrases.starts(rest, self.words):
                return Cue(cue.start + offset, cue.end + offset)
        return None


@lru_cache(maxsize=16)
def _opened(lower: str) -> tuple[int, str]:
    """Where a sentence begins after polite openers, and the rest of it; several rules ask of the same sentence."""
    offset = _POLITE.match(lower).end()  # type: ignore[union-attr]
    return offset, lower[offset:]


class Hit(NamedTuple):
    """A rule's answer: what kind of fact this sentence may be, how sure the rule is, and what the language marks."""

    category: Category
    rule: str
    confidence: float
    marks: frozenset[Mark] = frozenset()


def utterance(
    message: Message, text: str, start: int, kind: Kind, *, first: bool, opening: bool, pasted: bool, asks: bool = False
) -> Utterance:
    """Builds a `Utterance`, doing the work that all rules share once."""
    lower = text.lower()
    if len(lower) != len(text):
        # A few letters grow in lower case (İ); offsets must stay true.
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    words = frozenset(plain_words(lower))
    return Utterance(message, text, start, kind, first, opening, pasted, asks, lower, words, lexicons_for(lower))
