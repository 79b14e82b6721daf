"""The tool calls of a history as one line each: how it ended, which tool, on what, and the error. From the messages
themselves. Decides nothing about room."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from cfpm.context.approvals import refused
from cfpm.context.history import Group
from cfpm.context.strategies.notes import cut
from cfpm.extractor.evidence import Evidence
from cfpm.extractor.outcomes import patterns, success
from cfpm.model import Message, ToolCall
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.recall.block import safe
from cfpm.transcript.fields import first_text

APPLIED, FAILED, PENDING, REFUSED = "applied", "failed", "pending", "refused"
OUTCOMES = (APPLIED, FAILED, PENDING, REFUSED)
"""A call is refused that the user did not let run, and a request that they answered with a no."""

MAX_NAME = 60
MAX_TARGET = 160
"""Characters: nine of ten commands in coding sessions are shorter, and what tells one from another is in front."""
MAX_ERROR = 120
MAX_ARGUMENT = 80

_LINE = lazy_pattern(
    rf"- (?P<outcome>{'|'.join(OUTCOMES)})(?: x(?P<times>[1-9]\d*))?: (?P<text>.+?)"
    r"(?: \(turn (?P<turn>\d{1,7})(?:, (?P<agent>[^()]{1,60}))?\))?"
)
_PATCHED = lazy_pattern(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$|^\+\+\+ b/(.{1,300})$", re.MULTILINE)
_MAX_LOOKED_AT = 20_000
"""Characters of an output or a patch in which its error or its files are looked for."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What was done `times` times: `text` is tool, target and error. `turn` is that of the last time, 0 where nobody
    counts, and `agent` who did it, empty where it has no name."""

    outcome: str
    text: str
    times: int = 1
    turn: int = 0
    agent: str = ""

    @property
    def line(self) -> str:
        """As it stands in a checkpoint."""
        count = f" x{self.times}" if self.times > 1 else ""
        agent = f", {self.agent}" if self.agent else ""
        return f"- {self.outcome}{count}: {self.text}{f' (turn {self.turn}{agent})' if self.turn else ''}"


@dataclass(frozen=True, slots=True)
class _Keys:
    asked: tuple[str, ...]
    source: tuple[str, ...]
    destination: tuple[str, ...]
    verb: tuple[str, ...]
    content: frozenset[str]
    status: re.Pattern[str]
    raised: re.Pattern[str]


@cache
def _keys() -> _Keys:
    data = toml_table("cfpm.context.strategies", "operations")
    return _Keys(
        tuple(data["asked"]),
        tuple(data["source"]),
        tuple(data["destination"]),
        tuple(data["verb"]),
        frozenset(data["content"]),
        compiled(rf"\s*(?:{'|'.join(data['status'])})\s*"),
        compiled(data["raised"]),
    )


def operations(groups: Iterable[Group]) -> Iterator[Operation]:
    """The calls of these groups in order. One without a result is pending, also when later messages stand behind it."""
    for group in groups:
        results = group.results
        for name, call in group.calls.items():
            yield _operation(call, results.get(name))


def read_line(line: str) -> Operation | None:
    """The operation of a checkpoint's line, or None when it is another line."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    return Operation(
        found["outcome"], found["text"], int(found["times"] or 1), int(found["turn"] or 0), found["agent"] or ""
    )


def merged(found: Iterable[Operation]) -> list[Operation]:
    """Repeats as one, where the last of them stood."""
    kept: dict[tuple[str, str, str], Operation] = {}
    for operation in found:
        key = operation.outcome, operation.text, operation.agent
        before = kept.pop(key, None)
        kept[key] = replace(operation, times=operation.times + before.times) if before else operation
    return list(kept.values())


def _operation(call: ToolCall, result: Message | None) -> Operation:
    target = _target(call)
    if result is None:
        return Operation(PENDING, _shown(call, target))
    if refused(call, result):
        return Operation(REFUSED, _shown(call, target))
    outcome = Evidence({call.id: call}).answered(result)
    if outcome.ok is False:
        return Operation(FAILED, f"{_shown(call, target)} ({_error(result)})")
    return Operation(APPLIED, _shown(call, target or _reported(result.text)))


def shown(call: ToolCall) -> str:
    """A call on one line: its tool, and on what."""
    return _shown(call, _target(call))


def _shown(call: ToolCall, target: str) -> str:
    name = safe(call.name, MAX_NAME) or "tool"
    target = cut(target[:_MAX_LOOKED_AT], MAX_TARGET)
    return f"{name} {target}" if target else name


def _target(call: ToolCall) -> str:
    keys, arguments = _keys(), call.arguments
    if call.command is not None:
        return call.command
    asked = first_text(arguments, keys.asked)
    if call.path is not None:
        verb = first_text(arguments, keys.verb)
        return " ".join(part for part in (verb if verb.isidentifier() else "", call.path, asked) if part)
    source, destination = first_text(arguments, keys.source), first_text(arguments, keys.destination)
    if source and destination:
        return f"{source} -> {destination}"
    return _patched(arguments) or asked or _all(arguments)


def _patched(arguments: Mapping[str, object]) -> str:
    """The files of a patch among the arguments."""
    texts = [value[:_MAX_LOOKED_AT] for _, value in sorted(arguments.items()) if isinstance(value, str)]
    found = (match[1] or match[2] for text in texts for match in _PATCHED.finditer(text))
    return ", ".join(dict.fromkeys(name.strip() for name in found))


def _all(arguments: Mapping[str, object]) -> str:
    """Every argument that is no content, by name; the only content when there is nothing else."""
    named = {name: value for name, value in sorted(arguments.items()) if name not in _keys().content}
    return ", ".join(f"{name}={_value(value)}" for name, value in (named or dict(sorted(arguments.items()))).items())


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
    return cut(text[:_MAX_LOOKED_AT], MAX_ARGUMENT)


def _reported(text: str) -> str:
    """What an output says was done, for a call whose arguments name nothing."""
    head = text[:_MAX_LOOKED_AT]
    found = success(head)
    return f"({cut(head[found.start : found.end], MAX_ERROR)})" if found else ""


def _error(result: Message) -> str:
    code = result.tool_result.exit_code if result.tool_result else None
    reason = cut(_reason(result.text), MAX_ERROR)
    return ": ".join(part for part in (f"exit {code}" if code else "", reason) if part) or "no reason given"


def _reason(text: str) -> str:
    """The line of an output that says why it failed: what a stack trace ends with, else the first line that reports a
    failure, else the first that says anything."""
    keys, lines = _keys(), [line for line in text[:_MAX_LOOKED_AT].split("\n") if line.strip()]
    if len(text) > _MAX_LOOKED_AT:
        lines += [line for line in text[-_MAX_LOOKED_AT:].split("\n") if line.strip()]
    lines = [line for line in map(_unframed, lines) if not keys.status.fullmatch(line)]
    if "Traceback (most recent call last)" in text:
        raised = next((line for line in reversed(lines) if keys.raised.match(line)), "")
        if raised:
            return raised
    failures = (
        line for line in lines if any(_fits(pattern.anchors, pattern.regex, line) for pattern in patterns("failure"))
    )
    return next(failures, lines[0] if lines else "")


def _unframed(line: str) -> str:
    return line.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _fits(anchors: tuple[str, ...], regex: re.Pattern[str], line: str) -> bool:
    return len(line) <= 600 and any(anchor in line for anchor in anchors) and regex.search(line) is not None
