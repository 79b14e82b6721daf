"""Cuts an English sentence into the parts that `parsing` puts into clauses, and says what a clause is. No judgement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cfpm.text.grammar.clauses import ClauseBuilder
from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.reader import Reader
from cfpm.text.grammar.words import Kind, Word, classify


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


@dataclass(slots=True, eq=False)
class Noun:
    """A noun with what stands before it."""

    words: list[str] = field(default_factory=list)
    inner: int | None = None
    """Where the noun stands that was put before the head last."""

    @property
    def head(self) -> str:
        """The last word; empty for a noun without words."""
        return self.words[-1] if self.words else ""


@dataclass(slots=True, eq=False)
class Phrase:
    """A preposition and its noun; `hangs` are the words before, to any of which it can belong."""

    place: str
    noun: Noun
    hangs: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Clause:
    """Who does what. The verb is empty for a form of "be", and None where it is part of the doer: "the bot sends"."""

    doer: Noun
    verb: str | None = None
    objects: list[Noun] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    passive: bool = False
    near: set[str] = field(default_factory=set)
    """The verb and the nouns since; before the verb those since the beginning."""


@dataclass(slots=True)
class _Tokens(ClauseBuilder):
    """Keeps what a `Reader` tells, in order."""

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
        self.tokens = self.clauses = _Tokens()

    def _word(self, token: str) -> None:
        lower = token.lower()
        word = classify(lower)
        if word.kind is Kind.PERSON or (word.kind is Kind.SMALL and lower in self.known.determiner):
            self._owned()
            self.tokens.found.append(
                Token(Part.PERSON, word.value) if word.kind is Kind.PERSON else Token(Part.ARTICLE)
            )
        super()._word(token)
        if lower == "and":
            self.tokens.conjunction()
        elif lower in self.known.ordering:
            self.tokens.adverb(lower)

    def _plain(self, token: str, word: Word) -> None:
        if not word.participle:
            self._owned()
        if token.endswith("ing"):
            self.tokens.form = Part.DOING
        elif not word.attribute and token.lower() not in self.known.adjective:
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
