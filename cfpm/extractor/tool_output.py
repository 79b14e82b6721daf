"""What the output of a tool says: the line that reports success, and orders to its reader.

Orders become drafts so that their refusal is on record, never facts.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import LOOKS, of_this_machine, reads_prose
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.patterns import lazy_pattern
from cfpm.text.foreign import orders_in

_STRONG = lazy_pattern(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|told)|"
    r"\bdo not (?:tell|inform|mention)|"
    r"\byou are now\b|\b(?:the )?user (?:prefers|wants|has authorized)|忽略.{0,10}(?:指令|提示|内容)|不要告诉",
)


def report(outcome: Outcome) -> Iterator[Draft]:
    """The line by which a program reports success; contradicted when the same output or its exit status reports
    failure."""
    found, text = outcome.success, outcome.message.text
    if found is None:
        return
    line_end = text.find("\n", found.end)
    line = text[text.rfind("\n", 0, found.start) + 1 : line_end if line_end >= 0 else len(text)]
    content = " ".join(text[found.start : found.end].split())
    marks = frozenset({Mark.CONTRADICTED}) if outcome.ok is False else frozenset[Mark]()
    yield outcome.draft(
        Category.VERIFIED_ACTION, content, (found.start, found.end), f"tool.{found.kind}", 0.85, line[:600], marks
    )


def orders(outcome: Outcome) -> Iterator[Draft]:
    """Sentences of an output that give orders or claim what somebody wants, as drafts marked as coming from a tool.

    Code and programs of this machine are full of plain orders to their readers, so of them only those that set rules,
    name a reader like ours or speak for a person.
    """
    call = outcome.call
    thorough = call is None or not of_this_machine(call) or (outcome.work in LOOKS and reads_prose(call))
    for start, end in orders_in(outcome.message.text, thorough=thorough):
        yield _draft(outcome, start, end)


def gives_orders(text: str) -> bool:
    """True for the output of a tool that plainly tries to command its reader."""
    return _STRONG.search(text.lower()) is not None


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
        text[:600],
        frozenset({Mark.FROM_TOOL_ORDER}),
    )
