"""What an open memory does at the moments of a host's session: what the prompt is told, and what is learnt.

The same for a process that a hook starts and for a server that is running. Knows hosts by their tables only.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.model import Message, Role
from cfpm.model.clock import Clock, to_text, utc_now
from cfpm.model.ids import digest
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.paths.project import EVERYWHERE, PROJECT

if TYPE_CHECKING:
    from collections.abc import Collection

    from cfpm.memory import Memory
    from cfpm_adapters.hosts.event import Event

COMPACTED = "compact"
"""The source of a start that comes after a compaction; and what is kept of one for hosts that start nothing then."""

RESUMED = "resume"
"""The source of a start that goes on with a history that stands in the prompt."""

LEARNT = frozenset({"prompt", "call", "failed", "denied", "answer"})
"""Kinds of events that say something to learn from."""

TOLD = frozenset({"start", "prompt"})
"""Kinds of events whose answer reaches the prompt."""

_OF_SUBAGENT = 0.5
"""The share of a brief's budget for an agent that another one started: its prompt is its task, and short."""

NEAR = 0.6
"""Share of what the best answer holds of a prompt, from which something is told with it: as in `ENOUGH` of
`cfpm/recall/retrieval.py`. Nobody asked, and what is told stands in every later request of the session."""

_OWN_MESSAGES = 2_000
"""Messages of the running session, the newest, that stand in its prompt."""


def told(memory: Memory, event: Event) -> str:
    """What the prompt is told: the brief at the start of a session, and again after a compaction with what the session
    holds; with a prompt what is known about it, without what the session was told already. Empty for nothing."""
    if event.kind not in TOLD or event.name in event.host.silent:
        return ""
    subagent = event.text("subagent")
    name = f"{event.session}/{subagent}" if subagent else event.session
    scoped = replace(memory, scope=replace(memory.scope, session=name))
    known, since = memory.store.activity.told(memory.scope.namespace, name)
    if event.kind == "start":
        source = event.text("source")
        if source == COMPACTED:
            return _anew(memory, scoped, event)
        return _brief(scoped, event, known if source == RESUMED else (), subagent=bool(subagent))
    parts, own = [], frozenset[str]()
    if _compacted_since(memory, event.session, since):
        parts.append(_anew(memory, scoped, event))
    else:
        own = memory.store.log.ids_since(memory.scope.namespace, name, since, _OWN_MESSAGES)
        parts.append("" if since else _brief(scoped, event, ()))
    known, _ = memory.store.activity.told(memory.scope.namespace, name)
    if prompt := event.prompt:
        parts.append(_recalled(scoped, prompt, {*known, *own}))
    return "\n\n".join(filter(None, parts))


def learn(memory: Memory, event: Event) -> None:
    """Takes in what the event says: the user's words, a call with its result, the last answer; and what a host is about
    to compact. Raises whatever keeps the memory from doing so."""
    at = memory.clock() if memory.clock else None
    if event.kind == "compact":
        _keep_boundary(memory, event)
    elif event.kind in LEARNT and (messages := messages_of(event, at)):
        memory.observe(messages, session=event.session)


def clock_at(seconds: float | None) -> Clock:
    """The clock that always tells these seconds since 1970, or the system's where none are given."""
    if seconds is None:
        return utc_now
    at = datetime.fromtimestamp(seconds, UTC)
    return lambda: at


def messages_of(event: Event, at: datetime | None) -> list[Message]:
    """What an event says, as messages of its session; nothing for one that says nothing to learn from."""
    match event.kind:
        case "prompt":
            return _said(event, Role.USER, "prompt", at)
        case "answer":
            return _said(event, Role.ASSISTANT, "answer", at)
        case "call" | "failed" | "denied":
            from cfpm_adapters.hosts.calls import messages_of as messages_of_call

            return messages_of_call(event, at)
    return []


def _said(event: Event, role: Role, field: str, at: datetime | None) -> list[Message]:
    text = event.prompt if field == "prompt" else event.text(field)
    if not text.strip():
        return []
    # A turn may have several: the user goes on while the agent works, and the agent answers again.
    turn = event.text("turn") or to_text(at) or ""
    return [Message(role, text, digest(event.session, event.text("subagent"), field, turn, text), at)]


def _anew(memory: Memory, scoped: Memory, event: Event) -> str:
    """What a session begins with anew after a compaction: the brief, its own facts included, and what it holds."""
    return "\n\n".join(filter(None, (_brief(scoped, event, (), running=False), _held(memory, event.session))))


def _brief(
    memory: Memory, event: Event, exclude: Collection[str], *, subagent: bool = False, running: bool = True
) -> str:
    budget = memory.settings.hook_brief_tokens
    if not budget:
        return ""
    folder = event.text("folder")
    return memory.brief(
        max_tokens=max(1, int(budget * _OF_SUBAGENT)) if subagent else budget,
        session=event.session if running else None,
        root=folder if folder and Path(folder).is_dir() else None,
        namespaces=_namespaces(memory),
        exclude=exclude,
    ).text


def _recalled(memory: Memory, prompt: str, exclude: Collection[str]) -> str:
    budget = memory.settings.hook_recall_tokens
    if not budget:
        return ""
    found = memory.recall(prompt, max_tokens=budget, namespaces=_namespaces(memory), exclude=exclude, near=NEAR)
    return found.block if found.lines else ""


def _namespaces(memory: Memory) -> list[str]:
    """A project is also told what holds everywhere."""
    own = memory.scope.namespace
    return [own, EVERYWHERE] if own.startswith(PROJECT) else [own]


def _keep_boundary(memory: Memory, event: Event) -> None:
    """Keeps in the log that the host compacts here."""
    told = {"event": "compaction", "strategy": event.host.agent, "outcome": "begun"}
    memory.observe([{"role": "system", "content": f"{COMPACTION_PREFIX}{json.dumps(told)}"}], session=event.session)


def _compacted_since(memory: Memory, session: str, since: str) -> bool:
    """Whether the host compacted the session after its last brief."""
    last = memory.store.log.last_notice(memory.scope.namespace, session, COMPACTION_PREFIX)
    return bool(last) and last > since


def _held(memory: Memory, session: str) -> str:
    """What the session holds that a compaction must not lose, within its budget: a checkpoint of its log; of a log that
    is shorter than one, its instructions, approvals, plan, files and todos."""
    budget = memory.settings.hook_state_tokens
    if not budget:
        return ""
    from cfpm.context.compact import compact
    from cfpm.context.rehydration import as_text
    from cfpm.context.sessions import as_dicts
    from cfpm.context.strategies.types import Limits
    from cfpm.recall import counter
    from cfpm.recall.injection import note_checkpoint

    rows = memory.store.log.messages(memory.scope.namespace, session=session)
    history = as_dicts(row.message for row in rows if row.message.role is not Role.SYSTEM)
    scope = replace(memory.scope, session=session)
    limits = Limits(max_tokens=budget, keep_first=0, keep_last=0, minimum=0, manual=True)
    found = compact(memory.store, scope, history, memory.settings, limits, strategy="cfpm").checkpoint
    if not found:
        text = as_text(memory.rehydrate(history, session=session))
        found = text if counter(memory.settings.tokenizer)(text) <= budget else ""
    if found and not memory.store.read_only:
        note_checkpoint(memory.store, scope, found)
    return found
