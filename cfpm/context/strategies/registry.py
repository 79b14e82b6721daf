"""The strategies by name, and the limits that each has by default. Runs none."""

from __future__ import annotations

import re
from functools import partial

from cfpm.context.strategies import hybrid, intent, segmented, window
from cfpm.context.strategies.cfpm import compact as checkpoint
from cfpm.context.strategies.summariser import DEADLINE
from cfpm.context.strategies.types import Limits, Strategy
from cfpm.errors import UsageError

DEFAULT = "cfpm"

NAMES = {
    "cfpm": (
        "cfpm",
        "cfpm_memory",
        "cfpm_memory_v1",
        "cfpm_memory_v2",
        "progressive",
        "progressive_memory",
        "new",
        "v1",
        "v2",
    ),
    "segmented": ("segmented", "legacy_segmented", "legacy", "summary", "llm"),
    "intent": ("intent",),
    "window": ("window",),
    "hybrid": ("hybrid",),
}
"""Each strategy with the names under which the reference and other hosts know it."""

_CANONICAL = {alias: name for name, aliases in NAMES.items() for alias in aliases}
_SUMMARISING = frozenset({"segmented", "hybrid"})


def named(name: str, *, deadline: float = DEADLINE) -> tuple[str, Strategy]:
    """The canonical name and the strategy; `deadline` is in seconds, for those that ask a summariser.

    Case and blanks around the name do not matter. Raises UsageError listing the names.
    """
    canonical = canonical_name(name)
    strategies: dict[str, Strategy] = {
        "cfpm": checkpoint,
        "segmented": partial(segmented.compact, deadline=deadline),
        "intent": intent.compact,
        "window": window.compact,
        "hybrid": partial(hybrid.compact, deadline=deadline),
    }
    return canonical, strategies[canonical]


def canonical_name(name: str) -> str:
    """The name of the strategy that is known by this one. Raises UsageError listing the names."""
    known = _CANONICAL.get(re.sub(r"[\s-]+", "_", name.strip().lower()))
    if known is None:
        problem = f"no strategy is called {name.strip()[:40]!r}"
        raise UsageError("strategy", problem, f"Use one of {', '.join(_CANONICAL)}")
    return known


def default_limits(name: str, max_tokens: int, *, manual: bool = False) -> Limits:
    """The limits of the reference: 2 first, 8 last and 12 in all for what writes a list, 3, 10 and 20 for summaries.

    Raises UsageError for an unknown name.
    """
    if summarises(name):
        return Limits(max_tokens, keep_first=3, keep_last=10, minimum=20, manual=manual)
    return Limits(max_tokens, manual=manual)


def summarises(name: str) -> bool:
    """Whether the strategy asks for a summary. Raises UsageError for an unknown name."""
    return canonical_name(name) in _SUMMARISING
