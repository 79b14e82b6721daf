"""The local provider: a memory in one SQLite file, in this process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from cfpm.memory import Memory
from cfpm.model.clock import Clock, utc_now
from cfpm.secrets import redact
from cfpm.settings import Settings
from cfpm_adapters.provider import History

_LOG = logging.getLogger("cfpm.provider")


@dataclass(slots=True)
class LocalProvider:
    """`load` recalls, `save` observes. Undated messages are stamped by `clock`, since a live host says them now.

    For any number of threads: one call after another, since a memory belongs to one thread at a time. What fails is
    counted, and stands in the log `cfpm.provider`.

    `notify` gets the runtime message `[CFPM_RUNTIME_V1] {...}` after each save, as the setting `visibility` says.
    """

    url: str
    namespace: str = "default"
    settings: Settings | None = None
    clock: Clock = utc_now
    notify: Callable[[str], None] | None = None
    failures: int = 0
    last_failure: str = ""
    _memories: dict[str, Memory] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    def load(self, agent: str, query: str = "", *, max_tokens: int = 1200) -> str | None:
        """The recalled block for this query, or None when memory has nothing or cannot be read."""
        try:
            with self._lock:
                return self._memory(agent).recall(query, max_tokens=max_tokens).block or None
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("load", error)
            return None

    def save(self, agent: str, history: History, *, session: str = "default") -> None:
        """Observes the messages; those already known are left alone."""
        try:
            with self._lock:
                self._memory(agent).observe(history, session=session)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("save", error)

    def close(self) -> None:
        """Closes the store."""
        with self._lock:
            while self._memories:
                self._memories.popitem()[1].close()

    def _memory(self, agent: str) -> Memory:
        # Facts belong to the namespace; the agent is provenance, so each agent writes under its own name.
        if agent not in self._memories:
            self._memories[agent] = Memory.open(
                self.url,
                namespace=self.namespace,
                agent=agent,
                settings=self.settings,
                clock=self.clock,
                notify=self.notify,
            )
        return self._memories[agent]

    def _failed(self, verb: str, error: Exception) -> None:
        told = redact(f"{verb}: {type(error).__name__}: {error}").text
        with self._lock:
            self.failures += 1
            self.last_failure = told
        _LOG.warning("%s", told)
