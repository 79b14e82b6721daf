"""An agent of Google's ADK with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[google-adk]', then: python google_adk_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from cfpm_adapters.google_adk import CFPMPlugin
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, FunctionCall, Part

COMMAND = "make test"
PROMPTS: list[str] = []
"""The instructions that the model was sent."""


class Model(BaseLlm):
    """Calls the shell once, then answers; put your own model here."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One answer."""
        PROMPTS.append(str(llm_request.config.system_instruction))
        call = Part(function_call=FunctionCall(name="run_shell", args={"command": COMMAND}))
        part = call if len(PROMPTS) == 1 else Part(text="Noted.")
        yield LlmResponse(content=Content(role="model", parts=[part]))


def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


async def main(url: str) -> None:
    """Two sessions of one agent."""
    PROMPTS.clear()
    memory = CFPMPlugin(url, namespace="user:kim", shells={"run_shell": "bash"})
    agent = LlmAgent(name="helper", model=Model(model="scripted"), tools=[run_shell])
    sessions = InMemorySessionService()
    runner = Runner(app=App(name="example", root_agent=agent, plugins=[memory]), session_service=sessions)
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        await sessions.create_session(app_name="example", user_id="kim", session_id=session)
        asked = Content(role="user", parts=[Part(text=text)])
        async for event in runner.run_async(user_id="kim", session_id=session, new_message=asked):
            if event.is_final_response() and event.content and event.content.parts:
                print(f"{session}: {event.content.parts[0].text}")
    print(f"the model was told on tuesday:\n{PROMPTS[-1]}")
    memory.companion.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
