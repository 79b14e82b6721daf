"""The protocol that a host speaks to any memory: load a block before a turn, save the messages after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

History = Sequence[object]
"""Messages of one session as the host keeps them, whatever `Memory.observe` takes: all, or those since the last
save."""


@runtime_checkable
class Provider(Protocol):
    """A memory as a host sees it. Neither call raises: a memory that fails must not stop the turn.

    What went wrong is counted in `failures` and described in `last_failure`.
    """

    failures: int
    last_failure: str

    def load(self, agent: str, query: str = "", *, max_tokens: int = 1200) -> str | None:
        """The block for the prompt of `agent`, at most `max_tokens` estimated tokens; None when there is nothing to
        say."""
        ...

    def save(self, agent: str, history: History, *, session: str = "default") -> None:
        """Takes in what was said; saving the same messages again changes nothing."""
        ...

    def close(self) -> None:
        """Lets go of what the provider holds; a second call does nothing."""
        ...
