"""Who sees which message of a log, and how the draft of a strategy becomes the model's view and the whole log.

Changes no message that it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.history import Group, Kind, Raw
from cfpm.context.strategies.types import Compaction, Draft, Outcome, Request, Strategy
from cfpm.context.tokens import total_tokens
from cfpm.errors import InputError

_USER, _AGENT = "user_visible", "agent_visible"


@dataclass(frozen=True, slots=True)
class Fields:
    """Where a host keeps the two flags of a message, as paths of names: `("metadata", "userVisible")`."""

    user: tuple[str, ...] = (_USER,)
    agent: tuple[str, ...] = (_AGENT,)


def for_agent(log: Iterable[Raw]) -> tuple[Raw, ...]:
    """What the model is to see, ready to be sent: without the flags, which no provider knows."""
    return tuple(plain(raw) for raw in log if not _is_hidden(raw, _AGENT))


def for_user(log: Iterable[Raw]) -> tuple[Raw, ...]:
    """What the user is to see: everything that was said, compacted or not, and nothing that was written for the
    model."""
    return tuple(plain(raw) for raw in log if not _is_hidden(raw, _USER))


def for_user_only(text: str) -> Raw:
    """A message of the log that tells the user something and that the model never sees."""
    return {"role": "assistant", "content": text, _USER: True, _AGENT: False}


def plain(raw: Raw) -> Raw:
    """The message without the flags; the very same where it has none."""
    if not isinstance(raw, Mapping) or (_USER not in raw and _AGENT not in raw):
        return raw
    return {key: value for key, value in raw.items() if key not in (_USER, _AGENT)}


def to_host(log: Iterable[Raw], fields: Fields) -> list[dict[str, object]]:
    """The log with both flags where the host keeps them.

    Raises InputError where something that is no object stands in the way.
    """
    return [_written(raw, fields, f"message {position}") for position, raw in enumerate(log)]


def from_host(messages: Iterable[Raw], fields: Fields) -> list[dict[str, object]]:
    """The reverse: a host's messages as our log. A flag that is missing is true."""
    return [_read(raw, fields) for raw in messages]


def extended(log: Sequence[Raw], messages: Sequence[Raw]) -> tuple[Raw, ...]:
    """The log with what a host added since to the list that it sends, which began as what the log shows to the model.

    Raises InputError naming the first message that is not the log's.
    """
    shown = for_agent(log)
    for position, raw in enumerate(shown):
        if position >= len(messages) or plain(messages[position]) != raw:
            remedy = "Send what the log shows, and only add messages to it"
            raise InputError("messages", "not the one that the log has here", remedy, place=f"message {position}")
    return (*log, *messages[len(shown) :])


def _is_hidden(raw: Raw, flag: str) -> bool:
    # What is no message at all is left to whoever reads it next, who says which one it is.
    return isinstance(raw, Mapping) and raw.get(flag) is False


def _written(raw: Raw, fields: Fields, place: str) -> dict[str, object]:
    message = dict(plain(raw))
    for path, flag in ((fields.user, _USER), (fields.agent, _AGENT)):
        message = _put(message, path, raw.get(flag) is not False, place)
    return message


def _read(raw: Raw, fields: Fields) -> dict[str, object]:
    user, agent = _at(raw, fields.user), _at(raw, fields.agent)
    message = _without(_without(raw, fields.user), fields.agent)
    return {**message, _USER: user is not False, _AGENT: agent is not False}


def _put(raw: Raw, path: tuple[str, ...], value: bool, place: str) -> dict[str, object]:
    name, *rest = path
    if not rest:
        return {**raw, name: value}
    inner = raw.get(name, {})
    if not isinstance(inner, Mapping):
        remedy = "Name a field that is an object or not there"
        raise InputError("messages", f"{name} is a {type(inner).__name__}", remedy, place=place)
    return {**raw, name: _put(inner, tuple(rest), value, place)}


def _at(raw: object, path: tuple[str, ...]) -> object:
    for name in path:
        raw = raw.get(name) if isinstance(raw, Mapping) else None
    return raw


def _without(raw: Raw, path: tuple[str, ...]) -> dict[str, object]:
    """Without the flag, and without the object that held nothing else."""
    name, *rest = path
    inner = raw.get(name)
    kept = _without(inner, tuple(rest)) if rest and isinstance(inner, Mapping) else None
    if kept:
        return {**raw, name: kept}
    return {key: value for key, value in raw.items() if key != name or (rest and kept is None)}


def apply(name: str, strategy: Strategy, request: Request) -> Compaction:
    """Runs a strategy. The view that comes out is within the budget, smaller than before, and valid where it was; else
    it is the view that went in, with the reason."""
    history = request.history
    before = history.tokens
    length = sum(len(g.entries) for g in history.groups if g.kind is not Kind.SYSTEM)
    if length < request.limits.minimum and not request.limits.manual:
        return _unchanged(name, request, Outcome.NOTHING, f"{length} messages, fewer than {request.limits.minimum}")
    draft = strategy(request)
    if draft is None:
        return _unchanged(name, request, Outcome.NOTHING, "all that could be compacted already is")
    system = [group for group in draft.first if group.kind is Kind.SYSTEM]
    spoken = [group for group in draft.first if group.kind is not Kind.SYSTEM]
    view = [*_sent(system), *_sent(spoken), *draft.notes, *_sent(draft.last)]
    after = sum(g.tokens for g in (*spoken, *draft.last)) + total_tokens(draft.notes, history.count)
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
    )


def _unchanged(name: str, request: Request, outcome: Outcome, problem: str) -> Compaction:
    history = request.history
    log = sorted([*history.entries, *history.hidden], key=lambda entry: entry.position)
    return Compaction(
        name,
        outcome,
        tuple(plain(entry.raw) for entry in history.entries),
        tuple(_flagged(entry.raw) for entry in log),
        history.tokens,
        history.tokens,
        problem=problem,
    )


def _log(request: Request, draft: Draft, kept: set[int]) -> Iterable[Raw]:
    """Everything in its order; what was written stands before the first message of the end."""
    history = request.history
    notes = [{**note, "user_visible": False, "agent_visible": True} for note in draft.notes]
    end = min((entry.position for group in draft.last for entry in group.entries), default=None)
    for entry in sorted([*history.entries, *history.hidden], key=lambda entry: entry.position):
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
