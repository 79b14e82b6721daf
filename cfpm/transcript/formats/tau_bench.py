"""tau-bench result files: a list of runs, each a session of its own; its dialogues as `role: text` lines in JSON Lines;
and the result files of tau2-bench, whose `simulations` are such runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cfpm.model import Message, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import plain_text, tool_output
from cfpm.transcript.fields import clean, label, list_of, loose_moment, object_of
from cfpm.transcript.formats.format import (
    Format,
    Row,
    entries_of,
    is_list_of,
    keyed,
    not_an_object,
    numbered,
    read_items,
)
from cfpm.transcript.messages import read_message
from cfpm.transcript.records import Entries, Entry, Problem

_DISPLAY = "messages_display"
_SPEAKER = lazy_pattern(r"^(user|assistant|tool|system): ", re.MULTILINE)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


def _is_run(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("traj"), list) and ("task_id" in value or "reward" in value)


def _is_simulation(value: Mapping[str, object]) -> bool:
    told = "reward_info" in value or "termination_reason" in value
    return isinstance(value.get("messages"), list) and "task_id" in value and told


def _has_simulations(value: Mapping[str, object]) -> bool:
    return is_list_of(value.get("simulations"), _is_simulation)


def _fits_row(value: Mapping[str, object]) -> bool:
    return _is_run(value) or _is_simulation(value) or _has_simulations(value) or isinstance(value.get(_DISPLAY), str)


def _fits_document(value: object) -> bool:
    if isinstance(value, Mapping):
        return _is_simulation(value) or _has_simulations(value)
    return is_list_of(value, _is_run) or is_list_of(value, _is_simulation)


def _read_document(value: object, source: str) -> Entries:
    runs = value.get("simulations", value) if isinstance(value, Mapping) else value
    return _read(numbered(runs), source, "run")


def _read(runs: Iterator[Row], source: str, counted: str = "line") -> Entries:
    for number, run in runs:
        if isinstance(run, Mapping) and _has_simulations(run):
            for position, simulation in numbered(run["simulations"]):
                yield from _read_run(simulation, source, f"{counted} {number}, run {position}", position)
        else:
            yield from _read_run(run, source, f"{counted} {number}", number)


def _read_run(run: object, source: str, place: str, number: int) -> Entries:
    if not isinstance(run, Mapping):
        yield not_an_object(run, source, place)
        return
    shown, trajectory = run.get(_DISPLAY), run.get("traj")
    if isinstance(shown, str):
        yield from keyed(_dialogue(shown, place), number)
    elif _is_simulation(run):
        for position, item in numbered(run["messages"]):
            yield from entries_of(item, source, f"{place}, message {position}", _simulated, _key(run, number))
    elif isinstance(trajectory, list):
        key = _key(run, number)
        for entry in read_items(trajectory, source, key=key, within=f"{place}, "):
            yield replace(entry, message=_judged(entry.message)) if isinstance(entry, Entry) else entry
    else:
        yield Problem(source, place, "a run without traj", "Restore the run's messages under traj, or remove it")


def _simulated(item: Mapping[str, object]) -> Iterator[Message]:
    """A message of tau2-bench. The simulated user has tools of its own; the id of a result is that of its call."""
    if item.get("role") != "tool":
        for message in read_message({**item, "id": None}):
            if message.text or message.tool_calls:
                yield message
        return
    several = list_of(item.get("tool_messages"))
    for result in map(object_of, several or [item]):
        stated = result.get("error")
        yield tool_output(
            plain_text(result.get("content")),
            label(result.get("id")),
            stated=stated if isinstance(stated, bool) else None,
            at=loose_moment(result.get("timestamp") or item.get("timestamp")),
        )


def _key(run: Mapping[str, object], number: int) -> str:
    return "-".join(part for part in (_part("task", run, number), _part("trial", run, 0)) if part)


def _part(name: str, run: Mapping[str, object], default: int) -> str:
    return f"{name}-{label(run.get('task_id' if name == 'task' else name)) or default}"


def _judged(message: Message) -> Message:
    """The environment's own failures begin with the word Error."""
    result = message.tool_result
    if result is None or result.is_error is not None:
        return message
    return replace(message, tool_result=replace(result, is_error=message.text.startswith("Error")))


def _dialogue(shown: str, place: str) -> Entries:
    """Entries of a dialogue written as `role: text`.

    A call is shown as `assistant: None`; what was called is not told.
    """
    starts = list(_SPEAKER.finditer(shown))
    for number, found in enumerate(starts, start=1):
        end = starts[number].start() if number < len(starts) else len(shown)
        text, at = clean(shown[found.end() : end].rstrip("\n")), f"{place}, message {number}"
        if found[1] == "tool":
            yield Entry(_judged(tool_output(text)), at)
        elif text != "None":
            yield Entry(Message(_ROLES[found[1]], text), at)


FORMAT = Format(
    name="tau_bench",
    about="tau-bench and tau2-bench result files, one session for each run",
    fits_document=_fits_document,
    document=_read_document,
    fits_row=_fits_row,
    rows=_read,
)
