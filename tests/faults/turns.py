"""The turns that the fault tests observe: each has new facts, one that was said before, and a tool result."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from cfpm import Memory, Settings

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = 4
"""In every turn."""

QUICK = Settings(durability="normal", max_pairs_per_turn=0)
"""A killed process loses nothing with it, and a control that nobody kills need not wait for the disk. No pairs: see
`conftest.py`."""


def turn(number: int, session: str = "s") -> list[dict[str, Any]]:
    """The messages of turn `number`, dated, with the host's ids."""
    minute = f"2026-03-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}"
    name = f"{session}-{number}"
    function = {"name": "bash", "arguments": json.dumps({"command": f"pytest tests/test_{number}.py"})}
    calls = [{"id": f"call-{name}", "type": "function", "function": function}]
    chat: list[dict[str, Any]] = [
        {
            "role": "user",
            "content": f"Always log the order number {number}. I prefer tabs. The port is {8000 + number}.",
        },
        {"role": "assistant", "content": "I run the checks.", "tool_calls": calls},
        {"role": "tool", "content": f"{number + 1} passed in 0.1s", "tool_call_id": f"call-{name}", "exit_code": 0},
        {
            "role": "assistant",
            "content": f"Fixed the rounding of invoice {number}. We decided to keep table {number // 3}.",
        },
    ]
    return [{**message, "id": f"{name}-{at}", "created_at": f"{minute}:{at:02d}Z"} for at, message in enumerate(chat)]


def undisturbed(turns: int) -> str:
    """The export of a memory that observed the same turns without any fault."""
    with Memory.open("sqlite://", settings=QUICK) as memory:
        for number in range(turns):
            memory.observe(turn(number), session="s")
        return exported(memory)


def exported(memory: Memory) -> str:
    """The canonical export."""
    out = io.StringIO()
    memory.export(out)
    return out.getvalue()


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def unsound(memory: Memory) -> list[str]:
    """What the doctor complains of; a disk that is nearly full is not the store's fault."""
    return [f"{check.name}: {check.detail}" for check in memory.doctor() if not check.ok and check.name != "disk"]
