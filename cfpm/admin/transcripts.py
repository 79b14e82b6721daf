"""A session as a document for people (Markdown) or programs (JSON). What only the model sees is left out of both."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from cfpm.context.history import Raw
from cfpm.model.clock import to_text
from cfpm.model.sessions import Session

FORMATS = ("markdown", "json")

_WHO = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Result"}
_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
_STRUCTURE = re.compile(r"^( {0,3})(#|---|===|```|~~~)", re.MULTILINE)


def fields_of(session: Session) -> dict[str, object]:
    """A session as a JSON object with the names of its fields; times as text."""
    named = session._asdict()
    return {**named, "started": to_text(session.started), "updated": to_text(session.updated)}


def transcript(session: Session, log: Sequence[Raw], form: str) -> str:
    """The whole document, ending with a line break; the same session gives the same text."""
    shown = [raw for raw in log if raw.get("user_visible") is not False]
    if form == "json":
        document = {"session": fields_of(session), "messages": shown}
        return json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n"
    return "\n".join(_markdown(session, shown)).rstrip("\n") + "\n"


def _markdown(session: Session, shown: Sequence[Raw]) -> Iterator[str]:
    yield f"# {_line(session.title) or _line(session.name)}"
    yield ""
    told = {
        "session": session.name,
        "folder": session.cwd,
        "model": session.model,
        "agent": session.agent,
        "started": to_text(session.started),
        "updated": to_text(session.updated),
        "goes on from": f"{session.parent}, turn {session.shared}" if session.parent else "",
    }
    yield from (f"- {name}: {_line(str(value))}" for name, value in told.items() if value)
    for raw in shown:
        yield ""
        yield from _message(raw)


def _message(raw: Raw) -> Iterator[str]:
    role = str(raw["role"])
    usage = raw.get("usage")
    spent = ""
    if isinstance(usage, dict):
        cost = f", {usage['cost']:.4f}" if "cost" in usage else ""
        spent = f"{usage['input']} + {usage['output']} tokens{cost}"
    told = (_line(str(raw.get("name") or "")), str(raw.get("created_at") or ""), spent)
    yield " · ".join([f"## {_WHO.get(role, role)}", *(part for part in told if part)])
    yield ""
    thinking = raw.get("thinking")
    for thought in thinking if isinstance(thinking, list) else ():
        yield from ("<details><summary>Thinking</summary>", "", _fenced(str(thought["thinking"])), "", "</details>", "")
    text = str(raw.get("content") or "")
    if role == "tool":
        yield _fenced(text)
    elif text:
        yield _STRUCTURE.sub(r"\1\\\2", text)
    calls = raw.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        yield ""
        yield f"Calls **{_line(str(call['function']['name']))}**:"
        yield ""
        yield _fenced(str(call["function"]["arguments"]), "json")


def _fenced(text: str, language: str = "") -> str:
    """In a fence that nothing in the text ends."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
