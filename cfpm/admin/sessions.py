"""What a user does with whole sessions: names them, forks them, takes turns back, deletes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from cfpm.errors import NotFoundError, UsageError
from cfpm.model import Action, Decision, Event, Fact, FactChange, Scope, Status
from cfpm.model.erasures import ErasureRecord, Selector
from cfpm.model.sessions import Session, Spent, UsageReport
from cfpm.model.trust import TrustTable
from cfpm.pruner.candidates import fact_keys
from cfpm.store.events import before, withdrawn
from cfpm.store.rewinding import take_back
from cfpm.store.sessions import Reply
from cfpm.store.store import Store
from cfpm.transcript.arguments import MAX_NAME, shown

REWOUND = "rewind"
"""Begins the cause of changes that taking turns back makes; behind it stands the session that holds them."""

_OF_THE_CLOCK = frozenset({Action.STALE, Action.EVICT, Action.ROLLBACK})
"""Changes by which nobody says that a fact is so."""

_SIGHTINGS = frozenset({Action.CREATE, Action.REINFORCE, Action.REVIVE})


@dataclass(frozen=True, slots=True)
class Rewound:
    """What taking turns back did: how many are left, how many messages went, and into which session (empty when none
    did); the facts that are no longer believed, and those that are believed again or as they were before."""

    session: str
    turns: int
    messages: int
    kept_in: str
    withdrawn: tuple[Fact, ...] = ()
    restored: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Orphan:
    """A session whose folder is gone from a machine that has the folder around it."""

    session: Session
    folder: str


@dataclass(frozen=True, slots=True)
class SessionCurator:
    """The verbs on the sessions of one namespace. `at` is when somebody acts, or None without a clock."""

    store: Store
    scope: Scope
    at: datetime | None
    trust: TrustTable

    def get(self, name: str) -> Session:
        """Raises NotFoundError, which names the nearest ones that there are."""
        found = self.store.sessions.get(self.scope.namespace, name)
        if found is None:
            known = [one.name for one in self.store.sessions.find(self.scope.namespace, limit=5)]
            listed = f"The last ones are {', '.join(map(shown, known))}" if known else "There is none yet"
            raise NotFoundError(f"No session {shown(name)} in namespace {self.scope.namespace}. {listed}")
        return found

    def change(self, name: str, values: Mapping[str, object]) -> Session:
        """Says what a session is, also one of which nothing was said yet."""
        with self.store.writing():
            if values:
                self.store.sessions.set(self.scope.namespace, name, values)
            return self.get(name)

    def fork(self, name: str, at: int | None, new: str) -> Session:
        """A session that begins with the first `at` turns of this one and goes its own way; nothing is copied.

        Raises NotFoundError, UsageError for a name that is taken.
        """
        namespace, sessions = self.scope.namespace, self.store.sessions
        with self.store.writing():
            origin = self.get(name)
            new = new or self._free(f"{name}-fork-")
            if sessions.get(namespace, new) is not None:
                raise UsageError(f"session {shown(new)}", "there is one of this name", "Choose another name")
            opening = sessions.opening(namespace, name)
            end = opening + (origin.turns if at is None else kept_turns(at, origin.turns))
            told = {"title": origin.title, "cwd": origin.cwd, "project": origin.project, "model": origin.model}
            place = {"parent": name, "parent_turn": end, "opening": opening, "turns": end, "agent": self.scope.agent}
            sessions.set(namespace, new, {**told, **place})
            self._read_anew(new)
            return self.get(new)

    def _read_anew(self, name: str) -> None:
        """Where the work stands by the turns that a session has now."""
        from cfpm.pipeline.state_keeping import read_state_anew

        read_state_anew(self.store, replace(self.scope, session=name), self.trust)

    def rewind(self, name: str, turn: int, *, keep_facts: bool) -> Rewound:
        """Takes a session back to its first `turn` turns; see `Memory.rewind`. Raises NotFoundError."""
        namespace = self.scope.namespace
        with self.store.writing():
            known = self.get(name)
            kept = kept_turns(turn, known.turns)
            first = self.store.sessions.opening(namespace, name) + kept
            into = self._free(f"{name}~")
            moved = take_back(self.store, namespace, name, first, into)
            if moved:
                self._read_anew(name)
            changes = [] if keep_facts or not moved else self._undone(name, first, moved, into)
            self.store.fact_writer.apply(namespace, changes, block_keys=fact_keys)
        gone = tuple(one.after for one in changes if one.after.status is not Status.ACTIVE)
        back = tuple(one.after for one in changes if one.after.status is Status.ACTIVE)
        return Rewound(name, kept, len(moved), into if moved else "", gone, back)

    def delete(self, name: str, *, with_forks: bool, by: str) -> list[ErasureRecord]:
        """Erases a session with all that was learnt from it alone; the file is to be cleaned after it.

        Raises NotFoundError, UsageError when forks begin with it.
        """
        namespace, sessions = self.scope.namespace, self.store.sessions
        self.get(name)
        forks = sessions.forks(namespace, name)
        if forks and not with_forks:
            problem = f"it is the beginning of {', '.join(map(shown, forks[:5]))}"
            remedy = "Delete those first, or all of them: with_forks=True, on the command line --with-forks"
            raise UsageError(f"session {shown(name)}", problem, remedy)
        records: list[ErasureRecord] = []
        with self.store.connection.atomic():
            for fork in forks:
                records += self.delete(fork, with_forks=True, by=by)
            back = sessions.taken_back(namespace, name)
            selector = Selector(session=name)
            records.append(self.store.erasure.erase(namespace, selector, by=by, at=self.at, block_keys=fact_keys))
            for gone in (name, *back):
                sessions.remove(namespace, gone)
        return records

    def orphans(self, is_folder: Callable[[Path], bool]) -> list[Orphan]:
        """The sessions whose folder is gone, while the one around it is there: a drive that is not mounted takes no
        session along."""
        found = []
        for session in self.store.sessions.find(self.scope.namespace):
            folder = Path(session.project or session.cwd or ".")
            if folder.is_absolute() and not is_folder(folder) and is_folder(folder.parent):
                found.append(Orphan(session, str(folder)))
        return found

    def usage(self, name: str | None) -> UsageReport:
        """What all sessions spent, or this one with what was taken back out of it. Raises NotFoundError."""
        if name is not None:
            self.get(name)
        replies = self.store.sessions.replies(self.scope.namespace)
        return UsageReport(tuple(_spent(one for one in replies if name in (None, one.session, one.rewound))))

    def _free(self, beginning: str) -> str:
        number = 1
        while self.store.sessions.get(self.scope.namespace, name := f"{beginning[: MAX_NAME - 8]}{number}"):
            number += 1
        return name

    def _undone(self, name: str, first: int, messages: Sequence[str], into: str) -> list[FactChange]:
        """The changes that take back what was learnt from turns from `first` on."""
        namespace = self.scope.namespace
        rows = self.store.candidates.find(namespace, session=name)
        causes = {row.id for row in rows if row.turn >= first and row.decision is not Decision.REJECTED}
        causes.update(messages)
        told = self.store.events.touched_by(namespace, causes)
        now = self.store.facts.by_id(namespace, told)
        then: dict[str, Fact] = {}
        leaning: list[str] = []
        for ident, events in told.items():
            if ident not in now or now[ident].status is Status.FORGOTTEN:
                continue
            mine = [event for event in events if named_in(event.cause, causes)]
            later = [event for event in events if event.seq >= mine[0].seq]
            if all(named_in(event.cause, causes) or event.action in _OF_THE_CLOCK for event in later):
                then[ident] = _as_before(now[ident], later, self.at)
            else:
                leaning.append(ident)
        gone = {ident for ident, fact in then.items() if fact.status is not Status.ACTIVE}
        for ident in leaning:
            mine = [event for event in told[ident] if named_in(event.cause, causes)]
            then[ident] = _without(now[ident], mine, gone)
        cause = f"{REWOUND} {into}"
        return [
            FactChange(now[ident], fact, Action.ROLLBACK, cause, self.at)
            for ident, fact in sorted(then.items())
            if fact != now[ident]
        ]


def kept_turns(turn: int, turns: int) -> int:
    """How many turns are kept of so many: the first `turn`, or all but the last where it is negative; clamped."""
    return max(0, min(turn, turns) if turn >= 0 else turns + turn)


def named_in(cause: str, names: Set[str]) -> bool:
    """Whether a change has one of these candidates or messages as its cause."""
    return cause in names or cause.rpartition(": ")[2] in names


def _as_before(fact: Fact, later: Sequence[Event], at: datetime | None) -> Fact:
    """The fact as it was before all these changes; one that was not there yet goes stale, and can be learnt again."""
    state: Fact | None = fact
    for event in reversed(later):
        state = before(state, event) if state is not None else None
    return withdrawn(fact, at) if state is None else state


def _without(fact: Fact, mine: Sequence[Event], gone: set[str]) -> Fact:
    """A fact that others said, too, without what these changes brought."""
    seen = sum(event.action in _SIGHTINGS for event in mine)
    names = " ".join(name for name in fact.contradicts.split() if name not in gone)
    fact = replace(fact, evidence_count=max(1, fact.evidence_count - seen), contradicts=names)
    if fact.status is Status.SUPERSEDED and fact.superseded_by in gone:
        fact = replace(fact, status=Status.ACTIVE, superseded_by="", valid_to=None)
    return fact


def _spent(replies: Iterable[Reply]) -> Iterable[Spent]:
    """Each reply once, by turn, agent and model. Of the parts of a reply the last knows best what it took."""
    once: dict[tuple[object, ...], Reply] = {}
    for number, one in enumerate(replies):
        once[(one.session, one.reply) if one.reply else (number,)] = one
    sums: dict[tuple[str, int, str, str, bool], Spent] = {}
    for one in once.values():
        session = one.rewound or one.session
        key = (session, one.turn, one.agent, one.model, bool(one.rewound))
        known = sums.get(key)
        if known is None:
            sums[key] = Spent(session, one.turn, one.agent, one.model, 1, one.usage, bool(one.rewound))
        else:
            sums[key] = replace(known, replies=known.replies + 1, usage=known.usage + one.usage)
    return sums.values()
