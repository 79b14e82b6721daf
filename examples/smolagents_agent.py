"""An agent of smolagents with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[smolagents]', then: python smolagents_agent.py [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from cfpm_adapters import Companion
from cfpm_adapters.smolagents import remembering
from smolagents import ChatMessage, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

COMMAND = "make test"
PROMPTS: list[str] = []
"""The system prompts that the model was sent."""


class Scripted(Model):
    """Calls the shell once, then answers; put your own model here."""

    def generate(self, messages: list[ChatMessage], *args: Any, **options: Any) -> ChatMessage:
        """One answer, as a call."""
        PROMPTS.append(str(messages[0].content))
        shell = ("run_shell", {"command": COMMAND})
        name, arguments = shell if len(PROMPTS) == 1 else ("final_answer", {"answer": "Noted."})
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=f"c{len(PROMPTS)}", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


@tool
def run_shell(command: str) -> str:
    """Runs a command.

    Args:
        command: what to run
    """
    print(f"ran: {command}")
    return "exit status 0"


def main(url: str) -> None:
    """Two sessions of one agent."""
    PROMPTS.clear()
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        agent = ToolCallingAgent(tools=[run_shell], model=Scripted(), verbosity_level=0)
        print(f"{session}: {remembering(agent, memory, session=session).run(text)}")
    told = PROMPTS[-1].partition("<<<CFPM")
    print(f"the model was told on tuesday:\n{told[1]}{told[2]}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}")
