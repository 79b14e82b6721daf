"""Pydantic AI: a capability over a memory. Extra `pydantic-ai`.

    agent = Agent(model, capabilities=[CFPMMemory("sqlite:///memory.db", namespace="user:kim")])

The session is the conversation's id. The history of the run stays whole: a compaction is made for the model's request
alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion

try:
    from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, RunContext, TextPart, UserPromptPart
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
except ImportError as error:
    raise MissingExtraError("The capability for Pydantic AI", "pydantic-ai") from error

from cfpm.errors import InputError
from cfpm.transcript.sdk_objects import Raw, plain_messages


class CFPMMemory(AbstractCapability[Any]):
    """Recalls into the instructions, asks the gate before shell tools, learns after each run.

    The options are those of `Companion`: `namespace`, `max_tokens`, `window`, `shells` and others.
    """

    def __init__(self, memory: str | Companion, **options: Any) -> None:
        self.companion = Companion(memory, **options) if isinstance(memory, str) else memory

    def get_instructions(self) -> Callable[[RunContext[Any]], Awaitable[str]]:
        """What is known on the run's prompt; the same for all of its steps."""

        async def remembered(context: RunContext[Any]) -> str:
            session, turn = _session(context), context.run_id
            return await asyncio.to_thread(self.companion.block, _asked(context), session=session, turn=turn)

        return remembered

    async def before_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        """The arguments of a shell tool with the command that the gate gives."""
        return await _gated(self.companion, call.tool_name, args, ctx)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request within the window."""
        messages = request_context.messages
        history = [_plain(message) for message in messages]
        view = await asyncio.to_thread(self.companion.view, history, session=_session(ctx))
        if view is None:
            return request_context
        kept = [messages[one] if isinstance(one, int) else _note(one) for one in view]
        return replace(request_context, messages=kept)

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Learns from the whole history; what is known already is left alone."""
        history = [part for message in result.all_messages() for part in _plain(message)]
        await asyncio.to_thread(self.companion.learn, history, session=_session(ctx))
        return result


class GatedToolset(WrapperToolset[Any]):
    """The gate before the shell tools of any toolset, such as an MCP server's."""

    def __init__(self, wrapped: AbstractToolset[Any], memory: Companion) -> None:
        super().__init__(wrapped)
        self.memory = memory

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """The call with the command that the gate gives."""
        return await super().call_tool(name, await _gated(self.memory, name, tool_args, ctx), ctx, tool)


async def _gated(memory: Companion, tool: str, args: dict[str, Any], ctx: RunContext[Any]) -> dict[str, Any]:
    session, call_id = _session(ctx), ctx.tool_call_id or ""
    return await asyncio.to_thread(memory.gated, tool, args, session=session, call_id=call_id)


def _session(context: RunContext[Any]) -> str:
    return context.conversation_id or "default"


def _asked(context: RunContext[Any]) -> str:
    prompt = context.prompt
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    return "\n".join(part for part in prompt if isinstance(part, str))


def _plain(message: ModelMessage) -> list[Raw]:
    """The dicts that stand for a message; none for one without speech, such as one of instructions alone."""
    try:
        return plain_messages([message])
    except InputError:
        return []


def _note(message: Mapping[str, Any]) -> ModelMessage:
    """What a compaction wrote, as a message of this library."""
    text = str(message.get("content") or "")
    if message.get("role") == "assistant":
        return ModelResponse(parts=[TextPart(text)])
    return ModelRequest(parts=[UserPromptPart(text)])
