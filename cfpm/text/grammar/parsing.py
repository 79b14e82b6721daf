"""Puts the parts of an English sentence into clauses: doer, verb, objects, phrases. Rough; `roles` compares them.

What it cannot tell apart stays in the order in which it was said, so that a wrong reading keeps two texts apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.parts import Clause, Noun, Part, Phrase, Token

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

COMPOUND = 3
"""Words behind "of" or "for" that can stand before the noun instead: "the wall of the old brick house"."""

_NAMES = frozenset([Part.WORD, Part.DOING, Part.DONE])
"""What a noun and its attributes are made of."""

_CLOSES = frozenset([Part.BE, Part.HAVE, Part.END, Part.RELATIVE, Part.COMMA, Part.CONJUNCTION])
"""What a clause that only describes may end before: "the pipe, which is leaking, ..."."""

_NOUN = frozenset([Part.WORD, Part.PERSON])

_BEFORE_OF = _NAMES | {Part.BE}

_LISTED = _NAMES | {Part.ADVERB, Part.CONJUNCTION, Part.COMMA}

_BEFORE_BE = _NAMES | {Part.ARTICLE, Part.PERSON, Part.PHRASE, Part.ADVERB}


@dataclass(slots=True)
class _Parser:
    tokens: Sequence[Token]
    at: int = 0
    clauses: list[Clause] = field(default_factory=list)
    main: Clause = field(default_factory=lambda: Clause(Noun()))
    """The clause around relative ones."""
    clause: Clause = field(default_factory=lambda: Clause(Noun()))
    """The clause that takes objects and phrases."""
    noun: Noun | None = None
    """The noun that takes words."""
    last: Noun | None = None
    """The noun before."""
    related: Noun | None = None
    """The noun that a relative pronoun stands for."""

    def parse(self) -> list[Clause]:
        self._start()
        while self.at < len(self.tokens):
            self._take(self.tokens[self.at])
            self.at += 1
        return [clause for clause in self.clauses if clause.doer.words or clause.verb is not None or clause.phrases]

    def _part(self, step: int) -> str:
        place = self.at + step
        return self.tokens[place].part if 0 <= place < len(self.tokens) else Part.END

    def _past(self, step: int, among: Container[str]) -> int:
        """The first step from `step` on at which none of `among` stands."""
        while self._part(step) in among and self.at + step < len(self.tokens):
            step += 1
        return step

    def _values(self, start: int, end: int) -> list[str]:
        return [token.value for token in self.tokens[self.at + start : self.at + end] if token.value]

    def _start(self) -> None:
        self.main = self.clause = Clause(Noun())
        self.clauses.append(self.main)
        self.noun = self.last = self.related = None

    def _close(self) -> None:
        if self.noun is not None and self.noun.words:
            self.clause.near.add(self.noun.head)
            self.last, self.noun = self.noun, None

    def _take(self, token: Token) -> None:
        match token.part:
            case Part.WORD:
                self._name(token.value)
            case Part.DOING | Part.DONE:
                self._verb_form(token)
            case Part.ADVERB:
                self.clause.phrases.append(Phrase("adverb", Noun([token.value])))
            case Part.BE:
                self._be()
            case Part.PHRASE:
                self._phrase(token.value)
            case Part.COMMA | Part.CONJUNCTION | Part.END:
                self._pause(token.part)
            case _:
                self._close()
                self._frame(token)

    def _frame(self, token: Token) -> None:
        match token.part:
            case Part.HAVE:
                self._verb(token.value, finite=True)
            case Part.RELATIVE:
                self.related = self.last
            case Part.PERSON:
                self._name(token.value)

    def _pause(self, part: str) -> None:
        """Another clause begins, or a list goes on."""
        if part is Part.END or self._opens_clause():
            self._start()
        elif part is Part.COMMA and not self._lists_adjectives():
            self._close()

    def _opens_clause(self) -> bool:
        """A clause is complete, and a noun and its "is" follow."""
        if self.main.verb is None:
            return False
        end = self._past(1, _BEFORE_BE)
        return self._part(end) is Part.BE and any(self._part(step) in _NOUN for step in range(1, end))

    def _lists_adjectives(self) -> bool:
        """ "Black, red and white boxes"."""
        words = self.noun.words if self.noun is not None else []
        return self._part(1) is Part.WORD and bool(words) and lexicon().adjective.issuperset(words)

    def _name(self, word: str) -> None:
        if self.noun is None:
            self.noun = Noun()
            clause = self.clause
            if self.related is not None:  # "the client that the server calls"
                self.clause = Clause(self.noun, objects=[self.related])
                self.clauses.append(self.clause)
                self.related = None
            elif clause is self.main and clause.verb is None and not clause.doer.words:
                clause.doer = self.noun
            else:
                clause.objects.append(self.noun)
        self.noun.words.append(word)

    def _verb_form(self, token: Token) -> None:
        """ "Running" and "painted" are verbs or attributes."""
        named, follows = bool(self.noun and self.noun.words), self._part(1)
        if token.part is Part.DOING:
            does = self.noun is self.main.doer or (self.clause.passive and self.noun not in self.clause.objects)
            listed = self._part(-1) is Part.CONJUNCTION or (self._part(-1) is Part.COMMA and self.main.verb is not None)
            verb = listed or (named and (follows is not Part.WORD or does))
        else:
            verb = named and follows not in _NAMES
        if not verb:
            self._name(token.value)
            return
        self._close()
        active = token.part is Part.DOING or follows in (Part.ARTICLE, Part.PERSON)
        self._verb(token.value, passive=not active, finite=active and token.part is Part.DONE)

    def _verb(self, word: str, *, passive: bool = False, finite: bool = False, before: str | None = None) -> None:
        """The verb of the main clause, or of a new one."""
        main, before = self.main, self._part(-1) if before is None else before
        if self.related is None and finite and self.clause.verb is None and self.clause is not main:
            clause = self.clause
        elif self.related is None and finite and main.verb is None:
            clause = main
        else:
            joined = main.doer if before is Part.COMMA else self.last or main.doer
            clause = Clause(self.related or (self.clause.doer if before is Part.CONJUNCTION else joined))
            self.clauses.append(clause)
        self.related = None
        clause.verb, clause.passive, clause.near = word, passive, {word}
        if passive:
            clause.near.add(clause.doer.head)
        self.clause = clause

    def _be(self) -> None:
        self._close()
        if self.related is not None and self._describes():
            return
        before = self._part(-1)
        while self._part(1) is Part.BE:
            self.at += 1
        if self.related is not None and self._part(1) is Part.PHRASE:
            self.last, self.related = self.related, None
            return
        step = self._past(1, (Part.ADVERB, Part.BE))
        part, word, adverbs = self._part(step), "", self._values(1, step)
        if part in (Part.DOING, Part.DONE):
            word = self.tokens[self.at + step].value
            self.at += step
        else:
            adverbs = []
        self._verb(word, passive=bool(word) and part is Part.DONE, finite=True, before=before)
        self.clause.phrases.extend(Phrase("adverb", Noun([adverb])) for adverb in adverbs)

    def _describes(self) -> bool:
        """Puts "which is red and leaking" before its noun, when nothing else is said of it."""
        step, words = 1, []
        while (part := self._part(step)) in _LISTED:
            if part in (Part.CONJUNCTION, Part.COMMA) and not self._adds(step + 1):
                break
            if part in (Part.DOING, Part.DONE) and self._part(step + 1) not in _CLOSES:
                return False
            words += self._values(step, step + 1)
            step += 1
        if not words or self._part(step) not in _CLOSES or self.related is None:
            return False
        place = next((at for at, word in enumerate(self.related.words) if not _counts(word)), 0)
        self.related.words[place:place] = words
        self.at += step if self._part(step) is Part.COMMA else step - 1
        self.related, self.clause = None, self.main
        return True

    def _adds(self, step: int) -> bool:
        """One more attribute is listed: ", red", "and leaking", but not "and leaking oil"."""
        part = self._part(step)
        listed = part is Part.WORD or part is Part.CONJUNCTION
        return listed or (part in (Part.DOING, Part.DONE) and self._part(step + 1) in _CLOSES)

    def _phrase(self, place: str) -> None:
        self._close()
        if place in ("of", "for") and self._part(-1) in _BEFORE_OF and self._compound():
            return
        clause = self.clause
        if place == "by" and clause.passive and all(phrase.place != "doer" for phrase in clause.phrases):
            place = "doer"
        self.noun = Noun()
        hangs = frozenset([self.last.head]) if self._part(-1) is Part.BE and self.last else frozenset(clause.near)
        clause.phrases.append(Phrase(place, self.noun, hangs))

    def _compound(self) -> bool:
        """Writes "a jar of glass" as "a glass jar"; False when it is no noun that the phrase belongs to."""
        head = self.last
        if head is None or self.tokens[self.at - 1].value == self.clause.verb:
            return False
        start = self._past(1, (Part.ARTICLE,))
        end = self._past(start + (self._part(start) is Part.PERSON), _NAMES)
        if not 0 < end - start <= COMPOUND:
            return False
        place = len(head.words) - 1 if head.inner is None else head.inner
        head.words[place:place] = self._values(start, end)
        head.inner = place + end - start - 1
        self.at += end - 1
        return True


def _counts(word: str) -> bool:
    """A quantity or number, before which no attribute stands."""
    return word in lexicon().weight or word.isdigit()


def clauses(tokens: Sequence[Token]) -> list[Clause]:
    """The clauses of a text, in the order in which they open."""
    return _Parser(tokens).parse()
