"""Where new messages of a session go: which turn, and which position in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cfpm.model import Message, Scope
from cfpm.store.store import Store
from cfpm.transcript.sessions import begins_turn


@dataclass(frozen=True, slots=True)
class Place:
    """Where new messages go: their turn, the next position in it, and the last time the session knows."""

    turn: int
    position: int
    at: datetime | None
    new_turn: bool
    opening: bool

    @classmethod
    def find(cls, store: Store, scope: Scope, messages: Sequence[Message], known: set[str]) -> Place:
        """The place for the unknown ones of these messages of one turn."""
        last = store.log.last_turn(scope.namespace, scope.session)
        if last is None:
            shared = store.sessions.parent_turn(scope.namespace, scope.session)
            return cls(0, 0, None, True, True) if shared is None else cls(shared, 0, None, True, False)
        anchor = next((m.id for m in messages if m.id in known), None)
        row = store.log.get(scope.namespace, anchor, scope.session) if anchor else None
        if row is not None:
            position = last.next_position if row.turn == last.turn else len(messages)
            return cls(row.turn, position, last.created_at, False, False)
        if not begins_turn(messages[0]):
            return cls(last.turn, last.next_position, last.created_at, False, True)
        return cls(last.turn + 1, 0, last.created_at, True, False)
