"""What a user says of the world and of themselves: passages of neighbouring statements, chosen by their salience.

Requests, standing rules and whatever the language marks (a question, a condition, a quotation) stay sentences of their
own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cfpm.extractor import goals, preferences, sentence_rules
from cfpm.extractor.utterance import Hit, Utterance, utterance
from cfpm.model import Category, Draft, Mark, Message, Span
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import Kind, is_low_information, is_question, marks_around
from cfpm.text.dates import SHORTLY_BEFORE, event_time
from cfpm.text.salience import SUBJECT, Passage, Piece, Weights, asserted, clauses, passages, rate

CHAT = "chat"
TO_AGENT = "assistant"
"""The two kinds of conversation that have weights of their own."""

_RULES: tuple[Callable[[Utterance], Hit | None], ...] = (
    preferences.find,
    sentence_rules.decision,
    goals.wish,
    sentence_rules.profile,
    sentence_rules.event,
    sentence_rules.note,
)
"""What kind of statement a passage is: the more binding kinds first."""

_STATING = ("preference.", "decision.", "goal.want", "profile.", "event.", "note.")
"""Rules whose sentences may be joined with their neighbours; the others ask or order."""

_BREAK = lazy_pattern(r"[.!?。！？](?=\s)|[。！？]|\n")

_NEAR = 400
"""Characters before and behind a passage that are looked at with it: bounded, so that no full stop costs no more."""

_REQUESTS = ("goal.request", "goal.advice")

_UNNAMED = 0.5
"""Confidence of a statement that no rule knows the kind of."""

_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_OF_A_STATEMENT = frozenset({Mark.TRANSIENT, Mark.QUOTED})

_LEAD = lazy_pattern(rf"(?:and|but|so|plus|then|also)\b[\s,]+(?={SUBJECT})", re.IGNORECASE)
_WEAK = ("note.said", "goal.request", "goal.advice")
"""Rules whose passages are kept only when they are worth their tokens; the others name something that is."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """The sentences of a message: those that stand alone, with what their rule said, and the others as pieces."""

    alone: tuple[tuple[Utterance, Hit], ...]
    pieces: tuple[Piece | None, ...]


def sort(said: Sequence[tuple[Utterance, Hit | None]], kind: str) -> Sorted:
    """Parts what may be joined from what may not; None in the pieces is a border that no passage crosses."""
    alone: list[tuple[Utterance, Hit]] = []
    pieces: list[Piece | None] = []
    end = 0
    before: Hit | None = None
    for unit, hit in said:
        # A request that ends a statement is understood with it: 'The red one is cheaper, can you order it?'
        requests = _ends_in_request(unit, hit) and bool(pieces) and pieces[-1] is not None and _leads(before)
        before = hit
        # Told to an agent, a sentence is a fact of its own: another value can take its place. A line of a recalled
        # block or of a pasted prompt is recognised as a whole, so nothing joins two lines either.
        if not requests and (kind == TO_AGENT or "\n" in unit.message.text[end : unit.start]):
            pieces.append(None)
        end = unit.end
        if hit is None and kind == TO_AGENT and unit.announces:
            pieces.append(None)
            continue
        if requests and kind == TO_AGENT:
            pieces.extend(replace(piece, asks=True) for piece in clauses(unit.text, unit.start, kind))
            continue
        if _joinable(unit, hit, kind):
            marks = frozenset() if hit else marks_around(unit.lower, 0, 0) & _OF_A_STATEMENT
            if not marks:
                pieces.extend(clauses(unit.text, unit.start, kind, whole=kind == TO_AGENT))
                continue
            alone.append((unit, Hit(Category.NOTE, "note.said", _UNNAMED, marks)))
        pieces.append(None)
        if hit is not None:
            alone.append((unit, hit))
        if _presupposes(unit, hit):
            pieces.extend(asserted(unit.text, unit.start, kind))
            pieces.append(None)
    return Sorted(tuple(alone), tuple(pieces))


def drafts(message: Message, pieces: Sequence[Piece | None], kind: str, table: Weights) -> Iterator[Draft]:
    """A draft for each passage."""
    for passage in passages(pieces, kind, table):
        yield _draft(message, passage, kind, table)


def rated(unit: Utterance, rule: str, kind: str, table: Weights) -> tuple[float, tuple[tuple[str, float], ...]]:
    """The salience of a sentence that stands alone, and the shares of its features."""
    rating = rate(tuple(clauses(unit.text, unit.start, kind)), table)
    return rating.salience(table, rule), rating.with_rule(table, rule)


def _ends_in_request(unit: Utterance, hit: Hit | None) -> bool:
    return unit.asks and hit is not None and hit.rule in _REQUESTS


def _leads(hit: Hit | None) -> bool:
    """Whether a statement may go with the request behind it; what tells of the user is worth more by itself."""
    return hit is None or hit.rule.startswith(("goal.want", "note.", "event."))


def _joinable(unit: Utterance, hit: Hit | None, kind: str) -> bool:
    if unit.pasted or unit.kind not in _SPOKEN:
        return False
    if hit is not None:
        # A taste that is told to an agent keeps its reasons and its list.
        told = kind == TO_AGENT and hit.category is Category.PREFERENCE
        return not hit.marks and not told and hit.rule.startswith(_STATING)
    if is_clean_path_line(unit.text):
        # A line that is nothing but a path is an artifact, not a statement about one.
        return False
    return not unit.asks and not is_question(unit.lower) and not is_low_information(unit.text)


def _presupposes(unit: Utterance, hit: Hit | None) -> bool:
    """True for a question, which may say something beside what it asks."""
    if unit.pasted or unit.kind not in _SPOKEN:
        return False
    if hit is not None:
        return hit.marks == {Mark.QUESTION} or (not hit.marks and hit.rule in _REQUESTS)
    return unit.asks or is_question(unit.lower)


def _kind_of(unit: Utterance, passage: Passage) -> Hit:
    if passage.asks:
        return Hit(Category.GOAL, "goal.request", 0.75)
    hit = next((hit for rule in _RULES if (hit := rule(unit)) is not None), None)
    return hit or Hit(Category.NOTE, "note.said", _UNNAMED)


def _draft(message: Message, passage: Passage, kind: str, table: Weights) -> Draft:
    lead = _LEAD.match(message.text, passage.start)
    start = lead.end() if lead else passage.start
    text = message.text[start : passage.end]
    unit = utterance(message, text, start, Kind.PLAIN, first=False, opening=False, pasted=False)
    hit = _kind_of(unit, passage)
    salience = passage.rating.salience(table, hit.rule)
    # Told to an agent, a whole sentence is meant to be unit; a part of one may be an aside, and 'it' is soon unknown.
    weak = hit.rule in _WEAK and (kind == CHAT or passage.points or not passage.whole)
    low = weak and salience < table.minimum
    # Whether it asks was decided for the sentence; a passage may only open like a question: 'which was sold out'.
    marks = hit.marks - {Mark.QUESTION}
    content = " ".join(text.split())
    return Draft(
        hit.category,
        content,
        Span(message.id, start, passage.end),
        message.role,
        hit.rule,
        hit.confidence,
        _around(message.text, start, passage.end),
        marks | {Mark.LOW_SALIENCE} if low else marks,
        event_time(content, message.created_at, message.text[max(0, start - SHORTLY_BEFORE) : start]),
        speaker=message.name,
        salience=salience,
        shares=passage.rating.with_rule(table, hit.rule),
    )


def _around(text: str, start: int, end: int) -> str:
    """The whole sentences that a passage was cut from, as far as they are near: what stands around may take it back."""
    first, last = max(0, start - _NEAR), min(len(text), end + _NEAR)
    begins = [match.end() for match in _BREAK.finditer(text, first, start)]
    closes = _BREAK.search(text, max(start, end - 1), last)
    return text[begins[-1] if begins else first : closes.start() + 1 if closes else last].strip()
