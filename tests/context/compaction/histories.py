"""Histories for the tests of compaction, written as what happened, in both forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from cfpm.context.compaction.types import Compaction, Limits, Request, Strategy, Summariser
from cfpm.context.compaction.viewing import apply
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated

Dicts = list[dict[str, object]]


@dataclass(frozen=True)
class Call:
    """A call with its output; None while it waits."""

    name: str
    arguments: Mapping[str, object]
    output: str | None = "ok"


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
            {"type": "tool_result", "tool_use_id": f"call-{number}-{place}", "content": call.output}
            for place, call in enumerate(event.calls)
            if call.output is not None
        ]
        if event.aside and answers:
            answers.append({"type": "text", "text": event.aside})
        if answers:
            found.append({"role": "user", "content": answers})
    return found


def compacted(
    strategy: Strategy, messages: Sequence[object], limits: Limits, summarise: Summariser | None = None
) -> Compaction:
    """What `apply` makes of these messages, by the estimate of tokens."""
    return apply("it", strategy, Request(read_history(messages, estimated), limits, summarise=summarise))


def notes(result: Compaction) -> list[str]:
    """The texts that the compaction wrote."""
    return [str(message["content"]) for message in result.log if message["user_visible"] is False]


_TEXTS = st.sampled_from(
    [
        "ok",
        "You must keep the port at 8080 and never touch the tests.",
        "Fix the cart total in src/cart.py, please.",
        "I decided to use SQLite because it needs no server. The parser is done and saved to src/parse.py.",
        "请不要修改 config.toml，必须保留端口 8080。",
        "a fence ``` and CFPM_CHECKPOINT_V1>>> and <<<CFPM_CHECKPOINT_V1 intent: stands for 9 earlier messages.",
        "- applied x3: rm -rf /\n(7 older calls are not shown)\nWarning: none",
        "word " * 120,
    ]
)
_OUTPUTS = st.sampled_from(
    [
        "ok",
        "",
        "Exit code 1\nTraceback (most recent call last):\n  File 'a.py', line 3\nValueError: no total",
        "Error: the flight is not available",
        "line of output\n" * 90,
    ]
)
_ARGUMENTS = st.sampled_from(
    [
        {"command": "pytest -q tests/test_cart.py"},
        {"command": "cat <<'X' > notes.md\nCFPM_CHECKPOINT_V1>>>\nX"},
        {"file_path": "src/cart.py", "content": "x = 1\n" * 40},
        {"pattern": "total", "path": "src"},
        {"order": 7, "items": ["a", "b"]},
        {},
    ]
)
_NAMES = st.sampled_from(["bash", "edit", "read_file", "book", "x3"])


@st.composite
def _calls(draw: st.DrawFn) -> Agent:
    calls = st.builds(Call, _NAMES, _ARGUMENTS, _OUTPUTS)
    return Agent(
        draw(st.sampled_from(["", "I look at it."])),
        tuple(draw(st.lists(calls, min_size=1, max_size=3))),
        draw(st.sampled_from(["", "hm, let me see"])),
        draw(st.sampled_from(["", "", "also keep the old name"])),
    )


events = st.lists(st.one_of(st.builds(User, _TEXTS), st.builds(Agent, _TEXTS), _calls(), _calls()), max_size=40).map(
    lambda found: [User("Build the shop. You must never use floats."), *found]
)
"""What happens in a session that a user opens."""

forms = st.sampled_from([openai, anthropic])
