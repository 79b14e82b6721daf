"""Google's Agent Development Kit: a plugin. Extra `google-adk`.

    memory = CFPMPlugin("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
    runner = Runner(app=App(name="app", root_agent=agent, plugins=[memory]), session_service=service)

What the session service keeps stays as it is: what is known goes into the instructions of a request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion, Raw, call_of, result_of

try:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events.event import Event
    from google.adk.models.llm_request import LlmRequest
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
except ImportError as error:
    raise MissingExtraError("The plugin for Google ADK", "google-adk") from error


class CFPMPlugin(BasePlugin):
    """Recalls before each model call, asks the gate before shell tools, learns after each run.

    The options are those of `Companion`: `namespace`, `max_tokens`, `shells` and others.
    """

    def __init__(self, memory: str | Companion, **options: Any) -> None:
        super().__init__("cfpm")
        self.companion = Companion(memory, **options) if isinstance(memory, str) else memory

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """What is known on the user's message, behind the instructions."""
        session = callback_context.session
        history = messages_of(session.events)
        if block := await asyncio.to_thread(self.companion.told, history, session=session.id):
            llm_request.append_instructions([block])

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """The arguments of a shell tool with the command that the gate gives."""
        session, call_id = tool_context.session.id, tool_context.function_call_id or ""
        run = await asyncio.to_thread(self.companion.gated, tool.name, tool_args, session=session, call_id=call_id)
        # In place: a dict that is returned would be the result of the call.
        tool_args.update(run)

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Learns from the whole session; what is known already is left alone."""
        session = invocation_context.session
        await asyncio.to_thread(self.companion.learn, messages_of(session.events), session=session.id)


def messages_of(events: Iterable[Event]) -> list[Raw]:
    """The events as dicts, with their calls and results; thoughts are left out."""
    found: list[Raw] = []
    for event in events:
        for place, part in enumerate((event.content.parts if event.content else None) or ()):
            name = f"{event.id}/{place}"
            if part.text and not part.thought:
                role = "user" if event.author == "user" else "assistant"
                found.append({"role": role, "content": part.text, "id": name})
            elif (call := part.function_call) is not None:
                found.append(call_of(call.name or "", call.args or {}, call.id or name))
            elif (answer := part.function_response) is not None:
                given = answer.response or {}
                text = given.get("result", given.get("error", given))
                found.append(result_of(answer.id or name, str(text), failed=True if "error" in given else None))
    return found
