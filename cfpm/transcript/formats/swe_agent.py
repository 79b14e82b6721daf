"""SWE-agent trajectories (.traj) and mini-SWE-agent ones: the history once, plus the steps that only the trajectory
has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.blocks import plain_text
from cfpm.transcript.fields import clean, text_of
from cfpm.transcript.formats.format import Format, is_list_of, not_an_object
from cfpm.transcript.messages import read_message
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry, Problem

_STEP = ("action", "observation")


def _fits_document(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if is_list_of(value.get("trajectory"), lambda step: all(key in step for key in _STEP)):
        return True
    if is_list_of(value.get("history"), lambda item: "role" in item and ("agent" in item or "message_type" in item)):
        return True
    return "trajectory_format" in value and isinstance(value.get("messages"), list)


def _read_document(value: object, source: str) -> Entries:
    if not isinstance(value, Mapping):
        yield not_an_object(value, source, "")
        return
    history = value.get("history", value.get("messages"))
    history = history if isinstance(history, list) else []
    steps = value.get("trajectory")
    steps = steps if isinstance(steps, list) else []
    reader = _History(source)
    yield from reader.read(history)
    yield from reader.rest(steps)


class _History:
    """Reads the history, in whose older form actions and observations are only told by their order."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.actions = 0
        self.open_call = ""

    def read(self, history: Sequence[object]) -> Entries:
        for number, item in enumerate(history, start=1):
            place = f"message {number}"
            if not isinstance(item, Mapping):
                yield not_an_object(item, self.source, place)
                continue
            try:
                messages = self._messages(item, place)
            except InputError as error:
                yield Problem.of(error)
                continue
            yield from (Entry(message, place) for message in messages)

    def rest(self, steps: Sequence[object]) -> Entries:
        """The steps behind the last action of the history, and the observation that this action still lacks."""
        for number, step in enumerate(steps, start=1):
            if isinstance(step, Mapping) and number >= self.actions and (number > self.actions or self.open_call):
                yield from (
                    Entry(message, f"step {number}") for message in self._step(step, known=number == self.actions)
                )

    def _messages(self, item: Mapping[str, object], place: str) -> list[Message]:
        if item.get("role") == "user" and self.open_call:
            return [self._observation(plain_text(item.get("content"), source=self.source, place=place))]
        fields = {key: value for key, value in item.items() if key != "tool_call_ids"}
        ids = item.get("tool_call_ids")
        if isinstance(ids, list) and ids:
            fields["tool_call_id"] = ids[0]
        messages = read_message(fields, source=self.source, place=place)
        if item.get("is_demo") is True:
            return [replace(message, origin=Origin.SYSTEM_PROMPT) for message in messages]
        if item.get("role") == "assistant":
            return self._acted(messages, item)
        if item.get("role") == "tool":
            self.open_call = ""
        return messages

    def _acted(self, messages: list[Message], item: Mapping[str, object]) -> list[Message]:
        self.actions += 1
        calls = messages[-1].tool_calls
        if calls:
            self.open_call = calls[-1].id
            return messages
        action = item.get("action") or _fenced_command(item)
        if not isinstance(action, str) or not action.strip():
            self.open_call = ""
            return messages
        thought = item.get("thought")
        text = clean(thought).strip() if isinstance(thought, str) else messages[-1].text
        return [*messages[:-1], replace(messages[-1], text=text, tool_calls=(self._call(action),))]

    def _call(self, action: str) -> ToolCall:
        self.open_call = f"action-{self.actions}"
        return ToolCall(self.open_call, "shell", {"command": clean(action).rstrip("\n")})

    def _observation(self, text: str) -> Message:
        call_id, self.open_call = self.open_call, ""
        return Message(Role.TOOL, text, tool_result=ToolResult(call_id, *settle(None, text)))

    def _step(self, step: Mapping[str, object], *, known: bool) -> Iterator[Message]:
        if not known:
            self.actions += 1
            thought, action = step.get("thought") or step.get("response"), step.get("action")
            text = text_of(thought).strip()
            calls = (self._call(action),) if isinstance(action, str) and action.strip() else ()
            if text or calls:
                yield Message(Role.ASSISTANT, text, tool_calls=calls)
        observation = step.get("observation")
        if self.open_call and isinstance(observation, str) and (observation or not known):
            yield self._observation(clean(observation))


def _fenced_command(item: Mapping[str, object]) -> str:
    """mini-SWE-agent keeps the command only in a code block of the text, or in `extra`."""
    extra = item.get("extra")
    if isinstance(extra, Mapping) and isinstance(actions := extra.get("actions"), list) and actions:
        first = actions[0]
        command = first.get("command") if isinstance(first, Mapping) else None
        return command if isinstance(command, str) else ""
    content = item.get("content")
    if not isinstance(content, str):
        return ""
    for opening in ("```mswea_bash_command\n", "```bash\n"):
        _, found, rest = content.rpartition(opening)
        if found and (end := rest.find("\n```")) >= 0:
            return rest[:end]
    return ""


FORMAT = Format(
    name="swe_agent",
    about="SWE-agent and mini-SWE-agent trajectories",
    fits_document=_fits_document,
    document=_read_document,
)
