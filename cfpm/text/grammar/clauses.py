"""Sorts the words of a sentence into roles while it is read: who does what, and the phrases around it.

Enough to see that "A calls B" and "B calls A" differ and that "A calls B" and "B is called by A" do not. No parser.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Clause = tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]]
"""A frame (doer, verb, object in order) and its phrases, sorted, because they may change places."""

NOBODY = "\0"
"""The doer of a passive sentence that names none: "it is eaten" is not "it eats"."""


@dataclass(slots=True)
class ClauseBuilder:
    """Takes the words of a sentence in order and gives back its clauses."""

    clauses: list[Clause] = field(default_factory=list)
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
