"""Microsoft's Agent Framework with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[agent-framework]', then: python agent_framework_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from cfpm_adapters import Companion
from cfpm_adapters.agent_framework import CFPMContext, CFPMGate

COMMAND = "make test"
PROMPTS: list[str] = []
"""The instructions that the model was sent."""


class Model(FunctionInvocationLayer, BaseChatClient):
    """Calls the shell once, then answers; put your own client here."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool = False, options: Any = None, **more: Any
    ) -> Awaitable[ChatResponse]:
        PROMPTS.append(str((options or {}).get("instructions")))
        call = Content.from_function_call(call_id="c1", name="run_shell", arguments={"command": COMMAND})
        said: list[Any] = [call] if len(PROMPTS) == 1 else ["Noted."]

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", said)])

        return answer()


@tool(approval_mode="never_require")
def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


async def main(url: str) -> None:
    """Two sessions of one agent."""
    PROMPTS.clear()
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    known, gate = CFPMContext(memory), CFPMGate(memory)
    agent = Agent(Model(), tools=[run_shell], context_providers=[known], middleware=[gate])
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        done = await agent.run(text, session=agent.create_session(session_id=session))
        print(f"{session}: {done.text}")
    print(f"the model was told on tuesday:\n{PROMPTS[-1]}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
