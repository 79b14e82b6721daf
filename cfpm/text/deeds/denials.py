"""Reads what a text denies: "I've never used it", "no room has been booked". What was done is read in `deeds.py`.

English; Chinese statements are compared whole, in `contradiction.py`. Whether the two clash: see `opposition.py`. The
words by which somebody denies are found in `denying.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.text.deeds.deeds import stated
from cfpm.text.deeds.negators import denying
from cfpm.text.deeds.verbs import FREE, WORD, form_of, numbers_of, ordinals_of, stems, verb_forms, verb_of
from cfpm.text.quantities.mentions import MAX_CHARS
from cfpm.text.quantities.vocabulary import lists

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = 6
"""Object words of a statement that are compared by index, the longest first."""

DEED_WORDS = 12
"""The same for what was done: a sentence says more than its denial."""

_COMPLEMENT = re.compile(
    r"\s(?:for|in|on|at|to|with|of|by|from|about|during|within|related|using|between|as|into|through|until|since)\s",
    re.IGNORECASE,
)
_GROUP = re.compile(r"\s+(?:n?or|and)\s+|,\s*(?:like|such as|including)\s+", re.IGNORECASE)
_ANYBODY = re.compile(r"any ?(?:one|body|thing)\b(?=\W*$| before\b| else\b| in my\b)", re.IGNORECASE)
_DEFINITE = re.compile(r"\s*(?:\w+\s+)?(?:my|our|the|this|that|these|those|his|her|their)\s", re.IGNORECASE)
_WITH = re.compile(r"\s*(?:with|on|in)\s", re.IGNORECASE)


class Group(NamedTuple):
    """One thing that was never done: its words, those before a preposition, the last of these, and its verbs."""

    words: frozenset[str]
    core: frozenset[str]
    head: str
    verbs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Denial:
    """`groups` are the alternatives of what was never done, as stems; `ended` says that it once was so, `yet` that it
    may come. With `anything` the verb stands alone: "I've never mentored anyone"."""

    verbs: frozenset[str]
    groups: tuple[Group, ...]
    ended: bool
    yet: bool
    names: frozenset[str]
    """Stems of its capitalised words."""
    forms: frozenset[str]
    """The verbs themselves, as stems."""
    ordinals: frozenset[str]
    numbers: frozenset[str]
    definite: bool = False
    """It speaks of something that is there: "the map", "my map"."""
    anything: bool = False

    @property
    def words(self) -> frozenset[str]:
        return frozenset().union(*(group.words for group in self.groups))


@lru_cache(maxsize=1_024)
def denial(text: str) -> Denial | None:
    """What the speaker says was never, or is no longer, done; None for a text that denies nothing."""
    if len(text) > MAX_CHARS or (found := denying(text)) is None:
        return None
    words = [word for word in WORD.findall(found.what) if word.lower() not in FREE]
    if not words:
        return None
    rest = found.what[found.what.find(words[0]) + len(words[0]) :]
    verbs, forms = {verb_of(words[0])}, {form_of(words[0])}
    if "work" in verbs and _WITH.match(rest):
        verbs.add("use")
    anything = _ANYBODY.match(rest.strip()) is not None and words[0].lower() not in lists()["light_verbs"]
    groups = (
        [Group(frozenset(forms), frozenset(forms), "", frozenset(verbs))] if anything else _groups(rest, verbs, forms)
    )
    if not groups:
        return None
    return Denial(
        frozenset(verbs),
        tuple(groups),
        found.ended,
        found.yet,
        frozenset(stem for word in words if word != word.lower() for stem in stems(word)),
        frozenset(forms),
        ordinals_of(found.what),
        numbers_of(found.what),
        _DEFINITE.match(rest) is not None,
        anything,
    )


def _groups(rest: str, verbs: set[str], forms: set[str]) -> list[Group]:
    """The things named behind the verb; a verb that begins one of them is denied as well."""
    groups: list[Group] = []
    own = set(verbs)
    for part in _GROUP.split(rest):
        opening = WORD.match(part.strip())
        begins = opening is not None and opening[0].lower() in verb_forms()
        if begins and opening is not None:
            own = {verb_of(opening[0])} | (set() if groups else own)
            verbs |= own
            forms.add(form_of(opening[0]))
        told = part.strip()[opening.end() :] if begins and opening else part
        core = stems(_COMPLEMENT.split(f" {told} ")[0])
        if group := frozenset(stems(told)):
            groups.append(Group(group, frozenset(core) or group, core[-1] if core else "", frozenset(own)))
    return groups


def denial_keys(no: Denial | None) -> tuple[str, ...]:
    """Under which a denial is found."""
    return () if no is None else (DENIES, *(f"no:{word}" for word in _longest(no.words)))


def deed_keys(text: str) -> tuple[str, ...]:
    """Under which what was done is found."""
    return tuple(f"do:{word}" for word in _longest(stated(text), DEED_WORDS))


DENIES = "no:"
"""The key that every denial has."""


def _longest(words: Iterable[str], most: int = WORDS) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))[:most]
