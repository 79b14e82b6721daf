"""Marks for the drafts of others: a model, an import, an extractor of the host. What our own rules see around a
sentence, theirs did not look for. Judges nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from cfpm.extractor import goals, instructions
from cfpm.extractor.tool_output import gives_orders
from cfpm.extractor.utterance import utterance
from cfpm.model import PATH_CATEGORIES, Category, Draft, Mark, Message, Origin, Role
from cfpm.model.bytecode import compiled
from cfpm.model.tables import toml_table
from cfpm.text import Kind, is_question, marks_around
from cfpm.text.foreign import orders_in
from cfpm.text.pasted import foreign_stretches

ORIGINS = {
    Origin.SYSTEM_PROMPT: Mark.BOILERPLATE,
    Origin.BOOT_FILE: Mark.BOILERPLATE,
    Origin.HOST_NOTICE: Mark.BOILERPLATE,
    Origin.MEMORY_BLOCK: Mark.ECHO,
}
"""The mark of what stands in such a message, whoever drafts it."""

_UNMARKED = PATH_CATEGORIES | {Category.VERIFIED_ACTION}
"""What is judged by evidence, not by the language around it."""


def marked(draft: Draft, message: Message | None) -> Draft:
    """The draft of a sentence of this message, with the marks of where it stands and of what its words say."""
    if message is None:
        return draft
    marks = set(draft.marks)
    if (mark := ORIGINS.get(message.origin)) is not None:
        marks.add(mark)
    if draft.category not in _UNMARKED:
        marks |= _of_words(draft, message)
    return draft if marks == draft.marks else replace(draft, marks=frozenset(marks))


def marked_import(draft: Draft) -> Draft:
    """As `marked`, for what another memory holds: its own words, without a message around them."""
    return replace(draft, marks=draft.marks | _said(draft.content) | _ordered(draft.content))


def _of_words(draft: Draft, message: Message) -> set[Mark]:
    marks = _said(draft.line or draft.content)
    start, end = draft.span.start, draft.span.end
    if message.role is Role.USER:
        if any(left <= start and end <= right for left, right in foreign_stretches(message.text)):
            marks.add(Mark.QUOTED)
        return marks
    if message.role is Role.TOOL:
        return marks | _ordered(draft.content)
    # Agents write orders all the time, to themselves and to users; those to forget what they were told are not theirs.
    return marks | _ordered(draft.content) if gives_orders(draft.content) else marks


def _said(text: str) -> set[Mark]:
    """Question, condition, of the moment, uncertain. A sentence that says no to something is no denial of a fact."""
    lower = text.lower()
    marks = set(marks_around(lower, 0, 0)) - {Mark.NEGATED, Mark.QUOTED}
    if _uncertain().search(lower):
        marks.add(Mark.HYPOTHETICAL)
    return marks


def _ordered(text: str) -> set[Mark]:
    """An order to whoever reads it; not what is told of the user, and not what is asked."""
    if _of_the_user().match(text) or is_question(text.lower()):
        return set()
    if gives_orders(text) or next(iter(orders_in(text, thorough=False)), None) is not None:
        return {Mark.FROM_TOOL_ORDER}
    # As if a user said it: what would be a rule or a request then is an order of nobody here.
    said = utterance(Message(Role.USER, text), text, 0, Kind.PLAIN, first=False, opening=False, pasted=False)
    hit = instructions.find(said) or goals.find(said)
    return {Mark.FROM_TOOL_ORDER} if hit is not None and hit.rule.startswith(_ORDERS) else set()


_ORDERS = ("instruction.", "goal.imperative")
"""The rules of the extractor that answer to orders."""


@cache
def _words() -> dict[str, list[str]]:
    return toml_table("cfpm.extractor", "outside")


@cache
def _uncertain() -> re.Pattern[str]:
    return compiled("|".join(rf"(?<![a-z]){re.escape(word)}(?![a-z])" for word in _words()["uncertain"]))


@cache
def _of_the_user() -> re.Pattern[str]:
    words = sorted(_words()["of_the_user"], key=len, reverse=True)
    return compiled(rf"\s*(?:{'|'.join(map(re.escape, words))})(?![a-z])", re.IGNORECASE)
