"""A session of any transcript as the list of dicts that would be sent to a provider: as it stands in the file where the
file holds such a list, else written anew in OpenAI form."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cfpm.context.history import Raw
from cfpm.errors import InputError, UsageError
from cfpm.model import Message, Origin, ToolCall
from cfpm.model.clock import to_text
from cfpm.transcript.reading import detect, read
from cfpm.transcript.records import Problem
from cfpm.transcript.source import open_source

_AS_SENT = frozenset({"openai", "anthropic"})


def read_session(path: Path, *, format: str = "auto", session: str | None = None) -> tuple[str, list[Raw]]:  # noqa: A002
    """The name and the dicts of one session of a transcript; `session` chooses one where the file has several.

    Raises UsageError for a session that is not in the file, or when one must be chosen; InputError for a file that
    cannot be read, or of which a part is damaged: half a history would be compacted as if it were whole.
    """
    sessions: dict[str, list[Message]] = {}
    for record in read(path, format=format):
        if isinstance(record, Problem):
            if record.unknown:  # bookkeeping of a newer host: no message is missing
                continue
            raise InputError(str(path), record.problem, record.remedy, place=record.place)
        sessions.setdefault(record.session, []).append(record.message)
    name = _chosen(path, list(sessions), session)
    found = format if format != "auto" else detect(path)
    if len(sessions) == 1 and found in _AS_SENT and (sent := _as_sent(path)) is not None:
        return name, sent
    return name, as_dicts(sessions[name])


Told = Callable[[Sequence[Message]], Raw]
"""What a dict holds besides the words of the messages that it stands for."""


def as_dicts(messages: Iterable[Message], told: Told | None = None) -> list[Raw]:
    """Messages as dicts in OpenAI form. Results follow the calls that they answer, and the calls that wait for their
    results stand in one message, as providers want it; thinking is left out, since no provider takes it back as text.
    """
    said = [message for message in messages if message.origin is not Origin.THINKING]
    results: dict[str, deque[Message]] = {}
    for message in said:
        if message.tool_result is not None:
            results.setdefault(message.tool_result.call_id, deque()).append(message)
    dicts: list[Raw] = []
    for batch in _batches(said):
        dicts.extend(_written(batch, results, told or _nothing))
    return dicts


def _batches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Assistant messages with calls that nothing stands between are one batch: their results come after all of them."""
    batch: list[Message] = []
    for message in messages:
        if batch and not (message.tool_calls and batch[-1].tool_calls):
            yield batch
            batch = []
        if message.tool_result is None:
            batch.append(message)
    if batch:
        yield batch


def _nothing(messages: Sequence[Message]) -> Raw:
    del messages
    return {}


def _written(batch: list[Message], results: Mapping[str, deque[Message]], told: Told) -> Iterator[Raw]:
    first = batch[0]
    text = "\n\n".join(message.text for message in batch if message.text)
    whole: dict[str, object] = {"role": first.role.value, "content": text}
    if first.id:
        whole["id"] = first.id
    if first.created_at:
        whole["created_at"] = to_text(first.created_at)
    if first.name:
        whole["name"] = first.name
    answered: list[tuple[str, Message]] = []
    calls = []
    for message in batch:
        for number, call in enumerate(message.tool_calls):
            name = call.id or f"call_{message.id}_{number}"
            calls.append(_call(call, name))
            answered += [(name, result) for result in _taken(results, call.id)]
    if calls:
        whole["tool_calls"] = calls
    yield {**whole, **told(batch)}
    for name, result in answered:
        yield {"role": "tool", "tool_call_id": name, "content": result.text, **_outcome(result), **told([result])}


def _taken(results: Mapping[str, deque[Message]], call_id: str) -> list[Message]:
    """The result of a call. Calls without an id are answered in their order."""
    waiting = results.get(call_id)
    return [waiting.popleft()] if waiting else []


def _call(call: ToolCall, name: str) -> Raw:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _outcome(result: Message) -> dict[str, object]:
    known = result.tool_result
    fields: dict[str, object] = {"id": result.id} if result.id else {}
    if known and known.is_error is not None:
        fields["is_error"] = known.is_error
    if known and known.exit_code is not None:
        fields["exit_code"] = known.exit_code
    return fields


def _as_sent(path: Path) -> list[Raw] | None:
    """The dicts of a file that holds one list of messages and nothing else, or None."""
    source = open_source(path)
    value: object
    if source.shape() == "document":
        value = source.document()
    else:
        value = [json.loads(line) for _, line in source.lines() if line.strip()]
    if isinstance(value, Mapping):
        value = value.get("messages")
    if not isinstance(value, list) or not all(isinstance(item, Mapping) and "role" in item for item in value):
        return None
    return value


def _chosen(path: Path, names: list[str], session: str | None) -> str:
    if not names:
        raise InputError(str(path), "no messages", "Name a transcript of a session")
    if session is None and len(names) == 1:
        return names[0]
    if session in names:
        return session
    listed = ", ".join(names[:20])
    problem = f"has no session {session!r}" if session else f"has {len(names)} sessions"
    raise UsageError(str(path), problem, f"Choose one with --session: {listed}")
