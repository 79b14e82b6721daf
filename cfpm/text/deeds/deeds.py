"""Reads what a text says was done: "I've been using it since May", "the key obtained on May 3". English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.text.deeds.clause_verbs import Verb, follows_owner, is_habit, verbs_of
from cfpm.text.deeds.verbs import WORD, bared, happening, ordinals_of, stem, stems
from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.quantities.mentions import MAX_CHARS
from cfpm.text.quantities.vocabulary import lists

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNED = 5
"""Words behind a noun that say what it is of: "my meeting with Ann about the lease"."""

MINE = "my"
"""Stands for the verb of what is somebody's own."""
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
_BEHIND = re.compile(r",|\b(?:to|and|is|are|was|were|which|that)\b", re.IGNORECASE)
"""Ends what "my" belongs to."""
_MINE = re.compile(r"\b(?:my|our)\s", re.IGNORECASE)
_ASKS = re.compile(r"\W*(?:can|could|how|what|should|would|do|does|did|is|are|when|why|where|which)\b", re.IGNORECASE)
_GERUND = re.compile(r"(?!(?:trying|thinking|wondering|considering|planning|looking|hoping)\b)[A-Za-z]{2,}ing\s")
"""A clause that lost its subject: "using it since May"."""
_CLAUSE = re.compile(
    r"[;.?!—–]|,\s+(?=(?:and|but|so|can|could|do|how|what|should|would|which|i|i'm|i've|we|especially|considering|since|"
    r"because|although|though|given|after|as)\b)|\bbut\b|"
    r"\band\s+(?=i (?:need|want)\b)|"
    r"\b(?:since|because|considering|although|though|given)\s+(?=(?:that\s+)?(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:to (?:see|know|check|find out)|wonder(?:ing)?|not sure|unsure|don['’]t know)\s+(?:if|whether)\b[^,;.?!]*",
    re.IGNORECASE,
)
"""What hangs on a clause and leaves it as it was."""
_TURNED = re.compile(
    r"\b(?:never|no|not|without|if|would|unless|wish|whether|goal|plan(?= to [a-z]| is| on)|aim(?:ing)?)\b|n['’]t\b"
)
_IDLE_DOING = frozenset(["having", "getting", "struggling", "waiting", "trying", "wondering", "looking", "heard"])


@dataclass(frozen=True, slots=True)
class Deed:
    """A clause in which the speaker did or does something: its words as stems; a verb stands for its likes."""

    words: frozenset[str]
    verbs: tuple[Verb, ...]
    ordinals: frozenset[str]


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
        if _TURNED.search(clause.lower()):
            continue
        if _ASKS.match(clause):
            # What is asked about somebody's own thing tells that it is there.
            found += _possessions(_ASKS.sub("", clause, count=1)) if _MINE.search(clause) else ()
            continue
        done = (opens and place == 0) or any(_is_done(match) for match in _DOER.finditer(clause))
        done = done or any(_is_lasting(match) for match in _LASTS.finditer(clause))
        done = done or _PASSIVE.search(clause) is not None
        found += _possessions(clause)
        if (done or _owned(clause)) and (words := frozenset(stems(clause))):
            verbs = tuple(verbs_of(clause))
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
        close = WORD.findall(_BEHIND.split(told, maxsplit=1)[0])[:OWNED]
        phrase = tuple(found for word in close if (found := stem(word)))
        if len(phrase) > 1 and lists()["to_come"].isdisjoint(close):
            words = frozenset(phrase)
            yield Deed(words, (Verb(MINE, MINE, frozenset(), words, phrase, True),), frozenset())


def _owned(text: str) -> bool:
    """Something that happened is the speaker's, and not to come."""
    lower = text.lower()
    if "my " not in lower and "our " not in lower:
        return False
    words = lower.split()
    return (
        not happening().keys().isdisjoint(words)
        and any(follows_owner(words, place) for place, word in enumerate(words) if word in happening())
        and lists()["unreal"].isdisjoint(words)
    )


@lru_cache(maxsize=1_024)
def stated(text: str) -> frozenset[str]:
    """The words of all clauses that neither ask nor deny, when one of them says what was done."""
    done = deeds(text)
    if all(verb.owned for deed in done for verb in deed.verbs):
        return frozenset().union(*(deed.words for deed in done))
    return frozenset().union(*(frozenset(stems(clause)) for clause in _told(text)))


@lru_cache(maxsize=1_024)
def real(text: str) -> tuple[frozenset[str], ...]:
    """The words of each clause that neither asks nor denies nor wishes."""
    unreal = lists()["unreal"] - {"trying"}
    return tuple(frozenset(stems(clause)) for clause in _told(text) if unreal.isdisjoint(clause.lower().split()))


def _told(text: str) -> list[str]:
    return [clause for clause in _clauses(text) if not (_ASKS.match(clause) or _TURNED.search(clause.lower()))]


def _clauses(text: str) -> list[str]:
    return _CLAUSE.split(_UNSURE.sub("", bared(text)))


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
    if not lists()["habit"].isdisjoint(match[0].lower().split()) and is_habit(verb):
        return True
    if verb not in lists()["lasting"] or follows == "to":
        return False
    return verb != "have" or (
        follows not in lists()["not_had"] and not follows.endswith("ed") and follows not in lexicon().participle
    )
