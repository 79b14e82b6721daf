"""AutoGen: a memory of an agent. Extra `autogen`.

    memory = Companion("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
    known, tools = CFPMMemory(memory, "chat-1"), [memory.around(run_shell)]
    agent = AssistantAgent("helper", model_client=client, memory=[known], tools=tools)

    await known.learn(await agent.run(task=text))

AutoGen asks a memory before each answer, and tells it nothing of what came after: `learn` takes what a run gave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from cfpm.errors import MissingExtraError, UsageError
from cfpm.model.markers import BLOCK_OPEN
from cfpm_adapters.companion import Companion, Raw, call_of, result_of

try:
    from autogen_agentchat.base import TaskResult
    from autogen_core import CancellationToken
    from autogen_core.memory import (
        Memory,
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import SystemMessage
except ImportError as error:
    raise MissingExtraError("The memory for AutoGen", "autogen") from error


class CFPMMemory(Memory):
    """One block in the context, anew for each question; all else in it stays."""

    def __init__(self, memory: Companion, session: str = "default") -> None:
        self.companion = memory
        self.session = session

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Puts what is known on the newest question into the context, in the place of what was told before."""
        state: dict[str, Any] = dict(await model_context.save_state())
        messages = list(state.get("messages", ()))
        kept = [one for one in messages if not _is_ours(one)]
        history = [part for one in kept for part in _plain(one)]
        block = await asyncio.to_thread(self.companion.told, history, session=self.session)
        await asyncio.to_thread(self.companion.learn, history, session=self.session)
        if len(kept) < len(messages):
            await model_context.load_state({**state, "messages": kept})
        if block:
            await model_context.add_message(SystemMessage(content=block))
        return UpdateContextResult(memories=_result(block))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """What is known on a question, as one block."""
        text = query if isinstance(query, str) else str(query.content)
        return _result(await asyncio.to_thread(self.companion.block, text, session=self.session))

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Learns from a text: the agent's, unless `metadata` has another `role`."""
        role = str((content.metadata or {}).get("role", "assistant"))
        said = [{"role": role, "content": str(content.content)}]
        await asyncio.to_thread(self.companion.learn, said, session=self.session)

    async def learn(self, result: TaskResult) -> None:
        """Learns from a run: what was asked, done and answered; what is known already is left alone."""
        said = [part for one in result.messages for part in _of_run(one.model_dump())]
        await asyncio.to_thread(self.companion.learn, said, session=self.session)

    async def clear(self) -> None:
        """Raises UsageError: what was learnt is not an agent's to throw away."""
        raise UsageError("clear", "a memory is not emptied by its agent", "Use `cfpm erase` or `memory.rollback`")

    async def close(self) -> None:
        """Lets go of the store; the next call opens it again."""
        await asyncio.to_thread(self.companion.close)


def _result(block: str) -> MemoryQueryResult:
    found = [MemoryContent(content=block, mime_type=MemoryMimeType.TEXT)] if block else []
    return MemoryQueryResult(results=found)


def _is_ours(message: Mapping[str, Any]) -> bool:
    return message.get("type") == "SystemMessage" and str(message.get("content")).startswith(BLOCK_OPEN)


def _of_run(message: Mapping[str, Any]) -> list[Raw]:
    """The dicts that stand for a message or an event of a run."""
    content, user = message.get("content"), message.get("source") == "user"
    match message.get("type"):
        case "TextMessage":
            return [{"role": "user" if user else "assistant", "content": str(content)}]
        case "ToolCallRequestEvent":
            return _plain({"type": "AssistantMessage", "content": content})
        case "ToolCallExecutionEvent":
            return _plain({"type": "FunctionExecutionResultMessage", "content": content})
    return []


def _plain(message: Mapping[str, Any]) -> list[Raw]:
    """The dicts that stand for a message of a saved context."""
    content = message.get("content")
    match message.get("type"):
        case "UserMessage":
            parts = content if isinstance(content, list) else [content]
            return [{"role": "user", "content": "\n".join(part for part in parts if isinstance(part, str))}]
        case "AssistantMessage" if isinstance(content, list):
            return [call_of(call["name"], call["arguments"], call["id"]) for call in content]
        case "AssistantMessage":
            return [{"role": "assistant", "content": str(content)}]
        case "FunctionExecutionResultMessage":
            results = content if isinstance(content, list) else []
            return [result_of(one["call_id"], str(one["content"]), failed=one.get("is_error")) for one in results]
    return []
