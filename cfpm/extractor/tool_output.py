"""What the output of a tool says: the line that reports success, and orders to its reader.

Orders become drafts so that their refusal is on record, never facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from cfpm.extractor.artifacts import edited_paths
from cfpm.extractor.tools import LOOKS, of_this_machine, reads_prose
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.patterns import lazy_pattern
from cfpm.text.foreign import orders_in

if TYPE_CHECKING:
    from cfpm.extractor.evidence import Outcome

_WITH_WORDS = 12
"""Orders of one result that are drafts of their own: a guide gives a hundred, and their refusal says the same."""

_LINE = 600
"""Characters of a line that a draft keeps."""

_STRONG = lazy_pattern(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|told)|"
    r"\bdo not (?:tell|inform|mention)|"
    r"\byou are now\b|\b(?:the )?user (?:prefers|wants|has authorized)|忽略.{0,10}(?:指令|提示|内容)|不要告诉",
)


def report(outcome: Outcome) -> Iterator[Draft]:
    """The line by which a program reports success; contradicted when the same output or its exit status reports
    failure. Its value is the file that was edited."""
    found, text = outcome.success, outcome.message.text
    if found is None:
        return
    line_end = text.find("\n", found.end)
    line = text[text.rfind("\n", 0, found.start) + 1 : line_end if line_end >= 0 else len(text)]
    content = " ".join(text[found.start : found.end].split())
    marks = frozenset({Mark.CONTRADICTED}) if outcome.ok is False else frozenset[Mark]()
    draft = outcome.draft(
        Category.VERIFIED_ACTION, content, (found.start, found.end), f"tool.{found.kind}", 0.85, line[:600], marks
    )
    yield replace(draft, value=next(iter(edited_paths(outcome)), ""))


def orders(outcome: Outcome) -> Iterator[Draft]:
    """Sentences of an output that give orders or claim what somebody wants, as drafts marked as coming from a tool.

    Code and programs of this machine are full of plain orders to their readers, so of them only those that set rules,
    name a reader like ours or speak for a person.
    """
    call = outcome.call
    thorough = call is None or not of_this_machine(call) or (outcome.work in LOOKS and reads_prose(call))
    found = orders_in(outcome.message.text, thorough=thorough)
    for start, end in islice(found, _WITH_WORDS):
        yield _draft(outcome, start, end)
    if rest := list(found):
        yield _of_stretch(outcome, rest)


def gives_orders(text: str) -> bool:
    """True for the output of a tool that plainly tries to command its reader."""
    return _STRONG.search(text.lower()) is not None


def _of_stretch(outcome: Outcome, rest: Sequence[tuple[int, int]]) -> Draft:
    """One draft for all that follow, from the first to the last, with as many of their words as a line holds; its
    value is how many they are."""
    text = outcome.message.text
    words = " ".join(" ".join(text[start:end].split()) for start, end in rest)[:_LINE]
    first = _draft(outcome, rest[0][0], rest[-1][1])
    return replace(first, content=words, line=words, rule="tool.orders", value=str(len(rest)))


def _draft(outcome: Outcome, start: int, end: int) -> Draft:
    raw = outcome.message.text[start:end]
    text = raw.strip()
    begin = start + raw.find(text[0]) if text else start
    return Draft(
        Category.INSTRUCTION,
        " ".join(text.split()),
        Span(outcome.message.id, begin, begin + len(text)),
        Role.TOOL,
        "tool.order",
        0.3,
        text[:_LINE],
        frozenset({Mark.FROM_TOOL_ORDER}),
    )
