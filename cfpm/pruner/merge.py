"""Where an audited draft goes: a new fact, into one that says the same, in place of one that it corrects, or nowhere.

Pure: it reads facts through `FactView` and answers with a verdict and the changes; the store writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from cfpm.auditor.path_rules import PROVEN
from cfpm.identity import canonical_key, fact_id
from cfpm.models import (
    PATH_CATEGORIES,
    Accepted,
    Action,
    Category,
    Draft,
    Fact,
    FactChange,
    Merged,
    Rejected,
    Role,
    Scope,
    Status,
    Superseding,
    Verdict,
)
from cfpm.pruner.retention import reinforced, stale_at
from cfpm.pruner.similarity import block_keys, contradicts, same
from cfpm.pruner.slots import topic_and_value
from cfpm.settings import Settings

_CORRECTABLE = frozenset(
    {Category.PREFERENCE, Category.PROFILE, Category.DECISION, Category.NOTE, Category.INSTRUCTION, Category.EVENT}
)
"""Kinds whose slots have one value at a time. Goals and open items pile up; actions and paths have their own
evidence."""


class FactView(Protocol):
    """What the merger asks of the store."""

    def facts_by_id(self, namespace: str, ids: Sequence[str]) -> dict[str, Fact]: ...

    def similar(
        self, namespace: str, category: Category, keys: Sequence[str], limit_per_key: int = 32
    ) -> list[Fact]: ...

    def on_topic(self, namespace: str, topics: Sequence[str]) -> list[Fact]: ...


@dataclass(frozen=True, slots=True)
class Placed:
    """A draft's verdict and what it changes."""

    verdict: Verdict
    changes: tuple[FactChange, ...] = ()


@dataclass(slots=True)
class Merger:
    """Places the drafts of one turn one after another; each sees what the ones before it changed."""

    view: FactView
    scope: Scope
    settings: Settings
    at: datetime | None
    changed: dict[str, Fact] = field(default_factory=dict)
    known: dict[str, Fact] = field(default_factory=dict)

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Reads the facts that these drafts may already be, in one look-up for the whole turn."""
        ids = sorted({i for draft in drafts for i in self._names(draft)})
        self.known.update(self.view.facts_by_id(self.scope.namespace, ids))

    def place(self, draft: Draft, cause: str) -> Placed:
        """Decides about one draft. Call `expect` with it first."""
        key = canonical_key(draft.category, draft.content)
        name = fact_id(self.scope.namespace, draft.category, key)
        old = self._fact(name)
        placed = self._again(old, draft, cause) if old else None
        if placed is None and draft.category in PATH_CATEGORIES:
            placed = self._against_counterpart(draft, name, key, cause)
        elif placed is None:
            placed = self._among_similar(draft, name, key, cause)
        placed = placed or Placed(Accepted(name), (self._new(draft, name, key, cause),))
        for change in placed.changes:
            self.changed[change.after.id] = change.after
        return placed

    def retract(self, working: Mapping[str, str], order: Sequence[str]) -> list[FactChange]:
        """Lets go of invalid paths that worked later: `working` maps canonical paths to the results that show it.

        `order` are the ids of the turn's messages; a report that came after the success stands.
        """
        place = {message_id: position for position, message_id in enumerate(order)}
        names = {fact_id(self.scope.namespace, Category.INVALID_PATH, path): path for path in working}
        stored = self.view.facts_by_id(self.scope.namespace, sorted(names)) if names else {}
        changes = []
        for name in sorted(names):
            fact = self.changed.get(name) or stored.get(name)
            shown_by = working[names[name]]
            if fact is None or fact.status is not Status.ACTIVE or fact.pinned:
                continue
            if place.get(fact.message_id, -1) < place[shown_by]:
                changes.append(_to_stale(fact, Action.STALE, f"works again: {shown_by}", self.at))
        self.changed.update({change.after.id: change.after for change in changes})
        return changes

    def _again(self, old: Fact, draft: Draft, cause: str) -> Placed | None:
        """The very fact is on record: reinforce it, revive it, or respect its tombstone."""
        match old.status:
            case Status.FORGOTTEN:
                return Placed(Rejected("forgotten", "tombstone", f"forgotten as {old.id}", old.id))
            case Status.ACTIVE:
                change = self._reinforce(old, draft, cause)
                return Placed(Merged(old.id, "exact", "reinforced", "the same text"), (change,))
            case Status.STALE:
                change = self._revive(old, draft, cause)
                return Placed(Accepted(old.id, "revive", detail="it had gone stale"), (change,))
            case Status.SUPERSEDED:
                return self._back_again(old, draft, cause)

    def _back_again(self, old: Fact, draft: Draft, cause: str) -> Placed:
        revived = self._revive(old, draft, cause)
        newer = self._fact(old.superseded_by) if old.superseded_by else None
        if newer is None or newer.status is not Status.ACTIVE:
            return Placed(Accepted(old.id, "revive", detail="what had replaced it is gone"), (revived,))
        if newer.pinned or (draft.category is Category.ARTIFACT and draft.rule not in PROVEN):
            reason = "artifact_marked_invalid" if draft.category is Category.ARTIFACT else "contradicted"
            return Placed(Rejected(reason, "weaker_than", f"{newer.id} stands against it", newer.id))
        changes = (revived, self._supersede(newer, old.id, cause))
        return Placed(Superseding(old.id, newer.id, "back_again", "corrected", "the older value is back"), changes)

    def _against_counterpart(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        """An artifact against an invalid path of the same name, or the reverse: the later evidence wins."""
        other = Category.INVALID_PATH if draft.category is Category.ARTIFACT else Category.ARTIFACT
        rival = self._fact(fact_id(self.scope.namespace, other, key))
        if rival is None or rival.status is not Status.ACTIVE:
            return None
        if draft.category is Category.ARTIFACT and draft.rule not in PROVEN:
            return Placed(
                Rejected("artifact_marked_invalid", "invalid_wins", f"reported broken as {rival.id}", rival.id)
            )
        if draft.rule == "invalid_path.denied":
            # What may not be entered exists all the same, so the artifact stays.
            return None
        if rival.pinned:
            return Placed(Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id))
        changes = (self._new(draft, name, key, cause), self._supersede(rival, name, cause))
        return Placed(
            Superseding(name, rival.id, "later_evidence", "corrected", "newer evidence about this path"), changes
        )

    def _among_similar(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        similar = self._similar(draft)
        for fact in similar:
            sameness = same(draft.content, fact.content, threshold=self.settings.fuzzy_threshold)
            if sameness.same and fact.status is Status.FORGOTTEN:
                detail = f"nearly the same was forgotten as {fact.id}"
                return Placed(Rejected("forgotten", "tombstone", detail, fact.id))
            if sameness.same:
                detail = f"{sameness.score:.0f} of 100 alike: {sameness.why}"
                return Placed(
                    Merged(fact.id, "fuzzy", "near_duplicate", detail), (self._reinforce(fact, draft, cause),)
                )
        if draft.category in _CORRECTABLE:
            return self._correcting(draft, name, key, cause, similar)
        return None

    def _correcting(self, draft: Draft, name: str, key: str, cause: str, similar: Sequence[Fact]) -> Placed | None:
        topic, value = topic_and_value(draft.content)
        rivals = [f for f in self._on_topic(topic) if _other_value(f.value, value)] if topic else []
        rivals += [f for f in similar if f.status is Status.ACTIVE and contradicts(draft.content, f.content)]
        for rival in rivals:
            if rival.role is not draft.role and draft.role is not Role.USER:
                return Placed(Rejected("contradicted", "user_wins", f"{rival.id} was said by the user", rival.id))
            if rival.pinned:
                return Placed(Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id))
            changes = (self._new(draft, name, key, cause), self._supersede(rival, name, cause))
            detail = f"a new value for {topic!r}" if topic else contradicts(draft.content, rival.content)
            return Placed(Superseding(name, rival.id, "new_value", "corrected", detail), changes)
        return None

    def _new(self, draft: Draft, name: str, key: str, cause: str) -> FactChange:
        topic, value = topic_and_value(draft.content) if draft.category in _CORRECTABLE else ("", "")
        old = self._fact(name)
        fact = Fact(
            id=name,
            namespace=self.scope.namespace,
            category=draft.category,
            key=key,
            content=draft.content,
            confidence=draft.confidence,
            created_at=self.at,
            updated_at=self.at,
            last_validated_at=self.at if draft.category in PATH_CATEGORIES or draft.role is Role.TOOL else None,
            valid_from=draft.event_time or self.at,
            event_time=draft.event_time,
            validation_command=draft.validation_command,
            session=self.scope.session,
            agent=self.scope.agent,
            role=draft.role,
            message_id=draft.span.message_id,
            span_start=draft.span.start,
            span_end=draft.span.end,
            topic=topic,
            value=value,
        )
        return FactChange(old, replace(fact, stale_at=stale_at(fact, self.settings)), Action.CREATE, cause, self.at)

    def _reinforce(self, old: Fact, draft: Draft, cause: str) -> FactChange:
        validates = draft.category in PATH_CATEGORIES or draft.role is Role.TOOL
        fact = replace(
            old,
            status=Status.ACTIVE,
            confidence=max(old.confidence, reinforced(old.confidence, old.evidence_count, self.settings)),
            evidence_count=old.evidence_count + 1,
            updated_at=_later(old.updated_at, self.at),
            last_validated_at=_later(old.last_validated_at, self.at) if validates else old.last_validated_at,
            validation_command=draft.validation_command or old.validation_command,
        )
        action = Action.REINFORCE if old.status is Status.ACTIVE else Action.REVIVE
        return FactChange(old, replace(fact, stale_at=stale_at(fact, self.settings)), action, cause, self.at)

    def _revive(self, old: Fact, draft: Draft, cause: str) -> FactChange:
        change = self._reinforce(old, draft, cause)
        return replace(change, action=Action.REVIVE, after=replace(change.after, valid_to=None, superseded_by=""))

    def _supersede(self, old: Fact, by: str, cause: str) -> FactChange:
        fact = replace(
            old,
            status=Status.SUPERSEDED,
            superseded_by=by,
            valid_to=self.at,
            updated_at=_later(old.updated_at, self.at),
        )
        return FactChange(old, fact, Action.SUPERSEDE, cause, self.at)

    def _names(self, draft: Draft) -> list[str]:
        key = canonical_key(draft.category, draft.content)
        both = PATH_CATEGORIES if draft.category in PATH_CATEGORIES else (draft.category,)
        return [fact_id(self.scope.namespace, category, key) for category in both]

    def _fact(self, name: str) -> Fact | None:
        found = self.changed.get(name) or self.known.get(name)
        if found is None and name not in self.known:
            found = self.view.facts_by_id(self.scope.namespace, [name]).get(name)
        return found

    def _similar(self, draft: Draft) -> list[Fact]:
        keys = block_keys(draft.content, draft.category)
        found = {fact.id: fact for fact in self.view.similar(self.scope.namespace, draft.category, keys)}
        wanted = set(keys)
        for fact in self.changed.values():
            if fact.id in found or (
                fact.category is draft.category and wanted & set(block_keys(fact.content, fact.category))
            ):
                found[fact.id] = fact
        return [fact for fact in found.values() if fact.status is not Status.SUPERSEDED]

    def _on_topic(self, topic: str) -> list[Fact]:
        found = {fact.id: fact for fact in self.view.on_topic(self.scope.namespace, [topic])}
        found.update({fact.id: fact for fact in self.changed.values() if fact.topic == topic or fact.id in found})
        return [fact for fact in found.values() if fact.status is Status.ACTIVE and fact.topic == topic]


def _other_value(one: str, other: str) -> bool:
    """False for values of which one only says more than the other: 'Berlin' and 'Berlin, Germany'."""
    first, second = one.casefold(), other.casefold()
    return not (first.startswith(second) or second.startswith(first))


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    moments = [moment for moment in (one, other) if moment is not None]
    return max(moments, default=None)


def retire(
    expired: Sequence[Fact], crowded: Mapping[Category, Sequence[Fact]], at: datetime | None
) -> list[FactChange]:
    """The automatic prune: facts whose confidence has decayed go stale, and the least useful of a full category are
    evicted."""
    changes = [_to_stale(fact, Action.STALE, "decay", at) for fact in expired]
    gone = {fact.id for fact in expired}
    for category in sorted(crowded):
        changes += [_to_stale(f, Action.EVICT, "over_capacity", at) for f in crowded[category] if f.id not in gone]
    return changes


def _to_stale(fact: Fact, action: Action, cause: str, at: datetime | None) -> FactChange:
    after = replace(fact, status=Status.STALE, updated_at=_later(fact.updated_at, at))
    return FactChange(fact, after, action, cause, at)
