"""Who sees which message of a log, and how the draft of a strategy becomes the model's view and the whole log.

Changes no message that it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cfpm.context.history import Group, History, Kind, Raw, spoken_tokens, text_of
from cfpm.context.rehydration import Block, block
from cfpm.context.strategies.notes import checkpoint, continuation, kind_of, within
from cfpm.context.strategies.types import Compaction, Outcome, ProposedView, Request, Strategy
from cfpm.context.tokens import message_tokens, total_tokens
from cfpm.errors import InputError
from cfpm.model.markers import STATE_OPEN
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


def visible(log: Iterable[object]) -> tuple[Raw, ...]:
    """The messages that the model is to see, with all that the host told of them."""
    return tuple(raw for raw in plain_messages(log) if not _is_hidden(raw, _AGENT))


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


def differences(before: Sequence[Raw], log: Sequence[Raw]) -> tuple[list[int], list[tuple[Raw, int]]]:
    """What a compaction changed, by the log of it and the messages before: the positions of those that left the model's
    view, and each note with the position of the message before which it stands."""
    gone: list[int] = []
    notes: list[tuple[Raw, int]] = []
    position = 0
    for raw in log:
        if position < len(before) and plain(raw) == plain(before[position]):
            if raw.get("agent_visible") is False and before[position].get("agent_visible") is not False:
                gone.append(position)
            position += 1
        else:
            notes.append((plain(raw), position))
    return gone, notes


def _is_hidden(raw: Raw, flag: str) -> bool:
    # What is no message at all is left to whoever reads it next, who says which one it is.
    return isinstance(raw, Mapping) and raw.get(flag) is False


def apply(name: str, strategy: Strategy, request: Request) -> Compaction:
    """Runs a strategy. The view that comes out is within the budget, smaller than before, and valid where it was; else
    it is the view that went in, with the reason.

    What is held stands in a block behind what the strategy writes, and is not the strategy's business: it sees a
    history without such blocks, and has the budget that they leave. A first block holds all that fits a share of the
    budget, the second, where the view does not fit with that, only what must stay, in few words. The host's extra texts
    stand in a note of their own, written anew each time.
    """
    history = request.history
    length = sum(len(group.entries) for group in history.spoken)
    if length < request.limits.minimum and not request.limits.manual:
        return _unchanged(name, request, Outcome.NOTHING, f"{length} messages, fewer than {request.limits.minimum}")
    bare, extra = without_blocks(history), _extra(request)
    done = _unchanged(name, request, Outcome.NOTHING, _why_nothing(request))
    for share in SHARES if request.held else SHARES[:1]:
        told = block(request.held, int(request.limits.max_tokens * share), history.count)
        done = _applied(name, strategy, request, bare, told, extra)
        if done.outcome is not Outcome.CANNOT_FIT:
            break
    return done


SHARES = (0.25, 0.0)
"""Of the budget for what is put before the model again, at most; what must stay takes what it needs."""


def _applied(
    name: str, strategy: Strategy, request: Request, bare: History, told: Block, extra: tuple[Raw, ...]
) -> Compaction:
    history, limits = request.history, request.limits
    before, count = history.tokens, history.count
    taken = count(f"{told.text}\n") + _MESSAGE if told.text else 0
    # A history that fits is not compacted for the sake of the block.
    fits = history.tokens <= limits.max_tokens and not limits.asked
    room = limits.max_tokens - (0 if fits else taken + total_tokens(extra, count))
    less = replace(limits, max_tokens=max(1, room))
    draft = strategy(replace(request, history=bare, limits=less))
    if draft is None:
        return _unchanged(name, request, Outcome.NOTHING, _why_nothing(request))
    draft = _with_block(draft, told.text)
    draft = replace(draft, notes=(*draft.notes[:1], *extra, *draft.notes[1:]))
    first = sorted(draft.first, key=lambda group: group.kind is not Kind.SYSTEM)
    view = [*_sent(first), *draft.notes, *_sent(draft.last)]
    after = spoken_tokens((*first, *draft.last)) + total_tokens(draft.notes, count)
    if after > limits.max_tokens:
        problem = f"{after} tokens at least, and the budget is {limits.max_tokens}"
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
        told.items,
    )


def _extra(request: Request) -> tuple[Raw, ...]:
    lines = [line for block in request.extra for line in block.split("\n")]
    kept = within(lines, int(request.limits.max_tokens * EXTRA_SHARE), request.history.count)
    return (checkpoint(EXTRA, 0, kept),) if kept else ()


def _why_nothing(request: Request) -> str:
    """Why a strategy found nothing to compact, as far as the sizes tell."""
    size, limits = request.history.tokens, request.limits
    if size <= limits.max_tokens and not limits.asked:
        return f"the view of {size} tokens fits into {limits.max_tokens} as it is"
    if any(group.kind is Kind.NOTE for group in request.history.groups):
        return "all but the messages that stay is in a checkpoint already"
    return "nothing but the messages that stay"


_MESSAGE = 90
"""Tokens of a message of its own and of the continuation behind it, where a strategy writes nothing."""


def without_blocks(history: History) -> History:
    """The history without the blocks of earlier compactions; the messages are not changed."""
    bare = (_bare(group, history) for group in history.groups)
    return replace(history, groups=tuple(group for group in bare if group is not None))


def _bare(group: Group, history: History) -> Group | None:
    """A note without its block; None for a message that is nothing else, and for the host's texts."""
    if kind_of(group) == EXTRA:
        return None
    text = text_of(group.entries[0].raw) if group.kind is Kind.NOTE else ""
    if STATE_OPEN not in text:
        return group
    left = text.partition(STATE_OPEN)[0].rstrip("\n")
    if not left:
        return None
    entry = group.entries[0]
    raw = {**entry.raw, "content": left}
    return Group(group.kind, (replace(entry, raw=raw, tokens=message_tokens(raw, history.count)),))


def _with_block(draft: ProposedView, text: str) -> ProposedView:
    """The draft with the block behind its first note, or in a message of its own. A note that stays in front is written
    anew without the block that it had."""
    changed = [group for group in draft.first if group.kind is Kind.NOTE]
    if changed:
        notes = (*(group.entries[0].raw for group in changed), *draft.notes)
        draft = replace(draft, first=tuple(group for group in draft.first if group not in changed), notes=notes)
    if not text:
        return draft
    written = draft.checkpoint
    place = next((at for at, note in enumerate(draft.notes) if note.get("role") == "user"), None)
    if place is None:
        notes = ({"role": "user", "content": text}, *(draft.notes or continuation(draft.last)))
    else:
        note = draft.notes[place]
        behind = {**note, "content": f"{text_of(note)}\n{text}"}
        notes = (*draft.notes[:place], behind, *draft.notes[place + 1 :])
    return replace(draft, notes=notes, checkpoint=f"{written}\n{text}" if written else text)


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
