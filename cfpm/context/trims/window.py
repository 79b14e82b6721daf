"""Which messages of a history an agent sees, and how much of what it said between its calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from cfpm.context.history import Raw, is_note
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


REPLY_CAP = 2_000
"""Characters of an old reply that stay; the figure of the reference."""


def cap_replies(messages: Sequence[Raw], keep: int = REPLY_CAP, *, min_saving: int = 0) -> Trim:
    """Cuts what assistants said to `keep` characters, apart from the newest reply and from what a compaction wrote;
    calls stay. Raises UsageError for a negative number."""
    if keep < 0:
        raise UsageError("reply_cap", f"{keep} characters", "Pass a number above 0, or 0 for no cap")
    said = [at for at, message in enumerate(messages) if message.get("role") == "assistant" and not is_note(message)]
    texts = {at: [one for one in _texts(at, messages[at]) if one[1].strip()] for at in said}
    newest = max((at for at, of in texts.items() if of), default=-1)
    rewrites = [
        Rewrite(place, shorter, len(text) - len(shorter))
        for at, of in texts.items()
        for place, text in of
        if keep and at != newest and (shorter := cut(text, keep, head_only=True)) != text
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

Counted = Literal["user", "agent"]
"""What a turn is: all that follows what a user says, or what one agent does until its reply."""

_SYSTEM = frozenset({"system", "developer"})


def filter_window(
    messages: Sequence[Raw],
    *,
    text_only: bool = False,
    exclude: Collection[str] | Choice = (),
    max_turns: int | None = None,
    turn: Counted = "user",
    pinned: Choice | None = None,
) -> Trim:
    """The messages of the last `max_turns` turns, without calls and results when `text_only`, and without those of
    excluded authors: names of assistants in any case, or a callable that is asked for every message.

    A turn begins with what a user says, not with results; with `turn="agent"` it ends with an assistant's reply, so
    that many of them may follow one request, which stays before them. System messages and pinned ones always stay, a
    pinned call with its results, and a pinned answer with the message that it answers. What is left opens with a
    user's message, and pairs are whole. Raises UsageError for fewer than one turn, and for another kind of turn.
    """
    if max_turns is not None and max_turns < 1:
        raise UsageError("max_turns", str(max_turns), "Pass 1 or more, or None for all")
    if turn not in ("user", "agent"):
        raise UsageError("turn", repr(turn), "Pass user or agent")
    log = read_log(messages)
    fixed = _fixed(messages, log, pinned)
    first = _first(messages, max_turns)
    if turn == "agent":
        first = _first_of_agents(messages, max_turns, log)
        fixed |= _opener(messages, first)
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
    spoken = list(map(speaks, messages))
    opens = [at for at, speech in enumerate(spoken) if speech and not (at and spoken[at - 1])]
    return opens[-max_turns] if len(opens) > max_turns else 0


def _first_of_agents(messages: Sequence[Raw], max_turns: int | None, log: Log) -> int:
    """Where the last so many turns of agents begin; 0 for all. A turn ends with a reply that calls nothing, or where
    another agent goes on."""
    if max_turns is None:
        return 0
    calls = {call.place.message for call in log.calls}
    spoken = [at for at, message in enumerate(messages) if message.get("role") == "assistant" or at in calls]
    ends = [
        at
        for at, then in zip(spoken, [*spoken[1:], None], strict=True)
        if at not in calls or (then is not None and _are_two(messages[at].get("name"), messages[then].get("name")))
    ]
    if len(ends) <= max_turns:
        return 0
    before = ends[-max_turns - 1] + 1
    results = {result.place.message for result in log.results}
    while before < len(messages) and before in results and not speaks(messages[before]):
        before += 1
    return before


def _are_two(one: object, other: object) -> bool:
    """Whether two names are those of two agents; who has none goes on for the one before."""
    return isinstance(one, str) and isinstance(other, str) and one.casefold() != other.casefold()


def _opener(messages: Sequence[Raw], first: int) -> set[int]:
    """The last thing that a user said before a place, which what follows there answers; nothing where a user speaks
    there."""
    if first == 0 or first >= len(messages) or speaks(messages[first]):
        return set()
    return set(next(((at,) for at in range(first - 1, -1, -1) if speaks(messages[at])), ()))


def keep_last_messages(
    messages: Sequence[Raw], most: int, *, warn_at: float = 0.0, pinned: Choice | None = None
) -> Trim:
    """The last `most` messages, system messages and pinned ones beyond that number; 0 for all.

    What is left opens with a user's message and has whole pairs, so that it may be fewer. Where no user speaks among
    them, the last thing that one said is one of them. `warning` says when there are more than `warn_at` of the cap,
    a share from 0 to 1; 0 is never. Raises UsageError for a negative number and another share.
    """
    if most < 0 or not 0 <= warn_at <= 1:
        raise UsageError("max_messages or warn_at", f"{most}, {warn_at}", "Pass 0 or more, and a share from 0 to 1")
    fixed = _fixed(messages, read_log(messages), pinned)
    counted = [at for at in range(len(messages)) if at not in fixed]
    warning = ""
    if most and warn_at and len(counted) > warn_at * most:
        warning = f"{len(counted)} messages, {warn_at:.0%} of the cap of {most} is reached"
    if not most or len(counted) <= most:
        return Trim(messages, warning=warning)
    kept = counted[-most:]
    if not any(speaks(messages[at]) for at in kept):
        asked = _opener(messages, kept[0])
        kept = [*asked, *counted[-most + len(asked) :]] if most > len(asked) else list(asked)
    wanted = fixed.union(kept)
    stays = [at in wanted for at in range(len(messages))]
    _open_with_user(messages, stays, fixed)
    left = list(repair_pairs([message for message, stay in zip(messages, stays, strict=True) if stay]).messages)
    return replace(_trim(messages, left), warning=warning)


def _open_with_user(messages: Sequence[Raw], stays: list[bool], fixed: set[int]) -> None:
    """Makes the rest open with a user: with the one that a pinned message answers, else without what comes before."""
    for at, message in enumerate(messages):
        if not stays[at] or message.get("role") in _SYSTEM:
            continue
        if speaks(message):
            return
        if at in fixed:
            opener = next((before for before in range(at, -1, -1) if speaks(messages[before])), None)
            if opener is not None:
                stays[opener] = True
            return
        if all(stays[:at]):
            # The list itself opens so: nothing was cut in front of it.
            return
        stays[at] = False


def speaks(message: Raw) -> bool:
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
