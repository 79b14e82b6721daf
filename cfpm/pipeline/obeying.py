"""Obeys what a user asks of the memory in a turn: what stays off the record, and what is forgotten.

Runs inside the turn's transaction. What was stored before and is to be off the record is erased; the file is cleaned
after the turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.extractor.requests import Asked, Request, ask_for_silence, requests
from cfpm.model import Category, Fact, Message, Role, Scope, Status
from cfpm.model.erasures import Selector
from cfpm.pruner.candidates import fact_keys
from cfpm.pruner.forgetting import all_about, buried, meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.pipeline.placement import Place
    from cfpm.store.store import Store

CAUSE = "asked for"
"""The cause of changes that a user asked for in a turn."""

TOO_MANY = 12
"""Facts about a thing above which none is forgotten: 'forget my work' would empty the memory. `cfpm erase --query`
shows them first."""

SMALL = 64 * 1024 * 1024
"""Bytes of a file that is cleaned right after the turn, in less than a second; a larger one when it is opened next."""


@dataclass(slots=True)
class Obeyed:
    """What was done. `unrecorded` are the lengths of messages that are stored without words, by id."""

    unrecorded: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[Message, Request]] = field(default_factory=list)
    forgotten: int = 0
    erased: bool = False

    def is_asked(self, message_id: str, start: int, end: int) -> bool:
        """Whether a span lies in a sentence that asks something of the memory."""
        return any(
            message.id == message_id and request.start <= start and end <= request.end
            for message, request in self.asked
        )


@dataclass(frozen=True, slots=True)
class Obedience:
    """Obeys the requests of one session."""

    store: Store
    scope: Scope
    traces: bool = True
    """False when nothing at all is kept out of the store."""

    def off_record(self, messages: Sequence[Message], place: Place) -> tuple[list[Message], Obeyed]:
        """The messages as they may be stored: those off the record without words."""
        done = Obeyed()
        silent = self._session_is_silent() or (not place.new_turn and self._turn_is_silent(place.turn))
        kept = []
        for message in messages:
            found = requests(message)
            done.asked += [(message, request) for request in found]
            silent = self._changed(found, silent)
            # What is answered to a message repeats it.
            silent = silent or ask_for_silence(found)
            if silent:
                done.unrecorded[message.id] = len(message.text)
            kept.append(_without_words(message) if silent else message)
        return kept, done

    def forget(self, done: Obeyed, place: Place, at: datetime | None) -> None:
        """Forgets what the messages ask to forget, and erases what was stored before and is off the record now."""
        for _, request in done.asked:
            match request.asked:
                case Asked.FORGET:
                    done.forgotten += self._forget(request, at)
                case Asked.FORGET_SAID:
                    done.forgotten += self._bury(self._learnt_from(self._said_before(place)), at)
                case Asked.UNRECORDED_SAID:
                    self._erase(Selector(ids=tuple(self._said_before(place)), session=self.scope.session), done, at)
                case Asked.UNRECORDED_SESSION:
                    self._erase(Selector(session=self.scope.session), done, at)
                case Asked.UNRECORDED | Asked.RECORDED_AGAIN:
                    pass

    def clean(self, done: Obeyed) -> None:
        """Cleans the file after the transaction, unless that takes long."""
        if not done.erased:
            return
        path = Path(self.store.connection.path)
        if not path.exists() or path.stat().st_size <= SMALL:
            self.store.erasure.finish()

    def _changed(self, found: Sequence[Request], silent: bool) -> bool:
        for request in found:
            if request.asked is Asked.UNRECORDED_SESSION:
                self.store.traces.silence(self.scope.namespace, self.scope.session)
                silent = True
            elif request.asked is Asked.RECORDED_AGAIN:
                self.store.traces.end_silence(self.scope.namespace, self.scope.session)
                silent = False
        return silent

    def _session_is_silent(self) -> bool:
        return self.traces and self.store.traces.is_silent(self.scope.namespace, self.scope.session)

    def _turn_is_silent(self, turn: int) -> bool:
        return self.store.log.is_unrecorded(self.scope.namespace, self.scope.session, turn)

    def _said_before(self, place: Place) -> list[str]:
        """The ids of the user's turn before this one."""
        before = place.turn - 1
        rows = self.store.log.messages(self.scope.namespace, session=self.scope.session, turn=before)
        return [row.message.id for row in rows]

    def _learnt_from(self, ids: Iterable[str]) -> list[Fact]:
        wanted = set(ids)
        return [
            fact
            for fact in self.store.facts.find(self.scope.namespace, status=Status.ACTIVE)
            if fact.session == self.scope.session and fact.message_id in wanted
        ]

    def _forget(self, request: Request, at: datetime | None) -> int:
        active = self.store.facts.find(self.scope.namespace, status=Status.ACTIVE)
        if request.whole:
            # Also when nothing was learnt of it: it is not to be learnt from now on.
            self.store.tombstones.add(self.scope.namespace, Category.NOTE, request.about)
            return self._bury(meant(request.about, active), at)
        found = all_about(request.about, active)
        return self._bury(found, at) if len(found) <= TOO_MANY else 0

    def _bury(self, facts: Sequence[Fact], at: datetime | None) -> int:
        namespace = self.scope.namespace
        for fact in facts:
            named = self.store.facts.by_id(namespace, fact.contradicts.split())
            self.store.fact_writer.apply(namespace, buried(fact, named, CAUSE, at), block_keys=fact_keys)
        return len(facts)

    def _erase(self, selector: Selector, done: Obeyed, at: datetime | None) -> None:
        if not (selector.ids or selector == Selector(session=self.scope.session)):
            return
        record = self.store.erasure.erase(self.scope.namespace, selector, by=CAUSE, at=at, block_keys=fact_keys)
        done.erased |= not record.finished


def _without_words(message: Message) -> Message:
    """Only its id, its time and who spoke. A result that answers nothing is no result."""
    role = Role.ASSISTANT if message.role is Role.TOOL else message.role
    return replace(message, role=role, text="", name="", tool_calls=(), tool_result=None)
