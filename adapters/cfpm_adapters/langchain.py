"""LangChain and LangGraph: a middleware for `create_agent`, over a memory. Extra `langchain`.

    agent = create_agent(model, tools, middleware=[CFPMMiddleware("sqlite:///memory.db", namespace="user:kim")])

The session is the thread's id. The state of the graph is never changed: what the model sees is made for each call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion, with_block

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
    from langgraph.config import get_config
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.runtime import Runtime
    from langgraph.types import Command
except ImportError as error:
    raise MissingExtraError("The LangChain middleware", "langchain") from error

from cfpm.transcript.sdk_objects import plain_messages

ToolAnswer: TypeAlias = "ToolMessage | Command[Any]"


class CFPMMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Recalls before each model call, asks the gate before shell tools, learns after each run.

    The options are those of `Companion`: `namespace`, `max_tokens`, `window`, `shells` and others.
    """

    def __init__(self, memory: str | Companion, **options: Any) -> None:
        super().__init__()
        self.companion = Companion(memory, **options) if isinstance(memory, str) else memory

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """The call with what is known behind the system message, and within the window."""
        return handler(self._prepared(request, _thread(request.runtime)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same without holding up the loop."""
        return await handler(await asyncio.to_thread(self._prepared, request, _thread(request.runtime)))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolAnswer]) -> ToolAnswer:
        """The call of a shell tool with the command that the gate gives."""
        return handler(self._gated(request, _thread(request.runtime)))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """The same without holding up the loop."""
        return await handler(await asyncio.to_thread(self._gated, request, _thread(request.runtime)))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Learns from the whole history; what is known already is left alone."""
        self.companion.learn(state["messages"], session=_thread(runtime))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """The same without holding up the loop."""
        await asyncio.to_thread(self.companion.learn, list(state["messages"]), session=_thread(runtime))

    def _prepared(self, request: ModelRequest[Any], session: str) -> ModelRequest[Any]:
        messages = request.messages
        history = [plain_messages([one]) for one in messages]
        if block := self.companion.told([part for parts in history for part in parts], session=session):
            system = request.system_message
            told = SystemMessage(with_block(system.text if system else None, block))
            request = request.override(system_message=told)
        if (view := self.companion.view(history, session=session)) is not None:
            kept = [messages[one] if isinstance(one, int) else _note(one) for one in view]
            request = request.override(messages=kept)
        return request

    def _gated(self, request: ToolCallRequest, session: str) -> ToolCallRequest:
        call = request.tool_call
        arguments = self.companion.gated(call["name"], call["args"], session=session, call_id=call["id"] or "")
        if arguments == call["args"]:
            return request
        return request.override(tool_call={**call, "args": arguments})


def _thread(runtime: Any) -> str:
    info = getattr(runtime, "execution_info", None)
    found = getattr(info, "thread_id", None)
    if found is None:
        try:
            found = get_config().get("configurable", {}).get("thread_id")
        except RuntimeError:
            found = None
    return str(found or "default")


def _note(message: Mapping[str, Any]) -> AnyMessage:
    """What a compaction wrote, as a message of this library."""
    text = str(message.get("content") or "")
    return AIMessage(text) if message.get("role") == "assistant" else HumanMessage(text)
