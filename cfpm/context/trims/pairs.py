"""Calls and results that lost each other or are not wanted go out, so that a provider takes what is left of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from cfpm.context.history import Raw
from cfpm.context.trims.calls import CALL_ITEMS, RESULT_ITEMS, Call, Log, Place, Result, block_text, read_log
from cfpm.context.trims.trim import Trim, characters

Part = TypeVar("Part", Call, Result)

_THOUGHT_KEYS = ("reasoning_content", "reasoning", "reasoning_details")
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})


def repair_pairs(messages: Sequence[Raw]) -> Trim:
    """Leaves out results that do not follow their call directly, and calls whose result does not come; what else was
    said in these messages stays. Calls at the very end of the list still wait and stay.

    Thinking goes with the last call of its message: the provider wants it beside calls only.
    """
    log = read_log(messages)
    if not log.calls and not log.results:
        return Trim(messages)
    orphans = _orphans(messages, log)
    if not orphans:
        return Trim(messages)
    return without(messages, lambda place: place in orphans)


def without(messages: Sequence[Raw], gone: Callable[[Place], bool]) -> Trim:
    """The list without the calls and results at some places, and without the messages that hold nothing then."""
    left = [_left(position, message, gone) for position, message in enumerate(messages)]
    # In the Responses style thinking stands alone, and the provider wants what it led to right behind it.
    for position in range(len(messages) - 2, -1, -1):
        if messages[position].get("type") == "reasoning" and left[position + 1] is None:
            left[position] = None
    kept = [message for message in left if message is not None]
    changed = sum(1 for old, new in zip(messages, left, strict=True) if new is not None and new is not old)
    removed = len(messages) - len(kept)
    if not changed and not removed:
        return Trim(messages)
    return Trim(kept, changed, removed, characters(messages) - characters(kept))


def _orphans(messages: Sequence[Raw], log: Log) -> set[Place]:
    """The places of all results without a call before them and calls without a result behind them."""
    calls = _by_message(log.calls)
    results = _by_message(log.results)
    orphans: set[Place] = set()
    waiting: dict[str, Place] = {}
    for position, message in enumerate(messages):
        answered = False
        for result in results.get(position, []):
            call = result.call
            if call is None or waiting.get(call.tool.id) != call.place:
                orphans.add(result.place)
            else:
                del waiting[call.tool.id]
                answered = True
        item = message.get("type") in CALL_ITEMS
        # The next message that brings no result ends the time in which results may come.
        if waiting and not answered and not item:
            orphans.update(waiting.values())
            waiting = {}
        waiting |= {call.tool.id: call.place for call in calls.get(position, [])}
    return orphans


def _by_message(parts: Sequence[Part]) -> dict[int, list[Part]]:
    found: dict[int, list[Part]] = {}
    for part in parts:
        found.setdefault(part.place.message, []).append(part)
    return found


def _left(position: int, message: Raw, gone: Callable[[Place], bool]) -> Raw | None:
    """What stays of a message: itself, a smaller one, or nothing."""
    if _is_one(message):
        key = "output" if message.get("type") in RESULT_ITEMS else "content"
        key = "arguments" if message.get("type") in CALL_ITEMS else key
        return None if gone(Place(position, key)) else message
    left = dict(message)
    lost = False
    for key in ("content", "tool_calls"):
        entries = message.get(key)
        if isinstance(entries, list | tuple):
            stay = [one for at, one in enumerate(entries) if not (_paired(one, key) and gone(Place(position, key, at)))]
            lost = lost or len(stay) < len(entries)
            left[key] = stay
    if isinstance(message.get("function_call"), Mapping) and gone(Place(position, "function_call")):
        lost = True
        del left["function_call"]
    return _tidied(left) if lost else message


def _paired(entry: object, key: str) -> bool:
    """Whether an entry is a call or a result, one that the provider's own server made and answered included."""
    if key == "tool_calls":
        return True
    kind = entry.get("type") if isinstance(entry, Mapping) else None
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))


def _is_one(message: Raw) -> bool:
    """Whether a message is nothing but one call or one result."""
    return message.get("type") in CALL_ITEMS | RESULT_ITEMS or message.get("role") in ("tool", "function")


def _tidied(message: dict[str, object]) -> Raw | None:
    """A message that lost calls or results, without thinking when no call is left; None when it says nothing."""
    if not message.get("tool_calls"):
        message.pop("tool_calls", None)
    content = message.get("content")
    blocks = list(content) if isinstance(content, list | tuple) else []
    if "tool_calls" in message or "function_call" in message or any(_paired(block, "content") for block in blocks):
        return message
    for key in _THOUGHT_KEYS:
        message.pop(key, None)
    if blocks or isinstance(content, list | tuple):
        blocks = [block for block in blocks if not (isinstance(block, Mapping) and block.get("type") in _THOUGHTS)]
        message["content"] = blocks
        return message if any(text is None or text.strip() for text in map(block_text, blocks)) else None
    return message if isinstance(content, str) and content.strip() else None


def keep_text(messages: Sequence[Raw]) -> Trim:
    """Leaves out all calls and results, tool messages included; texts of users, assistants and the system stay, and so
    does the thinking of messages that made no call."""
    return without(messages, lambda place: True)
