"""Reads what a text says was done: "I've been using it since May", "the key obtained on May 3". English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.pruner.doing import WORD, form_of, happening, ordinals_of, stem, stems, verb_forms, verb_of
from cfpm.pruner.lexicon import lexicon
from cfpm.pruner.mentions import MAX_CHARS
from cfpm.pruner.vocabulary import lists

if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 9
"""Words behind a verb that it may have as its object."""

OWNED = 5
"""Words behind a noun that say what it is of: "my meeting with Ann about the lease"."""

BACK = 4
"""Words before a verb that may be its object: "the key obtained in May"."""

ATTEND = "attend"
USE = "use"
MINE = "my"
"""Stands for the verb of what is somebody's own."""
_PERFECT = frozenset(["have", "has", "had", "having"])
_PRESENT = frozenset(["at", "during"])
"""Who did something at a meeting attended it."""
_PASSIVE = re.compile(
    r"\b(?P<verb>[a-z]+ed)\s+(?:on|in|at|from|by|last|back|since|between)\s|\b(?:by|after|since)\s+[a-z]{3,}ing\s",
    re.IGNORECASE,
)
"""A deed that does not say whose: "the key obtained on May 3", "by celebrating it"."""
_DOER = re.compile(
    r"\b(?:i|we)(?:['’](?:ve|m|re)|\s+(?:have|had|was|were|am|are))?\s+"
    r"(?:(?:just|also|recently|already|finally|only|even|kinda|really|been|\w+ly)\s+){0,3}(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:i|we)\s+(?:(?:also|still|currently|already|usually|always|often|mostly|only|\w+ly)\s+){0,2}(?P<verb>[a-z]+)\s"
    r"(?P<next>[a-z0-9$€£']+)",
    re.IGNORECASE,
)
"""What is so at present: "we use it for the queue", "I have a licence"."""
_MINE = re.compile(r"\b(?:my|our)\s", re.IGNORECASE)
_NO_HAVING = frozenset(
    ["to", "been", "no", "never", "not", "any", "time", "trouble", "questions", "problems", "issues"]
)
_ASKS = re.compile(r"\W*(?:can|could|how|what|should|would|do|does|did|is|are|when|why|where|which)\b", re.IGNORECASE)
_GERUND = re.compile(r"(?!(?:trying|thinking|wondering|considering|planning|looking|hoping)\b)[A-Za-z]{2,}ing\s")
"""A clause that lost its subject: "using it since May"."""
_CLAUSE = re.compile(
    r"[;.?!—–]|,\s+(?=(?:and|but|so|can|could|do|how|what|should|would|which|i|i'm|i've|we|especially|considering|since|"
    r"because|although|though|given|after|as)\b)|\bbut\b|"
    r"\b(?:since|because|considering|although|though|given)\s+(?=(?:that\s+)?(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:to (?:see|know|check|find out)|wonder(?:ing)?|not sure|unsure|don['’]t know)\s+(?:if|whether)\b[^,;.?!]*",
    re.IGNORECASE,
)
"""What hangs on a clause and leaves it as it was."""
_TURNED = re.compile(r"\b(?:never|no longer|not|if|would|unless|wish|whether|goal|plan|aim(?:ing)?)\b|n['’]t\b")
_IDLE_DOING = frozenset(["having", "getting", "struggling", "waiting", "trying", "wondering", "looking", "heard"])
_MEANS = frozenset(["with", "via"])
_NEEDED = frozenset(
    [
        "help",
        "issue",
        "issues",
        "problem",
        "problems",
        "trouble",
        "struggling",
        "familiar",
        "experience",
        "deal",
        "start",
    ]
)
"""What somebody does "with" a thing who has not used it."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A clause in which the speaker did or does something: its words as stems; a verb stands for its likes."""

    words: frozenset[str]
    verbs: tuple[Verb, ...]
    ordinals: frozenset[str]


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


@lru_cache(maxsize=1_024)
def deeds(text: str) -> tuple[Deed, ...]:
    """The clauses in which the speaker says "I did" or "I am doing"; none for a text that only denies or wishes."""
    opens = _GERUND.match(text) is not None
    if len(text) > MAX_CHARS or not (
        opens or _DOER.search(text) or _PASSIVE.search(text) or _LASTS.search(text) or _MINE.search(text)
    ):
        return ()
    found: list[Deed] = []
    for place, clause in enumerate(_clauses(text)):
        if _ASKS.match(clause) or _TURNED.search(clause.lower()):
            continue
        done = (opens and place == 0) or any(_is_done(match) for match in _DOER.finditer(clause))
        done = done or any(_is_lasting(match) for match in _LASTS.finditer(clause))
        done = done or _PASSIVE.search(clause) is not None
        found += _possessions(clause)
        if (done or _owned(clause)) and (words := frozenset(stems(clause))):
            verbs = tuple(_verbs(clause))
            if not done:
                # Others may do the rest: "my friend Ann has seen it".
                verbs = tuple(verb for verb in verbs if verb.owned)
                words = frozenset(word for verb in verbs for word in (verb.form, *verb.phrase[:OWNED]))
            found.append(Deed(words, verbs, ordinals_of(clause)))
    return tuple(found)


def _possessions(clause: str) -> Iterator[Deed]:
    """ "With my garden map": what is somebody's is there, whatever is done with it."""
    if not _MINE.search(clause) or not lists()["unreal"].isdisjoint(clause.lower().split()):
        return
    for told in _MINE.split(clause.replace("-", " "))[1:]:
        close = WORD.findall(told.partition(",")[0])[:OWNED]
        phrase = tuple(found for word in close if (found := stem(word)))
        if len(phrase) > 1 and lists()["to_come"].isdisjoint(close):
            words = frozenset(phrase)
            yield Deed(words, (Verb(MINE, MINE, frozenset(), words, phrase, True),), frozenset())


def _owned(text: str) -> bool:
    """Something that happened is the speaker's, and not to come."""
    if "my " not in text and "our " not in text:
        return False
    words = text.lower().split()
    return (
        not happening().keys().isdisjoint(words)
        and any(_follows_owner(words, place) for place, word in enumerate(words) if word in happening())
        and lists()["unreal"].isdisjoint(words)
    )


def _follows_owner(words: list[str], place: int) -> bool:
    close = words[max(0, place - BACK) : place]
    return ("my" in close or "our" in close) and lists()["to_come"].isdisjoint(close)


@lru_cache(maxsize=1_024)
def stated(text: str) -> frozenset[str]:
    """The words of all clauses that neither ask nor deny, when one of them says what was done."""
    done = deeds(text)
    if all(verb.owned for deed in done for verb in deed.verbs):
        return frozenset().union(*(deed.words for deed in done))
    clauses = _clauses(text)
    return frozenset(
        found
        for clause in clauses
        if not (_ASKS.match(clause) or _TURNED.search(clause.lower()))
        for found in stems(clause)
    )


def _clauses(text: str) -> list[str]:
    return _CLAUSE.split(_UNSURE.sub("", text))


def _verbs(clause: str) -> Iterator[Verb]:
    clause = clause.replace("-", " ")
    told = WORD.findall(clause)
    lowers = [word.lower() for word in told]
    lasting = lists()["lasting"]
    commas = [len(WORD.findall(clause[: comma.start()])) for comma in re.finditer(",", clause)]
    for place, word in enumerate(told):
        at = word.lower() in _PRESENT
        means = word.lower() in _MEANS and not (place and told[place - 1].lower() in _NEEDED)
        owned = word.lower() in happening() and _follows_owner(lowers, place)
        doing = (
            means or owned or word.lower() in verb_forms() or word.endswith(("ed", "ing")) or word.lower() in lasting
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


def _is_done(match: re.Match[str]) -> bool:
    said, verb = match[0].lower(), match["verb"].lower()
    if verb in lists()["unreal"] or verb in _IDLE_DOING:
        return False
    being = re.match(r"(?:i|we)(?:['’](?:m|re)|\s+(?:am|are|was|were))\b", said) is not None
    if verb.endswith("ing"):
        return said.partition(" ")[2].strip() != verb or being or "ve" in said
    past = verb.endswith("ed") or verb in lexicon().participle
    return past and not being


def _is_lasting(match: re.Match[str]) -> bool:
    """ "I have a licence", not "I have to"."""
    verb, follows = match["verb"].lower(), match["next"].lower()
    if verb not in lists()["lasting"] or follows == "to":
        return False
    return verb != "have" or (
        follows not in _NO_HAVING and not follows.endswith("ed") and follows not in lexicon().participle
    )
