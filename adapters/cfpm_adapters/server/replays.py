"""Signed requests that were here before: each is answered once. Checks no signature."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

KEPT = 100_000
"""Signatures that are remembered. When so many came within the window, no further one is taken until some are too old
to be repeated: forgetting one early would let it be repeated."""


@dataclass(slots=True)
class Replays:
    """Signatures by the moment, in seconds, from which they are too old to be taken anyway."""

    kept: int = KEPT
    _until: OrderedDict[str, float] = field(default_factory=OrderedDict)

    @property
    def full(self) -> bool:
        """Whether no further one can be remembered."""
        return len(self._until) >= self.kept

    def is_new(self, signature: str, now: float, until: float) -> bool:
        """Remembers the signature until then; False for one that is remembered."""
        for known, end in list(self._until.items()):
            # In the order in which they came, which is nearly that of their ends.
            if end >= now:
                break
            del self._until[known]
        if signature in self._until:
            return False
        self._until[signature] = until
        return True
