"""An agent of the Claude Agent SDK with a memory: what one session learns, the next one knows. Needs Anthropic's key.

pip install 'cfpm[claude-agent-sdk]', then: python claude_sdk_agent.py [DATABASE]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from cfpm_adapters.claude_sdk import cfpm_hooks
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from cfpm import Memory, utc_now


async def main(url: str) -> None:
    """Two sessions of one agent."""
    with Memory.open(url, namespace="user:kim", clock=utc_now) as memory:
        options = ClaudeAgentOptions(hooks=cfpm_hooks(memory), setting_sources=[], allowed_tools=["Bash"])
        for name, text in (
            ("monday", "We use port 8081 for staging. RUN: echo hello"),
            ("tuesday", "Which port does staging use?"),
        ):
            async for message in query(prompt=text, options=options):
                if isinstance(message, ResultMessage):
                    print(f"{name}: {message.result}")
        print("learnt:", *(fact.content for fact in memory.facts()), sep="\n- ")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'memory.db'}"))
