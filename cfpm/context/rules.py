"""How large a conversation is, and how large its view may be after a compaction. Knows no more of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cfpm.context.strategies.registry import default_limits, summarises
from cfpm.context.strategies.types import Limits
from cfpm.context.tokens import message_tokens
from cfpm.errors import InputError, UsageError
from cfpm.recall.tokens import Count
from cfpm.settings import Settings

_SYSTEM = frozenset({"system", "developer"})
_MESSAGE = (dict, Mapping)
"""A dict first: to ask an abstract class takes longer than all else that is done with a hidden message."""


@dataclass(frozen=True, slots=True)
class Size:
    """The tokens of a conversation.

    `view` is what the model sees of it without system messages, by the count that compactions use. `overhead` is what
    no compaction makes smaller: the system prompt and the schemas of tools. `reported` is the session's total if the
    provider tells it, and then counts for the threshold. `limit` is the model's window if the host knows it. Raises
    InputError for negative tokens and for a window without any.
    """

    view: int
    overhead: int = 0
    reported: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (
            ("view", self.view, 0),
            ("overhead", self.overhead, 0),
            ("reported", self.reported, 0),
            ("limit", self.limit, 1),
        ):
            if value is not None and value < least:
                remedy = (
                    "Leave it out if it is not known" if name in ("reported", "limit") else "Pass a count of tokens"
                )
                raise InputError(f"size, {name}", f"{value} tokens", remedy)

    @property
    def total(self) -> int:
        """What counts against the window."""
        return self.view + self.overhead if self.reported is None else self.reported


def measure(
    messages: Iterable[object],
    count: Count,
    *,
    overhead: int = 0,
    reported: int | None = None,
    limit: int | None = None,
) -> Size:
    """The size of a host's list: hidden messages take nothing, and system messages add to the overhead.

    Raises InputError for what is no message.
    """
    view = 0
    for position, raw in enumerate(messages):
        if not isinstance(raw, _MESSAGE):
            remedy = "Pass the dicts that you send to the provider"
            raise InputError("messages", f"a {type(raw).__name__}", remedy, place=f"message {position}")
        if raw.get("agent_visible") is False:
            continue
        if raw.get("role") in _SYSTEM:
            overhead += message_tokens(raw, count)
        else:
            view += message_tokens(raw, count)
    return Size(view, overhead, reported, limit)


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides when a host's history is compacted, how far, and how often a reply may try again.

    `strategy` is the name of the strategy, that of the settings if empty: those that ask for summaries leave more
    messages as they are, and try less often. `keep` sets other limits in messages; its budget is not used. Raises
    UsageError for an unknown strategy, and when no more turns trigger a compaction than stay untouched by it.
    """

    settings: Settings
    strategy: str = ""
    keep: Limits | None = None

    def __post_init__(self) -> None:
        turns, kept = self.settings.compact_after_turns, self.kept.keep_last
        # A turn is two messages at least.
        if 0 < turns <= kept // 2:
            problem = f"{turns} turns may all be among the last {kept} messages, which stay as they are"
            raise UsageError("setting compact_after_turns", problem, f"Set it above {kept // 2}, or to 0 for never")
        stay = self.kept.keep_turns or self.settings.compact_keep_turns
        if 0 < turns <= stay:
            problem = f"the last {stay} turns stay as they are, and {turns} are to trigger a compaction"
            remedy = f"Set it above {stay}, or to 0 for never, or compact_keep_turns below {turns}"
            raise UsageError("setting compact_after_turns", problem, remedy)

    @property
    def kept(self) -> Limits:
        """The limits in messages."""
        return self.keep or replace(default_limits(self._name, 0), reasoning=self.settings.compact_reasoning)

    @property
    def attempts(self) -> int:
        """Compactions that one reply may take after context-length errors."""
        settings = self.settings
        return settings.recovery_attempts_summary if summarises(self._name) else settings.recovery_attempts

    def limit(self, size: Size) -> int:
        """The model's window in tokens."""
        return self.settings.context_limit if size.limit is None else size.limit

    def is_over(self, size: Size) -> bool:
        """True when a reply should not be asked for before a compaction: strictly above the threshold."""
        threshold = self.settings.auto_compact_threshold
        return 0 < threshold < 1 and size.total / self.limit(size) > threshold

    def budget(self, size: Size) -> int:
        """The tokens that a view may have after a compaction: so many that as much again can follow."""
        threshold = self.settings.auto_compact_threshold
        start = self.limit(size) * (threshold if 0 < threshold < 1 else 1.0)
        return max(0, int((start - size.overhead) * self.settings.compaction_target))

    def recovery_budget(self, size: Size, last: int | None) -> int:
        """The budget of an attempt after a context-length error: below the view, the window and the attempt before."""
        room = max(0, self.limit(size) - size.overhead)
        most = min(room, size.view) if last is None else min(room, size.view, last)
        return int(most * self.settings.recovery_shrink)

    @property
    def _name(self) -> str:
        return self.strategy or self.settings.compaction_strategy
