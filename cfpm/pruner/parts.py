"""Cuts an English sentence into the parts that `roles` puts into one order. No judgement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cfpm.pruner.lexicon import lexicon
from cfpm.pruner.reader import Reader
from cfpm.pruner.words import Kind, Word, classify


class Part:
    """What a word does to the order. Plain texts, because they are compared at every step."""

    WORD: Final = "word"
    DOING: Final = "doing"
    """It ends in -ing."""
    DONE: Final = "done"
    """It can be a participle."""
    HAVE: Final = "have"
    ADVERB: Final = "adverb"
    BE: Final = "be"
    RELATIVE: Final = "relative"
    PHRASE: Final = "phrase"
    COMMA: Final = "comma"
    CONJUNCTION: Final = "conjunction"
    END: Final = "end"
    ARTICLE: Final = "article"
    PERSON: Final = "person"


NAMED = frozenset([Part.WORD, Part.DOING, Part.DONE, Part.HAVE, Part.ADVERB])
"""The parts that stand for one content word."""


class Token(NamedTuple):
    """One part; `value` is the stem of a word, the class of a preposition or of a person."""

    part: str
    value: str = ""


@dataclass(slots=True)
class Tokens:
    """Takes what a `Reader` tells its `ClauseBuilder`, and keeps it in order."""

    found: list[Token] = field(default_factory=list)
    form: str = Part.WORD
    """What the next content word is."""

    def content(self, word: str, *, participle: bool = False, attribute: bool = False) -> None:
        del participle, attribute
        self.found.append(Token(self.form, word))
        self.form = Part.WORD

    def be(self) -> None:
        self.found.append(Token(Part.BE))

    def relative(self) -> None:
        self.found.append(Token(Part.RELATIVE))

    def phrase(self, place: str) -> None:
        self.found.append(Token(Part.PHRASE, place))

    def adverb(self, word: str) -> None:
        self.found.append(Token(Part.ADVERB, word))

    def comma(self) -> None:
        self.found.append(Token(Part.COMMA))

    def conjunction(self) -> None:
        self.found.append(Token(Part.CONJUNCTION))

    def end(self) -> None:
        self.found.append(Token(Part.END))


class _PartReader(Reader):
    """Tells articles, persons and the forms of verbs as well."""

    def __init__(self) -> None:
        super().__init__(lexicon())
        self.tokens = Tokens()
        self.clauses = self.tokens

    def _word(self, token: str) -> None:
        word = classify(token.lower())
        if word.kind is Kind.SMALL:
            self._owned()
            self.tokens.found.append(Token(Part.CONJUNCTION if token == "and" else Part.ARTICLE))
        elif word.kind is Kind.PERSON:
            self._owned()
            self.tokens.found.append(Token(Part.PERSON, word.value))
        super()._word(token)

    def _plain(self, token: str, word: Word) -> None:
        self._owned()
        if token.endswith("ing"):
            self.tokens.form = Part.DOING
        elif not word.attribute or token.lower() in self.known.participle:
            self.tokens.form = Part.DONE
        super()._plain(token, word)
        self.tokens.form = Part.WORD

    def _owned(self) -> None:
        if self.have:
            self.tokens.form = Part.HAVE
        super()._owned()


def parts(text: str) -> list[Token]:
    """The parts of an English text in order; ends with an END."""
    reader = _PartReader()
    reader.read(text)
    return reader.tokens.found
