"""A session of the log as the history that a host goes on with: everything, and what a provider takes of it.

Writes nothing, and asks no model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from cfpm.context.artifacts import Artifacts
from cfpm.context.history import Raw
from cfpm.context.sessions import as_dicts
from cfpm.model import Message, Origin, Role, TokenUsage
from cfpm.model.markers import COMPACTION_PREFIX, TRIMMED_OPEN
from cfpm.model.sessions import Session
from cfpm.store.sessions import Kept
from cfpm.store.store import Store

NO_RESULT = "[no result: the session was cut off while this call ran]"
"""Answers a call that has no result, since providers take none without."""

BEGUN = "[the conversation began with the assistant]"
"""Stands in front where the assistant spoke first, since Anthropic wants the user to."""

_STUB = re.compile(r"Artifact: ([0-9a-f]{32})")
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_SPEAKER = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_TOOL = 64


class Style(StrEnum):
    """The form in which a provider takes messages."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session to go on with.

    `log` is everything, oldest first, in dicts of OpenAI's form with what was told beside the words: `id`,
    `created_at`, `user_visible`, `agent_visible`, `thinking`, `usage`, `model`. Keep it, add to it, hand it to
    `observe`, `compact` and the driver: what the memory knows already it does not take in again. `messages` is what the
    model is to see of it, with nothing that a provider refuses; `system` are the system messages where its form has
    them apart. `waiting` are ids of calls without a result, and `told` says in a sentence what that means.
    """

    session: Session
    style: Style
    log: tuple[Raw, ...]
    waiting: tuple[str, ...]
    told: str

    @property
    def messages(self) -> tuple[Raw, ...]:
        """What to send to the model."""
        return for_provider(self.log, self.style)

    @property
    def system(self) -> str:
        """The system prompt; empty without one, and where it stands among the messages."""
        return system_prompt(self.log) if self.style is Style.ANTHROPIC else ""


def resume(store: Store, namespace: str, session: Session, style: Style, artifacts: Artifacts | None) -> Resumed:
    """The session as it stands in one moment of the store; results that were offloaded whole, where `artifacts` has
    them."""
    with store.reading():
        history = store.sessions.history(namespace, session.name)
    log = tuple(_whole(raw, artifacts) for raw in logged(history))
    waiting = tuple(_unanswered(visible(log)))
    told = ""
    if waiting:
        calls = "1 call has" if len(waiting) == 1 else f"{len(waiting)} calls have"
        told = f"{calls} no result: the session was cut off, or another process is at work in it right now"
    return Resumed(session, style, log, waiting, told)


def logged(history: Sequence[Kept]) -> list[Raw]:
    """All messages of a history as dicts, notes of compactions where the model sees them."""
    thoughts: dict[str, list[Message]] = {}
    said: list[Message] = []
    pending: list[Message] = []
    for message in _in_place(history):
        if message.origin is Origin.THINKING:
            pending.append(message)
            continue
        if pending and message.role is Role.ASSISTANT:
            thoughts[message.id] = pending
        pending = []
        said.append(message)
    return as_dicts(said, lambda messages: _told(messages, thoughts))


def visible(log: Sequence[Raw]) -> list[Raw]:
    """What the model is to see of a log."""
    return [raw for raw in log if raw.get("agent_visible") is not False]


def system_prompt(log: Sequence[Raw]) -> str:
    """The system messages that the model is to see, as one text."""
    return "\n\n".join(text for raw in visible(log) if raw["role"] == "system" and (text := _text(raw)).strip())


def for_provider(log: Sequence[Raw], style: Style | str) -> tuple[Raw, ...]:
    """What the model is to see of a log of `resume`, as a provider takes it: each call with its result, each id once,
    no empty message, no field that it does not know. Anthropic gets sealed thoughts back; `system_prompt` is apart."""
    shown = list(_repaired(visible(log)))
    return tuple(_openai(shown) if Style(style) is Style.OPENAI else _anthropic(shown))


def _in_place(history: Sequence[Kept]) -> Iterator[Message]:
    """The messages in the order of the model's view; records of compactions are none."""
    rows = [kept for kept in history if not kept.row.message.text.startswith(COMPACTION_PREFIX)]
    ids = {kept.row.message.id for kept in rows}
    notes = {kept.stands_before: kept.row.message for kept in rows if kept.stands_before in ids}
    for kept in rows:
        if kept.stands_before in ids:
            continue
        here = [kept.row.message]
        while (note := notes.pop(here[-1].id, None)) is not None:
            here.append(note)
        yield from reversed(here)


def _told(messages: Sequence[Message], thoughts: dict[str, list[Message]]) -> Raw:
    """What was told beside the words of messages that are one dict."""
    told: dict[str, object] = {}
    thinking = [
        {"thinking": thought.text, **({"signature": seal} if (seal := _seal(thought)) else {})}
        for message in messages
        for thought in thoughts.get(message.id, ())
        if thought.text
    ]
    if thinking:
        told["thinking"] = thinking
    details = [message.details for message in messages if message.details is not None]
    usage = [one.usage for one in details if one.usage is not None]
    if usage:
        told["usage"] = _as_dict(sum(usage[1:], usage[0]) if len({one.reply for one in details}) > 1 else usage[-1])
    if models := [one.model for one in details if one.model]:
        told["model"] = models[-1]
    if any(not one.agent_visible for one in details):
        told["agent_visible"] = False
    if any(not one.user_visible for one in details):
        told["user_visible"] = False
    return told


def _seal(thought: Message) -> str:
    return thought.details.signature if thought.details is not None else ""


def _as_dict(usage: TokenUsage) -> Raw:
    counts = {name: getattr(usage, name) for name in ("input", "output", "cache_read", "cache_written")}
    told = {name: count for name, count in counts.items() if count or name in ("input", "output")}
    return told if usage.cost is None else {**told, "cost": usage.cost}


def _whole(raw: Raw, artifacts: Artifacts | None) -> Raw:
    text = raw.get("content")
    if artifacts is None or raw["role"] != "tool" or not isinstance(text, str) or not text.startswith(TRIMMED_OPEN):
        return raw
    named = _STUB.search(text)
    found = artifacts.resolve(named[1]) if named else None
    return raw if found is None else {**raw, "content": found.content}


def _text(raw: Raw) -> str:
    content = raw.get("content")
    return content if isinstance(content, str) else ""


def _calls(raw: Raw) -> list[Raw]:
    calls = raw.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _unanswered(log: Sequence[Raw]) -> Iterator[str]:
    answered = {raw.get("tool_call_id") for raw in log if raw["role"] == "tool"}
    for raw in log:
        yield from (str(call["id"]) for call in _calls(raw) if call["id"] not in answered)


def _repaired(shown: Sequence[Raw]) -> Iterator[Raw]:
    """The messages with each call behind an id of its own and before its result, and no result without a call."""
    used: set[str] = set()
    for at, raw in enumerate(shown):
        if raw["role"] == "tool":
            continue
        calls = _calls(raw)
        if not calls:
            if _text(raw).strip():
                yield raw
            continue
        results = {}
        for later in shown[at + 1 :]:
            if later["role"] != "tool":
                break
            results[later.get("tool_call_id")] = _text(later)
        named = [(call, _fresh(str(call["id"]), used)) for call in calls]
        yield {**raw, "tool_calls": [_renamed(call, name) for call, name in named]}
        for call, name in named:
            text = results.get(call["id"])
            yield {"role": "tool", "tool_call_id": name, "content": NO_RESULT if text is None else text}


def _fresh(name: str, used: set[str]) -> str:
    """The id of a call, or another one where a provider would refuse it."""
    if not _CALL_ID.fullmatch(name) or name in used:
        number = len(used) + 1
        while (name := f"call_{number}") in used:
            number += 1
    used.add(name)
    return name


def _renamed(call: Raw, name: str) -> Raw:
    function = call["function"]
    assert isinstance(function, dict), "as_dicts wrote it"
    tool = _NOT_IN_A_NAME.sub("_", str(function["name"]))[:_MAX_TOOL] or "tool"
    return {**call, "id": name, "function": {**function, "name": tool}}


def _openai(shown: Sequence[Raw]) -> Iterator[Raw]:
    for raw in shown:
        sent: dict[str, object] = {"role": raw["role"], "content": _text(raw)}
        name = raw.get("name")
        if isinstance(name, str) and _SPEAKER.fullmatch(name) and raw["role"] != "tool":
            sent["name"] = name
        if raw["role"] == "tool":
            sent["tool_call_id"] = raw["tool_call_id"]
        if calls := _calls(raw):
            sent["tool_calls"] = calls
            sent["content"] = sent["content"] or None
        yield sent


def _anthropic(shown: Sequence[Raw]) -> list[Raw]:
    """Users and assistants in turn, in blocks."""
    turns: list[tuple[str, list[Raw]]] = []
    for raw in shown:
        if raw["role"] == "system":
            continue
        role = "assistant" if raw["role"] == "assistant" else "user"
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        turns[-1][1].extend(_blocks(raw))
    if turns and turns[0][0] != "user":
        turns.insert(0, ("user", [{"type": "text", "text": BEGUN}]))
    if turns and turns[-1][0] == "assistant" and turns[-1][1][-1]["type"] == "text":
        # It would be taken for the beginning of the answer, which may not end with a space.
        turns[-1][1][-1] = {"type": "text", "text": str(turns[-1][1][-1]["text"]).rstrip()}
    return [{"role": role, "content": blocks} for role, blocks in turns]


def _blocks(raw: Raw) -> Iterator[Raw]:
    import json

    if raw["role"] == "tool":
        yield {"type": "tool_result", "tool_use_id": raw["tool_call_id"], "content": _text(raw)}
        return
    thinking = raw.get("thinking")
    for thought in thinking if isinstance(thinking, list) else ():
        if thought.get("signature"):
            yield {"type": "thinking", **thought}
    if _text(raw).strip():
        name = raw.get("name")
        said = f"{name}: {_text(raw)}" if name and raw["role"] == "user" else _text(raw)
        yield {"type": "text", "text": said}
    for call in _calls(raw):
        function = call["function"]
        assert isinstance(function, dict), "as_dicts wrote it"
        yield {
            "type": "tool_use",
            "id": call["id"],
            "name": function["name"],
            "input": json.loads(str(function["arguments"])),
        }
