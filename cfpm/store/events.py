"""History: what changed, what was believed at a moment, how to go back to it. Going back adds events, removes none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cfpm.model import Action, Event, Fact, FactChange, Status
from cfpm.model.clock import from_text, to_text
from cfpm.store.rows import event_from, fact_fields, fact_from, fact_from_fields
from cfpm.store.schema import EVENT_COLUMNS, FACT_COLUMNS, listed

if TYPE_CHECKING:
    from collections.abc import Sequence, Set
    from datetime import datetime

    from cfpm.store.connection import Connection

LAST_EVENT = "SELECT max(number) FROM memory_events WHERE namespace = ?"
_COLUMNS = listed(EVENT_COLUMNS)
_FIRST_AFTER_MOMENT = "SELECT fact_id, min(number) FROM memory_events WHERE namespace = ? AND at > ? GROUP BY fact_id"
_FIRST_AFTER_NUMBER = (
    "SELECT fact_id, min(number) FROM memory_events WHERE namespace = ? AND number > ? GROUP BY +fact_id"
)
_LATER = f"SELECT {_COLUMNS} FROM memory_events WHERE namespace = ? AND number >= ? ORDER BY number DESC"
_CURRENT = f"SELECT {listed(FACT_COLUMNS)} FROM memory_facts WHERE +namespace = ? AND id IN ({{wanted}})"
_CAUSED = "SELECT DISTINCT fact_id FROM memory_events WHERE namespace = ? AND cause IN ({wanted})"
_MOVED = "SELECT fact_id, cause FROM memory_events WHERE namespace = ? AND cause LIKE 'moved to %'"
_OF_FACTS = f"SELECT {_COLUMNS} FROM memory_events WHERE namespace = ? AND fact_id IN ({{wanted}})"
_BY_MESSAGE = ("works again", "removed")
"""How causes begin that name a message."""
_FACTS = f"SELECT {listed(FACT_COLUMNS)} FROM memory_facts WHERE namespace = ? ORDER BY seq"


@dataclass(frozen=True, slots=True)
class Events:
    """Reads the history of facts."""

    db: Connection

    def find(
        self,
        namespace: str,
        *,
        fact_id: str | None = None,
        after_seq: int | None = None,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """The events that fit, oldest first: of one fact, after an event's number, not before an ISO 8601 moment."""
        where = ["namespace = ?"]
        values: list[object] = [namespace]
        for condition, value in (("fact_id = ?", fact_id), ("number > ?", after_seq), ("at >= ?", _moment(since))):
            if value is not None:
                where.append(condition)
                values.append(value)
        sql = f"SELECT {_COLUMNS} FROM memory_events WHERE {' AND '.join(where)} ORDER BY number LIMIT ?"
        return [event_from(row) for row in self.db.rows(sql, (*values, -1 if limit is None else limit))]

    def last(self, namespace: str) -> int:
        """The number of the newest event, 0 if there is none: the moment `now` for `as_of` and `undo`."""
        return self.db.number(LAST_EVENT, (namespace,))

    def as_of(self, namespace: str, moment: str | int) -> list[Fact]:
        """The facts as they were after the event with this number, or at this ISO 8601 moment, in order of learning.

        A fact goes back to before its first event later than the moment, so that nothing of a later turn shines
        through; events without a time stay with the event before them.
        """
        with self.db.reading():
            earlier = self._earlier(namespace, moment)
            facts = [fact_from(row) for row in self.db.rows(_FACTS, (namespace,))]
        kept = (earlier.get(fact.id, fact) for fact in facts)
        return [fact for fact in kept if fact is not None]

    def undo(self, namespace: str, to: str | int, *, cause: str, at: datetime | None) -> list[FactChange]:
        """The changes that lead back to `as_of(namespace, to)`; give them to `change`.

        A fact that was not there yet goes stale, not away: it can be learnt again, and its history stays.
        """
        with self.db.reading():
            earlier = self._earlier(namespace, to)
            current = self._current(namespace, list(earlier))
        changes = []
        for fact_id in sorted(earlier):
            now = current.get(fact_id)
            if now is None:
                continue
            then = earlier[fact_id] or withdrawn(now, at)
            if then != now:
                changes.append(FactChange(now, then, Action.ROLLBACK, cause, at))
        return changes

    def touched_by(self, namespace: str, causes: Set[str]) -> dict[str, list[Event]]:
        """The events of all facts that one of these candidates or messages changed, oldest first."""
        names = sorted(causes)
        wanted = [*names, *(f"{kind}: {name}" for name in names for kind in _BY_MESSAGE)]
        ids = {name for (name,) in self.db.among(_CAUSED, (namespace,), wanted)}
        moved = self.db.rows(_MOVED, (namespace,))
        ids.update(name for name, cause in moved if cause.rpartition(": ")[2] in causes)
        found: dict[str, list[Event]] = {}
        for row in self.db.among(_OF_FACTS, (namespace,), sorted(ids)):
            event = event_from(row)
            found.setdefault(event.fact_id, []).append(event)
        return {name: sorted(events, key=lambda event: event.seq) for name, events in sorted(found.items())}

    def _current(self, namespace: str, ids: Sequence[str]) -> dict[str, Fact]:
        return {row[0]: fact_from(row) for row in self.db.among(_CURRENT, (namespace,), ids)}

    def _earlier(self, namespace: str, moment: str | int) -> dict[str, Fact | None]:
        """The state at the moment of every fact that changed later; None if it was not there."""
        if isinstance(moment, int):
            found = self.db.rows(_FIRST_AFTER_NUMBER, (namespace, moment))
        else:
            found = self.db.rows(_FIRST_AFTER_MOMENT, (namespace, _moment(moment)))
        firsts: dict[str, int] = dict(found)
        earlier: dict[str, Fact | None] = {**self._current(namespace, list(firsts))}
        # All of them in one pass: no index finds the events of one fact.
        for row in self.db.each(_LATER, (namespace, min(firsts.values()))) if firsts else ():
            event = event_from(row)
            fact = earlier.get(event.fact_id)
            if fact is not None and event.seq >= firsts[event.fact_id]:
                earlier[event.fact_id] = before(fact, event)
        return earlier


def withdrawn(fact: Fact, at: datetime | None) -> Fact:
    """A fact that is not believed any more, and can be learnt again."""
    if fact.status is Status.STALE and not fact.pinned:
        return fact
    return replace(fact, status=Status.STALE, pinned=False, valid_to=at or fact.valid_to)


def before(fact: Fact, event: Event) -> Fact | None:
    """The fact as it was before this event, which is the latest of its own; None if the event created it."""
    if not event.before and event.action is Action.CREATE:
        return None
    values: dict[str, Any] = {**fact_fields(fact), **event.before}
    return fact_from_fields(values)


def _moment(text: str | None) -> str | None:
    """Any ISO 8601 text as it stands in the columns."""
    return to_text(from_text(text))
