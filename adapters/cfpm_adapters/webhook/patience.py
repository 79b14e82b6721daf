"""How often and how long to try: attempts with growing waits, and a breaker that leaves a sick endpoint alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cfpm_adapters.webhook.exchange import ExchangeError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits are the same every time, so that a failure can be followed; all attempts share the time of one call."""

    attempts: int = 3
    """Tries of one call, the first included."""
    first_wait: float = 0.2
    """Seconds before the second try; each further wait is twice as long."""
    breaker_after: int = 4
    """Failed calls in a row after which the endpoint is left alone."""
    breaker_pause: float = 30.0
    """Seconds that it is left alone, before one call may try again."""
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class Breaker:
    """Closed: all may pass. Open: nobody, for a while. Half open: one try, which decides."""

    patience: Patience
    failed: int = 0
    opened_at: float | None = None

    @property
    def open(self) -> bool:
        """True while the endpoint is to be left alone."""
        patience = self.patience
        return self.opened_at is not None and patience.monotonic() - self.opened_at < patience.breaker_pause

    def succeeded(self) -> None:
        """The endpoint answers; everything may pass."""
        self.failed, self.opened_at = 0, None

    def missed(self) -> None:
        """A call failed with all its tries."""
        self.failed += 1
        if self.failed >= self.patience.breaker_after or self.opened_at is not None:
            self.opened_at = self.patience.monotonic()

    def call(self, work: Callable[[float], T], seconds: float) -> T:
        """`work(seconds left)`, tried until it succeeds, or trying again is useless, or the time is used up.

        Raises the last ExchangeError.
        """
        patience = self.patience
        until = patience.monotonic() + seconds
        attempts = 1 if self.opened_at is not None else max(1, patience.attempts)
        for attempt in range(1, attempts + 1):
            try:
                result = work(max(0.001, until - patience.monotonic()))
            except ExchangeError as failure:
                wait = max(patience.first_wait * 2 ** (attempt - 1), failure.wait)
                if not failure.again or attempt == attempts or patience.monotonic() + wait >= until:
                    self._judge(failure)
                    raise
                patience.sleep(wait)
            else:
                self.succeeded()
                return result
        raise AssertionError("unreachable")  # pragma: no cover

    def _judge(self, failure: ExchangeError) -> None:
        # An endpoint that refuses one body is well: others may pass.
        if failure.unfit:
            self.succeeded()
        else:
            self.missed()
