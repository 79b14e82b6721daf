"""Several providers as one: each with its own budget and deadline, none able to stop another or the turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cfpm.errors import UsageError
from cfpm.model.markers import BLOCK_CLOSE, BLOCK_OPEN
from cfpm.recall.tokens import estimated
from cfpm.secrets import redact
from cfpm_adapters.framing import framed
from cfpm_adapters.ledger import Ledger, default_file
from cfpm_adapters.provider import History, Provider
from cfpm_adapters.worker import Worker

AnyJob = Future[str | None] | Future[None]

BETWEEN = "\n\n"
"""Stands between two blocks; costs a token."""


@dataclass(frozen=True, slots=True)
class Part:
    """A provider with its limits. `name` is what failures are counted under; it is unique in a composite."""

    name: str
    provider: Provider
    max_tokens: int | None = None
    """Estimated tokens that its block may have; None: what the parts before it left over."""
    seconds: float = 5.0
    """How long a turn waits for a load or a save of this provider."""
    max_waiting: int = 32
    """Saves that wait for a provider that is still busy; above it they are dropped and counted."""


@dataclass(slots=True)
class CompositeProvider:
    """Asks all at the same time, and puts their blocks in the order in which the parts are given.

    A provider that hangs is left behind in its thread: its loads are skipped until it is free, its saves wait for it.
    `failures` counts what the parts themselves count, what they raise, and what came too late. Parts before others take
    what they need of `max_tokens` first. Raises UsageError for parts without a name of their own.
    """

    parts: Sequence[Part]
    ledger: Path | None = None
    """The file for `cfpm doctor`; default: a file in the user's data folder."""
    monotonic: Callable[[], float] = time.monotonic
    failures: int = 0
    last_failure: str = ""
    skipped: int = 0
    """Loads that were not made because the provider was still busy."""
    _workers: Mapping[str, Worker] = field(init=False, repr=False)
    _ledger: Ledger = field(init=False, repr=False)
    _counted: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _late: list[tuple[Part, str, AnyJob]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise UsageError("parts", f"names {names} are blank or not unique", "Give each provider its own name")
        self._workers = {name: Worker(f"cfpm-{name}") for name in names}
        self._ledger = Ledger(self.ledger or default_file())
        self._counted = {part.name: part.provider.failures for part in self.parts}

    def load(self, agent: str, query: str = "", *, max_tokens: int = 1200) -> str | None:
        """The blocks of all providers that answered in time, at most `max_tokens` together; None if there is none."""
        self._collect_late()
        asked: list[tuple[Part, Future[str | None]]] = []
        for part in self.parts:
            if self._workers[part.name].busy:
                self.skipped += 1
                continue
            most = max_tokens if part.max_tokens is None else min(part.max_tokens, max_tokens)
            work = partial(part.provider.load, agent, query, max_tokens=most)
            asked.append((part, self._workers[part.name].submit(work)))
        began = self.monotonic()
        answers = [(part, self._answer(part, "load", job, began)) for part, job in asked]
        return self._joined(answers, max_tokens)

    def save(self, agent: str, history: History, *, session: str = "default") -> None:
        """Gives the messages to all providers, and waits for each until its deadline."""
        try:
            # The host may go on to change its list while a slow provider still reads.
            kept = [dict(message) if isinstance(message, Mapping) else message for message in history]
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self.failures += 1
            self.last_failure = redact(f"save: the history cannot be read: {error}").text
            return
        self._collect_late()
        given: list[tuple[Part, Future[None]]] = []
        for part in self.parts:
            worker = self._workers[part.name]
            if worker.waiting >= part.max_waiting:
                self._failed(part, "save", "dropped", f"{worker.waiting} saves wait already")
                continue
            busy = worker.busy
            job = worker.submit(partial(part.provider.save, agent, kept, session=session))
            if busy:
                self._late.append((part, "save", job))
            else:
                given.append((part, job))
        began = self.monotonic()
        for part, job in given:
            self._answer(part, "save", job, began)

    def close(self) -> None:
        """Closes each provider after what waits for it, each within its deadline; one that hangs is left behind."""
        began = self.monotonic()
        jobs = [(part, self._workers[part.name].submit(part.provider.close)) for part in self.parts]
        for part, job in jobs:
            self._answer(part, "close", job, began)
            self._workers[part.name].stop()
        self._collect_late()
        self._ledger.close()

    def _answer(self, part: Part, verb: str, job: AnyJob, began: float) -> object:
        """What the provider answered by its deadline; None after a failure, which is counted."""
        try:
            error = job.exception(max(0.0, began + part.seconds - self.monotonic()))
        except TimeoutError:
            self._failed(part, verb, "timeout", f"no answer within {part.seconds:.3g} s; it is left behind")
            self._late.append((part, verb, job))
            return None
        if error is not None:
            self._failed(part, verb, type(error).__name__, str(error))
            return None
        if (own := part.provider.failures) > self._counted[part.name]:
            count, self._counted[part.name] = own - self._counted[part.name], own
            self._failed(part, verb, "provider", part.provider.last_failure, count)
            return job.result()
        self._ledger.record_success(f"part {part.name}", verb)
        return job.result()

    def _collect_late(self) -> None:
        """Counts what was raised by work that nobody waited for any more."""
        entries, self._late = self._late, []
        for part, verb, job in entries:
            if not job.done():
                self._late.append((part, verb, job))
            elif (error := job.exception()) is not None:
                self._failed(part, verb, type(error).__name__, str(error))

    def _joined(self, answers: Sequence[tuple[Part, object]], max_tokens: int) -> str | None:
        left = max_tokens
        blocks: list[str] = []
        for part, answer in answers:
            if answer is not None and not isinstance(answer, str):
                self._failed(part, "load", "wrong_type", f"the block is a {type(answer).__name__}, not a text")
            if not isinstance(answer, str) or not answer.strip():
                continue
            most = left - (estimated(BETWEEN) if blocks else 0)
            most = most if part.max_tokens is None else min(most, part.max_tokens)
            block = answer if _is_framed(answer) and estimated(answer) <= most else framed(answer, most)
            if block is not None:
                left -= estimated(block) + (estimated(BETWEEN) if blocks else 0)
                blocks.append(block)
        return BETWEEN.join(blocks) or None

    def _failed(self, part: Part, verb: str, kind: str, detail: str, count: int = 1) -> None:
        self.failures += count
        self.last_failure = redact(f"{verb}: {part.name}: {kind}: {detail}").text
        self._ledger.record_failure(f"part {part.name}", verb, kind, detail)


def _is_framed(block: str) -> bool:
    """Whether it is exactly one labelled block."""
    whole = block.startswith(BLOCK_OPEN) and block.endswith(BLOCK_CLOSE)
    return whole and block.count(BLOCK_OPEN) == 1 and block.count(BLOCK_CLOSE) == 1
