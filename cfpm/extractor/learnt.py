"""What the learnt heads make of sentences: of the moment, of another kind than the rules saw, or worth a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.extractor.utterance import Hit
from cfpm.model import Category, Draft, Mark
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import Kind, is_question, marks_around
from cfpm.text.heads.linear import head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cfpm.extractor.utterance import Utterance

PASSING, SURELY_PASSING = 900, 970
"""Thousandths of certainty from which a sentence of a user is of the moment; the second for a few words, which say
little either way, and for a request or a portrait. Of 600 sentences of real sessions, which nobody had learnt from, 900
leaves out 126 of 321 that were of the moment, and 16 of 279 that were not."""

RULE, RULE_IN_REQUEST, PORTRAIT = 600, 930, 950
"""From which a plain statement is a standing rule, a request is one, and a plain statement tells of the speaker."""

FINDING = 600
"""From which a sentence of an assistant is drafted: of 400 sentences of real sessions, which nobody had learnt from, 85
in 100 of those drafted were useful then or later, and 61 in 100 of the useful ones were."""

_WEAK = frozenset({Category.NOTE, Category.EVENT})
_SAID = _WEAK | {Category.GOAL, Category.PROFILE}
_REQUESTS = ("goal.request", "goal.imperative", "goal.advice", "goal.opening")
_OPENING = ("goal.request", "goal.imperative", "goal.advice")
_FOUND = {
    "diagnosis": Category.NOTE,
    "command": Category.NOTE,
    "note": Category.NOTE,
    "decision": Category.DECISION,
}
_FEW = 4
"""Words."""

_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_LEAST, _MOST = 20, 500
"""Characters of a finding."""


def judged(drafts: Iterable[Draft], opening: Utterance | None) -> Iterator[Draft]:
    """The drafts of a user's message to an agent, each with the kind that it is, or marked as of the moment.

    What a session opens with is its goal, if it asks for something.
    """
    found = list(drafts)
    aim = -1 if opening is None else opening.start
    asked = [
        place
        for place, draft in enumerate(found)
        if draft.category in _SAID and not (draft.span.start == aim and draft.rule.startswith(_OPENING))
    ]
    shares = head("user").shares([found[place].content for place in asked])
    for place, share in zip(asked, shares, strict=True):
        found[place] = _judged(found[place], share)
    return iter(found)


def _judged(draft: Draft, shares: dict[str, int]) -> Draft:
    asks = draft.rule.startswith(_REQUESTS)
    if draft.category is Category.GOAL and not asks:
        return draft
    plain = draft.category in _WEAK and len(draft.content.split()) > _FEW
    if shares["none"] >= (PASSING if plain else SURELY_PASSING):
        return replace(draft, marks=draft.marks | {Mark.PASSING}, salience=1 - shares["none"] / 1_000)
    rules = shares["instruction"] >= (RULE_IN_REQUEST if asks else RULE)
    if rules and (asks or draft.category is Category.NOTE):
        return replace(draft, category=Category.INSTRUCTION, rule="learnt.instruction")
    if draft.category is Category.NOTE and shares["profile"] >= PORTRAIT:
        return replace(draft, category=Category.PROFILE, rule="learnt.profile")
    return draft


def findings(units: Sequence[Utterance]) -> list[Hit | None]:
    """For each sentence of an assistant what it has found out or knows: a cause, a place, how something is run."""
    asked = [place for place, unit in enumerate(units) if _may_tell(unit)]
    shares = head("agent").shares([units[place].text for place in asked])
    found: list[Hit | None] = [None] * len(units)
    for place, share in zip(asked, shares, strict=True):
        if sum(share[kind] for kind in _FOUND) >= FINDING:
            kind = max(_FOUND, key=share.__getitem__)
            marks = marks_around(units[place].lower, 0, 0)
            found[place] = Hit(_FOUND[kind], f"finding.{kind}", 0.5, marks - {Mark.NEGATED})
    return found


def _may_tell(unit: Utterance) -> bool:
    """Whether it is a sentence of the assistant's own that states something."""
    if unit.kind not in _SPOKEN or unit.pasted or unit.asks or not _LEAST <= len(unit.text) <= _MOST:
        return False
    asks = unit.text.endswith((":", "：", "?", "？")) or is_question(unit.lower)
    return not asks and not is_clean_path_line(unit.text)
