"""The OpenAI Agents SDK: a session that learns, an input filter that recalls, tools behind the gate. Extra
`openai-agents`.

    memory = Companion("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
    agent = Agent("helper", tools=gated_tools([run_shell], memory))
    config = RunConfig(call_model_input_filter=recalling(memory, "chat-1"))
    await Runner.run(agent, text, session=CFPMSession(memory, "chat-1"), run_config=config)

What the session keeps stays whole; a compaction is made for the model's call alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion, call_of, result_of, with_block

try:
    from agents import FunctionTool, SQLiteSession, Tool
    from agents.items import TResponseInputItem
    from agents.memory import Session, SessionSettings
    from agents.run_config import CallModelData, ModelInputData
    from agents.tool_context import ToolContext
except ImportError as error:
    raise MissingExtraError("The adapter for OpenAI Agents", "openai-agents") from error

_TEXTS = ("input_text", "output_text", "text")


class CFPMSession:
    """Any session of the SDK with a memory beside it: `inner` keeps the items, by default in this process."""

    session_settings: SessionSettings | None = None

    def __init__(self, memory: Companion, session_id: str, inner: Session | None = None) -> None:
        self.memory = memory
        self.session_id = session_id
        self.inner: Session = inner or SQLiteSession(session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items as they were kept."""
        kept: list[TResponseInputItem] = await self.inner.get_items(limit)
        return kept

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keeps the items, and learns from the history."""
        await self.inner.add_items(items)
        history = messages_of(await self.inner.get_items())
        await asyncio.to_thread(self.memory.learn, history, session=self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the last item back; what was learnt stays, see `cfpm erase`."""
        return await self.inner.pop_item()

    async def clear_session(self) -> None:
        """Empties the session; what was learnt stays, see `cfpm erase`."""
        await self.inner.clear_session()


def recalling(
    memory: Companion, session_id: str = "default"
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig(call_model_input_filter=...)`: what is known behind the instructions, and the input within the
    window."""

    async def prepared(data: CallModelData[Any]) -> ModelInputData:
        return await asyncio.to_thread(_prepared, memory, data.model_data, session_id)

    return prepared


def gated_tools(tools: Iterable[Tool], memory: Companion) -> list[Tool]:
    """The tools, those that run shell commands (`Companion.shells`) behind the gate. The originals are not changed."""
    return [_gated(tool, memory) if _is_shell(tool, memory) else tool for tool in tools]


def messages_of(items: Sequence[TResponseInputItem]) -> list[dict[str, Any]]:
    """The items as chat messages; reasoning is left out."""
    return [message for item in items for message in _message(item)]


def _prepared(memory: Companion, data: ModelInputData, session: str) -> ModelInputData:
    history = [_message(item) for item in data.input]
    block = memory.told([part for parts in history for part in parts], session=session)
    instructions = (with_block(data.instructions, block) or None) if block else data.instructions
    items = data.input
    if (view := memory.view(history, session=session)) is not None:
        items = [items[one] if isinstance(one, int) else _note(one) for one in view]
    return ModelInputData(input=items, instructions=instructions)


def _message(item: Any) -> list[dict[str, Any]]:
    found: Mapping[str, Any] = item if isinstance(item, Mapping) else item.model_dump(exclude_none=True)
    match found.get("type") or "message":
        case "message":
            role = "system" if found.get("role") == "developer" else str(found.get("role"))
            return [{"role": role, "content": _text(found.get("content"))}]
        case "function_call":
            return [call_of(found["name"], found["arguments"], found["call_id"])]
        case "function_call_output":
            return [result_of(found["call_id"], _text(found.get("output")))]
    return []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, default=str)
    parts = (part for part in content if isinstance(part, Mapping) and part.get("type") in _TEXTS)
    return "\n".join(str(part.get("text", "")) for part in parts)


def _note(message: Mapping[str, Any]) -> TResponseInputItem:
    """What a compaction wrote, as an item of this library."""
    text = str(message.get("content") or "")
    if message.get("role") == "assistant":
        return {"role": "assistant", "content": text}
    return {"role": "user", "content": text}


def _is_shell(tool: Tool, memory: Companion) -> bool:
    return isinstance(tool, FunctionTool) and tool.name in memory.shells


def _gated(tool: Tool, memory: Companion) -> Tool:
    assert isinstance(tool, FunctionTool)  # of `_is_shell`
    inner = tool.on_invoke_tool

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            # The tool itself says what is wrong with them.
            return await inner(context, arguments)
        if isinstance(given, dict):
            run = await asyncio.to_thread(memory.gated, tool.name, given, call_id=context.tool_call_id)
            arguments = arguments if run == given else json.dumps(run)
        return await inner(context, arguments)

    return replace(tool, on_invoke_tool=invoke)
