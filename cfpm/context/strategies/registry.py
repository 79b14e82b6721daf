"""The strategies by name, and the limits that each has by default. Runs none."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from cfpm.context.strategies import hybrid, intent, lossless, segmented, window
from cfpm.context.strategies.cfpm import compact as checkpoint
from cfpm.context.strategies.summariser import DEADLINE
from cfpm.context.strategies.types import Limits, ProposedView, Strategy
from cfpm.errors import UsageError

DEFAULT = "cfpm"

DEFAULT_TOKENS = 8_000
"""Tokens of a view when nobody says how many: of what a session used again, nine tenths and more were kept in so many
(`python -m benchmarks compaction`)."""

WINDOW_TOKENS = 80_000
"""The same where nothing is written in place of what leaves the view: the figure of the reference. Of 8,000 tokens of
the end of a session alone, six tenths were kept."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A strategy with the other names under which the reference and other hosts know it."""

    compact: Callable[..., ProposedView | None]
    aliases: tuple[str, ...] = ()
    summarises: bool = False
    """Whether it asks for a summary, and so takes a `deadline` in seconds."""
    tokens: int = DEFAULT_TOKENS


_CFPM_ALIASES = (
    "cfpm_memory", "cfpm_memory_v1", "cfpm_memory_v2", "progressive", "progressive_memory", "new", "v1", "v2",
)  # fmt: skip
_STRATEGIES = {
    "cfpm": _Entry(checkpoint, _CFPM_ALIASES),
    "segmented": _Entry(segmented.compact, ("legacy_segmented", "legacy", "summary", "llm"), summarises=True),
    "intent": _Entry(intent.compact),
    "lossless": _Entry(lossless.compact),
    "window": _Entry(window.compact, tokens=WINDOW_TOKENS),
    "hybrid": _Entry(hybrid.compact, summarises=True),
}
NAMES = {name: (name, *entry.aliases) for name, entry in _STRATEGIES.items()}
"""Each strategy with all its names."""

_CANONICAL = {alias: name for name, aliases in NAMES.items() for alias in aliases}


def named(name: str, *, deadline: float = DEADLINE) -> tuple[str, Strategy]:
    """The canonical name and the strategy; `deadline` is in seconds, for those that ask a summariser.

    Case and blanks around the name do not matter. Raises UsageError listing the names.
    """
    canonical = canonical_name(name)
    entry = _STRATEGIES[canonical]
    return canonical, partial(entry.compact, deadline=deadline) if entry.summarises else entry.compact


def canonical_name(name: str) -> str:
    """The name of the strategy that is known by this one. Raises UsageError listing the names."""
    known = _CANONICAL.get(re.sub(r"[\s-]+", "_", name.strip().lower()))
    if known is None:
        problem = f"no strategy is called {name.strip()[:40]!r}"
        raise UsageError("strategy", problem, f"Use one of {', '.join(_CANONICAL)}")
    return known


def default_limits(name: str, max_tokens: int | None = None, *, manual: bool = False) -> Limits:
    """The limits of the reference: 2 first, 8 last and 12 in all for what writes a list, 3, 10 and 20 for summaries;
    without `max_tokens` as many as the strategy has by default.

    Raises UsageError for an unknown name.
    """
    tokens = _STRATEGIES[canonical_name(name)].tokens if max_tokens is None else max_tokens
    if summarises(name):
        return Limits(tokens, keep_first=3, keep_last=10, minimum=20, manual=manual)
    return Limits(tokens, manual=manual)


def summarises(name: str) -> bool:
    """Whether the strategy asks for a summary. Raises UsageError for an unknown name."""
    return _STRATEGIES[canonical_name(name)].summarises
