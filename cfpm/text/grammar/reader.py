"""Walks through one text and collects what `reading.Reading` holds. English and Chinese; no judgement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfpm.text.grammar.clauses import ClauseBuilder
from cfpm.text.grammar.words import Kind, Word, classify

if TYPE_CHECKING:
    from cfpm.text.grammar.lexicon import Lexicon

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PAUSES = ",，"
_STOPS = ";!?。；！？"
_RUN = re.compile(
    rf"[{_CJK}]+|[^\s{_CJK}{_PAUSES}{_STOPS}()\[\]{{}}<>\"“”‘`、：（）【】《》「」…]+|[{_PAUSES}{_STOPS}]"
)
CHINESE = re.compile(rf"[{_CJK}]")
_NUMBER = re.compile(r"([-+~$€£¥]?)v?(\d(?:[\d.,:/-]*\d)?)(%|[a-z°]{0,12})")
_PARTS = re.compile(r"[-/:]")
_THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")
_IDENTIFIER = re.compile(r"[/\\_@#=~$*+]|^-|\w[.:]\w|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|^\.\w")
_ORDINAL = ("st", "nd", "rd", "th")


class Reader:
    """Collects the parts of one text in one pass."""

    def __init__(self, known: Lexicon) -> None:
        self.known = known
        self.clauses = ClauseBuilder()
        self.words: list[str] = []
        self.numbers: list[str] = []
        self.exact: set[str] = set()
        self.names: set[str] = set()
        self.negated: list[str] = []
        self.negations: list[str] = []
        self.persons: list[str] = []
        self.modality: set[str] = set()
        self.weights: list[str] = []
        self.adverbs: list[str] = []
        self.spare: list[str] = []
        self.colour = ""
        """An adverb of manner behind "is", until it is known what follows."""
        self.past = False
        self.told = False
        """A verb stands in the simple past."""
        self.ongoing = False
        """A verb stands in the progressive: "is running"."""
        self.have = False
        self.be = False
        """The word before was a form of "be"; adverbs do not count."""
        self.starts = True
        """The next word opens a sentence, so that its capital says nothing."""

    def read(self, text: str) -> None:
        """Reads the text; the attributes then hold what was found."""
        chinese = CHINESE.search(text) is not None
        for run in _RUN.findall(self._phrases_replaced(text)):
            if run in _PAUSES:
                self.clauses.comma()
            elif run in _STOPS:
                self.clauses.end()
                self.starts = True
            elif chinese and CHINESE.match(run):
                self._chinese(run)
            elif run.isalpha():
                self._word(run)
            else:
                self._mixed(run)
        self._owned()
        self.clauses.end()

    def _phrases_replaced(self, text: str) -> str:
        # Only lower-case phrases are replaced: a capital inside is a name. The first letter of the text is none.
        head = text[:1].lower() + text[1:]
        replaced = self.known.phrase.sub(lambda found: self.known.phrases[found[0]], head)
        return text if replaced == head else replaced

    def _mixed(self, run: str) -> None:
        token = run.strip("'*").rstrip(".:-")
        if token.isalpha() or token in self.known.joined:
            self._word(token)
        elif (number := _NUMBER.fullmatch(token.lower())) is not None:
            self._number(number[2], number[1] + number[3])
        elif "'" in token and token.replace("'", "").isalpha():
            self._contracted(token)
        elif "-" in token and token[0] != "-" and token.replace("-", "").isalpha():
            for part in filter(None, token.split("-")):
                self._word(part)
        elif _IDENTIFIER.search(token):
            name = token.replace("\\", "/").removeprefix("./").casefold()
            self.exact.add(name)
            self._content(name)
        elif token:
            self._word(token)
        if run.endswith((".", ":")):
            self.starts = True

    def _number(self, digits: str, unit: str) -> None:
        for part in _PARTS.split(_THOUSANDS.sub("", digits)):
            if part:
                self._count(part.lstrip("0") or "0")
        unit = unit.lstrip("~+")
        if unit and unit not in _ORDINAL:
            self._count(unit)

    def _count(self, value: str) -> None:
        self.numbers.append(value)
        self._content(value)

    def _contracted(self, token: str) -> None:
        head, _, tail = token.partition("'")
        tail = tail.lower()
        if tail == "t" and head[-1:] in ("n", "N"):
            if head[:-1]:
                self._word(head[:-1])
            self._negation()
            return
        if head:
            self._word(head)
        if tail == "ll":
            self.modality.add("will")
        elif tail == "ve":
            self.have = True
        elif tail in ("re", "m") or (tail == "s" and head.lower() in self.known.person):
            self.clauses.be()

    def _word(self, token: str) -> None:
        lower = token.lower()
        if lower in self.known.month and self.words and self.words[-1].isdigit():
            self._count(self.known.month[lower])
            return
        word = classify(lower)
        match word.kind:
            case Kind.CONTENT | Kind.ADVERB:
                self._plain(token, word)
            case Kind.SMALL:
                pass
            case Kind.BE:
                self.have, self.be = False, True
                self.clauses.be()
            case Kind.HAVE:
                self.have = True
            case Kind.NEGATION:
                self._negation()
            case Kind.PERSON:
                self.persons.append(word.value)
            case Kind.NUMBER:
                self._count(word.value)
            case _:
                self._frame_word(token, word)
        self.starts = False

    def _frame_word(self, token: str, word: Word) -> None:
        """A word that says how the content words stand to each other."""
        self._owned()
        if word.kind is Kind.MODAL and not (token == "May" and not self.starts):
            self.modality.add(word.value)
        elif word.kind is Kind.PAST:
            self.past = True
            if word.value in ("was", "were"):
                self.be = True
                self.clauses.be()
        elif word.kind is Kind.RELATIVE:
            self.clauses.relative()
        elif word.kind is Kind.CONJUNCTION:
            self.clauses.conjunction()
        elif word.kind is Kind.PREPOSITION:
            if self.words and self.words[-1] in self.known.light.get(word.value, ()):
                self.spare.append(self.words[-1])
            self.clauses.phrase(word.value)
        elif word.kind is not Kind.MODAL:
            self._weight(word)

    def _weight(self, word: Word) -> None:
        self.weights.append(word.value)
        if word.kind is Kind.DIRECTION:
            self.clauses.phrase(word.value)
        elif word.kind is Kind.PARTICLE:
            self.clauses.adverb(word.value)
        else:
            self.clauses.content(word.value)

    def _plain(self, token: str, word: Word) -> None:
        if word.participle and (self.have or self.be):
            self.have = False  # "has finished" says "finished"
        elif word.participle:
            self.told = True
        elif self.be and word.kind is Kind.CONTENT and token.endswith("ing"):
            self.ongoing = True
            if self.colour:
                self.spare.append(self.colour)
        self._owned()
        if not self.starts and token[0].isupper():
            self.names.add(word.value)
        if word.kind is Kind.ADVERB:
            self._negate(word.value)
            if not word.manner:
                self.adverbs.append(word.value)
            elif self.be:
                self.colour = word.value
            self.clauses.adverb(word.value)
        else:
            self._content(word.value, participle=word.participle, attribute=word.attribute)

    def _owned(self) -> None:
        """Settles a "have" that turned out to be the verb itself."""
        if self.have:
            self.have = False
            self._content("have")

    def _content(self, word: str, *, participle: bool = False, attribute: bool = False) -> None:
        self._owned()
        self._negate(word)
        self.clauses.content(word, participle=participle, attribute=attribute)
        self.be = self.starts = False
        self.colour = ""

    def _negation(self) -> None:
        # "is not who has it" is not "is who does not have it"
        self.negations.append("be " if self.be else "")

    def _negate(self, word: str) -> None:
        self.words.append(word)
        if self.negations:
            self.negated.extend(place + word for place in self.negations)
            self.negations.clear()

    def _chinese(self, run: str) -> None:
        known = self.known
        for term in known.chinese.findall(run):
            if term in known.negation:
                self._negation()
            elif term in known.stop:
                continue
            elif term in known.person:
                self.persons.append(known.person[term])
            elif term in known.modality:
                self.modality.add(known.modality[term])
            elif term in known.past:
                self.past = True
            elif term in known.weight:
                self.weights.append(term)
                self.clauses.content(term)
            elif term in known.conjunction:
                self.clauses.conjunction()
            elif term not in known.alias and (term[0] == "第" or all(sign in known.digit for sign in term)):
                self._count(" ".join(known.digit.get(sign, sign) for sign in term))
            else:
                self._content(known.alias.get(term, term))
