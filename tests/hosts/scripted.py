"""A model on loopback that follows its script, under the interfaces of four providers: it calls the shell once when the
newest prompt says `RUN: command`, and else says that it noted it. It keeps every request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELLS = ("Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command")
NOTED = "Noted, thank you."


class Model(ThreadingHTTPServer):
    """The endpoint, with the requests that it got: the newest last."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def texts(self) -> list[str]:
        """Each request that asks for an answer, as one text."""
        return [json.dumps(body, ensure_ascii=False) for body in self.requests]


@contextmanager
def scripted_model() -> Iterator[Model]:
    with Model() as model:
        thread = threading.Thread(target=model.serve_forever, daemon=True)
        thread.start()
        yield model
        model.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [], "models": []})

    do_HEAD = do_GET  # noqa: N815 (so the library calls it)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.loads(raw or b"{}")
        path = self.path.partition("?")[0]
        if "count_tokens" in path or "countTokens" in path:
            self._json({"input_tokens": 100, "totalTokens": 100})
            return
        answers = {
            "messages": _anthropic,
            "responses": _responses,
            "completions": _chat,
            "streamGenerateContent": _gemini,
            "generateContent": _gemini,
        }
        write = next((write for end, write in answers.items() if path.endswith(end)), None)
        if write is None:
            self._json({})
            return
        self.server.requests.append(body)
        whole, events = write(body)
        if path.endswith("generateContent") or ("stream" in body and not body["stream"]):
            self._json(whole)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, event in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode())
        self.close_connection = True

    def _json(self, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


Written = tuple[object, list[tuple[str, object]]]


def _wanted(prompts: list[str], tools: list[str], *, answered: bool) -> tuple[str, str] | None:
    """The shell and the command that the script calls for, None for words."""
    shell = next((name for name in SHELLS if name in tools), None)
    prompt = prompts[-1] if prompts else ""
    if shell is None or answered or "RUN: " not in prompt:
        return None
    return shell, prompt.split("RUN: ", 1)[1].split("\n")[0].strip().strip('"')


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _anthropic(body: dict[str, Any]) -> Written:
    users = [message["content"] for message in body["messages"] if message["role"] == "user"]
    last = users[-1] if users else ""
    answered = isinstance(last, list) and any(part.get("type") == "tool_result" for part in last)
    call = _wanted(list(map(_text, users)), [tool["name"] for tool in body.get("tools", [])], answered=answered)
    block: dict[str, Any] = {"type": "text", "text": NOTED}
    empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": NOTED}
    if call:
        arguments = {"command": call[1], "description": "run"}
        block = {"type": "tool_use", "id": f"toolu_{len(body['messages'])}", "name": call[0], "input": arguments}
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    stop = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [block]}
    whole |= {"stop_reason": stop, "stop_sequence": None, "usage": usage}
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {**whole, "content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 10}}),
        ("message_stop", {}),
    ]
    return whole, [(name, {"type": name, **event}) for name, event in events]


def _responses(body: dict[str, Any]) -> Written:
    items = body.get("input", [])
    places = [at for at, item in enumerate(items) if item.get("role") == "user"]
    answered = any(str(item.get("type")).endswith("_output") for item in items[places[-1] :]) if places else False
    tools = [tool.get("name") or tool.get("type") for tool in body.get("tools", [])]
    call = _wanted([_text(items[at].get("content")) for at in places], tools, answered=answered)
    item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant"}
    item["content"] = [{"type": "output_text", "text": NOTED, "annotations": []}]
    if call:
        words = {"exec_command": {"cmd": call[1]}, "shell": {"command": ["bash", "-lc", call[1]]}}
        arguments = json.dumps(words.get(call[0], {"command": call[1]}))
        name = f"call_{len(items)}"
        item = {"type": "function_call", "id": "fc_1", "call_id": name, "name": call[0], "arguments": arguments}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage_details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "resp_1", "output": [item], "usage": {**usage, **usage_details}}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [(event["type"], event) for event in events]


def _chat(body: dict[str, Any]) -> Written:
    messages = body["messages"]
    users = [_text(message["content"]) for message in messages if message["role"] == "user"]
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    call = _wanted(users, tools, answered=messages[-1]["role"] == "tool")
    delta: dict[str, Any] = {"role": "assistant", "content": NOTED}
    if call:
        function = {"name": call[0], "arguments": json.dumps({"command": call[1], "description": "run"})}
        called = {"index": 0, "id": f"call_{len(messages)}", "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [called]}
    end = "tool_calls" if call else "stop"
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m1"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    first = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}
    whole = {**head, "choices": [{"index": 0, "message": delta, "finish_reason": end}], "usage": usage}
    return whole, [("", first), ("", last), ("", "[DONE]")]


def _gemini(body: dict[str, Any]) -> Written:
    contents = body.get("contents", [])
    users = [_text(content["parts"]) for content in contents if content.get("role") == "user"]
    prompts = [text for text in users if text.strip()]
    last = contents[-1]["parts"] if contents else []
    declared = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    answered = any("functionResponse" in part for part in last)
    call = _wanted(prompts, [one["name"] for one in declared], answered=answered)
    part: dict[str, Any] = {"text": NOTED}
    if call:
        part = {"functionCall": {"name": call[0], "args": {"command": call[1]}}}
    candidate = {"content": {"parts": [part], "role": "model"}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    whole = {"candidates": [candidate], "usageMetadata": usage}
    return whole, [("", whole)]
