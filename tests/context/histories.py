"""Histories as hosts keep them, drawn by hypothesis in both forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

Raw = Mapping[str, object]

_PATHS = (
    "src/app.py",
    "src/lib/cache.ts",
    "/srv/data/orders.csv",
    "README.md",
    r"C:\work\notes.txt",
    "tests/test_app.py",
)
_COMMANDS = ("pytest -q", "npm run build", "ls -la src", "git status", "cargo check --all", "make demo")
_SAYINGS = (
    "Please add a retry to the loader.",
    "Never touch the vendored files.",
    "I need the report by Friday.",
    "We decided to use SQLite for the cache.",
    "The next step is to run the tests.",
    "Thanks, go on.",
    "Use tabs, always.",
    "好的，请继续，不要修改配置文件。",
)
_OUTPUTS = (
    "ok",
    "3 passed",
    "File has been updated successfully.",
    "error: no such file",
    "",
    "a.py\nb.py\nc.py",
    "x" * 900,
)

texts = st.one_of(st.sampled_from(_SAYINGS), st.text(min_size=1, max_size=60).filter(str.strip))
"""What somebody says; sometimes anything at all."""

outputs = st.one_of(st.sampled_from(_OUTPUTS), st.text(max_size=80))
"""What a tool prints."""


@st.composite
def _arguments(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """The name of a tool and what it is called with."""
    kind = draw(st.sampled_from(("bash", "Read", "Write", "Edit", "lookup")))
    path = draw(st.sampled_from(_PATHS))
    match kind:
        case "bash":
            return kind, {"command": draw(st.sampled_from(_COMMANDS))}
        case "Write":
            return kind, {"file_path": path, "content": draw(texts)}
        case "Edit":
            return kind, {"file_path": path, "old_string": "a", "new_string": draw(texts)}
        case "lookup":
            return kind, {"query": draw(texts), "limit": draw(st.integers(0, 9))}
        case _:
            return kind, {"file_path": path}


@st.composite
def _steps(draw: st.DrawFn, turns: int) -> list[tuple[str, Any]]:
    """What happens, before it is written in a form: said, answered, or called with results."""
    steps: list[tuple[str, Any]] = []
    for _ in range(turns):
        steps.append(("user", draw(texts)))
        for _ in range(draw(st.integers(0, 4))):
            if draw(st.booleans()):
                calls = draw(st.lists(_arguments(), min_size=1, max_size=3))
                results = [(draw(outputs), draw(st.sampled_from((None, False, True)))) for _ in calls]
                steps.append(("calls", (draw(st.one_of(st.none(), texts)), calls, results)))
            else:
                steps.append(("assistant", draw(texts)))
    return steps


@st.composite
def openai_histories(draw: st.DrawFn, max_turns: int = 8) -> list[Raw]:
    """A valid list in OpenAI form, often with a system message."""
    messages: list[Raw] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": "You are a careful engineer."})
    for number, (kind, what) in enumerate(draw(_steps(draw(st.integers(1, max_turns))))):
        if kind != "calls":
            messages.append({"role": kind, "content": what})
            continue
        said, calls, results = what
        ids = [f"call_{number}_{n}" for n in range(len(calls))]
        listed = [
            {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
            for name, (tool, arguments) in zip(ids, calls, strict=True)
        ]
        messages.append({"role": "assistant", "content": said, "tool_calls": listed})
        for name, (text, _) in zip(ids, results, strict=True):
            messages.append({"role": "tool", "tool_call_id": name, "content": text})
    return messages


@st.composite
def anthropic_histories(draw: st.DrawFn, max_turns: int = 8) -> list[Raw]:
    """A valid list in Anthropic form: thinking with its signature, parallel calls, a user who speaks beside results."""
    messages: list[Raw] = []
    for number, (kind, what) in enumerate(draw(_steps(draw(st.integers(1, max_turns))))):
        if kind != "calls":
            messages.append({"role": kind, "content": what if draw(st.booleans()) else [_text(what)]})
            continue
        said, calls, results = what
        blocks: list[Raw] = []
        if draw(st.booleans()):
            blocks.append({"type": "thinking", "thinking": "Let me see.", "signature": f"sig{number}"})
        if said:
            blocks.append(_text(said))
        ids = [f"toolu_{number}_{n}" for n in range(len(calls))]
        blocks += [
            {"type": "tool_use", "id": name, "name": tool, "input": arguments}
            for name, (tool, arguments) in zip(ids, calls, strict=True)
        ]
        answers: list[Raw] = []
        for name, (text, failed) in zip(ids, results, strict=True):
            answer: dict[str, object] = {"type": "tool_result", "tool_use_id": name, "content": text}
            answers.append(answer if failed is None else {**answer, "is_error": failed})
        if draw(st.booleans()):
            answers.append(_text(draw(texts)))
        messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": answers}]
    return messages


histories = st.one_of(openai_histories(), anthropic_histories())


def _text(text: str) -> Raw:
    return {"type": "text", "text": text}
