"""InterCode: shell and Python steps with a verdict each. A step that was invalid must never be a verified action.

The extractor does not see the verdicts: it gets the actions and what they printed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extraction.conversation import Conversation, Extractor
from benchmarks.extraction.measures.agent_logs import VERIFIED, of_category, share, shown
from benchmarks.extraction.result import Example, Result, Row
from cfpm import Message
from cfpm.model import Role, ToolCall, ToolResult

SET = "InterCode"


@dataclass(frozen=True, slots=True)
class Run:
    """One task with the ids of the results that were invalid, and of those that solved it (reward 1)."""

    conversation: Conversation
    invalid: frozenset[str]
    solved: frozenset[str]


def measure(data: Path, extractor: Extractor) -> Result | None:
    """A claim of the agent is judged by the step before it."""
    counts: Counter[str] = Counter()
    examples: list[Example] = []
    for run in runs(data):
        counts["invalid"] += len(run.invalid)
        counts["solved"] += len(run.solved)
        verified: set[str] = set()
        for item in of_category(extractor(run.conversation), VERIFIED):
            steps = {_result_of(source) for source in item.sources}
            verified |= steps
            counts["verified"] += 1
            if steps & run.invalid:
                counts["wrong"] += 1
                where = f"{run.conversation.session}#{item.sources[0]}"
                examples.append(Example(SET, "junk", shown(item.text), "the step was invalid", where))
        counts["invalid verified"] += len(verified & run.invalid)
        counts["solved verified"] += len(verified & run.solved)
    return Result(_rows(counts), tuple(examples)) if counts else None


def runs(data: Path) -> Iterator[Run]:
    """The runs of all files; the id of a step's action is `a` and its number, that of its result `r` and the number."""
    for path in sorted((data / "transcripts" / "intercode" / "data" / "results").rglob("*.json")):
        tasks = json.loads(path.read_text(encoding="utf-8"))
        for name, task in tasks.items():
            if isinstance(task, dict) and "turn_history" in task:
                yield _run(f"{path.stem}/{name}", task)


def _run(session: str, task: dict[str, Any]) -> Run:
    history = task["turn_history"]
    tool = str(task.get("environment", "")).removeprefix("ic_") or "bash"
    argument = "command" if tool == "bash" else "input"
    steps = list(zip(history["actions"], history["observations"], strict=False))
    thoughts = history.get("thoughts") or [""] * len(steps)
    messages = [Message(Role.USER, task["query"], "q")]
    for n, (action, observation) in enumerate(steps):
        call = ToolCall(f"c{n}", tool, {argument: str(action).removeprefix("execute[").removesuffix("]")})
        thought = str(thoughts[n] or "") if n < len(thoughts) else ""
        messages.append(Message(Role.ASSISTANT, thought, f"a{n}", tool_calls=(call,)))
        messages.append(Message(Role.TOOL, str(observation), f"r{n}", tool_result=ToolResult(call.id)))
    valid, rewards = history["valid_action"], history["rewards"]
    return Run(
        Conversation(session, tuple(messages)),
        frozenset(f"r{n}" for n in range(len(steps)) if n < len(valid) and valid[n] is False),
        frozenset(f"r{n}" for n in range(len(steps)) if n < len(rewards) and rewards[n] == 1),
    )


def _result_of(source: str) -> str:
    """The result that a prediction rests on: the one it cites, or the last before the thought that it cites."""
    return f"r{int(source[1:]) - 1}" if source.startswith("a") else source


def _rows(n: Counter[str]) -> tuple[Row, ...]:
    return (
        Row(
            SET,
            "verified actions of an invalid step",
            share(n["wrong"], n["verified"]) or 0.0,
            n["verified"],
            0.01,
            at_least=False,
        ),
        Row(
            SET,
            "invalid steps recorded as verified",
            share(n["invalid verified"], n["invalid"]),
            n["invalid"],
            0.01,
            at_least=False,
        ),
        Row(SET, "steps of reward 1 recorded as verified", share(n["solved verified"], n["solved"]), n["solved"]),
    )
