"""Which statements are worth reading in a later session, by the heads that were learnt from labelled sentences.

Asked of what may be told, not of what is believed: reports of agents were never drafted, and a fact keeps no figure.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.model import Category, Role
from cfpm.model.facts import UNRATED
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.brief.telling import (
    begins,
    holds,
    is_known,
    is_part,
    plainly,
    points_back,
    stands_alone,
    without_lines,
)
from cfpm.text.heads.linear import Seen, head, rule_share
from cfpm.text.modality import answer_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from cfpm.model import Fact

LEAST_LASTING = 0.5
"""From which an agent's note is told: it is likelier to be worth knowing later than not."""

LEAST_OF_USERS = 0.4
"""The same for a user's: "Ask any questions." has .38."""

LEAST_REPORTED = 0.3
"""The same for a line of a report, of several sentences, of which the heads know single ones."""

LEAST_OF_A_RULE = 0.65
"""From which a user's rule is told that says by no word that it stands: "Call me Professor." has .79, "Ask any
questions." .58, of a task's orders most under .3."""

LEAST_LIKE_A_RULE = 0.5
"""From which what was learnt as a rule stands among them: of 1,641 sentences of 36 stories and 1,621 of mentors, 67 and
77 in 100 of what is above it are one, of what is between .2 and it 25 and 38."""

SAYS_THAT_IT_STANDS = 0.3
"""What a word such as "always" adds: of such statements under .2 one in three is a rule, from .3 on four in five."""

SURELY_A_RULE = 0.8
"""From which a rule is told though it begins with a word for the moment, or for what was said before it, or has one of
a guess: "don't suggest wine"."""

RULES = (Category.INSTRUCTION, Category.PREFERENCE)
NOTES = (Category.NOTE, Category.EVENT)

OVER_AFTER = timedelta(days=1)
"""How long after the end of something it is no news any more that it was to come. Not measured."""

_GOES_ON = lazy_pattern(
    r"\b(?:from|since|starts?|starting|begins?|beginning|as of|effective|onwards?|until|till|expires?|moves?|moving|"
    r"switch\w*|changes?|opens?|launch\w*|live)\b|起|开始|从|改|换|上线|到期"
)
"""What begins or ends at a time, and holds after it."""

_PLEASE = lazy_pattern(r"\Aplease,? ", re.IGNORECASE)

_ALL = 1_000
"""Of the shares of a head."""

_REMEMBERED = 16_384
"""Statements whose worth a process keeps, some 4 MB: its briefs tell mostly the same ones."""

_known: dict[tuple[str, bool], float] = {}


def lasting(texts: Sequence[str], *, by_agent: bool) -> list[float]:
    """For each statement from 0 to 1. Of an agent: that it is worth knowing later. Of a user, who also orders: the
    larger of that and of its mean with how surely it is a standing rule."""
    wanted = [(text, by_agent) for text in texts]
    found = {key: worth for key in wanted if (worth := _known.get(key)) is not None}
    new = [key for key in dict.fromkeys(wanted) if key not in found]
    if new:
        read = dict(zip(new, _read([text for text, _ in new], by_agent=by_agent), strict=True))
        if len(_known) + len(read) > _REMEMBERED:
            _known.clear()
        _known.update(read)
        found |= read
    return [found[key] for key in wanted]


@lru_cache(4_096)
def asks(text: str) -> bool:
    """Whether a user's sentence is more likely a request than all else that it may be."""
    return head("user").shares([text])[0]["goal"] > _ALL // 2


def says_a_rule(text: str) -> bool:
    """Whether what was learnt as a user's rule orders something to who reads only that."""
    answer = answer_in(text)
    stands, surely = holds(text, "standing"), _like_a_rule(text)
    if holds(answer or text, "guessing") and (answer or not (stands or surely >= SURELY_A_RULE)):
        return False
    if not stands and lasting([text], by_agent=False)[0] < LEAST_OF_A_RULE:
        return False
    plain = stands or (is_known(text, by_agent=False) and not points_back(text))
    if surely >= (LEAST_LIKE_A_RULE if plain else SURELY_A_RULE):
        return True
    return bool(answer) or _is_said_alone(_PLEASE.sub("", text, count=1))


def how_surely_a_rule(fact: Fact) -> float:
    """Of what was learnt as a rule, from 0 to 1: surely where somebody wrote it down or pinned it, rather where it says
    by a word that it stands."""
    return 1.0 if fact.is_given else _like_a_rule(fact.content)


def _like_a_rule(text: str) -> float:
    return min(1.0, rule_share(text) + SAYS_THAT_IT_STANDS * holds(text, "standing"))


def told_of(fact: Fact) -> str:
    """A fact as a line begins with it: without marks, and of an agent without the numbers of lines."""
    return plainly(fact.content if fact.role is Role.USER else without_lines(fact.content))


def how_lasting(told: Sequence[tuple[Fact, str]]) -> list[float]:
    """`lasting` of facts, each with the words in which it is told; what a person wrote down or pinned lasts surely, and
    of what an agent found it was judged when it was learnt."""
    asked = [(fact, text) for fact, text in told if not (fact.is_given or is_rated(fact))]
    found = {
        by_agent: iter(
            lasting([text for fact, text in asked if (fact.role is not Role.USER) is by_agent], by_agent=by_agent)
        )
        for by_agent in (True, False)
    }
    return [
        1.0 if fact.is_given else fact.salience if is_rated(fact) else next(found[fact.role is not Role.USER])
        for fact, _ in told
    ]


def is_past(fact: Fact, now: datetime | None) -> bool:
    """Whether it told of something to come that is over by now: "the guild meets on 12 March". What begins then
    ("from 1 November") goes on."""
    said, due = fact.created_at, fact.event_time
    if now is None or said is None or due is None or due.date() <= said.date() or fact.category not in NOTES:
        return False
    if _GOES_ON.search(fact.content.lower()):
        return False
    from cfpm.text.dates import event_span  # which a list of facts does not need

    span = event_span(fact.content, said)
    ends = span.ends if span and span.ends and span.begins == due else due
    return now - ends > OVER_AFTER


def is_rated(fact: Fact) -> bool:
    """Whether it is an agent's whose salience tells how surely it is worth knowing later."""
    return fact.role is Role.ASSISTANT and fact.salience != UNRATED


def lasts(fact: Fact, worth: float) -> bool:
    """Whether it may be told: a note may as well be of the moment; what is not one was judged when it was learnt, as
    were answers of users and what an agent found."""
    least = LEAST_OF_USERS if fact.role is Role.USER else LEAST_LASTING
    if fact.role is Role.USER and answer_in(fact.content):
        return True
    return worth >= least or fact.is_given or is_rated(fact) or fact.category not in NOTES


def worth_reading(facts: Iterable[Fact]) -> list[Fact]:
    """The facts that say something to who reads only them, the surest to last first."""
    told = [(fact, told_of(fact)) for fact in facts if fact.is_given or _says_something(fact)]
    rated = [(worth, fact) for (fact, _), worth in zip(told, how_lasting(told), strict=True) if lasts(fact, worth)]
    return [fact for _, fact in sorted(rated, key=lambda one: -one[0])]


def _says_something(fact: Fact) -> bool:
    if fact.category is Category.INVALID_PATH:
        return not fact.is_one_try
    text = told_of(fact)
    if fact.role is not Role.USER:
        return stands_alone(text, by_agent=True)
    return says_a_rule(text) if fact.category in RULES else bool(answer_in(text)) or _is_said_alone(text)


def _is_said_alone(text: str) -> bool:
    """Of a user's words: neither of the moment nor understood only with what stood before; be it "I'm vegan."."""
    cut = is_part(text) and not begins(text, "standing")
    return is_known(text, by_agent=False) and not cut and not points_back(text)


def _read(texts: Sequence[str], *, by_agent: bool) -> list[float]:
    seen = Seen(texts)
    if by_agent:
        return [one["later"] / _ALL for one in head("agent-lasting").of(seen)]
    read = zip(head("user-lasting").of(seen), head("user").of(seen), strict=True)
    return [max(one["later"], (one["later"] + kinds["instruction"]) / 2) / _ALL for one, kinds in read]
