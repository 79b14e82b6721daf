"""Connections with an end: who sends no request is closed, and makes room for who does. Knows no memory."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Seconds in which the head of a request must arrive, from the connection or from the last answer on."""

CONNECTIONS = 128
"""Open at once. Above it the one that has been idle longest is closed."""

MOST_CONNECTIONS = 2 * CONNECTIONS
"""Open at once where none is idle; more are told to try again."""


class Connection(H11Protocol):
    """As uvicorn's, which lets a connection without a request stay for ever and counts it as one that works."""

    _began: float = 0.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes the place of an idle connection where there is none left."""
        if len(self.connections) >= CONNECTIONS:
            _close_an_idle_one(self.connections)
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leaves no timer behind."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Lets a head come in pieces until its deadline, which the pieces do not move."""
        super().data_received(data)
        if not self.waits:
            self._stop_waiting()
        elif self._deadline is None:
            self._wait_for_head()

    def on_response_complete(self) -> None:
        """The next head has its own deadline."""
        super().on_response_complete()
        self._wait_for_head()

    @property
    def waits(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def rank(self) -> tuple[bool, float]:
        """The lowest is closed first: those without a request, then those whose body has not come whole."""
        return (not self.waits, self._began)

    @property
    def can_be_closed(self) -> bool:
        """False while an answer is being made."""
        return self.waits or self.cycle.more_body

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._began = self.loop.time()
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        if self.waits:
            self.transport.abort()


def _close_an_idle_one(connections: set[Any]) -> None:
    idle = [one for one in connections if isinstance(one, Connection) and one.can_be_closed]
    if idle:
        oldest = min(idle, key=lambda one: one.rank)
        # Not left to `connection_lost`, which comes a turn of the loop later: others may come before.
        connections.discard(oldest)
        oldest.transport.abort()
