"""What the sentence around a time expression says of it: past or to come, recurring, replaced. It knows no calendar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfpm.text.dates.lexicon import TimeLexicon
    from cfpm.text.dates.spans import Interval

_SENTENCE = 240
"""Characters on either side in which the sentence is looked for."""


_BARE = 3
"""A clause of so few words beside its time is bare: "twice a week, usually Tuesday"."""


_ASIDE = 12
"""Characters of a clause that only adds to the one before: ", every week"."""


class Tense(Enum):
    """Whether the thing of a sentence lies before or after it was said; NONE where no word tells.

    PRESENT is that of what is to come as of what is always so: "the shop opens in May".
    """

    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"
    NONE = "none"


@dataclass(frozen=True)
class Said:
    """When something was said, in UTC, and what stands left and right of the expression in its sentence, in lower case.

    `back` is True where the words leave no choice ("since Friday"), `ahead` where it is the end of a range that begins
    at the anchor. `context` is the last time that was named before, whose month a bare "the 22nd" is of; `corrects`
    says that the expression puts that one right.
    """

    anchor: datetime
    left: str
    right: str
    lexicon: TimeLexicon
    back: bool = False
    ahead: bool = False
    context: Interval | None = None
    corrects: bool = False
    learnt: Tense | None = None
    """What `when` says of the expression, where it is sure."""

    @cached_property
    def tense(self) -> Tense:
        """That of the clause of the expression; where it has no word for it, that of the next wider stretch."""
        if self.ahead:
            return Tense.FUTURE
        if self.back:
            return Tense.PAST
        return self.by_lists if self.learnt is None else self.learnt

    @property
    def by_lists(self) -> Tense:
        """The same by the lists of words alone."""
        return self._listed[0]

    @property
    def plain(self) -> bool:
        """Whether the lists tell it from the words around the expression, and not from another part of the sentence."""
        return self._listed[1]

    @cached_property
    def _listed(self) -> tuple[Tense, bool]:
        if self.lexicon.around("planned", self.left) or self.lexicon.said("confirmed", self.right):
            return Tense.FUTURE, True
        if self.lexicon.said("done", self.right) or self.lexicon.around("over", self.left):
            return Tense.PAST, True
        left, right = self.clause
        if self.lexicon.around("limit", self.left) and self._limits(left):
            return Tense.FUTURE, True
        tense = self._of(f"{left} {right}")
        if tense is Tense.NONE and len(left.split()) <= 1:
            tense = self._of(self._next_clause)  # "On Friday, I ran"
        if tense is not Tense.NONE:
            return tense, tense is not Tense.PRESENT
        if self.bare and self.lexicon.said("arranged", self.sentence):
            return Tense.FUTURE, False
        return self._of(self.sentence), False

    @property
    def future(self) -> bool:
        """Whether it is plainly to come."""
        return self.tense is Tense.FUTURE

    @property
    def past(self) -> bool:
        """Whether it is over."""
        return self.tense is Tense.PAST

    @property
    def sentence(self) -> str:
        """The sentence without the expression."""
        return f"{self.left} {self.right}"

    @property
    def perfect(self) -> bool:
        """Whether it says that something still holds."""
        return self.lexicon.said("perfect", self.sentence)

    @cached_property
    def clause(self) -> tuple[str, str]:
        """What stands left and right in the same clause."""
        begins = 0
        for match in self.lexicon.clause.finditer(self.left):
            begins = match.end()
        closing = self.lexicon.clause.search(self.right)
        return self.left[begins:], self.right[: closing.start()] if closing else self.right

    @property
    def bare(self) -> bool:
        """Whether its clause has few other words and no verb: it is a part of what stands around it."""
        clause = " ".join(self.clause)
        return len(clause.split()) <= _BARE and self._of(clause) is Tense.NONE

    @cached_property
    def recurs(self) -> bool:
        """Whether the thing comes again and again: "every other Friday", "the first Monday of each month"."""
        return self.lexicon.said("recurs", self._marked)

    @property
    def habitual(self) -> bool:
        """Whether a bare day is that of a thing which comes again and again: "the weekly call is on Friday"."""
        return not self.past and self.lexicon.said("habit", self._marked)

    @property
    def each(self) -> bool:
        """Whether the sentence says of what it tells that it comes each week or month."""
        return not self.past and self.lexicon.said("each", self.sentence)

    def told_by_lists(self) -> dict[str, str]:
        """What the lists of words make of the clause and the sentence, by name."""
        told = {"clause": self._of(" ".join(self.clause)), "sentence": self._of(self.sentence), "all": self.by_lists}
        holds = {"recurs": self.recurs, "habit": self.habitual, "bare": self.bare}
        return {f"tense of {name}": tense.value for name, tense in told.items()} | {
            name: str(one) for name, one in holds.items()
        }

    @property
    def _marked(self) -> str:
        """The clause with an @ in the place of the expression; the sentence where the clause is bare."""
        left, right = self.clause
        if self.lexicon.around("starting", self.left) or self.bare:
            left, right = self.left, self.right
        aside = self._next_clause.strip()
        return f"{left.rstrip()} @ {right.lstrip()} {aside if len(aside) <= _ASIDE else ''}"

    def _limits(self, left: str) -> bool:
        """Whether "by" or "until" after these words sets a limit to what is to come, and tells no end of what was."""
        if self.lexicon.said("coming", left):
            return True
        return len(left.split()) > _BARE and not self.lexicon.said("past", left)

    @property
    def _next_clause(self) -> str:
        """The clause after that of the expression, which a time at the front of a sentence belongs to."""
        rest = self.right[len(self.clause[1]) :]
        breaks = self.lexicon.clause.finditer(rest)
        first, second = next(breaks, None), next(breaks, None)
        return rest[first.end() if first else 0 : second.start() if second else len(rest)]

    def _of(self, stretch: str) -> Tense:
        said = self.lexicon.said
        if said("gone", stretch):
            return Tense.PAST
        if said("future", stretch):
            return Tense.FUTURE
        if said("past", stretch):
            return Tense.PAST
        return Tense.PRESENT if said("coming", stretch) else Tense.NONE


def around(text: str, start: int, end: int, sentence_end: re.Pattern[str]) -> tuple[str, str]:
    """What stands left and right of [start, end) in its sentence, in lower case."""
    begins = max(0, start - _SENTENCE)
    for match in sentence_end.finditer(text, begins, start):
        begins = match.end()
    closing = sentence_end.search(text, end, end + _SENTENCE)
    return text[begins:start].lower(), text[end : closing.start() if closing else end + _SENTENCE].lower()
