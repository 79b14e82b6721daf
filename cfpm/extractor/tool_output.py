"""What the output of a tool says: the line that reports success, and orders to its reader.

Orders become drafts so that their refusal is on record, never facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import Work
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.literals import LiteralSet
from cfpm.model.patterns import lazy_pattern
from cfpm.text import lexicon as lexicon_of
from cfpm.text import lexicons_for

_START = lazy_pattern(r"(?:^|[.!?:>\]\n。！：]\s*|[-*#\"'`]\s+|\bTODO:?\s+)$")
_CODE_LINE = lazy_pattern(
    r"^\s*(?:\d+[→:|\t]|//|/\*|\*|#!|import |from \S+ import|def |func |class |return |const |let |var |if \(|\}|"
    r"\{|\+|-{3})"
)
_STRONG = lazy_pattern(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|told)|"
    r"\bdo not (?:tell|inform|mention)|"
    r"\byou are now\b|\b(?:the )?user (?:prefers|wants|has authorized)|忽略.{0,10}(?:指令|提示|内容)|不要告诉",
)
_STRONG_ANCHORS = LiteralSet(
    ["ignore", "disregard", "forget", "override", "bypass", "do not ", "you are now", "user ", "忽略", "不要告诉"]
)
"""Literals of which every match of `_STRONG` holds one."""
_LOOKS = (Work.READ, Work.LOCATE, Work.CHECK)


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
    """Sentences of an output that give orders, as instruction drafts marked as coming from a tool."""
    lower = outcome.message.text.lower()
    if len(lower) != len(outcome.message.text):
        lower = outcome.message.text
    if outcome.work in _LOOKS and not _STRONG_ANCHORS.any_in(lower):
        return
    for lexicon in lexicons_for(lower):
        order = lexicon["order"]
        standing = _anchors(lexicon.language).among(lower)
        if not standing:
            continue
        anchors = [anchor for anchor in lexicon.entries["order.anchor"] if anchor in standing]
        for start, end in _anchored(lower, anchors, outcome.work):
            cue = next(order.find_all(lower[start:end]), None)
            if cue is None or not _START.search(lower[max(0, start + cue.start - 12) : start + cue.start] or "\n"):
                continue
            yield _draft(outcome, start, end)


def gives_orders(text: str) -> bool:
    """True for the output of a tool that plainly tries to command its reader."""
    return _STRONG.search(text.lower()) is not None


@cache
def _anchors(language: str) -> LiteralSet:
    return LiteralSet(lexicon_of(language).entries["order.anchor"])


def _anchored(lower: str, anchors: list[str], work: Work) -> Iterator[tuple[int, int]]:
    """Lines with an anchor word, each once; in files that were read only the plainest attempts count."""
    seen: set[int] = set()
    for anchor in anchors:
        at = lower.find(anchor)
        while at >= 0:
            start = lower.rfind("\n", max(0, at - 1_000), at) + 1
            end = lower.find("\n", at)
            end = min(len(lower) if end < 0 else end, at + 1_000)
            if start not in seen:
                seen.add(start)
                line = lower[start:end]
                if _STRONG.search(line) or (work not in _LOOKS and not _CODE_LINE.match(line)):
                    yield start, end
            at = lower.find(anchor, end)


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
