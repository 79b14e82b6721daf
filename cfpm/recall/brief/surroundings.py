"""A statement out of a longer message, told together with what it stands under, points at, or is explained by.

Composed of sentences of the message alone. Judges no statement that needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.recall.brief.reports import LONGEST_POINT, is_heading, tells_its_subject
from cfpm.recall.brief.telling import holds, is_known, is_whole, opened, plainly, points_back, stands_alone
from cfpm.text.sentences import Kind, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.text.sentences import Sentence

LOOKED_AT = 1_200
"""Characters on each side; a heading further above is of little help."""

_ITEM = lazy_pattern(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+.*|\|.*|\*\*)")
"""What stands before a statement on its line, if it is an item of a list or a cell, or has a label."""


class Surroundings(NamedTuple):
    """What stands before and behind a statement in its message."""

    before: str = ""
    behind: str = ""


def in_context(text: str, content: str, around: Surroundings, *, by_agent: bool) -> str:
    """The statement with the sentence that it points at, or with the heading of its list and what goes on about it.

    `content` are its words as they stand in the message. Empty if it says nothing without what cannot be told, or is
    an item of what was only proposed.
    """
    above = [one for one in sentences(around.before[-LOOKED_AT:]) if one.kind is not Kind.CODE]
    if points_back(text):
        last = plainly(above[-1].text) if above else ""
        fits = stands_alone(last, by_agent=by_agent) and len(last) + len(text) < LONGEST_POINT
        return f"{opened(last)} {text}" if fits else ""
    told = opened(text)
    line = around.before[-LOOKED_AT:].rpartition("\n")[2]
    if by_agent and _ITEM.match(f"{line}{content}"):
        heading = _heading(above)
        if holds(heading, "passed_over"):
            return ""
        if tells_its_subject(heading) and len(heading) + len(told) < LONGEST_POINT:
            told = f"{heading}: {told}"
    more = _goes_on(around.behind[:LOOKED_AT], by_agent=by_agent)
    return f"{told} {more}" if more and len(told) + len(more) < LONGEST_POINT else told


def _heading(above: Sequence[Sentence]) -> str:
    """The nearest heading, or what announces the list."""
    for one in reversed(above):
        said = plainly(one.text)
        if is_heading(one) or (one.kind is Kind.PLAIN and said.endswith(":")):
            return said.rstrip(":")
    return ""


def _goes_on(behind: str, *, by_agent: bool) -> str:
    """The next sentence of the paragraph, if it speaks of the same."""
    if "\n" in behind[: len(behind) - len(behind.lstrip())]:
        return ""
    first = next(iter(sentences(behind)), None)
    if first is None or first.kind is not Kind.PLAIN:
        return ""
    said = plainly(first.text)
    whole = points_back(said) and is_whole(said) and said[-1] in ".!)`"
    return said if whole and is_known(said, by_agent=by_agent) else ""
