"""The sessions of the data package as lists of dicts, as a host would send them. Compacts nothing."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.model import Origin, Role, ToolCall
from cfpm.transcript import Problem, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfpm.context.history import Raw
    from cfpm.model import Message

BUNDLED = "bundled"
PATTERNS = {
    "specstory": "transcripts/specstory_claude_code/*.md",
    "swe-agent": "transcripts/swe_agent/**/*.traj",
    "tau-bench": "transcripts/tau_bench/**/*.json*",
}
"""The sets, and where their files are in the data package."""

_ANTHROPIC_SHARE = 3
"""One session of so many is written as Anthropic's messages, chosen by its name; the others as OpenAI's."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session as a host would send it, without system messages and thinking: those are not for a compaction."""

    set: str
    name: str
    messages: tuple[Raw, ...]


def sessions(data: Path | None, wanted: str) -> Iterator[Session]:
    """The sessions of a set, in the order of their files; without data the one that ships with the benchmark.

    Where two files hold a session of the same name, the later gets a number behind it.
    """
    folder = Path(str(resources.files("benchmarks.compaction"))) / BUNDLED if data is None else data
    times: Counter[str] = Counter()
    for path in sorted(folder.glob("*.jsonl" if data is None else PATTERNS[wanted])):
        found: dict[str, list[Message]] = {}
        for record in read(path):
            if not isinstance(record, Problem):
                found.setdefault(record.session, []).append(record.message)
        for name, messages in found.items():
            times[name] += 1
            only = name if times[name] == 1 else f"{name} ({times[name]})"
            anthropic = zlib.crc32(only.encode()) % _ANTHROPIC_SHARE == 0
            yield Session(wanted, only, tuple(as_anthropic(messages) if anthropic else as_openai(messages)))


@dataclass(slots=True)
class _Step:
    """What one side says before the other has its turn: text, the calls made with it and their results by place."""

    role: Role
    texts: list[str]
    calls: list[tuple[str, ToolCall]]
    results: dict[str, str]


def _steps(messages: Iterable[Message]) -> Iterator[_Step]:
    """Each user message; each run of an assistant's messages up to its results.

    Calls get new ids, since some transcripts have none or use one twice. A result without a call gets a call without
    arguments, and a call without a result an empty one: no provider takes them otherwise.
    """
    step: _Step | None = None
    number = 0
    for message in messages:
        if message.role is Role.SYSTEM or message.origin is Origin.THINKING:
            continue
        if message.tool_result is not None:
            place = _waiting(step, message.tool_result.call_id) if step else ""
            if step is None or not place:
                if step is not None:
                    yield step
                number += 1
                place = f"call-{number}"
                step = _Step(Role.ASSISTANT, [], [(place, ToolCall("", message.name or "tool"))], {})
            step.results[place] = message.text
            continue
        if step is not None and (message.role is Role.USER or step.role is Role.USER or step.results):
            yield step
            step = None
        step = step or _Step(message.role, [], [], {})
        if message.text.strip():
            step.texts.append(message.text)
        for call in message.tool_calls:
            number += 1
            step.calls.append((f"call-{number}", call))
    if step is not None:
        yield step


def _waiting(step: _Step, call_id: str) -> str:
    waiting = [(place, call.id) for place, call in step.calls if place not in step.results]
    return next((place for place, own in waiting if own == call_id), "")


def as_openai(messages: Iterable[Message]) -> list[Raw]:
    """OpenAI's chat form: `tool_calls` with arguments as JSON text, one tool message per result."""
    out: list[Raw] = []
    for step in _steps(messages):
        text = "\n\n".join(step.texts)
        if not step.calls:
            out += [{"role": step.role.value, "content": text}] if text else []
            continue
        calls = [
            {"id": place, "type": "function", "function": {"name": call.name, "arguments": _json(call)}}
            for place, call in step.calls
        ]
        out.append({"role": "assistant", "content": text or None, "tool_calls": calls})
        out += [
            {"role": "tool", "tool_call_id": place, "content": step.results.get(place, "")} for place, _ in step.calls
        ]
    return out


def as_anthropic(messages: Iterable[Message]) -> list[Raw]:
    """Anthropic's form: blocks of `tool_use`, and one user message with all `tool_result` blocks."""
    out: list[Raw] = []
    for step in _steps(messages):
        said: list[dict[str, object]] = [{"type": "text", "text": text} for text in step.texts]
        for place, call in step.calls:
            said.append({"type": "tool_use", "id": place, "name": call.name, "input": dict(call.arguments)})
        if said:
            out.append({"role": step.role.value, "content": said})
        if step.calls:
            results = [
                {"type": "tool_result", "tool_use_id": place, "content": step.results.get(place, "")}
                for place, _ in step.calls
            ]
            out.append({"role": "user", "content": results})
    return out


def _json(call: ToolCall) -> str:
    return json.dumps(dict(call.arguments), ensure_ascii=False)
