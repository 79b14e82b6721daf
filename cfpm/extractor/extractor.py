"""Runs the rules over a turn, in order. Whatever fires becomes a draft; nothing is judged or dropped here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from cfpm.extractor import (
    artifacts,
    claims,
    decisions,
    events,
    goals,
    instructions,
    invalid_paths,
    notes,
    open_items,
    preferences,
    profile,
    tool_orders,
    tool_results,
)
from cfpm.extractor.documents import pasted_from
from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.heard import Heard, Hit, heard
from cfpm.language import Kind, sentences
from cfpm.models import Category, Draft, Mark, Message, Origin, Role, Span, ToolCall, Turn
from cfpm.paths import may_have_failure

Rule = Callable[[Heard], Hit | None]

_USER_RULES: tuple[Rule, ...] = (
    instructions.find,
    preferences.find,
    decisions.find,
    goals.find,
    profile.find,
    events.find,
    open_items.find,
    goals.opening,
    notes.find,
)
"""One sentence is one fact, of the first kind that fires: the more binding kinds come first."""

_CHAT_RULES: tuple[Rule, ...] = (
    preferences.find,
    decisions.find,
    profile.find,
    goals.wish,
    events.find,
    open_items.find,
    notes.find,
)
"""Between two people: 'keep it up' and 'always smile' are said to the other, so nobody's goal or standing rule."""

_TRAILING_QUESTION = re.compile(
    r"[,;.]\s*(?:and|so|but|or)?\s*(?=(?:can|could|would|will|should|do|does|did|is|are|what|which|how|why|where|when|who|any|"
    r"how about|what about|got any|have you|you know)\b[^?]*\?[\"'”’)\s]*$)",
    re.IGNORECASE,
)
_NEXT_LINE = re.compile(r"\s*[^\n]{0,300}?(?=\s*(?:\n|$))")
_MARKED = {
    Origin.SYSTEM_PROMPT: Mark.BOILERPLATE,
    Origin.BOOT_FILE: Mark.BOILERPLATE,
    Origin.HOST_NOTICE: Mark.BOILERPLATE,
    Origin.MEMORY_BLOCK: Mark.ECHO,
}


@dataclass(frozen=True, slots=True)
class Earlier:
    """What stood before the messages to extract from: the messages of the same turn, and calls still without an answer.

    `opening` is true while the session has no earlier user message.
    """

    messages: tuple[Message, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    opening: bool = True


def extract(turn: Turn, earlier: Earlier | None = None) -> list[Draft]:
    """All drafts of a turn, in the order of its messages. Thinking is never mined: it is neither said nor done."""
    earlier = earlier or Earlier()
    evidence = Evidence({call.id: call for call in earlier.calls})
    for message in earlier.messages:
        _take(message, evidence)
    drafts: list[Draft] = []
    opening = earlier.opening
    # Two people who chat are both users with names, and nobody answers as an assistant.
    to_agent = any(m.role is not Role.USER or not m.name for m in (*earlier.messages, *turn.messages))
    for message in turn.messages:
        drafts.extend(_from_message(message, evidence, opening, to_agent))
        if message.role is Role.USER and message.origin is Origin.SAID:
            opening = False
    return drafts


def _take(message: Message, evidence: Evidence) -> Outcome | None:
    if message.role is Role.TOOL:
        return evidence.answered(message)
    evidence.asked(message)
    return None


def _from_message(message: Message, evidence: Evidence, opening: bool, to_agent: bool) -> Iterator[Draft]:
    outcome = _take(message, evidence)
    if message.origin is Origin.THINKING or not message.text:
        if outcome is not None:
            yield from artifacts.from_outcome(outcome)
        return
    if mark := _MARKED.get(message.origin):
        yield from _marked(message, mark)
    elif outcome is not None:
        for rule in (tool_results, invalid_paths, artifacts, tool_orders):
            yield from rule.from_outcome(outcome)
    elif message.role is Role.USER:
        yield from _said_by_user(message, opening, to_agent)
    else:
        yield from _said_by_agent(message, evidence)


def _said_by_user(message: Message, opening: bool, to_agent: bool) -> Iterator[Draft]:
    rules = _USER_RULES if to_agent else _CHAT_RULES
    failing = may_have_failure(message.text)
    for unit in _units(message, opening):
        yield from _paths(unit, failing)
        yield from _first_hit(unit, rules)


def _said_by_agent(message: Message, evidence: Evidence) -> Iterator[Draft]:
    failing = may_have_failure(message.text)
    for unit in _units(message, False):
        yield from _paths(unit, failing)
        hit = claims.find(unit, evidence) or open_items.find(unit) or decisions.find(unit)
        if hit:
            yield _draft(unit, hit)


def _paths(unit: Heard, failing: bool) -> Iterator[Draft]:
    # Asked of the whole message first: the question has many phrases, and most messages have none of them.
    if failing and may_have_failure(unit.text):
        yield from invalid_paths.from_sentence(unit)
    yield from artifacts.from_sentence(unit)


def _marked(message: Message, mark: Mark) -> Iterator[Draft]:
    for draft in _marked_once(message.text, message.role, mark):
        yield replace(draft, span=replace(draft.span, message_id=message.id))


@lru_cache(maxsize=64)
def _marked_once(text: str, role: Role, mark: Mark) -> tuple[Draft, ...]:
    """The drafts of a text that hosts repeat word for word, such as the system prompt of each session."""
    units = _units(Message(role, text), False)
    drafts = (draft for unit in units for draft in _first_hit(unit, _USER_RULES[:4]))
    return tuple(replace(draft, marks=draft.marks | {mark}) for draft in drafts)


def _first_hit(unit: Heard, rules: Iterable[Rule]) -> Iterator[Draft]:
    for rule in rules:
        hit = rule(unit)
        if hit is not None:
            yield _draft(unit, hit)
            return


def _units(message: Message, opening: bool) -> Iterator[Heard]:
    """The sentences of a message; a statement that ends in a question is cut before the question."""
    text = message.text
    pasted = pasted_from(text, message.role)
    first = True
    for sentence in sentences(text):
        if sentence.kind is Kind.CODE:
            continue
        inside = pasted is not None and sentence.start >= pasted
        cut = _TRAILING_QUESTION.search(sentence.text) if sentence.text.endswith(("?", '?"')) else None
        if cut and len(sentence.text[: cut.start()].split()) >= 4:
            said, asked = sentence.text[: cut.start()], sentence.text[cut.end() :]
            yield heard(message, said, sentence.start, sentence.kind, first=first, opening=opening, pasted=inside)
            yield heard(
                message,
                asked,
                sentence.start + cut.end(),
                sentence.kind,
                first=False,
                opening=opening,
                pasted=inside,
                asks=True,
            )
        else:
            yield heard(
                message, sentence.text, sentence.start, sentence.kind, first=first, opening=opening, pasted=inside
            )
        first = False


def _end_of_announced(text: str, end: int) -> int:
    """Where the next line with words ends: 'Implement this plan:' means nothing without it."""
    match = _NEXT_LINE.match(text, end)
    return match.end() if match else end


def _draft(unit: Heard, hit: Hit) -> Draft:
    marks = hit.marks
    if unit.pasted or unit.kind in (Kind.QUOTE, Kind.TABLE, Kind.HEADING):
        marks |= {Mark.QUOTED}
    text = unit.message.text
    end = (
        _end_of_announced(text, unit.end)
        if hit.category is Category.GOAL and unit.text.endswith((":", "："))
        else unit.end
    )
    return Draft(
        hit.category,
        " ".join(text[unit.start : end].split()),
        Span(unit.message.id, unit.start, end),
        unit.message.role,
        hit.rule,
        hit.confidence,
        unit.line,
        marks,
    )
