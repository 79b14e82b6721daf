"""Histories that several rows are tried on; no rule is tested here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cfpm.context.history import Raw

WIDE = 200_000


def turn(number: int, *, agent: str = "", output: str = "") -> list[dict[str, Any]]:
    """What a user asks, one call with its result, and the answer."""
    arguments = json.dumps({"command": f"cat recipes/loaf_{number}.md"})
    call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
    named = {"name": agent} if agent else {}
    return [
        {"role": "user", "content": f"Please read recipe number {number} and tell me how hot the oven has to be."},
        {"role": "assistant", "content": None, "tool_calls": [call], **named},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output or f"Bake it for {number} minutes.\n" * 8},
        {"role": "assistant", "content": f"Loaf {number} needs 230 degrees and a stone.", **named},
    ]


def turns(count: int) -> list[Raw]:
    return [message for number in range(count) for message in turn(number)]


def chat(count: int, words: int = 12) -> list[Raw]:
    """So many messages, without calls."""
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": f"Part {number}: " + "flour " * words} for number in range(count)]
