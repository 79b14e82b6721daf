"""Orders that stand in the output of a tool. They become drafts so that their refusal is on record, never facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import Work
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.literals import Anchors
from cfpm.text import has_cjk, lexicon

_START = re.compile(r"(?:^|[.!?:>\]\n。！：]\s*|[-*#\"'`]\s+|\bTODO:?\s+)$")
_CODE_LINE = re.compile(
    r"^\s*(?:\d+[→:|\t]|//|/\*|\*|#!|import |from \S+ import|def |func |class |return |const |let |var |if \(|\}|"
    r"\{|\+|-{3})"
)
_STRONG = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|told)|"
    r"\bdo not (?:tell|inform|mention)|"
    r"\byou are now\b|\b(?:the )?user (?:prefers|wants|has authorized)|忽略.{0,10}(?:指令|提示|内容)|不要告诉",
)


_STRONG_ANCHORS = (
    *("ignore", "disregard", "forget", "override", "bypass", "do not ", "you are now", "user "),
    *("忽略", "不要告诉"),
)
"""Literals of which every match of `_STRONG` holds one."""
_LOOKS = (Work.READ, Work.LOCATE, Work.CHECK)


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """Sentences of an output that give orders, as instruction drafts marked as coming from a tool."""
    lower = outcome.message.text.lower()
    if len(lower) != len(outcome.message.text):
        lower = outcome.message.text
    if outcome.work in _LOOKS and not _strong_anchors().any_in(lower):
        return
    for language in ("en", "zh") if has_cjk(lower) else ("en",):
        order = lexicon(language)["order"]
        standing = _anchors(language).among(lower)
        if not standing:
            continue
        anchors = [anchor for anchor in lexicon(language).entries["order.anchor"] if anchor in standing]
        for start, end in _anchored(lower, anchors, outcome.work):
            cue = next(order.find_all(lower[start:end]), None)
            if cue is None or not _START.search(lower[max(0, start + cue.start - 12) : start + cue.start] or "\n"):
                continue
            yield _draft(outcome, start, end)


def gives_orders(text: str) -> bool:
    """True for the output of a tool that plainly tries to command its reader."""
    return _STRONG.search(text.lower()) is not None


@cache
def _strong_anchors() -> Anchors:
    return Anchors.of(_STRONG_ANCHORS)


@cache
def _anchors(language: str) -> Anchors:
    return Anchors.of(lexicon(language).entries["order.anchor"])


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
