"""The strategy `segmented`: the first and the last messages stay, a summary stands for the middle.

The summary is the host's summariser's, or extractive where there is none. Invariants:
- the summariser is asked once, and again only when the prompt was too long for it, each time with fewer tool results,
  at most five times in all;
- prior summaries are handed on as such, never nested;
- a summary that is no shorter than what it stands for, or longer than its room, is refused;
- where a summary is missing, a failure marker says so and the extractive summary stands behind it, so that nothing is
  lost and the session goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cfpm.context.history import Group, Raw
from cfpm.context.strategies.division import LEAST_MIDDLE, Parts, divide, lengthened
from cfpm.context.strategies.extractive import ALL, Section, extractive_note
from cfpm.context.strategies.notes import checkpoint, continuation, failure_marker, notes_in, stands_for
from cfpm.context.strategies.summariser import DEADLINE, Unanswered, ask, prompt, refused, result_count
from cfpm.context.strategies.types import ContextTooLong, ProposedView, Request, Spend, Summariser, Summary
from cfpm.context.tokens import message_tokens, total_tokens
from cfpm.recall.tokens import Count

KIND = "summary"

REMOVED = (0, 10, 20, 50, 100)
"""Percent of the tool results that are left out of the prompt, in turn, as in the reference."""


@dataclass(frozen=True, slots=True)
class Written:
    """The notes that stand for the middle; `failure` says why the summariser's is not among them, `spent` what was
    spent on it."""

    notes: tuple[Raw, ...]
    failure: str = ""
    spent: Spend = field(default_factory=Spend)


def compact(request: Request, *, deadline: float = DEADLINE) -> ProposedView | None:
    """A summary in place of the middle; None when nothing is worth compacting. `deadline` is in seconds, for each call
    of the summariser."""
    parts = divide(request)
    if parts is None:
        return None
    count = request.history.count
    written = summarised(request, parts.middle, _room(parts, count), deadline=deadline)
    if request.summarise is None:
        used = total_tokens([*written.notes, *continuation(parts.last)], count)
        longer = lengthened(request, parts, used)
        if longer is not parts:
            parts, written = longer, summarised(request, longer.middle, _room(longer, count))
    text = "\n\n".join(str(note["content"]) for note in written.notes)
    notes = (*written.notes, *continuation(parts.last))
    return ProposedView(parts.first, notes, parts.last, text, written.failure, written.spent)


def summarised(
    request: Request,
    middle: Sequence[Group],
    room: int,
    *,
    deadline: float = DEADLINE,
    sections: frozenset[Section] = ALL,
) -> Written:
    """The notes for these groups, of at most `room` tokens together. `sections` are those of an extractive summary."""
    count = request.history.count
    if request.summarise is None or room < LEAST_MIDDLE:
        return Written((extractive_note(middle, room, count, sections),))
    answer = _answer(request, request.summarise, middle, room, deadline)
    if isinstance(answer, Written):
        return answer
    marker = failure_marker(middle, answer.reason)
    extract = extractive_note(middle, room - message_tokens(marker, count), count, sections)
    both = (marker, extract)
    return Written(both if total_tokens(both, count) <= room else both[:1], answer.reason, answer.spent)


def _room(parts: Parts, count: Count) -> int:
    return parts.room - total_tokens(continuation(parts.last), count)


def _answer(
    request: Request, summarise: Summariser, middle: Sequence[Group], room: int, deadline: float
) -> Written | Unanswered:
    """The checkpoint with the host's summary, or why there is none."""
    limits = request.limits
    results = result_count(middle)
    for removed in dict.fromkeys(max(1, results * share // 100) if share else 0 for share in REMOVED):
        if removed > results:
            break
        try:
            text = prompt(middle, room, removed, limits.focus, facts=request.facts, reasoning=limits.reasoning)
            answer = ask(summarise, text, deadline)
        except ContextTooLong:
            continue
        return answer if isinstance(answer, Unanswered) else _accepted(answer, middle, room, request.history.count)
    return Unanswered("the text is too long for the summariser, also without the results of tools")


def _accepted(summary: Summary, middle: Sequence[Group], room: int, count: Count) -> Written | Unanswered:
    note = checkpoint(KIND, stands_for(middle, notes_in(middle)), summary.text.split("\n"))
    given = sum(group.tokens for group in middle)
    problem = refused(message_tokens(note, count), room, given)
    return replace(problem, spent=summary.spent) if problem else Written((note,), spent=summary.spent)
