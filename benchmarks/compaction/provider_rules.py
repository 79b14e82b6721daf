"""What the providers take: their own published types of a message list, and the rules of order that no type can say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Raw = Mapping[str, object]

_OURS = frozenset({"id", "created_at", "timestamp", "is_error", "exit_code"})
"""Fields that a host keeps beside a message, and that it does not send."""


@cache
def schemas() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    """The providers' own types of a message list, OpenAI's and Anthropic's."""
    from anthropic.types import MessageParam
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    return TypeAdapter(list[ChatCompletionMessageParam]), TypeAdapter(list[MessageParam])


def broken_rules(view: Sequence[Raw]) -> list[str]:
    """What a provider would refuse about the order of these messages; an empty list when nothing."""
    problems = []
    spoken = [message for message in view if message.get("role") not in ("system", "developer")]
    if spoken and (spoken[0].get("role") != "user" or _results(spoken[0])):
        problems.append("it does not open with a user message")
    waiting: set[str] = set()
    for position, message in enumerate(spoken):
        answered = _results(message)
        if unknown := answered - waiting:
            problems.append(f"message {position} answers no call: {sorted(unknown)}")
        waiting -= answered
        if waiting and not answered:
            problems.append(f"message {position} comes before the results of {sorted(waiting)}")
            waiting = set()
        waiting |= _calls(message)
    if waiting:
        problems.append(f"calls without results: {sorted(waiting)}")
    return problems


def _calls(message: Raw) -> set[str]:
    listed: Any = message.get("tool_calls") or ()
    return {call["id"] for call in listed} | {block["id"] for block in _blocks(message, "tool_use")}


def _results(message: Raw) -> set[str]:
    if message.get("role") == "tool":
        return {str(message.get("tool_call_id"))}
    return {block["tool_use_id"] for block in _blocks(message, "tool_result")}


def _blocks(message: Raw, kind: str) -> list[Any]:
    content = message.get("content")
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


def refused(view: Sequence[Raw]) -> list[str]:
    """Why a provider would not take this view: its type, then its order. An empty list when it would."""
    from pydantic import ValidationError

    openai, anthropic = schemas()
    sent = [{key: value for key, value in message.items() if key not in _OURS} for message in view]
    spoken = [message for message in sent if message.get("role") != "system"]
    problems = broken_rules(view)
    try:
        if any(_blocks(message, "tool_use") or _blocks(message, "tool_result") for message in spoken):
            _consumed(anthropic.validate_python(spoken))
        else:
            _consumed(openai.validate_python(sent))
    except ValidationError as error:
        first = error.errors()[0]
        problems.append(f"{'.'.join(map(str, first['loc'][:3]))}: {first['msg']}")
    return problems


def _consumed(value: object) -> None:
    """Walks through all of it: pydantic checks what is typed as an iterable only when somebody reads it."""
    if isinstance(value, Mapping):
        for inner in value.values():
            _consumed(inner)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for inner in value:
            _consumed(inner)
