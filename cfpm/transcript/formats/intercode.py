"""InterCode result files: for each task a query and the actions, observations and verdicts of its turns; a session
each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.fields import clean, label, list_of, object_of, text_of
from cfpm.transcript.formats.format import Format, Row, is_list_of, not_an_object
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry

_EXECUTE = lazy_pattern(r"\s*execute\[(.*)\]\s*", re.DOTALL)
_SHELLS = frozenset({"bash", "ctf"})
_PYTHON_RESULT = "{'output': "
_NO_ERROR = "'error': ''}"
_FAILED_TEST = "Test case did not pass"


def _is_task(value: Mapping[str, object]) -> bool:
    history = value.get("turn_history")
    return isinstance(history, Mapping) and "actions" in history


def _fits_document(value: object) -> bool:
    if isinstance(value, Mapping):
        tasks = value.get("logs", value)
        if isinstance(tasks, Mapping):
            return _is_task(tasks) or is_list_of(list(tasks.values())[:50], _is_task)
        value = tasks
    return is_list_of(value, _is_task)


def _read_document(value: object, source: str) -> Entries:
    tasks = value.get("logs", value) if isinstance(value, Mapping) else value
    if isinstance(tasks, Mapping) and not _is_task(tasks):
        named: Sequence[tuple[str, object]] = [(clean(str(name)), task) for name, task in tasks.items()]
    else:
        listed = tasks if isinstance(tasks, list) else [tasks]
        named = [(_name(task, number), task) for number, task in enumerate(listed)]
    for name, task in named:
        yield from _read_task(task, source, f"task-{name}")


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    for number, row in rows:
        yield from _read_task(row, source, f"task-{_name(row, number)}")


def _name(task: object, position: int) -> str:
    return label(object_of(task).get("task_id")) or str(position)


def _read_task(task: object, source: str, key: str) -> Entries:
    if not isinstance(task, Mapping) or not _is_task(task):
        yield not_an_object(task, source, key)
        return
    for number, message in enumerate(_messages(task), start=1):
        yield Entry(message, f"{key}, message {number}", key)


def _messages(task: Mapping[str, object]) -> Iterator[Message]:
    if query := text_of(task.get("query")):
        yield Message(Role.USER, query)
    turns = object_of(task["turn_history"])
    if steps := [text for step in list_of(turns.get("steps")) if (text := text_of(step))]:
        yield Message(Role.ASSISTANT, "\n".join(f"{n}. {step}" for n, step in enumerate(steps, start=1)))
    tool = label(task.get("environment")).removeprefix("ic_") or "bash"
    thoughts, observations, valid = (list_of(turns.get(key)) for key in ("thoughts", "observations", "valid_action"))
    for number, action in enumerate(list_of(turns.get("actions"))):
        thought = thoughts[number] if number < len(thoughts) else ""
        call = ToolCall(f"action-{number + 1}", tool, _arguments(tool, action))
        yield Message(Role.ASSISTANT, text_of(thought), tool_calls=(call,))
        if number < len(observations):
            stated = valid[number] if number < len(valid) else None
            yield _observed(observations[number], stated, call.id)


def _observed(observation: object, valid: object, call_id: str) -> Message:
    text = clean(observation) if isinstance(observation, str) else clean(repr(observation))
    is_error, code = settle(None if not isinstance(valid, bool) else not valid, text)
    if is_error is None:
        if text.startswith(_PYTHON_RESULT):
            is_error = not text.rstrip().endswith(_NO_ERROR)
        elif text.startswith(_FAILED_TEST):
            is_error = True
    return Message(Role.TOOL, text, tool_result=ToolResult(call_id, is_error, code))


def _arguments(tool: str, action: object) -> dict[str, object]:
    text = clean(action) if isinstance(action, str) else clean(repr(action))
    if found := _EXECUTE.fullmatch(text):
        text = found[1]
    return {"command" if tool in _SHELLS else "input": text}


FORMAT = Format(
    name="intercode",
    about="InterCode result files, one session for each task",
    fits_document=_fits_document,
    document=_read_document,
    fits_row=_is_task,
    rows=_read_rows,
)
