"""Events of a host that a resident server answers faster than a process could: for `cfpm hook`, which asks it first
(`hook_socket`), and for hooks of the type `mcp_tool`.

Those of that type only read: a model sees these tools too, so what they are given is never learnt as the user's word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cfpm.pipeline.redaction import name_without_secrets
from cfpm.transcript.fields import clean
from cfpm_adapters.hosts.event import Event, Host, Options
from cfpm_adapters.hosts.gate_call import decided
from cfpm_adapters.hosts.hook import in_question
from cfpm_adapters.hosts.moments import clock_at, learn, told

if TYPE_CHECKING:
    from cfpm.memory import Memory

Reply = dict[str, Any]
"""The host's own JSON document, empty when there is nothing to say."""

Rest = Callable[["Memory"], None]
"""What is left to do with a memory once the host was told."""


def on_event(memory: Memory, event: Event, options: Options, at: float | None = None) -> tuple[str, Rest | None]:
    """What `cfpm hook` would answer to an event that came `at` these seconds since 1970, and what is left to do."""
    if event.kind == "gate":
        asked = in_question(event, options)
        if asked is None:
            return "", None
        text, keep = decided(memory.store, event, *asked, configured=vars(memory.settings))
        return text, None if keep is None else lambda memory: keep(memory.store)
    name = name_without_secrets(clean(event.agent))

    def of_agent(memory: Memory) -> Memory:
        return replace(memory, scope=replace(memory.scope, agent=name), clock=clock_at(at))

    text = event.host.reply_to(event, {"context": told(of_agent(memory), event)})
    return text, None if event.kind == "start" else lambda memory: learn(of_agent(memory), event)


def on_prompt(memory: Memory, host: str, event: str, fields: Mapping[str, object]) -> Reply:
    """What `cfpm hook HOST EVENT` would tell the prompt. Learns nothing. Raises ValueError for an unknown host."""
    found = Event.of(Host.named(host), dict(fields), event)
    return document(found.host.reply_to(found, {"context": told(memory, found)}))


def on_tool_call(
    memory: Memory, host: str, event: str, fields: Mapping[str, object], options: Options
) -> tuple[Reply, Rest | None]:
    """What `cfpm hook HOST EVENT` would answer to a call that has not run yet, and what is left to do once the host was
    told. Raises ValueError for an unknown host, and for an event that is none before a call."""
    known = Host.named(host)
    if known.events.get(event) != "gate":
        raise ValueError(f"{event!r} is no event of {host} before a tool call")
    text, rest = on_event(memory, Event.of(known, dict(fields), event), options)
    return document(text), rest


def document(text: str) -> Reply:
    """An answer as the object that it is."""
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
