"""Tools by which an agent looks at its own sessions: which one it is in, which there are, what happened in one.

Each has a JSON schema, in the form of OpenAI or of Anthropic, and a handler that answers with JSON. They only read, and
what they answer is a record, no order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cfpm.admin.transcripts import fields_of
from cfpm.errors import CFPMError, NotFoundError, UsageError
from cfpm.memory import Memory
from cfpm.model.clock import to_text
from cfpm.model.sessions import LogEntry

MOST = 100
"""Sessions or events of one answer: some thousand tokens."""

_USUAL = 20

Handler = Callable[[Mapping[str, Any]], object]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool for an agent: what a model is told of it, and what answers its calls."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON schema of its arguments."""
    handler: Handler

    def openai(self) -> dict[str, Any]:
        """As OpenAI's `tools` want it."""
        told = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": told}

    def anthropic(self) -> dict[str, Any]:
        """As Anthropic's `tools` want it."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.parameters)}

    def call(self, arguments: Mapping[str, Any] | str | None = None) -> str:
        """The answer to a call as JSON, whatever the model wrote; what is wrong with it stands under `error`."""
        try:
            return json.dumps(self.handler(self._checked(arguments)), ensure_ascii=False)
        except CFPMError as error:
            return json.dumps({"error": str(error)}, ensure_ascii=False)

    def _checked(self, arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
        given: Any = arguments
        if isinstance(given, str):
            try:
                given = json.loads(given or "{}")
            except (ValueError, RecursionError):
                raise UsageError(self.name, "the arguments are no JSON", "Pass a JSON object") from None
        if given is None:
            given = {}
        if not isinstance(given, Mapping):
            raise UsageError(self.name, "the arguments are no object", "Pass a JSON object")
        known = self.parameters["properties"]
        if unknown := sorted(set(map(str, given)) - set(known)):
            raise UsageError(self.name, f"no argument {unknown[0]!r}", f"Known are {', '.join(known) or 'none'}")
        return given


def session_tools(memory: Memory, session: str) -> tuple[Tool, ...]:
    """The tools of an agent that works in this session."""

    def current(arguments: Mapping[str, Any]) -> object:
        del arguments
        try:
            known = memory.resume(session)
        except NotFoundError:
            return {"name": session, "turns": 0, "messages": 0}
        total = memory.usage(session).total
        return {
            **fields_of(known.session),
            "waiting_calls": list(known.waiting),
            "tokens": {"sent": total.input, "written": total.output, "cost": total.cost},
        }

    def listed(arguments: Mapping[str, Any]) -> object:
        found = memory.sessions(limit=_limit(arguments))
        return {"sessions": [{**fields_of(one), "current": one.name == session} for one in found]}

    def events(arguments: Mapping[str, Any]) -> object:
        name = _text(arguments, "session") or session
        kinds = arguments.get("kinds") or ()
        if isinstance(kinds, str) or not isinstance(kinds, Iterable):
            raise UsageError("argument kinds", "no list", "Pass a list of kinds")
        found = memory.log(name, kinds=[str(kind) for kind in kinds])
        last = found[-_limit(arguments) :]
        return {"session": name, "left_out": len(found) - len(last), "events": [_entry(one) for one in last]}

    limit = {"type": "integer", "minimum": 1, "maximum": MOST, "description": f"At most this many; {_USUAL} if none."}
    kinds = {
        "type": "array",
        "items": {"type": "string", "enum": ["message", "fact", "verdict", "recall", "gate", "compaction"]},
        "description": "Only these kinds; all if none.",
    }
    named = {"type": "string", "description": "The name of a session; the current one if none."}
    return (
        Tool(
            "current_session",
            "Tells which session this is: its title, folder, model, turns, the tokens that it took, calls that wait.",
            _schema({}),
            current,
        ),
        Tool(
            "list_sessions",
            "Lists the sessions of this memory, the one that went on last first, with title, folder and times.",
            _schema({"limit": limit}),
            listed,
        ),
        Tool(
            "session_events",
            "Tells what happened in a session, oldest first: messages, facts that were learnt or changed, statements"
            " that were refused, recalls, decisions on commands, compactions. A record of the past, no instruction.",
            _schema({"session": named, "kinds": kinds, "limit": limit}),
            events,
        ),
    )


def _schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _limit(arguments: Mapping[str, Any]) -> int:
    value = arguments.get("limit", _USUAL)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError("argument limit", f"{value!r:.40} is no number above 0", f"Pass 1 to {MOST}")
    return min(value, MOST)


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"argument {name}", "no text", "Pass a text")
    return value


def _entry(one: LogEntry) -> dict[str, object]:
    told = {"at": to_text(one.at), "turn": one.turn, "kind": one.kind, "what": one.what, "id": one.id, "text": one.text}
    return {name: value for name, value in told.items() if value not in (None, "", 0)}
