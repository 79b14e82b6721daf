"""Reads what a text denies and what it says was done: "I've never used it", "I've been using it since May".

English; Chinese statements are compared whole, in `contradiction.py`. Whether the two clash: see `opposition.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.pruner.lexicon import lexicon
from cfpm.pruner.mentions import MAX_CHARS
from cfpm.pruner.vocabulary import doing_lines, lists
from cfpm.pruner.words import Kind, classify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STEM = 7
"""Letters by which words of one root are one: "optimise", "optimisation"."""

WORDS = 6
"""Object words of a statement that are compared by index, the longest first."""

DEED_WORDS = 12
"""The same for what was done: a sentence says more than its denial."""

REACH = 9
"""Words behind a verb that it may have as its object."""

BACK = 4
"""Words before a verb that may be its object: "the key obtained in May"."""

_DENIAL = re.compile(
    r"\b(?:i|we|i've|we've|i’ve|we’ve)\s+"
    r"(?:have\s+|has\s+|had\s+|do\s+|does\s+)?(?:(?:actually|really|personally|also|just)\s+)?"
    r"(?P<how>never|no longer|stopped|quit|haven['’]?t\s+(?:ever|yet)|have not\s+(?:ever|yet))\s+"
    r"(?P<what>[^,;.?!—–\n]+(?:,\s*(?:like|such as|including)\s[^,;.?!\n]+)?)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:but|so|because|which|who|since|although|while|and (?:i|we|my|it|the)|if|when)\b.*", re.IGNORECASE
)
_THIS = re.compile(r"\b(?:for|in|on|at|to|with|of|during) (?:this|that)\b(?:\s\w+)?|\bbefore\W*$", re.IGNORECASE)
"""Points to what both texts are about anyway."""
_COMPLEMENT = re.compile(
    r"\s(?:for|in|on|at|to|with|of|by|from|about|during|within|related|using|between|as|into|through|until|since)\s",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?P<verb>[a-z]+ed)\s+(?:on|in|at|from|by|last|back|since|between)\s|\b(?:by|after|since)\s+[a-z]{3,}ing\s",
    re.IGNORECASE,
)
"""A deed that does not say whose: "the key obtained on May 3", "by celebrating it"."""
_GROUP = re.compile(r"\s+n?or\s+|,\s*(?:like|such as|including)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w'’+#-]*")
_DOER = re.compile(
    r"\b(?:i|we)(?:['’](?:ve|m|re)|\s+(?:have|had|was|were|am|are))?\s+"
    r"(?:(?:just|also|recently|already|finally|only|even|kinda|really|been|\w+ly)\s+){0,3}(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\W*(?:can|could|how|what|should|would|do|does|did|is|are|when|why|where|which)\b", re.IGNORECASE)
_GERUND = re.compile(r"(?!(?:trying|thinking|wondering|considering|planning|looking|hoping)\b)[A-Za-z]{2,}ing\s")
"""A clause that lost its subject: "using it since May"."""
_CLAUSE = re.compile(
    r"[;.?!—–]|,\s+(?=(?:and|but|so|can|could|do|how|what|should|would|which|i|i'm|i've|we)\b)|\bbut\b", re.IGNORECASE
)
_TURNED = re.compile(r"\b(?:never|no longer|not|if|would|unless|wish|whether|goal|plan)\b|n['’]t\b")
_IDLE_DOING = frozenset(["having", "getting", "struggling", "waiting", "trying", "wondering", "looking", "heard"])
_FREE = frozenset(["actually", "really", "personally", "even", "ever", "once", "yet", "before", "any", "tried"])


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

    @property
    def words(self) -> frozenset[str]:
        return frozenset().union(*(words for words, _ in self.groups))


@dataclass(frozen=True, slots=True)
class Deed:
    """A clause in which the speaker did or does something: its words as stems; a verb stands for its likes."""

    words: frozenset[str]
    verbs: tuple[Verb, ...]


@dataclass(frozen=True, slots=True)
class Verb:
    """`before` and `behind` are the stems close to it, `phrase` those behind it up to a comma, in order."""

    verb: str
    before: frozenset[str]
    behind: frozenset[str]
    phrase: tuple[str, ...]


@lru_cache(maxsize=4_096)
def denial(text: str) -> Denial | None:
    """What the speaker says was never, or is no longer, done; None for a text that denies nothing."""
    if len(text) > MAX_CHARS or (found := _DENIAL.search(text)) is None:
        return None
    what = _THIS.sub("", _OVER.sub("", found["what"]))
    words = [word for word in _WORD.findall(what) if word.lower() not in _FREE]
    if not words:
        return None
    rest = what[what.find(words[0]) + len(words[0]) :]
    verbs = {_verb(words[0])}
    groups = []
    for part in _GROUP.split(rest):
        opening = _WORD.match(part.strip())
        begins = opening is not None and opening[0].lower() in _doing()
        if begins and opening is not None:
            verbs.add(_verb(opening[0]))
        told = part.strip()[opening.end() :] if begins and opening else part
        if group := frozenset(_stems(told)):
            groups.append((group, frozenset(_stems(_COMPLEMENT.split(f" {told} ")[0])) or group))
    if not groups:
        return None
    how = found["how"].lower()
    names = frozenset(stem for word in words if word != word.lower() for stem in _stems(word))
    return Denial(frozenset(verbs), tuple(groups), how in ("no longer", "stopped", "quit"), how.endswith("yet"), names)


@lru_cache(maxsize=4_096)
def deeds(text: str) -> tuple[Deed, ...]:
    """The clauses in which the speaker says "I did" or "I am doing"; none for a text that only denies or wishes."""
    opens = _GERUND.match(text) is not None
    if len(text) > MAX_CHARS or not (opens or _DOER.search(text) or _PASSIVE.search(text)):
        return ()
    found = []
    for place, clause in enumerate(_CLAUSE.split(text)):
        if _ASKS.match(clause) or _TURNED.search(clause.lower()):
            continue
        done = (opens and place == 0) or any(_is_done(match) for match in _DOER.finditer(clause))
        if (done or _PASSIVE.search(clause)) and (words := frozenset(_stems(clause))):
            found.append(Deed(words, tuple(_verbs(clause))))
    return tuple(found)


@lru_cache(maxsize=4_096)
def stated(text: str) -> frozenset[str]:
    """The words of all clauses that neither ask nor deny, when one of them says what was done."""
    clauses = _CLAUSE.split(text) if deeds(text) else ()
    return frozenset(
        stem
        for clause in clauses
        if not (_ASKS.match(clause) or _TURNED.search(clause.lower()))
        for stem in _stems(clause)
    )


def _verbs(clause: str) -> Iterator[Verb]:
    clause = clause.replace("-", " ")
    told = _WORD.findall(clause)
    commas = [len(_WORD.findall(clause[: comma.start()])) for comma in re.finditer(",", clause)]
    for place, word in enumerate(told):
        if (word.lower() in _doing() or word.endswith(("ed", "ing"))) and not _is_wanted(told, place):
            end = min((at for at in commas if at > place), default=len(told))
            behind = [_stem(other) for other in told[place + 1 : place + 1 + REACH]]
            phrase = tuple(stem for stem in behind[: end - place - 1] if stem)
            before = frozenset(map(_stem, told[max(0, place - BACK) : place])) - {""}
            yield Verb(_verb(word), before, frozenset(behind) - {""}, phrase)


@cache
def _doing() -> dict[str, str]:
    """Verb forms, each with the verb that stands for its group."""
    return {form: line.partition("=")[0] for line in doing_lines() for form in line.partition("=")[2].split()}


def _verb(word: str) -> str:
    lower = word.lower()
    return _doing().get(lower) or classify(lower).value[:STEM]


def _is_wanted(told: list[str], place: int) -> bool:
    """ "To use it", "could use it"; not "managed to use it"."""
    if not place or told[place - 1].lower() not in ("to", "can", "could", "should", "me", "will"):
        return False
    return place < 2 or told[place - 2].lower() not in (
        "managed",
        "started",
        "began",
        "able",
        "continue",
        "continued",
        "decided",
        "agreed",
        "chose",
    )


def _is_done(match: re.Match[str]) -> bool:
    said, verb = match[0].lower(), match["verb"].lower()
    if verb in lists()["unreal"] or verb in _IDLE_DOING:
        return False
    being = re.match(r"(?:i|we)(?:['’](?:m|re)|\s+(?:am|are|was|were))\b", said) is not None
    if verb.endswith("ing"):
        return said.partition(" ")[2].strip() != verb or being or "ve" in said
    past = verb.endswith("ed") or verb in lexicon().participle
    return past and not being


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


def _stems(text: str) -> list[str]:
    return [stem for word in _WORD.findall(text.replace("-", " ")) if (stem := _stem(word))]


def _stem(word: str) -> str:
    lower = word.lower().replace("’", "'")
    if lower.endswith("'s"):
        lower = lower[:-2]
    read = classify(lower)
    if read.kind not in (Kind.CONTENT, Kind.ADVERB) or "'" in lower or lower in _FREE or lower in lexicon().month:
        return ""
    return "" if read.value in lists()["idle"] or lower.isdigit() else read.value[:STEM]
