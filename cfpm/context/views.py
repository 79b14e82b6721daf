"""Who sees which message of a log, and how the draft of a strategy becomes the model's view and the whole log.

Changes no message that it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cfpm.context.history import Group, Kind, Raw, spoken_tokens
from cfpm.context.strategies.notes import checkpoint, kind_of, within
from cfpm.context.strategies.types import Compaction, Outcome, ProposedView, Request, Strategy
from cfpm.context.tokens import total_tokens
from cfpm.errors import InputError
from cfpm.transcript.sdk_objects import plain_messages

EXTRA = "extra"
"""The kind of the note with the host's texts."""

EXTRA_SHARE = 0.2
"""Share of a view's budget that these may take: the first lines that fit."""

_USER, _AGENT = "user_visible", "agent_visible"


def for_agent(log: Iterable[object]) -> tuple[Raw, ...]:
    """What the model is to see, ready to be sent: without the flags, which no provider knows; objects as dicts.

    Raises InputError naming the position of an object that cannot be read.
    """
    return shown(plain_messages(log))


def shown(log: Iterable[Raw]) -> tuple[Raw, ...]:
    """As `for_agent`, of a log of dicts."""
    return tuple(plain(raw) for raw in log if not _is_hidden(raw, _AGENT))


def for_user(log: Iterable[Raw]) -> tuple[Raw, ...]:
    """What the user is to see: everything that was said, compacted or not, and nothing that was written for the
    model."""
    return tuple(plain(raw) for raw in log if not _is_hidden(raw, _USER))


def plain(raw: Raw) -> Raw:
    """The message without the flags; the very same where it has none."""
    if not isinstance(raw, Mapping) or (_USER not in raw and _AGENT not in raw):
        return raw
    return {key: value for key, value in raw.items() if key not in (_USER, _AGENT)}


def extended(log: Sequence[Raw], messages: Sequence[object]) -> tuple[Raw, ...]:
    """The log with what a host added since to the list that it sends, which began as what the log shows to the model.

    Raises InputError naming the first message that is not the log's.
    """
    shown, sent = for_agent(log), plain_messages(messages)
    for position, raw in enumerate(shown):
        if position >= len(sent) or plain(sent[position]) != raw:
            remedy = "Send what the log shows, and only add messages to it"
            raise InputError("messages", "not the one that the log has here", remedy, place=f"message {position}")
    return (*log, *sent[len(shown) :])


def _is_hidden(raw: Raw, flag: str) -> bool:
    # What is no message at all is left to whoever reads it next, who says which one it is.
    return isinstance(raw, Mapping) and raw.get(flag) is False


def apply(name: str, strategy: Strategy, request: Request) -> Compaction:
    """Runs a strategy. The view that comes out is within the budget, smaller than before, and valid where it was; else
    it is the view that went in, with the reason. The host's extra texts stand in a note of their own, written anew each
    time."""
    history = request.history
    before = history.tokens
    length = sum(len(group.entries) for group in history.spoken)
    if length < request.limits.minimum and not request.limits.manual:
        return _unchanged(name, request, Outcome.NOTHING, f"{length} messages, fewer than {request.limits.minimum}")
    extra = _extra(request)
    draft = strategy(_without_extra(request, total_tokens(extra, history.count)))
    if draft is not None and extra:
        draft = replace(draft, notes=(*draft.notes[:1], *extra, *draft.notes[1:]))
    if draft is None:
        return _unchanged(name, request, Outcome.NOTHING, _why_nothing(request))
    first = sorted(draft.first, key=lambda group: group.kind is not Kind.SYSTEM)
    view = [*_sent(first), *draft.notes, *_sent(draft.last)]
    after = spoken_tokens((*first, *draft.last)) + total_tokens(draft.notes, history.count)
    if after > request.limits.max_tokens:
        problem = f"{after} tokens at least, and the budget is {request.limits.max_tokens}"
        return _unchanged(name, request, Outcome.CANNOT_FIT, problem)
    if after >= before:
        return _unchanged(name, request, Outcome.NOT_SMALLER, f"{before} tokens before, {after} after")
    kept = {entry.position for group in (*draft.first, *draft.last) for entry in group.entries}
    return Compaction(
        name,
        Outcome.FAILED if draft.failure else Outcome.COMPACTED,
        tuple(view),
        tuple(_log(request, draft, kept)),
        before,
        after,
        draft.checkpoint,
        draft.failure,
        sum(1 for entry in history.entries if entry.position not in kept),
        draft.spent,
    )


def _extra(request: Request) -> tuple[Raw, ...]:
    lines = [line for block in request.extra for line in block.split("\n")]
    kept = within(lines, int(request.limits.max_tokens * EXTRA_SHARE), request.history.count)
    return (checkpoint(EXTRA, 0, kept),) if kept else ()


def _without_extra(request: Request, tokens: int) -> Request:
    """The request as a strategy sees it: without what stands in the note of an earlier time, and without its room."""
    history, limits = request.history, request.limits
    if Kind.NOTE in (group.kind for group in history.groups):
        history = replace(history, groups=tuple(group for group in history.groups if kind_of(group) != EXTRA))
    return replace(request, history=history, limits=replace(limits, max_tokens=max(0, limits.max_tokens - tokens)))


def _why_nothing(request: Request) -> str:
    """Why a strategy found nothing to compact, as far as the sizes tell."""
    size, limits = request.history.tokens, request.limits
    if size <= limits.max_tokens and not limits.asked:
        return f"the view of {size} tokens fits into {limits.max_tokens} as it is"
    if any(group.kind is Kind.NOTE for group in request.history.groups):
        return "all but the messages that stay is in a checkpoint already"
    return "nothing but the messages that stay"


def _unchanged(name: str, request: Request, outcome: Outcome, problem: str) -> Compaction:
    history = request.history
    return Compaction(
        name,
        outcome,
        tuple(plain(entry.raw) for entry in history.entries),
        tuple(_flagged(entry.raw) for entry in history.everything),
        history.tokens,
        history.tokens,
        problem=problem,
    )


def _log(request: Request, draft: ProposedView, kept: set[int]) -> Iterable[Raw]:
    """Everything in its order; what was written stands before the first message of the end."""
    history = request.history
    notes = [{**note, "user_visible": False, "agent_visible": True} for note in draft.notes]
    end = min((entry.position for group in draft.last for entry in group.entries), default=None)
    for entry in history.everything:
        if entry.position == end:
            yield from notes
        yield _flagged(entry.raw, hidden=entry.position not in kept)
    if end is None:
        yield from notes


def _flagged(raw: Raw, *, hidden: bool = False) -> Raw:
    return {**raw, "user_visible": raw.get("user_visible", True), "agent_visible": not hidden and _seen(raw)}


def _seen(raw: Raw) -> bool:
    return raw.get("agent_visible") is not False


def _sent(groups: Iterable[Group]) -> list[Raw]:
    return [plain(entry.raw) for group in groups for entry in group.entries]
