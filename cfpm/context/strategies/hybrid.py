"""The strategy `hybrid`: what a deterministic strategy keeps, and behind it a summary of the same middle.

Invariants:
- the deterministic notes come first and do not depend on the summariser;
- each of the two goes on from its own prior note;
- when the summary fails, the deterministic part stands alone with the marker and what could be extracted.
"""

from __future__ import annotations

from dataclasses import replace

from cfpm.context.history import Group, History, Kind, spoken_tokens
from cfpm.context.strategies import extractive, lossless, segmented
from cfpm.context.strategies.division import LEAST_MIDDLE, middle, settled
from cfpm.context.strategies.extractive import ALL, Section
from cfpm.context.strategies.notes import is_empty, kind_of
from cfpm.context.strategies.segmented import summarised
from cfpm.context.strategies.summariser import DEADLINE
from cfpm.context.strategies.types import ProposedView, Request, Strategy
from cfpm.context.tokens import total_tokens

SUMMARY_SHARE = 0.35
"""Share of the budget for the summary; the deterministic part says what was done, in fewer tokens for each thing."""

_SUMMARIES = frozenset({segmented.KIND, extractive.KIND})


def compact(
    request: Request,
    *,
    deterministic: Strategy = lossless.compact,
    sections: frozenset[Section] = ALL - {Section.CALLS},
    deadline: float = DEADLINE,
) -> ProposedView | None:
    """Both notes in place of the middle; None when nothing is worth compacting.

    `sections` are those of an extractive summary: what the deterministic strategy does not say. `deadline` is as for
    `segmented`.
    """
    history, limits = request.history, request.limits
    if settled(history, limits):
        return None
    own = replace(history, groups=tuple(group for group in history.groups if not _is_summary(group)))
    less = replace(limits, max_tokens=int(limits.max_tokens * (1 - SUMMARY_SHARE)))
    draft = deterministic(replace(request, history=own, limits=less)) or _as_it_is(own)
    if draft is None:
        return segmented.compact(request, deadline=deadline)
    return _with_summary(request, draft, sections, deadline)


def _with_summary(request: Request, draft: ProposedView, sections: frozenset[Section], deadline: float) -> ProposedView:
    """The deterministic draft, and the summary behind its notes where there is something to say and room for it."""
    count, whole = request.history.count, middle(request.history, draft.first, draft.last)
    # What stands in the other prior notes, the deterministic strategy has taken over.
    compacted = [group for group in whole if group.kind is not Kind.NOTE or _is_summary(group)]
    kept = spoken_tokens((*draft.first, *draft.last)) + total_tokens(draft.notes, count)
    room = request.limits.max_tokens - kept
    if sum(group.tokens for group in compacted) < LEAST_MIDDLE:
        return draft
    written = summarised(request, compacted, room, deadline=deadline, sections=sections)
    if total_tokens(written.notes, count) > room or all(map(is_empty, written.notes)):
        return replace(draft, failure=draft.failure or written.failure, spent=written.spent)
    answers = [note for note in draft.notes if note.get("role") == "assistant"]
    notes = (*(note for note in draft.notes if note not in answers), *written.notes, *answers)
    texts = [draft.checkpoint, *(str(note["content"]) for note in written.notes)]
    failure = draft.failure or written.failure
    return replace(draft, notes=notes, checkpoint="\n\n".join(texts), failure=failure, spent=written.spent)


def _as_it_is(history: History) -> ProposedView | None:
    """The deterministic part of an earlier compaction, when nothing in it has to change: then the summary must."""
    spoken = [group for group in history.spoken if group.kind is not Kind.BROKEN]
    places = [place for place, group in enumerate(spoken) if group.kind is Kind.NOTE]
    between = spoken[places[0] : places[-1] + 1] if places else []
    if not places or len(between) > len(places):
        return None
    notes = tuple(group.entries[0].raw for group in between)
    texts = [str(note["content"]) for note in notes if note.get("role") == "user"]
    first, last = spoken[: places[0]], spoken[places[-1] + 1 :]
    return ProposedView((*history.system, *first), notes, tuple(last), "\n\n".join(texts))


def _is_summary(group: Group) -> bool:
    return kind_of(group) in _SUMMARIES
