"""What sessions hold beside facts: the answers of the user, and where the work stands. Reads no message: what is
written here was found by `context.session_state`, or told by the host."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cfpm.model.ids import digest
from cfpm.model.state import Approval, Held, StateEntry
from cfpm.store.rows import moment_if_sound, moment_text
from cfpm.store.schema import equal, insert_into, listed, types

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.store.connection import Connection, Row

ADD_APPROVAL = insert_into("memory_approvals") + " ON CONFLICT DO NOTHING"
ADD_ENTRY = insert_into("memory_state") + " ON CONFLICT DO NOTHING"
_PUT_ENTRY = (
    insert_into("memory_state") + " ON CONFLICT DO UPDATE SET"
    " text = excluded.text, status = excluded.status, message_id = excluded.message_id, at = excluded.at"
)
_DROP_ENTRY = 'DELETE FROM memory_state WHERE namespace = ? AND session = ? AND agent = ? AND kind = ? AND "key" = ?'
_APPROVALS = f"SELECT {listed(tuple(types('memory_approvals')))} FROM memory_approvals WHERE "
_ENTRIES = f"SELECT {listed(tuple(types('memory_state')))} FROM memory_state WHERE namespace = ? AND session = ?"
_COUNT = "SELECT count(*) FROM memory_approvals WHERE namespace = ? AND session = ?"

_KINDS = frozenset(kind.value for kind in Held)


@dataclass(frozen=True, slots=True)
class SessionState:
    """Keeps answers of the user and what sessions hold."""

    db: Connection

    def add_approvals(self, namespace: str, approvals: Iterable[Approval]) -> list[Approval]:
        """Stores answers, and returns them with their ids. The same answer of the same message is one."""
        with self.db.atomic():
            return [self._add(namespace, approval) for approval in approvals]

    def _add(self, namespace: str, given: Approval) -> Approval:
        # What a host tells has no message: the same may be allowed, refused and allowed again.
        place = given.message_id or f"host {self.db.number(_COUNT, (namespace, given.session))}"
        parts = (namespace, given.session, place, given.subject, given.answer, str(given.granted))
        named = replace(given, id=given.id or f"appr_{digest(*parts)}")
        self.db.run(ADD_APPROVAL, _approval_row(namespace, named))
        return named

    def approvals(self, namespace: str, session: str | None = None) -> list[Approval]:
        """The answers of a session or of all, oldest first."""
        where, values = equal(namespace=namespace, session=session)
        return [_approval(row) for row in self.db.rows(f"{_APPROVALS}{where} ORDER BY seq", values)]

    def entries(self, namespace: str, session: str) -> list[StateEntry]:
        """What a session holds, in the order in which it came up."""
        found = self.db.rows(f"{_ENTRIES} ORDER BY seq", (namespace, session))
        return [_entry(row) for row in found if row[3] in _KINDS]

    def write(self, namespace: str, before: Sequence[StateEntry], after: Sequence[StateEntry]) -> None:
        """Writes what is new or has another text or status, and drops what is no more."""
        known = {_place(entry): entry for entry in before}
        kept = {_place(entry) for entry in after}
        new = (entry for entry in after if _said(known.get(_place(entry))) != _said(entry))
        with self.db.atomic():
            self.db.many(_DROP_ENTRY, ((namespace, *place) for place in known if place not in kept))
            self.db.many(_PUT_ENTRY, (_entry_row(namespace, entry) for entry in new))


def _place(entry: StateEntry) -> tuple[str, str, str, str]:
    return entry.session, entry.agent, entry.kind.value, entry.key


def _said(entry: StateEntry | None) -> tuple[str, str] | None:
    return None if entry is None else (entry.text, entry.status)


def _approval_row(namespace: str, given: Approval) -> tuple[object, ...]:
    said = (given.subject, given.answer, given.granted, given.scope, given.by, given.message_id)
    return (given.id, namespace, given.session, given.agent, *said, moment_text(given.at))


def _approval(row: Row) -> Approval:
    name, _, session, agent, subject, answer, granted, scope, by, message_id, at = row
    given = (str(subject), str(answer), bool(granted), str(scope), moment_if_sound(at))
    return Approval(*given, str(by), str(session), str(agent), str(message_id), str(name))


def _entry_row(namespace: str, entry: StateEntry) -> tuple[object, ...]:
    said = (entry.text, entry.status, entry.message_id, moment_text(entry.at))
    return (namespace, entry.session, entry.agent, entry.kind.value, entry.key, *said)


def _entry(row: Row) -> StateEntry:
    _, session, agent, kind, key, text, status, message_id, at = row
    whose = (moment_if_sound(at), str(session), str(agent), str(message_id))
    return StateEntry(Held(kind), str(key), str(text), str(status), *whose)
