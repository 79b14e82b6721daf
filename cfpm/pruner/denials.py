"""Reads what a text denies: "I've never used it". What was done is read in `deeds.py`.

English; Chinese statements are compared whole, in `contradiction.py`. Whether the two clash: see `opposition.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.pruner.deeds import FREE, WORD, form_of, ordinals_of, stated, stems, verb_forms, verb_of
from cfpm.pruner.mentions import MAX_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = 6
"""Object words of a statement that are compared by index, the longest first."""

DEED_WORDS = 12
"""The same for what was done: a sentence says more than its denial."""

_DENIAL = re.compile(
    r"\b(?:i|we|i've|we've|i’ve|we’ve)\s+"
    r"(?:have\s+|has\s+|had\s+|do\s+|does\s+)?(?:(?:actually|really|personally|also|just)\s+)?"
    r"(?P<how>never|no longer|stopped|quit|(?:don['’]?t|do not)(?=[^,;.?!\n]{2,60}\sany ?(?:more|longer)\b)|"
    r"haven['’]?t\s+(?:ever|yet)|have not\s+(?:ever|yet))\s+"
    r"(?P<what>[^,;.?!—–\n]+(?:,\s*(?:like|such as|including)\s[^,;.?!\n]+)?)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:but|so|because|which|who|since|although|while|and (?:i|we|my|it|the)|if|when)\b.*", re.IGNORECASE
)
_ANY_MORE = re.compile(r"\s+any ?(?:more|longer)\b.*", re.IGNORECASE)
_THIS = re.compile(r"\b(?:for|in|on|at|to|with|of|during) (?:this|that)\b(?:\s\w+)?|\bbefore\W*$", re.IGNORECASE)
"""Points to what both texts are about anyway."""
_COMPLEMENT = re.compile(
    r"\s(?:for|in|on|at|to|with|of|by|from|about|during|within|related|using|between|as|into|through|until|since)\s",
    re.IGNORECASE,
)
_GROUP = re.compile(r"\s+n?or\s+|,\s*(?:like|such as|including)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Denial:
    """`groups` are the alternatives of what was never done, as stems, each with its core, which is what stands before
    a preposition; `ended` says that it once was so, `yet` that it may come."""

    verbs: frozenset[str]
    groups: tuple[tuple[frozenset[str], frozenset[str]], ...]
    ended: bool
    yet: bool
    names: frozenset[str]
    """Stems of its capitalised words."""
    forms: frozenset[str]
    """The verbs themselves, as stems."""
    ordinals: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return frozenset().union(*(words for words, _ in self.groups))


@lru_cache(maxsize=1_024)
def denial(text: str) -> Denial | None:
    """What the speaker says was never, or is no longer, done; None for a text that denies nothing."""
    if len(text) > MAX_CHARS or (found := _DENIAL.search(text)) is None:
        return None
    what = _THIS.sub("", _OVER.sub("", _ANY_MORE.sub("", found["what"])))
    words = [word for word in WORD.findall(what) if word.lower() not in FREE]
    if not words:
        return None
    rest = what[what.find(words[0]) + len(words[0]) :]
    verbs, forms = {verb_of(words[0])}, {form_of(words[0])}
    groups = []
    for part in _GROUP.split(rest):
        opening = WORD.match(part.strip())
        begins = opening is not None and opening[0].lower() in verb_forms()
        if begins and opening is not None:
            verbs.add(verb_of(opening[0]))
            forms.add(form_of(opening[0]))
        told = part.strip()[opening.end() :] if begins and opening else part
        if group := frozenset(stems(told)):
            groups.append((group, frozenset(stems(_COMPLEMENT.split(f" {told} ")[0])) or group))
    if not groups:
        return None
    how = found["how"].lower()
    names = frozenset(stem for word in words if word != word.lower() for stem in stems(word))
    return Denial(
        frozenset(verbs),
        tuple(groups),
        how in ("no longer", "stopped", "quit") or how.startswith("do"),
        how.endswith("yet") or found["what"].rstrip().endswith(" before"),
        names,
        frozenset(forms),
        ordinals_of(what),
    )


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
