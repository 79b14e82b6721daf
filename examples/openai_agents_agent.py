"""An agent of the OpenAI Agents SDK with a memory. With the SDK's scripted model, so it needs no key.

pip install 'cfpm[openai-agents]', then: python openai_agents_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from cfpm_adapters import Companion
from cfpm_adapters.openai_agents import CFPMSession, gated_tools, recalling


@function_tool
def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


async def main(url: str) -> None:
    """Two sessions of one agent."""
    call = function_call("run_shell", {"command": "make test"}, call_id="c1")
    model = ScriptedModel([[call], [assistant_message("Noted.")], [assistant_message("It is 8081.")]])
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    agent = Agent("helper", instructions="Be brief.", model=model, tools=gated_tools([run_shell], memory))
    for name, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        config = RunConfig(call_model_input_filter=recalling(memory, name), tracing_disabled=True)
        done = await Runner.run(agent, text, session=CFPMSession(memory, name), run_config=config)
        print(f"{name}: {done.final_output}")
    assert model.last_call is not None
    print(f"the model was told on tuesday:\n{model.last_call.system_instructions}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
