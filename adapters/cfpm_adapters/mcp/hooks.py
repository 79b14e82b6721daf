"""Events of a host that a resident server answers faster than a process could: hooks of the type `mcp_tool`.

They only read: a model sees these tools too, so what they are given is never learnt as the user's word. Learning from
prompts, calls and answers is the work of the process hooks, for which no host waits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cfpm_adapters.hosts.event import Event, Host, Options
from cfpm_adapters.hosts.hook import answer
from cfpm_adapters.hosts.moments import told

if TYPE_CHECKING:
    from cfpm.memory import Memory

Reply = dict[str, Any]
"""The host's own JSON document, empty when there is nothing to say."""


def on_prompt(memory: Memory, host: str, event: str, fields: Mapping[str, object]) -> Reply:
    """What `cfpm hook HOST EVENT` would tell the prompt. Learns nothing. Raises ValueError for an unknown host."""
    found = Event.of(Host.named(host), dict(fields), event)
    return _document(found.host.reply_to(found, {"context": told(memory, found)}))


def on_tool_call(
    host: str, event: str, fields: Mapping[str, object], options: Options
) -> tuple[Reply, Callable[[], None] | None]:
    """What `cfpm hook HOST EVENT` would answer to a call that has not run yet, and what is left to do once the host was
    told. Raises ValueError for an unknown host, and for an event that is none before a call."""
    known = Host.named(host)
    if known.events.get(event) != "gate":
        raise ValueError(f"{event!r} is no event of {host} before a tool call")
    found = answer(json.dumps(fields).encode(), known, event, options)
    return _document(found.text), found.then


def _document(text: str) -> Reply:
    found: Reply = json.loads(text or "{}")
    return found


def arguments_of(given: str | Mapping[str, object], command: str) -> dict[str, object]:
    """The arguments of a call: an object, or its JSON, or only the command, as the host's templates can give them."""
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError:
            given = {}
    found = dict(given) if isinstance(given, Mapping) else {}
    return {**found, "command": command} if command else found
