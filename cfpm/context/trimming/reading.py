"""The calls and results of a message list with the places where they stand, in OpenAI and Anthropic form. Changes
nothing: that is the business of `rewriting`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.history import Raw
from cfpm.errors import InputError
from cfpm.model import ToolCall
from cfpm.transcript.blocks import tool_call
from cfpm.transcript.fields import label
from cfpm.transcript.outcomes import from_fields, settle

WHOLE = -1
"""The index of what is no entry of a list."""

TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
CALL_ITEMS = frozenset({"function_call", "custom_tool_call"})
RESULT_ITEMS = frozenset({"function_call_output", "custom_tool_call_output"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the position of the message, the key in it, and the index in the list under that key."""

    message: int
    key: str
    index: int = WHOLE


@dataclass(frozen=True, slots=True)
class Call:
    """A call. Calls of one message have one `group`; `order` counts the calls of the list. `given` are the arguments
    as the host wrote them."""

    place: Place
    group: int
    order: int
    tool: ToolCall
    given: object


@dataclass(frozen=True, slots=True)
class Result:
    """What a call brought. `text` is that of its text blocks, `media` how many other blocks stand in it; the call is
    None for an orphan."""

    place: Place
    call: Call | None
    text: str
    media: int
    stated: bool | None
    stated_code: int | None

    @property
    def exit_code(self) -> int | None:
        """The exit code that the host states, in a field or in the text."""
        return self.stated_code if self.stated_code is not None else settle(self.stated, self.text)[1]

    @property
    def failed(self) -> bool:
        """Whether the host says that the call failed."""
        is_error, code = settle(self.stated, self.text)
        return is_error is True or (self.stated_code if self.stated_code is not None else code) not in (None, 0)


@dataclass(frozen=True, slots=True)
class Log:
    """All calls and results of a list in order; a call without an answer is in no result."""

    calls: tuple[Call, ...]
    results: tuple[Result, ...]

    @property
    def answers(self) -> dict[int, Result]:
        """The result of each answered call, by the call's order."""
        return {result.call.order: result for result in self.results if result.call is not None}

    @property
    def last_group(self) -> int:
        """The group of the last call; -1 when there is none."""
        return self.calls[-1].group if self.calls else -1


def read_log(messages: Sequence[object]) -> Log:
    """The calls and results of a list. Raises InputError naming the position of what is no message."""
    calls: list[Call] = []
    results: list[Result] = []
    waiting: dict[str, Call] = {}
    group, follows = -1, False
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            remedy = "Pass the dicts that you send to the provider"
            raise InputError("messages", f"a {type(message).__name__}", remedy, place=f"message {position}")
        made = list(_calls(position, message))
        # Calls of OpenAI's Responses style stand alone; those next to each other are parallel.
        item = message.get("type") in CALL_ITEMS
        group += 1 if made and not (item and follows) else 0
        follows = item
        for place, tool, given in made:
            calls.append(Call(place, group, len(calls), tool, given))
            waiting[tool.id] = calls[-1]
        results += [_result(found, waiting) for found in _answers(position, message)]
    return Log(tuple(calls), tuple(results))


def plain_text(content: object) -> tuple[str, int]:
    """The text of a result's content, and how many blocks of it are no text."""
    match content:
        case None:
            return "", 0
        case str():
            return content, 0
        case Mapping() if "type" in content:
            blocks: Sequence[object] = [content]
        case list() | tuple():
            blocks = content
        case _:
            return json.dumps(content, ensure_ascii=False, default=str), 0
    texts = [text for block in blocks if (text := block_text(block)) is not None]
    return "\n".join(texts), len(blocks) - len(texts)


def block_text(block: object) -> str | None:
    """The text of a text block; None for any other."""
    if isinstance(block, str):
        return block
    if isinstance(block, Mapping) and block.get("type", "text") in TEXT_TYPES and isinstance(block.get("text"), str):
        return str(block["text"])
    return None


def blocks_of(message: Raw) -> Iterator[tuple[int, Raw]]:
    """The blocks of a message's content that are objects, with their index."""
    content = message.get("content")
    if isinstance(content, list | tuple):
        yield from ((index, block) for index, block in enumerate(content) if isinstance(block, Mapping))


def _calls(position: int, message: Raw) -> Iterator[tuple[Place, ToolCall, object]]:
    def parsed(key: str, index: int, identity: object, call: Raw) -> tuple[Place, ToolCall, object]:
        given = call.get("arguments", call.get("input"))
        tool = tool_call(identity, call.get("name"), given, source="messages", place=f"message {position}")
        return Place(position, key, index), tool, given

    if message.get("type") in CALL_ITEMS:
        yield parsed("arguments", WHOLE, message.get("call_id") or message.get("id"), message)
        return
    for index, block in blocks_of(message):
        if block.get("type") == "tool_use":
            yield parsed("content", index, block.get("id"), block)
    listed = message.get("tool_calls")
    for index, call in enumerate(listed if isinstance(listed, list | tuple) else ()):
        if isinstance(call, Mapping):
            function = call.get("function")
            yield parsed("tool_calls", index, call.get("id"), function if isinstance(function, Mapping) else call)
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield parsed("function_call", WHOLE, _legacy_id(legacy), legacy)


def _answers(position: int, message: Raw) -> Iterator[tuple[Place, str, Raw, object]]:
    """Place, id of the call, the object with the outcome, and the content of each result."""
    if message.get("type") in RESULT_ITEMS:
        yield Place(position, "output"), label(message.get("call_id")), message, message.get("output")
    elif message.get("role") in ("tool", "function"):
        identity = label(message.get("tool_call_id") or message.get("tool_use_id"))
        if not identity and message.get("role") == "function":
            identity = _legacy_id(message)
        yield Place(position, "content"), identity, message, message.get("content")
    else:
        for index, block in blocks_of(message):
            if block.get("type") == "tool_result":
                yield Place(position, "content", index), label(block.get("tool_use_id")), block, block.get("content")


def _result(found: tuple[Place, str, Raw, object], waiting: dict[str, Call]) -> Result:
    place, identity, holder, content = found
    fields = {key: value for key, value in holder.items() if key in ("is_error", "exit_code")}
    return Result(place, waiting.pop(identity, None), *plain_text(content), *from_fields(fields))


def _legacy_id(function: Raw) -> str:
    """Older function messages carry no id: the name links a result to the call before it."""
    return f"function:{label(function.get('name'))}"
