"""The Claude Agent SDK: hooks in this process, over a memory. Extra `claude-agent-sdk`.

    memory = Memory.open("sqlite:///memory.db", namespace="user:kim", clock=utc_now)
    options = ClaudeAgentOptions(hooks=cfpm_hooks(memory))

They answer as `cfpm hook claude-code EVENT` does, without a process for each event. The SDK has no start of a session:
the first prompt is told the brief.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from cfpm.errors import MissingExtraError
from cfpm.secrets import redact
from cfpm_adapters.hosts.event import Event, Host, Options
from cfpm_adapters.hosts.moments import learn, told

try:
    from claude_agent_sdk import HookContext, HookInput, HookJSONOutput, HookMatcher
except ImportError as error:
    raise MissingExtraError("The hooks for the Claude Agent SDK", "claude-agent-sdk") from error

if TYPE_CHECKING:
    from cfpm.memory import Memory

_LOG = logging.getLogger("cfpm.provider")

EVENTS: tuple[Literal["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact"], ...] = (
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "PreCompact",
)


def cfpm_hooks(memory: Memory, *, permission: Literal["ask", "allow"] = "allow") -> dict[Any, list[HookMatcher]]:
    """For `ClaudeAgentOptions(hooks=...)`: recall, gate, learning, and a mark in the log before a compaction.

    `permission` is what happens to a changed command; where nobody can be asked, `ask` is a refusal. A hook that fails
    is logged in `cfpm.provider`, and the agent goes on.
    """
    host, lock = Host.named("claude-code"), threading.Lock()

    def hook(name: str) -> Callable[[HookInput, str | None, HookContext], Any]:
        def answered(data: dict[str, Any]) -> dict[str, Any]:
            with lock:
                return _answer(memory, Event.of(host, data, name), permission)

        async def run(data: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
            fields: dict[str, Any] = {"tool_use_id": tool_use_id, **data}
            try:
                found: Any = await asyncio.to_thread(answered, fields)
            except Exception as error:  # noqa: BLE001 (a provider boundary: logged, and the agent goes on)
                _LOG.warning("%s", redact(f"{name}: {type(error).__name__}: {error}").text)
                found = {}
            return cast("HookJSONOutput", found)

        return run

    return {name: [HookMatcher(hooks=[hook(name)])] for name in EVENTS}


def _answer(memory: Memory, event: Event, permission: str) -> dict[str, Any]:
    if event.kind == "gate":
        return _gate(memory, event, permission)
    text = told(memory, event) if event.kind == "prompt" else ""
    learn(memory, event)
    found: dict[str, Any] = json.loads(event.host.reply_to(event, {"context": text}) or "{}")
    return found


def _gate(memory: Memory, event: Event, permission: str) -> dict[str, Any]:
    command = event.command
    if command is None:
        return {}
    from cfpm_adapters.hosts.hook import answer

    options = Options(memory.store.url, memory.scope.namespace, permission)
    done = answer(json.dumps(event.raw).encode(), event.host, event.name, options)
    if done.then is not None:
        done.then()
    found: dict[str, Any] = json.loads(done.text or "{}")
    return found
