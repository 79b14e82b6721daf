"""Histories as hosts keep them: told as what happened or drawn by hypothesis, and written in either form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

Raw = Mapping[str, object]
Dicts = list[dict[str, object]]


@dataclass(frozen=True)
class Call:
    """A call with its output, which is None while it waits."""

    name: str
    arguments: Mapping[str, object]
    output: str | None = "ok"
    failed: bool | None = None
    """The host's own word on it, for which only the Anthropic form has a place."""


@dataclass(frozen=True)
class User:
    text: str


@dataclass(frozen=True)
class Agent:
    text: str
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    aside: str = ""
    """What the user says in the message that brings the results; a message of its own in the OpenAI form."""


Event = User | Agent


def ran(command: str, output: str | None = "ok") -> Agent:
    return Agent("", (Call("bash", {"command": command}, output),))


def edited(path: str, output: str | None = "The file has been updated.") -> Agent:
    return Agent("", (Call("edit", {"file_path": path, "old_string": "a", "new_string": "b"}, output),))


def openai(events: Iterable[Event]) -> Dicts:
    """The list that a host of the OpenAI form would send."""
    found: Dicts = []
    for number, event in enumerate(events):
        if isinstance(event, User):
            found.append({"role": "user", "content": event.text})
            continue
        message: dict[str, object] = {"role": "assistant", "content": event.text or None}
        if not event.calls:
            found.append({**message, "content": event.text})
            continue
        message["tool_calls"] = [
            {
                "id": f"call-{number}-{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for place, call in enumerate(event.calls)
        ]
        found.append(message)
        found += [
            {"role": "tool", "tool_call_id": f"call-{number}-{place}", "content": call.output}
            for place, call in enumerate(event.calls)
            if call.output is not None
        ]
        if event.aside:
            found.append({"role": "user", "content": event.aside})
    return found


def anthropic(events: Iterable[Event]) -> Dicts:
    """The list that a host of the Anthropic form would send; all contents are lists of blocks."""
    found: Dicts = []
    for number, event in enumerate(events):
        if isinstance(event, User):
            found.append({"role": "user", "content": [{"type": "text", "text": event.text}]})
            continue
        blocks: list[dict[str, object]] = []
        if event.thinking:
            blocks.append({"type": "thinking", "thinking": event.thinking, "signature": f"sig-{number}"})
        if event.text:
            blocks.append({"type": "text", "text": event.text})
        blocks += [
            {"type": "tool_use", "id": f"call-{number}-{place}", "name": call.name, "input": dict(call.arguments)}
            for place, call in enumerate(event.calls)
        ]
        found.append({"role": "assistant", "content": blocks or "..."})
        answers: list[dict[str, object]] = [
            {
                "type": "tool_result",
                "tool_use_id": f"call-{number}-{place}",
                "content": call.output,
                **({} if call.failed is None else {"is_error": call.failed}),
            }
            for place, call in enumerate(event.calls)
            if call.output is not None
        ]
        if event.aside and answers:
            answers.append({"type": "text", "text": event.aside})
        if answers:
            found.append({"role": "user", "content": answers})
    return found


_PATHS = (
    "src/app.py",
    "src/lib/cache.ts",
    "/srv/data/orders.csv",
    "README.md",
    r"C:\work\notes.txt",
    "tests/test_app.py",
)
_COMMANDS = (
    "pytest -q",
    "npm run build",
    "ls -la src",
    "git status",
    "make demo",
    "cat <<'X' > notes.md\nCFPM_CHECKPOINT_V1>>>\nX",
)
_SAYINGS = (
    "Please add a retry to the loader.",
    "You must keep the port at 8080 and never touch the vendored files.",
    "I need the report by Friday.",
    "I decided to use SQLite because it needs no server. The parser is done and saved to src/parse.py.",
    "The next step is to run the tests.",
    "Thanks, go on.",
    "好的，请继续，不要修改 config.toml，必须保留端口 8080。",
    "a fence ``` and CFPM_CHECKPOINT_V1>>> and <<<CFPM_CHECKPOINT_V1 intent: stands for 9 earlier messages.",
    "- applied x3: rm -rf /\n(7 older calls are not shown)\nWarning: none",
    "word " * 120,
)
_OUTPUTS = (
    "ok",
    "",
    "3 passed",
    "File has been updated successfully.",
    "error: no such file",
    "Exit code 1\nTraceback (most recent call last):\n  File 'a.py', line 3\nValueError: no total",
    "line of output\n" * 90,
)

texts = st.one_of(st.sampled_from(_SAYINGS), st.text(min_size=1, max_size=60).filter(str.strip))
"""What somebody says: now and then what looks like a note of ours, sometimes anything at all."""

outputs = st.one_of(st.sampled_from(_OUTPUTS), st.text(max_size=80))
"""What a tool prints."""


_unknown: st.SearchStrategy[Mapping[str, object]] = st.sampled_from(
    ({}, {"order": 7, "items": ["a", "b"]}, {"pattern": "total", "path": "src"})
)


@st.composite
def _arguments(draw: st.DrawFn, name: str) -> Mapping[str, object]:
    """What such a tool is called with, now and then what it does not know."""
    if draw(st.integers(0, 7)) == 7:
        return draw(_unknown)
    path = draw(st.sampled_from(_PATHS))
    match name:
        case "bash":
            return {"command": draw(st.sampled_from(_COMMANDS))}
        case "Read":
            return {"file_path": path}
        case "Write":
            return {"file_path": path, "content": draw(st.one_of(texts, st.just("x = 1\n" * 40)))}
        case "Edit":
            return {"file_path": path, "old_string": "a", "new_string": draw(texts)}
        case "lookup":
            return {"query": draw(texts), "limit": draw(st.integers(0, 9))}
        case _:
            return draw(_unknown)


@st.composite
def _calls(draw: st.DrawFn) -> Call:
    name = draw(st.sampled_from(("bash", "Read", "Write", "Edit", "lookup", "x3")))
    return Call(name, draw(_arguments(name)), draw(outputs), draw(st.sampled_from((None, False, True))))


_working: st.SearchStrategy[Event] = st.builds(
    Agent,
    st.one_of(st.just(""), texts),
    st.lists(_calls(), min_size=1, max_size=3).map(tuple),
    st.sampled_from(("", "hm, let me see")),
    st.one_of(st.just(""), st.just(""), texts),
)
_answers: st.SearchStrategy[Event] = st.builds(Agent, texts)
_turns = st.tuples(st.builds(User, texts), st.lists(st.one_of(_answers, _working), max_size=4))

events: st.SearchStrategy[list[Event]] = st.lists(_turns, min_size=1, max_size=8).map(
    lambda turns: [event for said, done in turns for event in (said, *done)]
)
"""What happens in a session."""


@st.composite
def openai_histories(draw: st.DrawFn) -> list[Raw]:
    """A valid list in OpenAI form, often with a system message."""
    opening = [{"role": "system", "content": "You are a careful engineer."}] if draw(st.booleans()) else []
    return [*opening, *openai(draw(events))]


@st.composite
def anthropic_histories(draw: st.DrawFn) -> list[Raw]:
    """A valid list in Anthropic form: thinking with its signature, parallel calls, a user who speaks beside results."""
    return [_plain(message) if draw(st.booleans()) else message for message in anthropic(draw(events))]


histories = st.one_of(openai_histories(), anthropic_histories())


def _plain(message: Raw) -> Raw:
    """A text alone may stand as it is."""
    match message["content"]:
        case [{"type": "text", "text": text}]:
            return {**message, "content": text}
    return message
