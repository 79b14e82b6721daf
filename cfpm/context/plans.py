"""Plans, todo lists, tasks and questions as agents put them into tool calls, with what was answered. Knows no free
speech, and judges no plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from cfpm.extractor.tools import plain_name
from cfpm.model import ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_LISTED = lazy_pattern(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[(?P<mark>[^\]\n]{1,2})\]\s*)?(?P<text>\S.*)$", re.MULTILINE)
"""A line of a list that is written as text."""
_NUMBER = lazy_pattern(r"#(\d{1,9})\b")

STEP_LISTS = frozenset({"plan", "todos", "add_task", "change_task"})
"""The kinds of tools whose calls say nothing but which steps there are and how far they are."""


class Progress(StrEnum):
    """How far a step is; the value is how it is written in front."""

    OPEN = "[ ]"
    ACTIVE = "[>]"
    DONE = "[x]"
    DROPPED = ""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan or a todo list."""

    text: str
    progress: Progress = Progress.OPEN

    @property
    def line(self) -> str:
        """`[ ] Bake the bread`."""
        return f"{self.progress} {self.text}"


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """The tools, fields and patterns of rehydration.toml."""
    return toml_table("cfpm.context", "rehydration")


def kind_of(call: ToolCall) -> str:
    """The list of the table that the tool of a call is in, or empty."""
    return _kinds().get(plain_name(call.name), "")


@cache
def _kinds() -> dict[str, str]:
    return {name: kind for kind, names in table()["tools"].items() for name in names}


def listed_steps(call: ToolCall) -> tuple[PlanStep, ...]:
    """The steps that a call writes down, all at once; none when its arguments hold no list."""
    for field in table()["fields"]["steps"]:
        match call.arguments.get(field):
            case str() as text if steps := tuple(_written(text)):
                return steps
            case list() | tuple() as items if steps := tuple(_given(items)):
                return steps
    return ()


def changed_task(tasks: Mapping[str, PlanStep], call: ToolCall, answer: str) -> tuple[str, PlanStep] | None:
    """The number and the step of a task that a call adds or changes; the number of a new one stands in the answer.

    None for a task without words, and for one that is not known.
    """
    number = _NUMBER.search(answer)
    named = field_of(call.arguments, "task_id") or (number[1] if number else "")
    text, status = field_of(call.arguments, "step"), field_of(call.arguments, "status")
    if not text and (whole := call.arguments.get("input")) and isinstance(whole, str):
        text = whole
    if kind_of(call) == "add_task":
        key = number[1] if number else f"at {len(tasks) + 1}"
        return (key, PlanStep(text, _progress(status))) if text else None
    old = tasks.get(named)
    if old is None:
        return None
    return named, replace(old, text=text or old.text, progress=_progress(status) if status else old.progress)


def field_of(values: Mapping[str, object], name: str) -> str:
    """The first of the fields with this meaning that holds a text or a number."""
    for field in table()["fields"][name]:
        value = values.get(field)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _given(items: Iterable[object]) -> Iterator[PlanStep]:
    for item in items:
        if isinstance(item, str) and item.strip():
            yield PlanStep(item.strip())
        elif isinstance(item, Mapping) and (text := field_of(item, "step")):
            done = item.get("done") is True or item.get("completed") is True
            yield PlanStep(text, Progress.DONE if done else _progress(field_of(item, "status")))


def _written(text: str) -> Iterator[PlanStep]:
    for found in _LISTED.finditer(text):
        mark = found["mark"] or " "
        progress = Progress.OPEN if not mark.strip() else Progress.DONE if mark in "xX✓✔" else Progress.ACTIVE
        yield PlanStep(found["text"].strip(), progress)


def _progress(status: str) -> Progress:
    name = plain_name(status)
    for progress in (Progress.DONE, Progress.ACTIVE, Progress.DROPPED):
        if name in table()["status"][progress.name.lower()]:
            return progress
    return Progress.OPEN


def asked_of(call: ToolCall) -> str:
    """What a call asks the user: one text, or the texts of several questions."""
    for field in table()["fields"]["asked"]:
        match call.arguments.get(field):
            case str() as text if text.strip():
                return text
            case list() | tuple() as items:
                questions = (item.get("question") for item in items if isinstance(item, Mapping))
                if texts := [text for text in questions if isinstance(text, str)]:
                    return " / ".join(texts)
    return call.name
