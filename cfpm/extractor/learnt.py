"""What the learnt heads make of sentences: of the moment, of another kind than the rules saw, or worth a draft."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.utterance import Hit
from cfpm.model import CONTRAST, LEARNT_RULE, OF_A_TASK, ORDERED_RULE, Category, Draft, Mark
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import Kind, content_words, is_question, marks_around
from cfpm.text.heads.belief import JEST, REPORTED, SUPPOSED, unmeant
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.meant import ONE_SENTENCE, WITHDRAWN, how, unmeant_share
from cfpm.text.heads.replacement import signs_of_change
from cfpm.text.heads.sentence import judge, judge_agents
from cfpm.text.heads.standing import surely_a_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from cfpm.extractor.utterance import Utterance
    from cfpm.text.heads.sentence import Judged

UNMEANT, SURELY_UNMEANT = 200, 400
"""Thousandths from which a statement, and an order or a rule, is taken for one that is not meant as it stands: from the
first 60 in 100 of what users of 26 stories did not mean are found, by what was learnt from others, and 42 in 100 of
what is so taken are not meant; from the second 49, and 56."""

PASSING, SURELY_PASSING = 800, 900
"""Thousandths of certainty from which a sentence of a user is nothing to keep; the second for a few words, which say
little either way, and for a request or a portrait."""

WORTH, HARDLY_WORTH = 200, 150
"""Thousandths below which it is not worth knowing, later or until the task is done; the second as above."""

LATER = 200
"""Below which what a user tells holds no longer than the task at hand. Of the lasting statements of authors kept apart
1 in 100 lie below it, of what is told in coding sessions 66."""

RULE, OWN_RULE = 400, 700
"""From which a statement or a request is a standing rule: of what users say in 16 stories, three files of dialogues and
by three more authors 78 in 100 so taken are, learnt from the others, and 83 of 100 rules among these are taken. The
second for what begins with "I": most such sentences tell of the speaker, habits too."""

ORDERED = 500
"""Thousandths of an order or a rule from which what stands behind a condition is one: more likely than all else."""

RULE_BY_PATTERN = 80
"""Below which words such as "don't" make no rule: "The shed key is under the pot, don't ask". Of the same statements 1
of 32 that are none lies below it, and no rule of 99."""

LIKE_A_RULE = 330
"""From which a sentence may be a rule at all, so that less of it is taken for a jest or a guess."""

TELLS, AIMS = 500, 250
"""From which what opens a session tells something, and asks for nothing: that it does, and that it is worth knowing
later. The second: from which it may as well be what the user is after."""

PORTRAIT = 950
"""From which a plain statement tells of the speaker."""

FINDING_LATER = 300
"""From which a sentence of an assistant is drafted: that it is worth knowing later. Of an author kept apart 71 of 100
that reach it are, and 85 of 100 that are reach it."""

MOST_READ = 8
"""Sentences of an assistant's message that the encoder reads, of those that may be worth knowing later."""

ECHO = 0.6
"""Share of the content words of a finding that the user said in this turn, from which it only says that again."""

MOST_FINDINGS = 4
"""Findings of one message: of a long report or review the sentences that are best worth knowing later."""

_WEAK = frozenset({Category.NOTE, Category.EVENT})
_SAID = _WEAK | {Category.GOAL, Category.PROFILE}
_REQUESTS = ("goal.request", "goal.imperative", "goal.advice", "goal.opening")
_OPENING = ("goal.request", "goal.imperative", "goal.advice")
_TOLD = {
    "profile": Category.PROFILE,
    "preference": Category.PREFERENCE,
    "note": Category.NOTE,
    "decision": Category.DECISION,
    "event": Category.NOTE,
}
_FOUND = {
    "diagnosis": Category.NOTE,
    "command": Category.NOTE,
    "note": Category.NOTE,
    "decision": Category.DECISION,
}
_MARKS = {
    REPORTED: {Mark.QUOTED, Mark.HEARSAY},
    JEST: {Mark.HYPOTHETICAL, Mark.JEST},
    SUPPOSED: {Mark.HYPOTHETICAL},
    WITHDRAWN: {Mark.NEGATED},
}
_BY_PATTERN = frozenset({"instruction.standing", "instruction.conditional"})
_ORDERS = frozenset({Category.GOAL, Category.INSTRUCTION})
_MAY_ORDER = (SUPPOSED, WITHDRAWN)

_FEW = 4
"""Words."""

_CASE = lazy_pattern(
    r"(?:(?:and|but|so|also|oh|ok|okay)\b[ ,]*){0,2}if\s[^,?!.]{3,80},\s*(?:then\s|please\s|just\s)?"
    r"(?P<then>(?!(?:i|we|you|he|she|it|they|that|this|there|the|my|our)\b)\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A case, and behind it what has no subject, as orders have none."""
_OWN = lazy_pattern(r"\AI(?:['’]m)? |\bI(?: will\b|['’]ll\b)")
"""What speakers do themselves."""

_UNDONE = lazy_pattern(r"\b(?:ha(?:ve|s|d)|did|was|were)(?:n['’]t| not)\b|(?:我们?|还|并|从来|至今)没")
"""What was not done is told and not ordered."""

_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_LEAST, _MOST = 20, 500
"""Characters of a finding."""


def judged(drafts: Iterable[Draft], opening: Utterance | None) -> Iterator[Draft]:
    """The drafts of a user's message to an agent, each with the kind that it is, or marked as of the moment.

    What a session opens with is its goal, if it asks for something.
    """
    found: list[Draft] = []
    aim = range(0) if opening is None else range(opening.start, opening.end)
    said = list(drafts)
    for draft, told in zip(said, judge([draft.content for draft in said]), strict=True):
        meant = _as_meant(draft, told)
        if meant.rule == CONTRAST:
            # Worth what it corrects.
            found.append(meant)
            continue
        if meant.rule in _BY_PATTERN and _surely(meant, told) < RULE_BY_PATTERN:
            meant = replace(meant, category=Category.NOTE, rule="told.order")
        if meant.category not in _SAID:
            found.append(meant)
            continue
        opens = meant.span.start in aim and meant.rule.startswith(_OPENING)
        kept = _judged_opening(meant, told) if opens else _judged(meant, told)
        found.append(replace(kept, confidence=OF_A_TASK) if _ends_with_the_task(kept, told.lasting) else kept)
    return iter(found)


def _as_meant(draft: Draft, told: Judged) -> Draft:
    """The draft, marked if it is somebody else's word, a jest, a guess, or taken back where it is said."""
    whole = draft.line if len(draft.line) <= ONE_SENTENCE else draft.content
    unsaid = _not_meant(draft, whole, told) if told.meant else unmeant(draft.content) or unmeant(whole)
    if not unsaid or (unsaid == SUPPOSED and draft.rule.startswith(_OPENING)):
        return draft
    return replace(draft, marks=draft.marks | _MARKS[unsaid])


def _not_meant(draft: Draft, whole: str, told: Judged) -> str:
    """How it is said, if not as it stands; an order or a rule may well begin with a condition."""
    orders = draft.category in _ORDERS
    lasts = told.lasting["later"] >= TELLS
    like_a_rule = told.kind["instruction"] >= LIKE_A_RULE and lasts
    least = SURELY_UNMEANT if orders or like_a_rule else UNMEANT
    if unmeant_share(draft.content, whole, told) < least:
        return ""
    way = how(draft.content, whole, told)
    # What once was so and is worth knowing is told as it was.
    return "" if (orders and way in _MAY_ORDER) or (way == WITHDRAWN and lasts) else way


def _ends_with_the_task(draft: Draft, lasting: Mapping[str, int]) -> bool:
    if draft.category in _WEAK:
        return lasting["later"] < LATER
    return draft.rule.startswith(_REQUESTS) and lasting["task"] > lasting["later"]


def _judged_opening(draft: Draft, told: Judged) -> Draft:
    return _as_rule(draft) if _is_rule(draft, told) else draft


def _judged(draft: Draft, told: Judged) -> Draft:
    kinds, lasting = told.kind, told.lasting
    if draft.rule == "goal.opening" and _tells(draft, kinds, lasting):
        likeliest = max(_TOLD, key=kinds.__getitem__)
        draft = replace(draft, category=_TOLD[likeliest], rule="told.opening")
    if draft.category is Category.GOAL and not draft.rule.startswith(_REQUESTS):
        return _as_rule(draft) if not draft.marks and _is_rule(draft, told) else draft
    worth = lasting["later"] + lasting["task"]
    plain = draft.category in _WEAK and len(draft.content.split()) > _FEW
    least, most = (WORTH, PASSING) if plain else (HARDLY_WORTH, SURELY_PASSING)
    if worth < least or kinds["none"] >= most:
        left = min(worth, 1_000 - kinds["none"])
        return replace(draft, marks=draft.marks | {Mark.PASSING}, salience=left / 1_000)
    if _is_rule(draft, told):
        return _as_rule(draft)
    if draft.category is Category.NOTE and kinds["profile"] >= PORTRAIT:
        return replace(draft, category=Category.PROFILE, rule="learnt.profile")
    return draft


def _as_rule(draft: Draft) -> Draft:
    rule = ORDERED_RULE if draft.category is Category.GOAL else LEARNT_RULE
    supposed = {Mark.HYPOTHETICAL} if _orders_in_a_case(draft) else set[Mark]()
    return replace(draft, category=Category.INSTRUCTION, rule=rule, marks=draft.marks - supposed)


def _orders_in_a_case(draft: Draft) -> bool:
    """Whether a condition is followed by what then is to be done: "If the line is busy, write to Ada" supposes
    nothing."""
    case = _CASE.match(draft.content)
    if case is None or Mark.JEST in draft.marks:
        return False
    (kinds,) = head("user").of(Seen([case["then"]]))
    return kinds["instruction"] + kinds["goal"] >= ORDERED


def _is_rule(draft: Draft, told: Judged) -> bool:
    least = OWN_RULE if _OWN.search(draft.content) else RULE
    return _surely(draft, told) >= least and not _UNDONE.search(draft.content.lower())


def _surely(draft: Draft, told: Judged) -> int:
    by_pattern = draft.category in (Category.INSTRUCTION, Category.PREFERENCE)
    return surely_a_rule(draft.content, told, by_pattern=by_pattern, asked=draft.category is Category.GOAL)


def _tells(draft: Draft, kinds: Mapping[str, int], lasting: Mapping[str, int]) -> bool:
    """Whether what opens a session is a plain statement, worth knowing later or that something holds no longer."""
    told = sum(kinds[kind] for kind in _TOLD)
    matters = lasting["later"] >= TELLS or signs_of_change(draft.content)["over"]
    worth = matters and kinds["goal"] < AIMS
    return told >= TELLS and bool(worth) and not is_question(draft.content.lower())


class Finding(NamedTuple):
    """What an agent has found out or knows, and how surely it is worth knowing later, from 0 to 1."""

    hit: Hit
    lasting: float


def findings(units: Sequence[Utterance], heard: AbstractSet[str] = frozenset()) -> list[Finding | None]:
    """For each sentence of an assistant what it has found out or knows: a cause, a place, how something is run.

    `heard` are the content words that the user said in this turn.
    """
    asked = [place for place, unit in enumerate(units) if _may_tell(unit) and not _echoes(unit.text, heard)]
    told: list[tuple[float, int, Finding]] = []
    for place, one in zip(asked, judge_agents([units[place].text for place in asked], MOST_READ), strict=True):
        if one is None or one.lasting["later"] < FINDING_LATER:
            continue
        kind = max(_FOUND, key=one.kind.__getitem__)
        marks = marks_around(units[place].lower, 0, 0) - {Mark.NEGATED}
        lasting = one.lasting["later"] / 1_000
        told.append((-lasting, place, Finding(Hit(_FOUND[kind], f"finding.{kind}", 0.5, marks), lasting)))
    found: list[Finding | None] = [None] * len(units)
    for _, place, finding in sorted(told)[:MOST_FINDINGS]:
        found[place] = finding
    return found


def _may_tell(unit: Utterance) -> bool:
    """Whether it is a sentence of the assistant's own that states something."""
    if unit.kind not in _SPOKEN or unit.pasted or unit.asks or not _LEAST <= len(unit.text) <= _MOST:
        return False
    asks = unit.text.endswith((":", "：", "?", "？")) or is_question(unit.lower)
    return not asks and not is_clean_path_line(unit.text)


def _echoes(text: str, heard: AbstractSet[str]) -> bool:
    """Whether it only tells a user again what the user has said: "Noted: you live in Lyon"."""
    words = content_words(text) if heard else []
    return bool(words) and sum(word in heard for word in words) >= ECHO * len(words)
