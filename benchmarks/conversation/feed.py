"""What is driven: a session of so many turns, made of one transcript or of several in a row, with answers of the user,
plans and todo lists planted in it. Drives nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.compaction.sessions import BUNDLED, PATTERNS, as_openai
from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cfpm.context.history import Raw
    from cfpm.model import Message

PLANTED_EVERY = 12
"""Every so many turns one is planted."""

TODOS, PLAN = "TodoWrite", "update_plan"
"""Tools that write a list of todos, and a plan."""


@dataclass
class Planted:
    """What must stand in every prompt after a compaction: all answers so far, and the open steps of the last lists."""

    answers: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    todos: list[str] = field(default_factory=list)

    def expected(self) -> list[str]:
        """The words to look for."""
        return [*self.answers, *self.plan, *self.todos]


def transcript(data: Path | None, file: Path | None, turns: int) -> tuple[str, list[list[Raw]]]:
    """What the transcript is called, and its first `turns` turns; shorter ones follow one another."""
    found: list[list[Raw]] = []
    names = 0
    while len(found) < turns:
        before = len(found)
        for messages in _sources(data, file):
            found += _turns(messages, f"s{names}")
            names += 1
            if len(found) >= turns:
                break
        if len(found) == before:
            raise SystemExit("benchmarks.conversation: no turn in these transcripts")
    name = file.name if file else "specstory" if data else BUNDLED
    return f"{name}, {names} session{'s' if names > 1 else ''}", found[:turns]


def _sources(data: Path | None, file: Path | None) -> Iterator[Sequence[Raw]]:
    """One conversation speaks one provider's language: OpenAI's."""
    own = Path(str(resources.files("benchmarks.compaction"))) / BUNDLED
    paths = [file] if file else sorted(data.glob(PATTERNS["specstory"]) if data else own.glob("*.jsonl"))
    for path in paths:
        found: dict[str, list[Message]] = {}
        for record in read(path):
            if not isinstance(record, Problem):
                found.setdefault(record.session, []).append(record.message)
        yield from map(as_openai, found.values())


def _turns(messages: Sequence[Raw], name: str) -> list[list[Raw]]:
    turns: list[list[Raw]] = []
    for message in messages:
        if message.get("role") in ("system", "developer"):
            continue
        if message.get("role") == "user" and not message.get("tool_call_id"):
            turns.append([])
        if turns:
            turns[-1].append(_with_own_ids(message, name))
    return turns


def _with_own_ids(message: Raw, name: str) -> Raw:
    """Ids of calls are unique in a session only."""
    found: dict[str, Any] = {key: value for key, value in message.items() if key not in ("id", "created_at")}
    if isinstance(found.get("tool_call_id"), str):
        found["tool_call_id"] = f"{name}-{found['tool_call_id']}"
    if isinstance(found.get("tool_calls"), list):
        found["tool_calls"] = [{**call, "id": f"{name}-{call['id']}"} for call in found["tool_calls"]]
    return found


def with_planted(turns: list[list[Raw]]) -> tuple[list[list[Raw]], list[list[str]]]:
    """The turns with planted ones in place of every twelfth, and what must stand from each turn on."""
    planted, told, expected = Planted(), [], []
    for number, turn in enumerate(turns):
        if number % PLANTED_EVERY == PLANTED_EVERY - 1:
            told.append(_plant(number, planted))
        else:
            told.append(turn)
            _replaced(turn, planted)
        expected.append(planted.expected())
    return told, expected


def _replaced(turn: list[Raw], planted: Planted) -> None:
    """A list that the transcript itself writes takes the place of the planted one."""
    of_messages: list[Any] = [message.get("tool_calls") or [] for message in turn]
    calls = [call for of_message in of_messages for call in of_message]
    called = {call["function"]["name"] for call in calls}
    if TODOS in called:
        planted.todos = []
    if PLAN in called:
        planted.plan = []


def _plant(number: int, planted: Planted) -> list[Raw]:
    allowed, refused = f"restart the relay {number}", f"wipe the archive {number}"
    planted.answers += [allowed, refused]
    planted.plan = [f"Lay cable {number}", f"Measure the line {number}"]
    planted.todos = [f"Label socket {number}", f"Close hatch {number}"]
    plan = [
        {"step": "Dig the trench", "status": "completed"},
        *({"step": s, "status": "pending"} for s in planted.plan),
    ]
    calls = [
        _call(f"p{number}-1", "request_approval", action=allowed),
        _call(f"p{number}-2", "request_approval", action=refused),
        _call(f"p{number}-3", PLAN, plan=plan),
        _call(f"p{number}-4", TODOS, todos=[{"content": s, "status": "pending"} for s in planted.todos]),
    ]
    results = ["Approved by the user", "Denied by the user", "Plan updated", "Todos have been modified"]
    return [
        {"role": "user", "content": "Bring the plan up to date, please."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *(
            {"role": "tool", "tool_call_id": call["id"], "content": text}
            for call, text in zip(calls, results, strict=True)
        ),
        {"role": "assistant", "content": "The plan is up to date."},
    ]


def _call(name: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
