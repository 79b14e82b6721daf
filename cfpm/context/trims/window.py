"""Which messages of a history an agent sees, and how much of what it said between its calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from cfpm.context.history import Raw
from cfpm.context.trims.calls import Log, Place, block_text, read_log
from cfpm.context.trims.pairs import repair_pairs, without
from cfpm.context.trims.placeholders import cut
from cfpm.context.trims.trim import MIN_SAVING, Rewrite, Trim, characters, rewritten
from cfpm.errors import UsageError

INTERMEDIATE_CAP = 120
"""Characters of an intermediate text that stay; the figure of the reference."""


def cap_intermediate_text(
    messages: Sequence[Raw], keep: int = INTERMEDIATE_CAP, *, keep_groups: int = 1, min_saving: int = MIN_SAVING
) -> Trim:
    """Cuts the text of assistant messages that make calls, apart from the last `keep_groups` of them. Calls, thinking
    and signatures stay as they are."""
    log = read_log(messages)
    positions = {call.place.message for call in log.calls if call.group <= log.last_group - keep_groups}
    rewrites = [
        Rewrite(place, shorter, len(text) - len(shorter))
        for position in sorted(positions)
        for place, text in _texts(position, messages[position])
        if (shorter := cut(text, keep, head_only=True)) != text
    ]
    return rewritten(messages, rewrites, min_saving=min_saving)


def _texts(position: int, message: Raw) -> Iterator[tuple[Place, str]]:
    content = message.get("content")
    if isinstance(content, str):
        yield Place(position, "content"), content
    elif isinstance(content, list | tuple):
        for index, block in enumerate(content):
            if (text := block_text(block)) is not None:
                yield Place(position, "content", index), text


Choice = Callable[[Raw], bool]
"""What a host says of a message."""

_SYSTEM = frozenset({"system", "developer"})


def filter_window(
    messages: Sequence[Raw],
    *,
    text_only: bool = False,
    exclude: Collection[str] | Choice = (),
    max_turns: int | None = None,
    pinned: Choice | None = None,
) -> Trim:
    """The messages of the last `max_turns` turns, without calls and results when `text_only`, and without those of
    excluded authors: names of assistants in any case, or a callable that is asked for every message.

    A turn begins with what a user says, not with results. System messages and pinned ones always stay, a pinned call
    with its results, and a pinned answer with the message that it answers. What is left opens with a user's message,
    and pairs are whole. Raises UsageError for fewer than one turn.
    """
    if max_turns is not None and max_turns < 1:
        raise UsageError("max_turns", str(max_turns), "Pass 1 or more, or None for all")
    log = read_log(messages)
    fixed = _fixed(messages, log, pinned)
    first = _first(messages, max_turns)
    leaves = _chooser(exclude)
    stays = [at in fixed or (at >= first and not leaves(message)) for at, message in enumerate(messages)]
    for result in log.results:
        if result.call is not None and not stays[result.place.message]:
            # Without its result at the end of the list, a call would look as if it still ran.
            stays[result.call.place.message] = False
    _open_with_user(messages, stays, fixed)
    kept = [message for message, stay in zip(messages, stays, strict=True) if stay]
    if text_only:
        whole = {id(messages[at]) for at in fixed if messages[at].get("role") not in _SYSTEM}
        kept = list(without(kept, lambda place: id(kept[place.message]) not in whole).messages)
    left = list(repair_pairs(kept).messages)
    return _trim(messages, left)


def _trim(messages: Sequence[Raw], left: Sequence[Raw]) -> Trim:
    same = set(map(id, messages))
    changed = sum(1 for message in left if id(message) not in same)
    if not changed and len(left) == len(messages):
        return Trim(messages)
    return Trim(left, changed, len(messages) - len(left), characters(messages) - characters(left))


def _fixed(messages: Sequence[Raw], log: Log, pinned: Choice | None) -> set[int]:
    """The positions of what stays whatever is chosen: system messages and pinned ones, with the other half of a
    pair."""
    fixed = {at for at, message in enumerate(messages) if message.get("role") in _SYSTEM}
    if pinned is None:
        return fixed
    chosen = {at for at, message in enumerate(messages) if at not in fixed and pinned(message)}
    groups: dict[int, set[int]] = {}
    for call in log.calls:
        groups.setdefault(call.group, set()).add(call.place.message)
    for result in log.results:
        if result.call is not None:
            groups[result.call.group].add(result.place.message)
    for positions in groups.values():
        if not positions.isdisjoint(chosen):
            chosen |= positions
    return fixed | chosen


def _first(messages: Sequence[Raw], max_turns: int | None) -> int:
    """Where the last so many turns begin; 0 for all. Users' messages next to each other open one turn."""
    if max_turns is None:
        return 0
    speaks = [_speaks(message) for message in messages]
    opens = [at for at, spoken in enumerate(speaks) if spoken and not (at and speaks[at - 1])]
    return opens[-max_turns] if len(opens) > max_turns else 0


def _open_with_user(messages: Sequence[Raw], stays: list[bool], fixed: set[int]) -> None:
    """Makes the rest open with a user: with the one that a pinned message answers, else without what comes before."""
    for at, message in enumerate(messages):
        if not stays[at] or message.get("role") in _SYSTEM:
            continue
        if _speaks(message):
            return
        if at in fixed:
            opener = next((before for before in range(at, -1, -1) if _speaks(messages[before])), None)
            if opener is not None:
                stays[opener] = True
            return
        if all(stays[:at]):
            # The list itself opens so: nothing was cut in front of it.
            return
        stays[at] = False


def _speaks(message: Raw) -> bool:
    """Whether a user says something in a message, beside results or alone."""
    if message.get("role") not in ("user", "human"):
        return False
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return True
    return any(block_text(block) is not None or not _is_result(block) for block in content)


def _is_result(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_result"


def _chooser(exclude: Collection[str] | Choice) -> Choice:
    if callable(exclude):
        return exclude
    names = {name.casefold() for name in exclude}

    def excluded(message: Raw) -> bool:
        name = message.get("name")
        return message.get("role") == "assistant" and isinstance(name, str) and name.casefold() in names

    return excluded
