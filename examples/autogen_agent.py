"""An agent of AutoGen with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[autogen]', then: python autogen_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelFamily, ModelInfo, RequestUsage
from cfpm_adapters import Companion
from cfpm_adapters.autogen import CFPMMemory

COMMAND = "make test"
PROMPTS: list[str] = []
"""What the model was sent."""


class Model(ChatCompletionClient):
    """Calls the shell once, then answers; put your own model here."""

    component_type = "model"

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        """One answer."""
        PROMPTS.append("\n".join(str(message.content) for message in messages))
        call = FunctionCall(id="c1", name="run_shell", arguments=json.dumps({"command": COMMAND}))
        content: str | list[FunctionCall] = [call] if len(PROMPTS) == 1 else "Noted."
        return CreateResult(finish_reason="stop", content=content, usage=RequestUsage(1, 1), cached=False)

    def create_stream(self, *args: Any, **options: Any) -> AsyncGenerator[str | CreateResult, None]:
        """It has only whole answers."""
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is open."""

    def actual_usage(self) -> RequestUsage:
        """Not counted."""
        return RequestUsage(0, 0)

    def total_usage(self) -> RequestUsage:
        """Not counted."""
        return RequestUsage(0, 0)

    def count_tokens(self, *args: Any, **options: Any) -> int:
        """Not counted."""
        return 0

    def remaining_tokens(self, *args: Any, **options: Any) -> int:
        """More than enough."""
        return 10_000

    @property
    def capabilities(self) -> ModelInfo:  # type: ignore[override, unused-ignore]
        """As `model_info`."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """It calls tools."""
        return ModelInfo(
            vision=False, function_calling=True, json_output=False, family=ModelFamily.UNKNOWN, structured_output=False
        )


def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


async def main(url: str) -> None:
    """Two sessions of one agent."""
    PROMPTS.clear()
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        known, tools = CFPMMemory(memory, session), [memory.around(run_shell)]
        agent = AssistantAgent("helper", model_client=Model(), memory=[known], tools=tools)
        done = await agent.run(task=text)
        await known.learn(done)
        print(f"{session}: {done.messages[-1].to_text()}")
    print(f"the model was told on tuesday:\n<<<{PROMPTS[-1].partition('<<<')[2]}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
