"""Events of a host that a resident server answers faster than a process could: hooks of the type `mcp_tool`.

They only read: a model sees these tools too, so what they are given is never learnt as the user's word. Learning from
prompts, calls and answers is the work of the process hooks, for which no host waits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cfpm_adapters.claude_code.event import Options
from cfpm_adapters.claude_code.hook import answer
from cfpm_adapters.mcp import service
from cfpm_adapters.mcp.answers import HookAnswer, HookOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.memory import Memory


def on_prompt(memory: Memory, prompt: str, *, event: str, namespaces: Sequence[str], max_tokens: int) -> HookAnswer:
    """What memory knows on a prompt, for the model to read beside it."""
    if not prompt.strip():
        return HookAnswer()
    block = service.recall(memory, prompt, namespaces=namespaces, max_tokens=max_tokens).block
    return HookAnswer(hookSpecificOutput=HookOutput(hookEventName=event, additionalContext=block) if block else None)


def on_tool_call(
    event: Mapping[str, object], *, url: str, namespace: str, permission: str
) -> tuple[HookAnswer, Callable[[], None] | None]:
    """The gate's answer to a call that has not run yet, and what is left to do once the host was told."""
    told = answer(json.dumps(event).encode(), Options(url, namespace, permission))
    return HookAnswer.model_validate_json(told.text or "{}"), told.then


def arguments_of(given: str | Mapping[str, object], command: str) -> dict[str, object]:
    """The arguments of a call: an object, or its JSON, or only the command, as the host's templates can give them."""
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError:
            given = {}
    found = dict(given) if isinstance(given, Mapping) else {}
    return {**found, "command": command} if command else found
