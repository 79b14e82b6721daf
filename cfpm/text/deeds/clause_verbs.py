"""The verbs of a clause with the words around each. Whether the clause says that something was done: see `deeds.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.text.deeds.verbs import WORD, form_of, happening, stem, verb_forms, verb_of
from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.quantities.vocabulary import lists

if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 9
"""Words behind a verb that it may have as its object."""

BACK = 4
"""Words before a verb that may be its object: "the key obtained in May"."""

ATTEND = "attend"
USE = "use"
_PERFECT = frozenset(["have", "has", "had", "having"])
_PRESENT = frozenset(["at", "during"])
"""Who did something at a meeting attended it."""
_MEANS = frozenset(["with", "via"])


@dataclass(frozen=True, slots=True)
class Verb:
    """`before` and `behind` are the stems close to it, `phrase` those behind it up to a comma, in order."""

    verb: str
    form: str
    before: frozenset[str]
    behind: frozenset[str]
    phrase: tuple[str, ...]
    owned: bool = False
    """It is a noun behind "my"."""


def follows_owner(words: list[str], place: int) -> bool:
    """Behind "my" or "our", and not to come; `words` in lower case."""
    close = words[max(0, place - BACK) : place]
    return ("my" in close or "our" in close) and lists()["to_come"].isdisjoint(close)


def verbs_of(clause: str) -> Iterator[Verb]:
    """The verbs of a clause, and the nouns that stand for one, in order."""
    clause = clause.replace("-", " ")
    told = WORD.findall(clause)
    lowers = [word.lower() for word in told]
    forms, habit = _forms(), lists()["habit"]
    commas = [len(WORD.findall(clause[: comma.start()])) for comma in re.finditer(",", clause)]
    for place, word in enumerate(told):
        at = word.lower() in _PRESENT
        means = word.lower() in _MEANS and not (place and told[place - 1].lower() in lists()["needed"])
        owned = word.lower() in happening() and follows_owner(lowers, place)
        doing = (
            means
            or owned
            or lowers[place] in forms
            or word.endswith(("ed", "ing"))
            or (place > 0 and lowers[place - 1] in habit and is_habit(lowers[place]))
        )
        if not (doing or at) or _is_wanted(told, place) or _is_auxiliary(told, place):
            continue
        end = min((comma for comma in commas if comma > place), default=len(told))
        behind = [stem(other) for other in told[place + 1 : place + 1 + REACH]]
        phrase = tuple(other for other in behind[: end - place - 1] if other)
        before = frozenset() if at or means else frozenset(map(stem, told[max(0, place - BACK) : place])) - {""}
        verb, form = (ATTEND, ATTEND) if at else (USE, USE) if means else (verb_of(word), form_of(word))
        verb = happening()[word.lower()] if owned else verb
        yield Verb(verb, form, before, frozenset(behind) - {""}, phrase, owned)


@cache
def _forms() -> frozenset[str]:
    """Words that are verbs wherever they stand."""
    return lists()["lasting"] | lexicon().participle | verb_forms().keys()


def is_habit(verb: str) -> bool:
    """Whether a verb in the present, behind "always" or the like, tells of a deed."""
    known = lists()
    return verb not in known["state"] and verb not in known["unreal"]


def _is_auxiliary(told: list[str], place: int) -> bool:
    """ "I've been working" says nothing of having been somewhere."""
    follows = told[place + 1].lower() if place + 1 < len(told) else ""
    if told[place].lower() in _PERFECT:
        return follows == "been" or follows.endswith("ed") or follows in lexicon().participle
    return told[place].lower() == "been" and follows.endswith(("ing", "ed"))


def _is_wanted(told: list[str], place: int) -> bool:
    """ "To use it", "could use it", "before using it"; not "managed to use it"."""
    if place and told[place - 1].lower() in ("before", "without"):
        return True
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
