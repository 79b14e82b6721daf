"""An agent of LlamaIndex with a memory: what one session learns, the next one knows. Its model is scripted.

pip install 'cfpm[llama-index]', then: python llama_index_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cfpm_adapters import Companion
from cfpm_adapters.llama_index import CFPMBlock
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage, ChatResponse, ChatResponseAsyncGen, LLMMetadata, MockLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import InsertMethod, Memory

COMMAND = "make test"
PROMPTS: list[str] = []
"""What the model was sent."""


class Model(MockLLM):
    """Calls the shell once, then answers; put your own model here."""

    @property
    def metadata(self) -> LLMMetadata:
        """It calls tools."""
        return LLMMetadata(is_function_calling_model=True)

    async def astream_chat_with_tools(
        self, tools: Sequence[Any], chat_history: list[ChatMessage], **options: Any
    ) -> ChatResponseAsyncGen:
        """One answer, whole."""
        PROMPTS.append("\n".join(str(message.content) for message in chat_history))
        call = ToolCallBlock(tool_call_id="c1", tool_name="run_shell", tool_kwargs={"command": COMMAND})
        said = ChatMessage(role="assistant", content="Noted.")
        if len(PROMPTS) == 1:
            said = ChatMessage(role="assistant", blocks=[call])

        async def answer() -> ChatResponseAsyncGen:
            yield ChatResponse(message=said, raw={})

        return answer()

    def get_tool_calls_from_response(self, response: ChatResponse, **options: Any) -> list[ToolSelection]:
        """The calls of an answer."""
        return [
            ToolSelection(tool_id=one.tool_call_id or "", tool_name=one.tool_name, tool_kwargs=one.tool_kwargs)
            for one in response.message.blocks
            if isinstance(one, ToolCallBlock) and isinstance(one.tool_kwargs, dict)
        ]


def run_shell(command: str) -> str:
    """Runs a command."""
    print(f"ran: {command}")
    return "exit status 0"


async def main(url: str) -> None:
    """Two sessions of one agent."""
    PROMPTS.clear()
    memory = Companion(url, namespace="user:kim", shells={"run_shell": "bash"})
    agent = FunctionAgent(tools=[memory.around(run_shell)], llm=Model(max_tokens=None))
    for session, text in (
        ("monday", "We use port 8081 for staging. Always run the tests with `make test`."),
        ("tuesday", "Which port does staging use?"),
    ):
        known = CFPMBlock(companion=memory)
        kept = Memory.from_defaults(session_id=session, memory_blocks=[known], insert_method=InsertMethod.SYSTEM)
        print(f"{session}: {await agent.run(text, memory=kept)}")
    print(f"the model was told on tuesday:\n{PROMPTS[-1].partition('CFPM_MEMORY_V1>>>')[0]}")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
