"""Short histories in OpenAI and Anthropic form, and what stands in them after a trim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from cfpm.context.trims.calls import read_log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfpm.context.history import Raw

Step = tuple[str, dict[str, object], object]
"""The name of a tool, what it is called with, and what it gives."""

FORMS = ("openai", "anthropic")


class Chat:
    """A history that grows by what is said and done."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.messages: list[Raw] = []
        self._calls = 0

    def user(self, text: str) -> Self:
        self.messages.append({"role": "user", "content": text})
        return self

    def assistant(self, text: str, **fields: object) -> Self:
        self.messages.append({"role": "assistant", "content": text, **fields})
        return self

    def did(self, *steps: Step, said: str = "", failed: bool | None = None) -> Self:
        """Calls made in one message, and their results."""
        ids = [f"call_{self._calls + number}" for number in range(len(steps))]
        self._calls += len(steps)
        write = self._openai if self.form == "openai" else self._anthropic
        write(list(zip(ids, steps, strict=True)), said, failed)
        return self

    def _openai(self, steps: list[tuple[str, Step]], said: str, failed: bool | None) -> None:
        listed = [
            {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
            for name, (tool, given, _) in steps
        ]
        self.messages.append({"role": "assistant", "content": said or None, "tool_calls": listed})
        stated = {} if failed is None else {"is_error": failed}
        for name, (_, _, text) in steps:
            self.messages.append({"role": "tool", "tool_call_id": name, "content": text, **stated})

    def _anthropic(self, steps: list[tuple[str, Step]], said: str, failed: bool | None) -> None:
        blocks: list[Raw] = [{"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}]
        blocks += [{"type": "text", "text": said}] if said else []
        blocks += [{"type": "tool_use", "id": name, "name": tool, "input": given} for name, (tool, given, _) in steps]
        stated = {} if failed is None else {"is_error": failed}
        results = [
            {"type": "tool_result", "tool_use_id": name, "content": text, **stated} for name, (_, _, text) in steps
        ]
        self.messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


def read(path: str, text: object, **more: object) -> Step:
    return "Read", {"file_path": path, **more}, text


def write(path: str, content: str, text: str = "File created successfully at: it") -> Step:
    return "Write", {"file_path": path, "content": content}, text


def edit(path: str, new: str, text: str = "The file it has been updated") -> Step:
    return "Edit", {"file_path": path, "old_string": "a", "new_string": new}, text


def ran(command: str, text: str, **more: object) -> Step:
    return "Bash", {"command": command, **more}, text


def results(messages: Sequence[Raw]) -> list[str]:
    """The texts of all results in order."""
    return [result.text for result in read_log(messages).results]


def arguments(messages: Sequence[Raw]) -> list[Mapping[str, Any]]:
    """The arguments of all calls in order, read as the JSON that they are."""
    found = read_log(messages).calls
    assert all(isinstance(json.loads(call.given), dict) for call in found if isinstance(call.given, str))
    return [call.tool.arguments for call in found]


def lines(count: int, word: str = "line") -> str:
    return "\n".join(f"{number}: {word} {number * 7}" for number in range(count))
