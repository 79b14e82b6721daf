"""Puts a prompt together: twelve tiers in one order, what never changes first, within a budget of tokens.

Decides neither when a history is compacted nor what is remembered; sends nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from cfpm.context.history import Raw, holds, is_note
from cfpm.context.tokens import PER_MESSAGE, message_tokens
from cfpm.context.trims.calls import block_text
from cfpm.context.trims.retry import STAGES, trim_stage
from cfpm.context.trims.window import speaks
from cfpm.errors import InputError, UsageError
from cfpm.model.markers import BLOCK_CLOSE, BLOCK_OPEN
from cfpm.recall.tokens import Count

if TYPE_CHECKING:
    from cfpm.recall import Recall
    from cfpm.recall.brief import Brief


class Tier(StrEnum):
    """The parts of a prompt in their order: from what holds for everybody to what holds for a moment."""

    POLICY = "policy"
    DEVELOPER = "developer"
    ROLE = "role"
    TASK = "task"
    PLAN = "plan"
    MEMORY = "memory"
    RETRIEVED = "retrieved"
    SKILLS = "skills"
    TOOLS = "tools"
    OBSERVATIONS = "observations"
    HISTORY = "history"
    RUNTIME = "runtime"


STABLE = (Tier.POLICY, Tier.DEVELOPER, Tier.ROLE, Tier.TASK, Tier.PLAN, Tier.MEMORY)
"""What opens the prompt and is the same from turn to turn: a provider's cache holds it."""

IN_SYSTEM = (*STABLE, Tier.RETRIEVED, Tier.SKILLS, Tier.TOOLS)

SHARE = 0.1
"""Of what the fixed tiers leave, the part that the brief, what is recalled, the sources and the surroundings each may
take: the larger part is the history's."""

MOST = 1_200
"""Tokens of the brief and of what is recalled at most: as each has by itself."""

_RUNTIME_OPEN, _RUNTIME_CLOSE = "<environment_context>", "</environment_context>"
"""The host's word in the user's name; readers of transcripts know it, and learn nothing from it."""

_SYSTEM = frozenset({"system", "developer"})
_MEMO = 16_384
"""Texts whose tokens are remembered: those of a long history."""

_REMINDED, _TASK_SHOWN, _FAR = 50, 200, 2_000
"""Characters of a task that is told again, how many of it, and of the messages behind it (reference, section 3.5)."""


class Kept(Protocol):
    """A part of the state of the work, such as `cfpm.context.rehydration.Item`."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...


_LATE_KINDS = frozenset({"todo", "progress", "artifact", "resource", "workspace"})
"""Kinds of state that change with every step: they stand behind the history, where they cost no cached prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is to be sent. `messages` are without system messages: those stand in `system`, which begins with `prefix`.

    `tokens` is the size of all of it, tools included. `tokens_by_tier` names all twelve tiers in their order; frames of
    messages count in their tier. `prefix_digest` stays the same as long as what opens the prompt does. `left_out` are
    messages that had no room. `problems` say what else was cut, or is empty. `memory` and `recalled` are where two of
    the tiers came from.
    """

    system: str
    messages: tuple[Raw, ...]
    tokens: int
    budget: int
    tokens_by_tier: Mapping[str, int]
    prefix: str
    prefix_digest: str
    tools: tuple[Raw, ...] = ()
    left_out: int = 0
    problems: tuple[str, ...] = ()
    memory: Brief | None = field(default=None, repr=False)
    recalled: Recall | None = field(default=None, repr=False)

    def to_messages(self) -> list[Raw]:
        """One list with the system message in front, as OpenAI's form has it."""
        return [*([{"role": "system", "content": self.system}] if self.system else []), *self.messages]

    def to_json(self) -> dict[str, object]:
        """A JSON object with these names."""
        names = ("system", "messages", "tokens", "budget", "tokens_by_tier", "prefix_digest", "left_out", "problems")
        values: dict[str, object] = {name: getattr(self, name) for name in names}
        return {**values, "messages": list(self.messages), "tools": list(self.tools), "problems": list(self.problems)}


@dataclass(frozen=True, slots=True)
class Parts:
    """The texts of the tiers that a host or the memory gives, and the messages. `late` is what stands behind the
    messages; `tools` are schemas that are sent beside them."""

    texts: Mapping[Tier, str]
    messages: Sequence[Raw]
    late: Sequence[str] = ()
    tools: Sequence[Raw] = ()


def counted(count: Count) -> Count:
    """The same count, which remembers: a history is counted before every call, and most of it is as it was."""
    return lru_cache(maxsize=_MEMO)(count)


def assemble(parts: Parts, budget: int, count: Count) -> Prompt:
    """A prompt of at most `budget` tokens by this count.

    The tiers are kept as they are; of the messages the oldest go first, a turn at a time, with the calls and results
    of the last one cut when nothing else is left. Raises UsageError when the tiers and the last thing that was said do
    not fit.
    """
    system = _joined(parts.texts, IN_SYSTEM)
    prefix = _joined(parts.texts, STABLE)
    tools = tuple(parts.tools)
    fixed = fixed_tokens(parts.texts, tools, count)
    kept, left_out, problems = fitted(parts.messages, budget - fixed, parts.late, count)
    closing = _closing([*parts.late, *told_left_out(left_out)])
    if closing is not None:
        # Results have to follow their calls at once.
        waiting = bool(kept) and _is_waiting(kept[-1])
        kept = [*kept[:-1], closing, kept[-1]] if waiting else [*kept, closing]
    sizes = [message_tokens(message, count) for message in kept]
    by_tier = {tier.value: count(parts.texts[tier]) if parts.texts.get(tier) else 0 for tier in Tier}
    by_tier[Tier.TOOLS] += count(_json(tools)) if tools else 0
    recent = max((at for at, message in enumerate(kept) if message is not closing and speaks(message)), default=0)
    for at, (message, size) in enumerate(zip(kept, sizes, strict=True)):
        tier = Tier.RUNTIME if message is closing else Tier.OBSERVATIONS if at >= recent else Tier.HISTORY
        by_tier[tier] += size
    return Prompt(
        system,
        tuple(kept),
        fixed + sum(sizes),
        budget,
        by_tier,
        prefix,
        hashlib.sha256(f"{prefix}\x1f{_json(tools)}".encode("utf-8", "surrogatepass")).hexdigest(),
        tools,
        left_out,
        problems,
    )


def fixed_tokens(texts: Mapping[Tier, str], tools: Sequence[Raw], count: Count) -> int:
    """The size of what stands before the messages, and of the schemas beside them."""
    system = _joined(texts, IN_SYSTEM)
    return (count(_json(tuple(tools))) if tools else 0) + (count(system) + PER_MESSAGE if system else 0)


def told_left_out(messages: int) -> list[str]:
    """That so many messages have no room; nothing for none."""
    return [f"{messages} earlier messages have no room here; recall finds what they said."] if messages else []


def _joined(texts: Mapping[Tier, str], tiers: Iterable[Tier]) -> str:
    return "\n\n".join(texts[tier] for tier in tiers if texts.get(tier))


def fitted(
    messages: Sequence[Raw], room: int, late: Sequence[str], count: Count
) -> tuple[list[Raw], int, tuple[str, ...]]:
    """The messages that fit beside what stands behind them, how many were left out, and what was cut of those that
    stay. Raises UsageError when not even what was said last does."""
    sizes = [message_tokens(message, count) for message in messages]
    closing = _closing(late)
    if sum(sizes) + (message_tokens(closing, count) if closing else 0) <= room:
        return list(messages), 0, ()
    said = _closing([*late, *told_left_out(len(messages))])
    room -= message_tokens(said, count) if said else 0
    notes = [at for at, message in enumerate(messages) if is_note(message)]
    opens = [at for at, message in enumerate(messages) if speaks(message) and at not in notes] or [0]
    for first in opens:
        kept = [at for at in range(len(messages)) if at >= first or at in notes]
        if sum(sizes[at] for at in kept) <= room:
            return [messages[at] for at in kept], len(messages) - len(kept), ()
    last = [messages[at] for at in range(len(messages)) if at >= opens[-1] or at in notes]
    gone = len(messages) - len(last)
    for stage in range(1, STAGES + 1):
        cut = list(trim_stage(last, stage).messages)
        if sum(message_tokens(message, count) for message in cut) <= room:
            return cut, gone + len(last) - len(cut), ("results of the running turn were cut",)
    asked = messages[opens[-1]] if messages else None
    tail = [asked] if asked is not None else []
    if tail and message_tokens(tail[0], count) > room:
        problem = f"{message_tokens(tail[0], count)} tokens were said last, and {max(room, 0)} are left"
        raise UsageError("budget", problem, "Give a larger budget, or a shorter policy, role and state")
    if room < 0:
        raise UsageError("budget", f"the fixed parts take {-room} tokens too many", "Give a larger budget")
    return tail, len(messages) - len(tail), ("of the running turn only the request has room",)


def _closing(late: Sequence[str]) -> Raw | None:
    """What stands behind the messages: reminders, surroundings, and that messages were left out."""
    texts = [text.replace(_RUNTIME_CLOSE, "") for text in late if text]
    if not texts:
        return None
    return {"role": "user", "content": "\n".join([_RUNTIME_OPEN, "\n\n".join(texts), _RUNTIME_CLOSE])}


def _is_waiting(message: Raw) -> bool:
    """Whether calls of a message wait for their results."""
    if message.get("tool_calls") or message.get("function_call"):
        return True
    return holds(message, "tool_use")


def split_system(messages: Iterable[object]) -> tuple[str, list[Raw]]:
    """The texts of the system messages of a list, and the others. Raises InputError for what is no message."""
    systems: list[str] = []
    others: list[Raw] = []
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            remedy = "Pass the dicts that you send to the provider"
            raise InputError("messages", f"a {type(message).__name__}", remedy, place=f"message {position}")
        if message.get("role") in _SYSTEM:
            systems.extend(shown_texts(message))
        else:
            others.append(message)
    return "\n\n".join(systems), others


def shown_texts(message: Raw) -> list[str]:
    """The texts that a message shows, of its results too."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    texts: list[str] = []
    for block in content if isinstance(content, list | tuple) else ():
        inner = block.get("content") if isinstance(block, Mapping) and block.get("type") == "tool_result" else block
        parts = inner if isinstance(inner, list | tuple) else (inner,)
        texts.extend(text for part in parts if (text := block_text(part)) is not None)
    return texts


def of_state(state: str | Iterable[Kept]) -> tuple[str, str]:
    """The state of the work as two texts: what stands among the fixed tiers, and what changes with every step."""
    if isinstance(state, str):
        return state.strip(), ""
    early: dict[str, list[str]] = {}
    late: dict[str, list[str]] = {}
    for item in state:
        of = late if str(item.kind) in _LATE_KINDS else early
        of.setdefault(str(item.kind), []).append("- " + "\n  ".join(item.text.splitlines()))
    return _listed(early), _listed(late)


def _listed(of: Mapping[str, Sequence[str]]) -> str:
    return "\n\n".join("\n".join([f"# {kind.replace('_', ' ').capitalize()}", *lines]) for kind, lines in of.items())


def of_tools(tools: Iterable[str | Raw]) -> tuple[str, tuple[Raw, ...]]:
    """The tools that are only named, as a list for the prompt, and the schemas of the others, which are sent beside
    it."""
    given = list(tools)
    named = [f"- {tool}" for tool in given if isinstance(tool, str)]
    return "\n".join(["# Tools", *named]) if named else "", tuple(tool for tool in given if not isinstance(tool, str))


def task_reminder(task: str, messages: Sequence[Raw]) -> str:
    """The beginning of a long task, when much was said since it was given."""
    said = sum(len(text) for message in messages for text in shown_texts(message))
    if len(task) <= _REMINDED or said <= _FAR:
        return ""
    shown = " ".join(task.split())
    return f"# Task reminder\n{shown if len(shown) <= _TASK_SHOWN else shown[: _TASK_SHOWN - 1] + '…'}"


def as_data(label: str, sections: Sequence[str]) -> str:
    """Sections in the frame by which readers tell data from orders; empty for none."""
    return "\n".join([f"{BLOCK_OPEN} {label}", *sections, BLOCK_CLOSE]) if sections else ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
