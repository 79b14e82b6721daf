"""What travels: the two forms of request, and what a reply must look like. Opens no connection and no file.

The simple form is `{"agent"}` and `{"agent", "history": [{"role", "content"}]}`. Ours adds fields to the same shape, so
that an endpoint which ignores what it does not know understands both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from cfpm.extractor.requests import on_record
from cfpm.model import Message, Origin, Role
from cfpm.model.clock import to_text
from cfpm.model.ids import Identifier
from cfpm.pipeline.redaction import capped, redacted
from cfpm.pipeline.report import Report
from cfpm.secrets import redact
from cfpm.transcript.messages import parse_messages
from cfpm_adapters.provider import History
from cfpm_adapters.webhook.errors import WebhookError

Form = Literal["cfpm", "simple"]

PROTOCOL = 1
"""Version of our form, sent as `cfpm`."""

MAX_RESULT = 16_000
"""Characters of a tool result that are sent, head and tail; a log keeps no more (`log_cap`)."""

_STAYS = frozenset({Origin.THINKING, Origin.MEMORY_BLOCK})
"""What does not leave: reasoning is no evidence, and recalled memories are there already."""


def load_body(form: Form, agent: str, query: str, max_tokens: int) -> bytes:
    """The request for a block; secrets do not leave."""
    asked: dict[str, object] = {"agent": redact(agent).text}
    if form == "cfpm":
        asked |= {"cfpm": PROTOCOL, "query": redact(query).text, "max_tokens": max_tokens}
    return _json(asked).encode()


def save_body(form: Form, agent: str, session: str, items: Sequence[str]) -> tuple[str, bytes]:
    """The idempotency key and the body for messages of one session, each as JSON."""
    head: dict[str, object] = {"agent": agent}
    if form == "cfpm":
        head |= {"cfpm": PROTOCOL, "session": session}
    body = f'{_json(head)[:-1]},"history":[{",".join(items)}]}}'.encode()
    return save_key(session, body), body


def erase_body(agent: str, names: Sequence[str]) -> tuple[str, bytes]:
    """The idempotency key and the body that ask the other side to erase messages.

    A save of our form without messages. Each name is a hash of session and id (`message_hash` of the ledger), so that
    nothing of what is erased stands in the request.
    """
    body = _json({"agent": agent, "cfpm": PROTOCOL, "session": "", "history": [], "erase": list(names)}).encode()
    return save_key("", body), body


def save_key(session: str, body: bytes) -> str:
    """The idempotency key of a body."""
    # In the simple form the body does not name the session, but the same words in two sessions are said twice.
    return "cfpm-" + hashlib.sha256(session.encode() + b"\x1f" + body).hexdigest()


def outgoing(history: History, session: str) -> list[Message]:
    """The messages that may leave, named by the host's id or by their content: none that is off the record.

    Raises InputError for what is no message.
    """
    identifier = Identifier(session)
    messages = [identifier.named(message) for message in parse_messages(history)]
    return [message for message in on_record(messages) if message.origin not in _STAYS]


def message_text(form: Form, message: Message, now: datetime) -> str:
    """The JSON of a message, without secrets. A live host says undated messages now, so they get this time."""
    fit = _fit(message)
    return _json(_simple(fit) if form == "simple" else _full(fit, to_text(now) or ""))


def parse_block(status: int, body: bytes) -> str | None:
    """The block of a reply, None when there is none. Raises WebhookError for what is no such reply."""
    if status == 204:
        return None
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WebhookError("bad_json", f"the reply is not JSON ({type(error).__name__})") from None
    if not isinstance(answer, dict):
        raise WebhookError("wrong_type", f"the reply is a {type(answer).__name__}, not an object with a block")
    block = answer.get("block")
    if block is not None and not isinstance(block, str):
        raise WebhookError("wrong_type", f"the block is a {type(block).__name__}, not a text")
    return block if block and block.strip() else None


def parse_counts(body: bytes) -> Report | None:
    """What a reply to a save says was taken in; None when it says nothing of it, as any endpoint may."""
    try:
        answer: object = json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None
    names = ("messages", "accepted", "merged", "superseded", "rejected")
    if not isinstance(answer, dict) or not all(type(answer.get(name)) is int for name in names):
        return None
    more = {name: answer[name] for name in ("pruned", "facts") if type(answer.get(name)) is int}
    return Report(**{name: answer[name] for name in names}, **more)


def _fit(message: Message) -> Message:
    clean = redacted(message)
    text = capped(clean.text, MAX_RESULT)[0] if clean.role is Role.TOOL else clean.text
    return clean if text is clean.text else replace(clean, text=text)


def _simple(message: Message) -> dict[str, object]:
    return {"role": message.role.value, "content": message.text}


def _full(message: Message, stamp: str) -> dict[str, object]:
    said: dict[str, object] = {
        **_simple(message),
        "id": message.id,
        "created_at": to_text(message.created_at) or stamp,
    }
    if message.name:
        said["name"] = message.name
    if message.origin is not Origin.SAID:
        said["origin"] = message.origin.value
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in message.tool_calls
        ]
    if (result := message.tool_result) is not None:
        facts = {"tool_call_id": result.call_id, "is_error": result.is_error, "exit_code": result.exit_code}
        said |= {name: value for name, value in facts.items() if value not in (None, "")}
    return said


def _json(value: object) -> str:
    # ASCII: a lone surrogate from a host could not be sent as UTF-8.
    return json.dumps(value, separators=(",", ":"), default=str)
