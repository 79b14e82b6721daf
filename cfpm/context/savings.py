"""Whether compactions still pay: by the tokens that the last ones saved, not by how many messages they took. Decides
only about automatic ones."""

from __future__ import annotations

from dataclasses import dataclass

from cfpm.settings import Settings


@dataclass(frozen=True, slots=True)
class Savings:
    """What the last compactions saved, as shares of the view before each; oldest first.

    `size` is the view in tokens that the last one left.
    """

    shares: tuple[float, ...] = ()
    size: int = 0

    def after(self, before_tokens: int, after_tokens: int, settings: Settings) -> Savings:
        """With one more compaction. One that changed nothing saved nothing."""
        share = (before_tokens - after_tokens) / before_tokens if before_tokens > 0 else 0.0
        recent = (*self.shares, share)
        return Savings(recent[max(0, len(recent) - settings.thrash_window) :], after_tokens)

    def hold_back(self, view_tokens: int, settings: Settings) -> bool:
        """True when a whole window of compactions saved too little each, and the view has not grown since by what makes
        another worth while: going back to its last size must save the least share."""
        least, window = settings.thrash_min_saving, settings.thrash_window
        if not window or not least or len(self.shares) < window or max(self.shares) >= least:
            return False
        return view_tokens * (1 - least) < self.size
