"""Walks through one text, English or Chinese, and collects what `reading.Reading` holds. No judgement, no parser."""

from __future__ import annotations

from dataclasses import dataclass, field

from cfpm.model.patterns import lazy_pattern
from cfpm.text.grammar.lexicon import Lexicon, Word, WordClass, classify

Frame = tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]]
"""Doer, verb and object in order, and the phrases, sorted, because they may change places."""

NOBODY = "\0"
"""The doer of a passive sentence that names none: "it is eaten" is not "it eats"."""


@dataclass(slots=True)
class ClauseBuilder:
    """Takes the words of a sentence in order and gives back its clauses."""

    clauses: list[Frame] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """All content words in order, with an attribute in a relative clause ("a box which is red") put before its noun."""
    passives: int = 0
    _frame: list[str] = field(default_factory=list)
    _phrases: list[tuple[str, list[str]]] = field(default_factory=list)
    _target: list[str] | None = None
    _be: bool = False
    _verb: int | None = None
    _comma: bool = False
    _relative: bool = False
    _attributes: bool = False

    def content(self, word: str, *, participle: bool = False, attribute: bool = False) -> None:
        """A content word; `attribute` says that its form can be an adjective, `participle` that it can be a passive."""
        self._settle_comma()
        target = self._frame if self._target is None else self._target
        if self._attributes and attribute and target:
            target.insert(len(target) - 1, word)
            self.words.insert(len(self.words) - 1, word)
            self._be = False
            return
        self._attributes = False
        if self._be and participle:
            self.passives += 1
            if target is self._frame:
                self._verb = len(target)
            else:
                target.append(NOBODY)
        target.append(word)
        self.words.append(word)
        self._be = False

    def be(self) -> None:
        """A form of "be": what follows belongs to the frame again, or is the attribute of a relative clause."""
        if self._relative:
            self._comma = self._relative = False
            self._attributes = True
        else:
            self._settle_comma()
            self._target = None
        self._be = True

    def relative(self) -> None:
        """Who, which, that."""
        self._relative = bool(self.words)

    def phrase(self, place: str) -> None:
        """A preposition of the class `place`."""
        self._settle_comma()
        doer = place == "by" and self._verb is not None
        self._target = []
        self._phrases.append(("doer" if doer else place, self._target))
        self._be = self._attributes = False

    def adverb(self, word: str) -> None:
        """An adverb, which may stand anywhere in its clause."""
        self._settle_comma()
        self._phrases.append(("adverb", [word]))
        self.words.append(word)

    def comma(self) -> None:
        """A comma: ends a relative attribute or an opening phrase, else a clause, unless a relative clause follows."""
        if self._attributes:
            self._attributes = False
        elif not self._frame:
            self._target = None
        else:
            self._comma = True

    def conjunction(self) -> None:
        """And, or, but: a new clause begins, unless attributes are being listed."""
        if not self._attributes:
            self.end()

    def end(self) -> None:
        """The end of the clause."""
        frame, verb = self._frame, self._verb
        doers = [words for place, words in self._phrases if place == "doer" and words]
        if verb is not None:
            frame = [*(doers[0] if doers else [NOBODY]), *frame[verb:], *frame[:verb]]
        phrases = tuple(sorted((place, tuple(words)) for place, words in self._phrases if words and place != "doer"))
        if frame or phrases:
            self.clauses.append((tuple(frame), phrases))
        self._frame, self._phrases, self._target, self._verb = [], [], None, None
        self._be = self._comma = self._relative = self._attributes = False

    def _settle_comma(self) -> None:
        if self._comma:
            self.end()
        self._relative = False


_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PAUSES = ",，"
_STOPS = ";!?。；！？"
_RUN = lazy_pattern(
    rf"[{_CJK}]+|[^\s{_CJK}{_PAUSES}{_STOPS}()\[\]{{}}<>\"“”‘`、：（）【】《》「」…]+|[{_PAUSES}{_STOPS}]"
)
CHINESE = lazy_pattern(rf"[{_CJK}]")
_NUMBER = lazy_pattern(r"([-+~$€£¥]?)v?(\d(?:[\d.,:/-]*\d)?)(%|[a-z°]{0,12})")
_PARTS = lazy_pattern(r"[-/:]")
_THOUSANDS = lazy_pattern(r",(?=\d{3}(?:\D|$))")
_IDENTIFIER = lazy_pattern(r"[/\\_@#=~$*+]|^-|\w[.:]\w|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|^\.\w")
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
            case WordClass.CONTENT | WordClass.ADVERB:
                self._plain(token, word)
            case WordClass.SMALL:
                pass
            case WordClass.BE:
                self.have, self.be = False, True
                self.clauses.be()
            case WordClass.HAVE:
                self.have = True
            case WordClass.NEGATION:
                self._negation()
            case WordClass.PERSON:
                self.persons.append(word.value)
            case WordClass.NUMBER:
                self._count(word.value)
            case _:
                self._frame_word(token, word)
        self.starts = False

    def _frame_word(self, token: str, word: Word) -> None:
        """A word that says how the content words stand to each other."""
        self._owned()
        if word.kind is WordClass.MODAL and not (token == "May" and not self.starts):
            self.modality.add(word.value)
        elif word.kind is WordClass.PAST:
            self.past = True
            if word.value in ("was", "were"):
                self.be = True
                self.clauses.be()
        elif word.kind is WordClass.RELATIVE:
            self.clauses.relative()
        elif word.kind is WordClass.CONJUNCTION:
            self.clauses.conjunction()
        elif word.kind is WordClass.PREPOSITION:
            if self.words and self.words[-1] in self.known.light.get(word.value, ()):
                self.spare.append(self.words[-1])
            self.clauses.phrase(word.value)
        elif word.kind is not WordClass.MODAL:
            self._weight(word)

    def _weight(self, word: Word) -> None:
        self.weights.append(word.value)
        if word.kind is WordClass.DIRECTION:
            self.clauses.phrase(word.value)
        elif word.kind is WordClass.PARTICLE:
            self.clauses.adverb(word.value)
        else:
            self.clauses.content(word.value)

    def _plain(self, token: str, word: Word) -> None:
        if word.participle and (self.have or self.be):
            self.have = False  # "has finished" says "finished"
        elif word.participle:
            self.told = True
        elif self.be and word.kind is WordClass.CONTENT and token.endswith("ing"):
            self.ongoing = True
            if self.colour:
                self.spare.append(self.colour)
        self._owned()
        if not self.starts and token[0].isupper():
            self.names.add(word.value)
        if word.kind is WordClass.ADVERB:
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
