"""How often and how long to try: retries with growing waits, and a circuit breaker for a sick endpoint."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from cfpm_adapters.webhook.errors import WebhookError

if TYPE_CHECKING:
    import tenacity

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
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
class CircuitBreaker:
    """Closed: all may pass. Open: nobody, for a while. Half open: one try, which decides."""

    policy: RetryPolicy
    failed: int = 0
    opened_at: float | None = None

    @property
    def is_open(self) -> bool:
        """True while the endpoint is to be left alone."""
        policy = self.policy
        return self.opened_at is not None and policy.monotonic() - self.opened_at < policy.breaker_pause

    def call(self, work: Callable[[float], T], seconds: float) -> T:
        """`work(seconds left)`, tried until it succeeds, or trying again is useless, or the time is used up.

        Raises the last WebhookError.
        """
        until = self.policy.monotonic() + seconds
        try:
            result = self._retrying(seconds)(lambda: work(max(0.001, until - self.policy.monotonic())))
        except WebhookError as failure:
            # An endpoint that refuses one body is well: others may pass.
            if failure.unfit:
                self._close()
            else:
                self._count_failure()
            raise
        self._close()
        return result

    def _retrying(self, seconds: float) -> tenacity.Retrying:
        import tenacity

        growing = tenacity.wait_exponential(multiplier=self.policy.first_wait)
        asked = tenacity.wait_exception(lambda error: error.retry_after if isinstance(error, WebhookError) else 0.0)
        attempts = 1 if self.opened_at is not None else max(1, self.policy.attempts)
        return tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, WebhookError) and error.again),
            wait=lambda state: max(growing(state), asked(state)),
            stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_before_delay(seconds),
            sleep=self.policy.sleep,
            reraise=True,
        )

    def _close(self) -> None:
        self.failed, self.opened_at = 0, None

    def _count_failure(self) -> None:
        self.failed += 1
        if self.failed >= self.policy.breaker_after or self.opened_at is not None:
            self.opened_at = self.policy.monotonic()
