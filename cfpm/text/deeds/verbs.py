"""Verbs by groups, the words of what was done as stems, and the verbs of a clause with the words around each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cfpm.model.patterns import lazy_pattern
from cfpm.text.grammar.lexicon import CONTENT_CLASSES, classify, lexicon
from cfpm.text.quantities.vocabulary import doing_lines, lists

STEM = 7
"""Letters by which words of one root are one: "optimise", "optimisation"."""

WORD = lazy_pattern(r"[^\W_][\w'’+#-]*")
_WITH = lazy_pattern(r"\bco-(?=[a-z]{3})")
_TITLES = ("Dr. ", "Mr. ", "Mrs. ", "Ms. ", "Prof. ")
_TITLE = lazy_pattern(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.\s+(?=[A-Z])")
FREE = frozenset(["actually", "really", "personally", "even", "ever", "once", "yet", "before", "any"])
_LOOSE = frozenset(["next", "last", "previous", "other", "another"])


def bared(text: str) -> str:
    """Without the title before a name, whose full stop ends no sentence, and the "co-" before a verb."""
    text = _TITLE.sub("", text) if any(title in text for title in _TITLES) else text
    return _WITH.sub("", text) if "co-" in text else text


def ordinals_of(text: str) -> frozenset[str]:
    """ "First", "final": a first draft is not the final one."""
    return frozenset(word for word in text.lower().split() if word in lists()["ordinals"]) - _LOOSE


def numbers_of(text: str) -> frozenset[str]:
    """The numbers that tell one from another: "sprint 2" is not "sprint 1"."""
    return frozenset(word for word in WORD.findall(text) if word.isdigit())


@cache
def happening() -> dict[str, str]:
    """Nouns of what was done, each with the verb that stands for its group."""
    return dict(entry.split("=") for entry in sorted(lists()["happening"]))


@cache
def implied() -> dict[str, str]:
    """Groups of verbs, each with the group that follows from it: who bought a thing has it."""
    return dict(entry.split("=") for entry in sorted(lists()["implied"]))


@cache
def verb_forms() -> dict[str, str]:
    """Verb forms, each with the verb that stands for its group."""
    return {form: line.partition("=")[0] for line in doing_lines() for form in line.partition("=")[2].split()}


@cache
def kinds() -> frozenset[str]:
    """The stems of nouns of a kind."""
    return frozenset(map(stem, lists()["kinds"]))


def verb_of(word: str) -> str:
    """The verb that stands for the group of a form, or its stem."""
    lower = word.lower()
    return verb_forms().get(lower) or classify(lower).value[:STEM]


def form_of(word: str) -> str:
    """The stem of a verb form."""
    return classify(word.lower()).value[:STEM]


def stems(text: str) -> list[str]:
    """The stems of the content words, in order."""
    return [found for word in WORD.findall(text.replace("-", " ")) if (found := stem(word))]


def stem(word: str) -> str:
    """The stem of a content word; empty for one that says nothing of what was done."""
    lower = word.lower().replace("’", "'")
    if lower.endswith("'s"):
        lower = lower[:-2]
    read = classify(lower)
    if read.kind not in CONTENT_CLASSES or "'" in lower or lower in FREE or lower in lexicon().month:
        return ""
    idle = lists()["idle"]
    return "" if read.value in idle or lower in idle or lower.isdigit() else read.value[:STEM]


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
