"""The strategy `cfpm`: a checkpoint without a model, from the facts of the store and from what was compacted.

Invariants:
- the user's rules and goals come first; no rule is dropped (where they cannot fit, it fails), and of goals that cannot
  fit the newest stay, with the number of the others;
- names follow by how likely they are to be used again, each with what it is or what happened to it;
- an empty section is absent; the facts are only read;
- a prior checkpoint is taken in and its newest outcome wins, so that notes are never nested;
- what fits already is left alone, so that compacting again changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from cfpm.context.checkpoint.budget import shares
from cfpm.context.checkpoint.builder import build, gather
from cfpm.context.checkpoint.checkpoint import CONTINUATION, Checkpoint, write_checkpoint
from cfpm.context.history import Group, Kind, Raw, spoken_tokens
from cfpm.context.strategies.division import back, front, last_messages, middle
from cfpm.context.strategies.types import ProposedView, Request
from cfpm.context.tokens import total_tokens
from cfpm.model.markers import CONTINUATION_PREFIX
from cfpm.secrets import redact


def compact(request: Request) -> ProposedView | None:
    """The view with a checkpoint in place of the middle, or None when there is nothing new to take in."""
    history, limits = request.history, request.limits
    if _is_done(request):
        return None
    shared = shares(limits.max_tokens)
    first = front(history, limits, shared.front)
    last = back(history, limits, shared.tail, first)
    between = middle(history, first, last)
    if not _has_news(between):
        return None
    draft = _draft(request, first, last, between)
    spare = limits.max_tokens - _total(request, draft)
    return _with_longer_end(request, draft, spare) if spare > 0 else draft


def _with_longer_end(request: Request, draft: ProposedView, spare: int) -> ProposedView:
    """The same with more of the last messages as they were, when there is room for them."""
    last = back(request.history, request.limits, spoken_tokens(draft.last) + spare, draft.first)
    between = middle(request.history, draft.first, last)
    if len(last) == len(draft.last) or not _has_news(between):
        return draft
    longer = _draft(request, draft.first, last, between)
    return longer if _total(request, longer) <= request.limits.max_tokens else draft


def _has_news(between: Sequence[Group]) -> bool:
    return any(group.kind not in (Kind.NOTE, Kind.BROKEN) for group in between)


def _is_done(request: Request) -> bool:
    """Whether the history is a view that fits already, with nothing behind its note but what may stay."""
    history, limits = request.history, request.limits
    if history.tokens > limits.max_tokens:
        return False
    if not limits.asked:
        return True
    notes = [place for place, group in enumerate(history.groups) if group.kind is Kind.NOTE]
    behind = history.groups[notes[-1] + 1 :] if notes else ()
    return bool(notes) and sum(len(group.entries) for group in behind) <= last_messages(history, limits)


def _draft(request: Request, first: Sequence[Group], last: Sequence[Group], between: Sequence[Group]) -> ProposedView:
    room = request.limits.max_tokens - spoken_tokens(first) - spoken_tokens(last)
    material = gather(request, first, last, between)
    opens = bool(last) and last[0].opens
    checkpoint = build(material, lambda tried: total_tokens(notes(tried, opens=opens), request.history.count) <= room)
    written = notes(checkpoint, opens=opens)
    return ProposedView(tuple(first), written, tuple(last), str(written[0]["content"]))


def notes(checkpoint: Checkpoint, *, opens: bool) -> tuple[Raw, ...]:
    """The messages that stand for the middle: before a user's message, the agent is the one who goes on."""
    if opens:
        go_on = {"role": "assistant", "content": f"{CONTINUATION_PREFIX}{CONTINUATION}"}
        return {"role": "user", "content": redact(write_checkpoint(checkpoint)).text}, go_on
    return ({"role": "user", "content": redact(write_checkpoint(checkpoint, go_on=True)).text},)


def _total(request: Request, draft: ProposedView) -> int:
    return spoken_tokens(draft.first) + spoken_tokens(draft.last) + total_tokens(draft.notes, request.history.count)
