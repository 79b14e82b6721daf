"""A second reader of hosts' files, as simple as can be, to hold against ours: what the user said, what the agent said,
and how many calls and results there are. It shares no code with the package, and marks no host's texts in the user's
name.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Said = tuple[str, str]
"""Who, `user`, `assistant`, `call` or `result`, and the text."""


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _blocks(content: Any, who: str) -> Iterator[Said]:
    """Anthropic's, OpenAI's, Gemini's and pi's blocks alike."""
    if isinstance(content, str):
        content = [{"text": content}]
    for block in content or []:
        kind = block.get("type", "text")
        if kind in ("tool_use", "toolCall") or "functionCall" in block:
            yield "call", ""
        elif kind == "tool_result":
            yield "result", json.dumps(block.get("content", ""))
        elif kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
            yield who, block["text"]


def codex(path: Path) -> Iterator[Said]:
    """Items of the conversation; developers' messages are the host's."""
    for row in _rows(path):
        item = row.get("payload") if row.get("type") == "response_item" else None
        if not item:
            continue
        if item["type"] == "message" and item["role"] in ("user", "assistant"):
            yield from _blocks(item["content"], item["role"])
        elif item["type"].endswith("_call") and item["type"] != "tool_search_call":
            yield "call", ""
        elif item["type"] in ("function_call_output", "custom_tool_call_output"):
            yield "result", ""


def gemini(path: Path) -> Iterator[Said]:
    """The last version of each message, and the events of a stream."""
    last: dict[str, Any] = {}
    pieces = ""
    for row in [_document(path)] if path.suffix == ".json" else _rows(path):
        pieces += row["content"] if row.get("delta") else ""
        if pieces and not row.get("delta"):
            yield "assistant", pieces
            pieces = ""
        if row.get("type") == "message" and not row.get("delta"):
            yield row["role"], row["content"]
        yield from {"tool_use": [("call", "")], "tool_result": [("result", "")]}.get(row.get("type", ""), [])
        listed = row.get("$set", row).get("messages")
        last = last if listed is None else {}
        last.update({message["id"]: message for message in listed or [row] if "id" in message})
    for message in last.values():
        if message["type"] in ("user", "gemini"):
            yield from _blocks(message["content"], "user" if message["type"] == "user" else "assistant")
        for call in message.get("toolCalls") or []:
            yield from [("call", ""), ("result", "")][: 2 if call.get("result") else 1]


def pi(path: Path) -> Iterator[Said]:
    """Entries that are messages; a command of the user's is a call with its result."""
    for row in _rows(path):
        message = row.get("message", {}) if row.get("type") == "message" else {}
        role = message.get("role")
        if role in ("user", "assistant"):
            yield from _blocks(message["content"], role)
        elif role == "toolResult":
            yield "result", ""
        elif role == "bashExecution":
            yield from (("call", ""), ("result", ""))


def antigravity(path: Path) -> Iterator[Said]:
    """Steps; whatever the model shows besides answers is a result."""
    for row in _rows(path):
        text = row.get("content") or ""
        if row["source"] == "USER_EXPLICIT":
            yield "user", re.sub(r"(?s)</USER_REQUEST>.*", "", text).replace("<USER_REQUEST>", "")
        elif row["source"] == "MODEL" and row["type"] == "PLANNER_RESPONSE":
            yield "assistant", text
            yield from (("call", "") for _ in row.get("tool_calls") or [])
        elif row["source"] == "MODEL":
            yield "result", text


def cursor(path: Path) -> Iterator[Said]:
    """Sections of an export, or rows of a transcript."""
    if path.suffix == ".jsonl":
        for row in _rows(path):
            for who, text in _blocks(row["message"]["content"], row["role"]):
                yield who, re.sub(r"(?s).*<user_query>(.*)</user_query>.*", r"\1", text) if who == "user" else text
        return
    parts = re.split(r"(?m)^---\n\n\*\*(User|Cursor)\*\*\n", path.read_text(encoding="utf-8"))
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        yield "user" if name == "User" else "assistant", text.rstrip("\n -")


def opencode(path: Path) -> Iterator[Said]:
    """The parts of the database, joined with whose they are."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = "SELECT m.data, p.data FROM part p JOIN message m ON m.id = p.message_id"
    for message, data in connection.execute(query).fetchall():
        part = json.loads(data)
        if part["type"] == "tool":
            yield "call", ""
            if part["state"]["status"] in ("completed", "error"):
                yield "result", ""
        elif part["type"] == "text" and not part.get("synthetic") and not part.get("ignored"):
            yield json.loads(message)["role"], part["text"].strip('"\n')
    connection.close()


def aider(path: Path) -> Iterator[Said]:
    """Lines with aider's line break; stretches of others are the model's."""
    model: list[str] = []
    text = re.sub(r"(?m)^# aider chat started at .*$", ">  ", path.read_text(encoding="utf-8", errors="replace"))
    for line in [*text.split("\n"), ">  "]:
        typed, shown = line.startswith("#### ") and line.endswith("  "), line.startswith(">") and line.endswith("  ")
        if not typed and not shown:
            model.append(line)
            continue
        if "".join(model).strip():
            yield "assistant", "\n".join(model)
        model = []
        if typed and line.strip("# ") not in ("", "<blank>"):
            yield "user", re.sub(r"^/(?:ask|code|architect|context|ok|chat-mode) ", "", line[5:].strip())


def chatgpt(path: Path) -> Iterator[Said]:
    """From the current node to the root."""
    value = _document(path)
    for conversation in value if isinstance(value, list) else [value]:
        name = conversation.get("current_node")
        while name:
            found = conversation["mapping"][name]
            message, name = found.get("message"), found.get("parent")
            if not message or (message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
                continue
            role, content = message["author"]["role"], message["content"]
            if role == "tool":
                yield "result", ""
            elif role == "assistant" and (message.get("recipient") or "all") != "all":
                yield "call", ""
            elif role in ("user", "assistant") and content["content_type"] in ("text", "multimodal_text"):
                yield role, "\n".join(part for part in content["parts"] if isinstance(part, str))


def claude_ai(path: Path) -> Iterator[Said]:
    """All messages of exports that name no parents; else only how many there are of the last branch."""
    value = _document(path)
    for conversation in value if isinstance(value, list) else [value]:
        messages = {message["uuid"]: message for message in conversation["chat_messages"]}
        chain = list(messages.values())
        if any(message.get("parent_message_uuid") in messages for message in chain):
            last, chain = (chain[-1] if chain else None), []
            while last:
                chain.append(last)
                last = messages.get(last.get("parent_message_uuid") or "")
        for message in chain:
            who = "user" if message["sender"] == "human" else "assistant"
            yield from _blocks(message.get("content") or message.get("text"), who)


def cline(path: Path) -> Iterator[Said]:
    """What stands in the first element of a text is the user's; a text that names a result is a tool's."""
    value = _document(path)
    for message in value["messages"] if isinstance(value, dict) else value:
        for who, text in _blocks(message["content"], message["role"]):
            if who == "user" and re.match(r"\s*\[[\w.-]+[^\n]*\] Result:", text):
                yield "result", text
            elif who == "user":
                found = re.match(r"(?s)\s*<(task|user_message|user_input|feedback|answer)\b[^>\n]*>(.*)</\1>", text)
                if found:
                    yield "user", found[2]
            elif who == "assistant":
                calls = re.findall(r"(?m)^<([a-z]+_[a-z_]+)>[ \t]*$", text)
                yield who, re.split(r"(?m)^<[a-z]+_[a-z_]+>[ \t]*$", text)[0]
                yield from (("call", "") for _ in calls)
            else:
                yield who, text


def tau(path: Path) -> Iterator[Said]:
    """The messages of all simulations or trajectories; of examples what they show."""
    value = list(_rows(path)) if path.suffix == ".jsonl" else _document(path)
    for run in value if isinstance(value, list) else value.get("simulations", [value]):
        shown = re.split(r"(?m)^(user|assistant|tool): ", run.get("messages_display", ""))
        for who, text in zip(shown[1::2], shown[2::2], strict=True):
            # A call without words is shown as None.
            yield ("result", "") if who == "tool" else (who, "" if text.strip() == "None" else text)
        for message in run.get("messages") or run.get("traj") or []:
            if message["role"] == "tool":
                yield from (("result", "") for _ in message.get("tool_messages") or [message])
            elif message["role"] in ("user", "assistant"):
                yield message["role"], message.get("content") or ""
                yield from (("call", "") for _ in message.get("tool_calls") or [])


def claude_code(path: Path) -> Iterator[Said]:
    """Rows of type user or assistant, each message once."""
    seen = set()
    for row in _rows(path):
        if row.get("type") in ("user", "assistant") and row.get("uuid") not in seen:
            seen.add(row.get("uuid"))
            message = row["message"]
            yield from _blocks(message if isinstance(message, str) else message.get("content"), row["type"])


def specstory(path: Path) -> Iterator[Said]:
    """Sections by their headings, once tools and thoughts are taken out: those may hold headings of other files."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text, calls = re.subn(r"(?ms)^<tool-use .*?^</details></tool-use>$", "\0", text)
    yield from (("call", "") for _ in range(calls))
    text = re.sub(r"(?ms)^<think>.*?</details></think>$", "\0", text)
    parts = re.split(r"(?m)^_\*\*(User|Agent)[^*\n]*\*\*_$", text)
    for name, section in zip(parts[1::2], parts[2::2], strict=True):
        for piece in section.split("\0"):
            yield "user" if name == "User" else "assistant", re.sub(r"\n---\s*$", "", piece)


SECOND: dict[str, Callable[[Path], Iterator[Said]]] = {
    "aider": aider,
    "antigravity": antigravity,
    "chatgpt": chatgpt,
    "claude_code": claude_code,
    "claude_ai": claude_ai,
    "cline": cline,
    "codex": codex,
    "cursor": cursor,
    "gemini": gemini,
    "opencode": opencode,
    "pi": pi,
    "specstory": specstory,
    "tau_bench": tau,
}
"""The reader of each format, by the name that the package gives the format."""
