"""Microsoft Agent Framework: a context provider and a middleware of functions. Extra `agent-framework`.

memory = Companion("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
agent = Agent(client, tools=[run_shell], context_providers=[CFPMContext(memory)], middleware=[CFPMGate(memory)])
await agent.run(text, session=agent.create_session())
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion, Raw, call_of, result_of

try:
    from agent_framework import (
        AgentSession,
        ContextProvider,
        FunctionInvocationContext,
        FunctionMiddleware,
        Message,
        SessionContext,
    )
except ImportError as error:
    raise MissingExtraError("The memory for Microsoft Agent Framework", "agent-framework") from error


class CFPMContext(ContextProvider):
    """Recalls into the instructions before a run, learns from it after; the session is the agent's."""

    def __init__(self, memory: Companion) -> None:
        super().__init__("cfpm")
        self.companion = memory

    async def before_run(self, *, agent: Any, session: AgentSession, context: SessionContext, state: Any) -> None:
        """What is known on what is asked, in the instructions of this run alone."""
        asked = messages_of(context.input_messages)
        block = await asyncio.to_thread(self.companion.told, asked, session=session.session_id)
        if block:
            context.extend_instructions(self.source_id, block)

    async def after_run(self, *, agent: Any, session: AgentSession, context: SessionContext, state: Any) -> None:
        """Learns what was asked, done and answered."""
        said = [*context.input_messages, *(context.response.messages if context.response else ())]
        await asyncio.to_thread(self.companion.learn, messages_of(said), session=session.session_id)


class CFPMGate(FunctionMiddleware):
    """The gate before shell tools."""

    def __init__(self, memory: Companion) -> None:
        self.companion = memory

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """The call with the command that the gate gives."""
        given = context.arguments
        fields: Mapping[str, Any] = given if isinstance(given, Mapping) else given.model_dump()
        session = context.session.session_id if context.session else ""
        run = await asyncio.to_thread(self.companion.gated, context.function.name, fields, session=session)
        if run != fields:
            context.arguments = run if isinstance(given, Mapping) else given.model_copy(update=run)
        await call_next()


def messages_of(messages: Iterable[Message]) -> list[Raw]:
    """The messages as dicts, with their calls and results."""
    found: list[Raw] = []
    for one in messages:
        if one.text:
            found.append({"role": str(one.role), "content": one.text})
        for part in one.contents:
            if part.type == "function_call":
                found.append(call_of(part.name or "", part.arguments or {}, part.call_id or ""))
            elif part.type == "function_result":
                failed = True if part.exception else None
                found.append(result_of(part.call_id or "", str(part.result or part.exception or ""), failed=failed))
    return found
