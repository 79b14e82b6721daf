"""A host's loop around a memory: recall before the model is asked, observe after the turn. The agent is a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cfpm import Memory, utc_now

if TYPE_CHECKING:
    from collections.abc import Iterable

Message = dict[str, object]

TURNS: list[tuple[str, list[Message]]] = [
    (
        "Always deploy with `make stage`, never by hand. Please deploy the checkout.",
        [
            {
                "role": "assistant",
                "content": "I deploy it.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command": "make stage"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Exit code 2\nmake: *** [Makefile:31: stage] Error 7"},
            {"role": "assistant", "content": "I fixed the deployment, everything works now."},
        ],
    ),
    ("The staging port is 8081.", [{"role": "assistant", "content": "Then I use port 8081."}]),
    ("How do I deploy, and on which port?", [{"role": "assistant", "content": "With `make stage`, on port 8081."}]),
]


def agent(prompt: str, script: list[Message]) -> Iterable[Message]:
    """Stands for the model and its tools: a real one would get the prompt."""
    print(f"--- prompt of {len(prompt)} characters\n{prompt}\n", file=sys.stderr)
    return script


def run(url: str) -> None:
    """Plays all turns against the memory at `url`."""
    with Memory.open(url, namespace="project:shop", agent="deployer", clock=utc_now) as memory:
        for said, script in TURNS:
            context = memory.recall(said, max_tokens=600)
            answer = agent(f"{context.block}\n\n{said}", script)
            report = memory.observe([{"role": "user", "content": said}, *answer], session="example")
            print(f"{said!r}: {report.accepted} accepted, {report.rejected} rejected, {report.facts} facts")


if __name__ == "__main__":
    run(sys.argv[1] if len(sys.argv) > 1 else "sqlite://")
