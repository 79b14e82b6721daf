"""What a user does to the memory by hand: remember, forget, pin, reverse a verdict. Their word outweighs every rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from cfpm.errors import InputError, NotFoundError, UsageError
from cfpm.model import (
    PATH_CATEGORIES,
    Action,
    Candidate,
    Category,
    Decision,
    Fact,
    FactChange,
    Role,
    Scope,
    Source,
    Status,
)
from cfpm.model.ids import fact_id
from cfpm.pruner.candidates import fact_keys
from cfpm.pruner.forgetting import buried, saying
from cfpm.pruner.retention import later, stale_at
from cfpm.secrets import redact
from cfpm.settings import Settings
from cfpm.store.store import Store
from cfpm.store.traces import ERASED
from cfpm.text.canonical import canonical_key, same_speaker
from cfpm.text.quantities.slots import topic_and_value

_MAX_CHARS = 4_000
"""A fact that a user writes by hand may be long, but is not a file."""


@dataclass(frozen=True, slots=True)
class Curator:
    """The user's verbs on one namespace. `at` is when they act, or None without a clock."""

    store: Store
    scope: Scope
    settings: Settings
    at: datetime | None

    def remember(self, text: str, category: Category, *, pin: bool, replaces: str = "") -> Fact:
        """Stores what the user dictates; it cannot decay and is never evicted.

        `replaces` names an active fact that it takes the place of, by its id or by what it says. Raises InputError for
        a blank or overlong text, or one that holds a secret, NotFoundError when nothing is replaced.
        """
        content = dictated(text)
        with self.store.writing():
            old = self._said(replaces) if replaces else None
            return self.dictate(content, category, old, pin=pin, cause="remember")

    def dictate(self, content: str, category: Category, old: Fact | None, *, pin: bool = False, cause: str) -> Fact:
        """Believes what is `dictated`, in place of the active fact `old`; inside the caller's transaction."""
        new = self._believe(category, content, pin=pin, cause=cause)
        if old is not None and old.id != new.id:
            gone = replace(old, status=Status.SUPERSEDED, superseded_by=new.id, valid_to=self.at, pinned=False)
            self._change(old, gone, Action.SUPERSEDE, cause)
        return new

    def rollback(self, to: str | int) -> int:
        """Takes all facts back to a moment, as text, or to an event's number; returns how many went back.

        Raises NotFoundError for an event that there is not.
        """
        namespace = self.scope.namespace
        with self.store.writing():
            last = self.store.events.last(namespace)
            if isinstance(to, int) and not 0 <= to <= last:
                raise NotFoundError(f"No event {to} in namespace {namespace}, the last is {last}")
            changes = self.store.events.undo(namespace, to, cause="rollback", at=self.at)
            self.store.fact_writer.apply(namespace, changes, block_keys=fact_keys)
        return len(changes)

    def forget(self, name: str) -> Fact:
        """Leaves a tombstone: the fact is not recalled any more and is not learnt again.

        Facts that say the same in nearly the same words go with it.
        """
        with self.store.writing():
            return self.bury(self._fact(name), "forget")

    def bury(self, fact: Fact, cause: str) -> Fact:
        """Forgets a fact and those that say the same; inside the caller's transaction."""
        gone = self._bury(fact, cause)
        if gone.category not in PATH_CATEGORIES:
            known = self.store.facts.find(self.scope.namespace)
            for other in saying(gone.content, known, speaker=gone.speaker):
                self._bury(other, cause)
        return gone

    def pin(self, name: str, pinned: bool) -> Fact:
        """A pinned fact comes first in every recall and neither decays nor is evicted. Raises UsageError unless it is
        believed."""
        with self.store.writing():
            fact = self._fact(name)
            if pinned and fact.status in (Status.FORGOTTEN, Status.SUPERSEDED):
                remedy = (
                    "Remember it again first" if fact.status is Status.FORGOTTEN else "Pin the fact that replaced it"
                )
                raise UsageError(name, f"it is {fact.status}", remedy)
            after = replace(fact, pinned=pinned)
            if pinned:
                after = replace(after, status=Status.ACTIVE, valid_to=None)
            after = replace(after, stale_at=stale_at(after, self.settings))
            return self._change(fact, after, Action.PIN if pinned else Action.UNPIN, "pin" if pinned else "unpin")

    def accept(self, name: str) -> Fact:
        """Turns a rejected candidate into a fact of the user. Raises UsageError for one that was not rejected."""
        with self.store.writing():
            row = self._candidate(name)
            if row.decision is not Decision.REJECTED:
                raise UsageError(name, f"it was {row.decision}, not rejected", "See: cfpm audit explain")
            fact = self._believe(row.category, row.content, pin=False, cause=row.id, origin=row)
            self.store.candidates.set_decision(
                self.scope.namespace,
                row.id,
                Decision.ACCEPTED,
                reason="reviewed",
                rule="user",
                fact_id=fact.id,
                detail=f"was {row.reason}",
            )
            return fact

    def reject(self, name: str) -> Candidate:
        """Takes a verdict back. Raises UsageError for one that was rejected.

        What was learnt leaves a tombstone, what it replaced is believed again; what it only confirmed stays, with one
        sighting less.
        """
        with self.store.writing():
            row = self._candidate(name)
            if row.decision is Decision.REJECTED:
                raise UsageError(name, "it is rejected already", "See: cfpm audit explain")
            fact = self._fact(row.fact_id)
            if row.decision is Decision.MERGED:
                fewer = replace(fact, evidence_count=max(1, fact.evidence_count - 1))
                self._change(fact, fewer, Action.EDIT, row.id)
            else:
                self._bury(fact, row.id)
                self._restore(fact, row)
            return self.store.candidates.set_decision(
                self.scope.namespace,
                row.id,
                Decision.REJECTED,
                reason="reviewed",
                rule="user",
                fact_id=fact.id,
                detail=f"was {row.reason}",
            )

    def _lift(self, fact: Fact, cause: str) -> None:
        """The user's word outweighs every tombstone: what lies under one and is remembered may be learnt again."""
        over = self.store.tombstones.over(self.scope.namespace, fact.category, fact.content, fact.speaker)
        self.store.tombstones.drop(found.seq for found in over)
        names = sorted({found.fact_id for found in over} - {"", fact.id})
        for other in self.store.facts.by_id(self.scope.namespace, names).values():
            if other.status is Status.FORGOTTEN:
                self._change(other, replace(other, status=Status.STALE), Action.STALE, cause)

    def _bury(self, fact: Fact, cause: str) -> Fact:
        """Leaves a tombstone, which contradicts nothing any more."""
        named = self.store.facts.by_id(self.scope.namespace, fact.contradicts.split())
        changes = buried(fact, named, cause, self.at)
        self.store.fact_writer.apply(self.scope.namespace, changes, block_keys=fact_keys)
        return changes[-1].after if changes else fact

    def _restore(self, fact: Fact, row: Candidate) -> None:
        replaced = replaced_by(self.store, row)
        if replaced is not None and replaced.status is Status.SUPERSEDED and replaced.superseded_by == fact.id:
            again = replace(replaced, status=Status.ACTIVE, superseded_by="", valid_to=None)
            self._change(replaced, again, Action.REVIVE, row.id)

    def _believe(
        self, category: Category, content: str, *, pin: bool, cause: str, origin: Candidate | None = None
    ) -> Fact:
        speaker = origin.speaker if origin and category not in PATH_CATEGORIES else ""
        key = canonical_key(category, content, speaker)
        name = fact_id(self.scope.namespace, category, key)
        old = self.store.facts.get(self.scope.namespace, name)
        topic, value = topic_and_value(content)
        fact = replace(
            old or Fact(name, self.scope.namespace, category, key, content, created_at=self.at, valid_from=self.at),
            status=Status.ACTIVE,
            source=Source.USER,
            confidence=1.0,
            pinned=pin or (old.pinned if old else False),
            updated_at=later(old.updated_at, self.at) if old else self.at,
            valid_to=None,
            stale_at=None,
            superseded_by="",
            topic=topic,
            value=value,
            salience=1.0,
        )
        if origin is not None and old is None:
            fact = replace(
                fact,
                session=origin.session,
                role=origin.role,
                message_id=origin.span.message_id,
                span_start=origin.span.start,
                span_end=origin.span.end,
                validation_command=origin.validation_command,
                speaker=speaker,
                created_at=origin.created_at or self.at,
                updated_at=later(origin.created_at, self.at),
            )
        elif old is None:
            fact = replace(fact, session=self.scope.session, agent=self.scope.agent, role=Role.USER)
        elif old.content != content:
            # The same in other letters or signs, as the user wants it: no message says it so.
            fact = replace(fact, content=content, role=Role.USER, message_id="", span_start=0, span_end=0)
        fact = replace(fact, stale_at=stale_at(fact, self.settings))
        self._lift(fact, cause)
        for rival in self._rivals(fact):
            gone = replace(rival, status=Status.SUPERSEDED, superseded_by=name, valid_to=self.at)
            self._change(rival, gone, Action.SUPERSEDE, cause)
        if old is None:
            return self._change(None, fact, Action.CREATE, cause)
        return self._change(old, fact, Action.EDIT if old.status is Status.ACTIVE else Action.REVIVE, cause)

    def _rivals(self, fact: Fact) -> list[Fact]:
        """Active facts that cannot stand beside this one: another value of its slot, or the counterpart of its path."""
        if fact.category in PATH_CATEGORIES:
            ids = [fact_id(self.scope.namespace, category, fact.key) for category in PATH_CATEGORIES]
            found = list(self.store.facts.by_id(self.scope.namespace, ids).values())
        else:
            on_topic = self.store.facts.on_topic(self.scope.namespace, [fact.topic]) if fact.topic else []
            found = [rival for rival in on_topic if rival.value.casefold() != fact.value.casefold()]
            found = [rival for rival in found if same_speaker(rival.speaker, fact.speaker)]
        return [f for f in found if f.id != fact.id and f.status is Status.ACTIVE and not f.pinned]

    def _change(self, before: Fact | None, after: Fact, action: Action, cause: str) -> Fact:
        if before != after:
            change = FactChange(before, after, action, cause, self.at)
            self.store.fact_writer.apply(self.scope.namespace, [change], block_keys=fact_keys)
        return after

    def _fact(self, name: str) -> Fact:
        fact = self.store.facts.get(self.scope.namespace, name)
        if fact is None:
            raise NotFoundError(f"No fact {redact(name).text} in namespace {self.scope.namespace}. See: cfpm facts")
        return fact

    def _said(self, name: str) -> Fact:
        """The active fact with this id, or else the one that says this, or nearly so."""
        namespace = self.scope.namespace
        if (fact := self.store.facts.get(namespace, name)) is not None and fact.status is Status.ACTIVE:
            return fact
        known = self.store.facts.find(namespace, status=Status.ACTIVE)
        wanted = " ".join(name.split()).casefold()
        found = [one for one in known if one.content.casefold() == wanted] or saying(name, known, speaker="")
        if not found:
            raise NotFoundError(f"No active fact {redact(name).text} in namespace {namespace}. See: cfpm facts")
        return found[0]

    def _candidate(self, name: str) -> Candidate:
        row = self.store.candidates.get(self.scope.namespace, name)
        if row is None:
            raise NotFoundError(
                f"No candidate {redact(name).text} in namespace {self.scope.namespace}. See: cfpm audit"
            )
        if ERASED in row.marks:
            raise UsageError(name, "it was erased", "Nothing of it is left; remember it anew")
        return row


def dictated(text: str, source: str = "remember", place: str = "") -> str:
    """What a user dictates, on one line with single spaces.

    Raises InputError, naming the `source` and the place in it, for a blank or overlong text, or one that holds a
    secret.
    """
    content = " ".join(text.split())
    if not content:
        raise InputError(source, "the text is empty", "Say what is to be remembered", place=place)
    if len(content) > _MAX_CHARS:
        problem = f"{len(content)} characters, at most {_MAX_CHARS}"
        raise InputError(source, problem, "Shorten it, or observe it as a message", place=place)
    if findings := redact(content).findings:
        raise InputError(source, f"it holds a secret ({findings[0].kind})", "Leave the secret out", place=place)
    return content


def replaced_by(store: Store, row: Candidate) -> Fact | None:
    """The fact in whose place a superseding candidate was believed: the change right after its own has its cause."""
    if row.decision is not Decision.SUPERSEDED:
        return None
    own = (event for event in store.events.find(row.namespace, fact_id=row.fact_id) if event.cause == row.id)
    if (first := next(own, None)) is None:
        return None
    following = store.events.find(row.namespace, after_seq=first.seq, limit=1)
    names = [event.fact_id for event in following if event.cause == row.id and event.action is Action.SUPERSEDE]
    return store.facts.get(row.namespace, names[0]) if names else None
