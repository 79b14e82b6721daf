"""Rows of the design documents that the MCP server closes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.mcp.memories import Served

from cfpm import Memory, utc_now

pytest.importorskip("mcp")

from cfpm_adapters.mcp.server import build
from mcp import Client

pytestmark = pytest.mark.slow


def _call(url: str, tool: str, **arguments: Any) -> Any:
    async def run() -> Any:
        async with Client(build(Served(url))) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = f"sqlite:///{tmp_path / 'memory.db'}"
    turns = [
        {"role": role, "content": f"{text} {number}"}
        for number in range(20)
        for role, text in (("user", "Please rename module"), ("assistant", "I renamed module"))
    ]
    with Memory.open(found, clock=utc_now) as memory:
        memory.observe(turns, session="s1")
    return found


def test_row_2_27_the_agent_calls_compact_conversation(url: str) -> None:
    done = _call(url, "compact_conversation", session="s1", max_tokens=600)
    assert "<<<CFPM_CHECKPOINT_V1" in done.content[0].text
    with Memory.open(url, read_only=True) as memory:
        rows = memory.store.log.messages("default", session="s1")
    assert any(row.message.text.startswith("[CFPM_COMPACTION_V1]") for row in rows)


def test_row_4_8_a_recalled_turn_can_be_opened_by_its_id(url: str) -> None:
    found = _call(url, "recall", query="Which module 7 was renamed?").structured_content["items"]
    name = next(item["id"] for item in found if item["kind"] == "turn")
    opened = _call(url, "open", id=name).structured_content
    assert opened["kind"] == "message"
    assert "module" in opened["block"]
