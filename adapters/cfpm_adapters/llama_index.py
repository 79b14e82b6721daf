"""LlamaIndex: a memory block. Extra `llama-index`.

    known = CFPMBlock(companion=Companion("sqlite:///memory.db", namespace="user:kim"))
    memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[known], insert_method=InsertMethod.SYSTEM)
    agent = FunctionAgent(tools=[companion.around(run_shell)], llm=llm)
    await agent.run(text, memory=memory)

LlamaIndex hands a block only what it moves out of its short-term memory, so the block also learns from the history that
it is asked with: of a chat that ends, all but its last answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Raw, call_of, result_of

try:
    from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    raise MissingExtraError("The memory block for LlamaIndex", "llama-index") from error


class CFPMBlock(BaseMemoryBlock[str]):
    """Recalls with each question, and learns from what was said."""

    name: str = "cfpm"
    companion: Any = Field(exclude=True)
    """A `Companion`."""

    async def _aget(self, messages: list[ChatMessage] | None = None, **options: Any) -> str:
        session, history = str(options.get("session_id") or "default"), messages_of(_without_repeat(messages or ()))
        found: str = await asyncio.to_thread(self.companion.told, history, session=session)
        await asyncio.to_thread(self.companion.learn, history, session=session)
        return found

    async def _aput(self, messages: list[ChatMessage]) -> None:
        sessions = [str(one.additional_kwargs.get("session_id") or "default") for one in messages]
        for session in dict.fromkeys(sessions):
            of_it = [one for one, its in zip(messages, sessions, strict=True) if its == session]
            await asyncio.to_thread(self.companion.learn, messages_of(of_it), session=session)


def _without_repeat(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """The messages without the running question at their end, where they hold it already: an agent adds it to each of
    its requests."""
    asked = [one for one in messages if one.role.value == "user"]
    repeats = len(asked) > 1 and messages[-1] is asked[-1] and asked[-1].content == asked[-2].content
    return messages[:-1] if repeats else messages


def messages_of(messages: Sequence[ChatMessage]) -> list[Raw]:
    """The messages as dicts, with their calls and results."""
    found: list[Raw] = []
    for one in messages:
        if (call_id := one.additional_kwargs.get("tool_call_id")) is not None:
            found.append(result_of(str(call_id), one.content or ""))
            continue
        if one.content:
            found.append({"role": one.role.value, "content": one.content})
        calls = [block for block in one.blocks if isinstance(block, ToolCallBlock)]
        found += [call_of(call.tool_name, call.tool_kwargs, call.tool_call_id or "") for call in calls]
    return found
