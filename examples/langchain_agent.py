"""A LangChain agent with a memory: what one thread learns, the next one knows. Its model is scripted.

pip install 'cfpm[langchain]', then: python langchain_agent.py [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from cfpm_adapters.langchain import CFPMMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

PROMPTS: list[list[BaseMessage]] = []
"""What the model was sent."""


class Model(GenericFakeChatModel):
    """Answers from a list; put your own model here."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """A scripted model needs no tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        PROMPTS.append(messages)
        return super()._generate(messages, *args, **options)


def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


def main(url: str) -> None:
    """Two threads of one agent."""
    call = {"name": "run_shell", "args": {"command": "make test"}, "id": "c1"}
    model = Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Noted."), AIMessage("It is 8081.")]))
    memory = CFPMMiddleware(url, namespace="user:kim", shells={"run_shell": "bash"})
    agent = create_agent(model, [run_shell], middleware=[memory], checkpointer=InMemorySaver())
    for thread, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        asked: Any = {"messages": [HumanMessage(text)]}
        done = agent.invoke(asked, {"configurable": {"thread_id": thread}})
        print(f"{thread}: {done['messages'][-1].text}")
    print(f"the model was told on tuesday:\n{PROMPTS[-1][0].text}")
    memory.companion.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}")
