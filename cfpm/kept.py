"""What a memory keeps: looking at it, correcting it by hand, taking it along. How it learns and what it answers to an
agent is in `memory`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TextIO

from cfpm.clock import Clock, to_text
from cfpm.curation import Curator
from cfpm.errors import NotFoundError
from cfpm.inspection import decision_named, explain, stats
from cfpm.models import Candidate, Category, Decision, Event, Fact, Scope, Status
from cfpm.pruner.keys import fact_keys
from cfpm.redacting import line_without_secrets
from cfpm.report import Explanation, Rollback, Stats
from cfpm.settings import Settings
from cfpm.store import Check, ImportReport, Store


@dataclass(slots=True)
class Kept:
    """One namespace of a store, for whoever looks after it. The base of `Memory`."""

    store: Store
    scope: Scope
    settings: Settings
    clock: Clock | None = None

    def facts(
        self,
        *,
        category: Category | None = None,
        status: Status | None = None,
        limit: int | None = None,
        as_of: datetime | int | None = None,
    ) -> list[Fact]:
        """Facts, pinned first, then newest; `as_of` a moment or an event's number, as they were then."""
        if as_of is None:
            return self.store.facts(self.scope.namespace, category=category, status=status, limit=limit)
        then = self.store.as_of(self.scope.namespace, _moment(as_of))
        fits = [f for f in then if category in (None, f.category) and status in (None, f.status)]
        return fits[:limit]

    def fact(self, fact_id: str) -> Fact:
        """One fact. Raises NotFoundError."""
        if (found := self.store.fact(self.scope.namespace, fact_id)) is None:
            raise NotFoundError(f"No fact {fact_id} in namespace {self.scope.namespace}. See: cfpm facts")
        return found

    def remember(self, text: str, *, category: Category, pin: bool = False) -> Fact:
        """Stores what the user dictates, as certain. Raises InputError for an empty text or one with a secret."""
        return self._curator().remember(text, category, pin=pin)

    def forget(self, fact_id: str) -> Fact:
        """Forgets a fact for good: it is not recalled and not learnt again. Raises NotFoundError."""
        return self._curator().forget(fact_id)

    def pin(self, fact_id: str, pinned: bool = True) -> Fact:
        """Pins a fact, or lets it go. Raises NotFoundError, or UsageError for one that is not believed."""
        return self._curator().pin(fact_id, pinned)

    def accept(self, candidate_id: str) -> Fact:
        """Reverses a rejection, for good. Raises NotFoundError, UsageError."""
        return self._curator().accept(candidate_id)

    def reject(self, candidate_id: str) -> Candidate:
        """Reverses an acceptance, for good. Raises NotFoundError, UsageError."""
        return self._curator().reject(candidate_id)

    def history(self, fact_id: str) -> list[Event]:
        """All changes of a fact, oldest first. Raises NotFoundError."""
        return self.store.events(self.scope.namespace, fact_id=self.fact(fact_id).id)

    def rollback(self, to: datetime | int) -> Rollback:
        """Takes all facts of the namespace back to a moment or an event's number, 0 for the beginning.

        The way back is kept as events too. Raises NotFoundError for an event that there is not.
        """
        reverted = self._curator().rollback(_moment(to))
        return Rollback(reverted, self.store.active(self.scope.namespace))

    def candidates(
        self,
        *,
        decision: Decision | str | None = None,
        reason: str | None = None,
        session: str | None = None,
        limit: int | None = None,
    ) -> list[Candidate]:
        """Rows of the audit trail, newest first. Raises UsageError for a decision or a reason that does not exist."""
        wanted = decision_named(decision, reason)
        return self.store.candidates(self.scope.namespace, decision=wanted, reason=reason, session=session, limit=limit)

    def explain(self, candidate_id: str) -> Explanation:
        """The whole story of one candidate, by its id or that of its fact or message. Raises NotFoundError."""
        return explain(self.store, self.scope.namespace, candidate_id)

    def stats(self) -> Stats:
        """Counts by decision, reason, category and status."""
        return stats(self.store, self.scope.namespace)

    def export(self, out: TextIO) -> int:
        """Writes the whole store as canonical JSON lines; returns how many. The same store gives the same bytes."""
        return self.store.export(out)

    def import_lines(self, lines: Iterable[str], source: str) -> ImportReport:
        """Reads an export into the store. Raises InputError naming the line; then nothing is imported."""
        return self.store.import_lines(map(line_without_secrets, lines), source, block_keys=fact_keys)

    def doctor(self) -> list[Check]:
        """Whether the database is sound."""
        return self.store.doctor()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Makes the vectors that are missing or of another embedder, of all namespaces; returns how many.

        Can be stopped at any moment: the next call goes on. `progress` gets the rows done and the rows to do.
        """
        behind = self.store.behind()
        return self.store.reindex(None if progress is None else lambda done: progress(done, behind))

    def purge(self, *, keep_rejected: int | None = None) -> int:
        """Deletes the oldest rejected candidates above `keep_rejected` (default: the setting). Returns how many
        went."""
        keep = self.settings.rejected_kept if keep_rejected is None else keep_rejected
        return self.store.trim_rejected(self.scope.namespace, keep)

    def _curator(self) -> Curator:
        return Curator(self.store, self.scope, self.settings, self._now())

    def _now(self) -> datetime | None:
        return self.clock() if self.clock else None


def _moment(to: datetime | int) -> str | int:
    return to if isinstance(to, int) else to_text(to) or ""
