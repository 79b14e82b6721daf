"""A crew of CrewAI with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[crewai]', then: python crewai_agent.py [DATABASE]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.update(OTEL_SDK_DISABLED="true", CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")

from cfpm_adapters import Companion
from cfpm_adapters.crewai import RememberingCrew
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

COMMAND = "make test"
PROMPTS: list[str] = []
"""What the model was sent."""


class Model(BaseLLM):
    """Calls the shell once, then answers; put your own model here."""

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        """One answer, in the form that CrewAI asks for."""
        PROMPTS.append("\n".join(str(one["content"]) for one in messages))
        if len(PROMPTS) == 1:
            return f"Thought: I run it.\nAction: run_shell\nAction Input: {json.dumps({'command': COMMAND})}"
        return "Thought: I know.\nFinal Answer: Noted."

    def supports_function_calling(self) -> bool:
        """It writes its calls as text."""
        return False


@tool("run_shell")
def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


def main(url: str) -> None:
    """Two runs of one crew."""
    PROMPTS.clear()
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    helper = Agent(role="helper", goal="help", backstory="a helper", llm=Model(model="scripted"), tools=[run_shell])
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        task = Task(description=text, expected_output="an answer", agent=helper)
        crew = RememberingCrew(Crew(agents=[helper], tasks=[task]), memory, session=session)
        print(f"{session}: {crew.kickoff().raw}")
    print(f"the model was told on tuesday:\n{PROMPTS[-1].partition('CFPM_MEMORY_V1>>>')[0]}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}")
