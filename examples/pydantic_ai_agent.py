"""A Pydantic AI agent with a memory. With the library's function model, so it needs no key.

pip install 'cfpm[pydantic-ai]', then: python pydantic_ai_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from cfpm_adapters.pydantic_ai import CFPMMemory
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

TOLD: list[str] = []
"""The instructions that the model was sent."""


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answers by a script; put your own model here."""
    TOLD.append(info.instructions or "")
    if "8081" in TOLD[-1]:
        return ModelResponse(parts=[TextPart("It is 8081.")])
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("run_shell", {"command": "make test"}, "c1")])
    return ModelResponse(parts=[TextPart("Noted.")])


async def main(url: str) -> None:
    """Two conversations of one agent."""
    memory = CFPMMemory(url, namespace="user:kim", shells={"run_shell": "bash"})
    agent = Agent(FunctionModel(model), instructions="Be brief.", capabilities=[memory])

    @agent.tool_plain
    def run_shell(command: str) -> str:
        """Runs a command."""
        print(f"ran: {command}")
        return "exit status 0"

    for name, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        done = await agent.run(text, conversation_id=name)
        print(f"{name}: {done.output}")
    print(f"the model was told on tuesday:\n{TOLD[-1]}")
    memory.companion.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
