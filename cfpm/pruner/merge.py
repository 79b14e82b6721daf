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
from cfpm.pruner.changes import CORRECTABLE, Writer, to_stale
from cfpm.pruner.similarity import block_keys, contradicts, same
from cfpm.pruner.slots import topic_and_value
from cfpm.settings import Settings

_SAID_IN_WORDS = frozenset(Category) - PATH_CATEGORIES


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
    write: Writer = field(init=False)
    changed: dict[str, Fact] = field(default_factory=dict)
    known: dict[str, Fact] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.write = Writer(self.scope, self.settings, self.at)

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Reads the facts that these drafts may already be, in one look-up for the whole turn."""
        ids = sorted({i for draft in drafts for i in self._names(draft)})
        self.known.update(self.view.facts_by_id(self.scope.namespace, ids))
        self.asked.update(ids)

    def place(self, draft: Draft, cause: str) -> Placed:
        """Decides about one draft. Call `expect` with it first."""
        key = canonical_key(draft.category, draft.content)
        name = fact_id(self.scope.namespace, draft.category, key)
        if draft.category in PATH_CATEGORIES:
            placed = self._path(draft, name, key, cause)
        else:
            placed = self._words(draft, name, key, cause)
        for change in placed.changes:
            self.changed[change.after.id] = change.after
        return placed

    def retract(self, working: Mapping[str, str], drafts: Sequence[Draft], order: Sequence[str]) -> list[FactChange]:
        """Lets go of invalid paths that worked later: `working` maps canonical paths to the results that show it.

        `order` are the ids of the turn's messages; a report among its `drafts` that came after the success stands.
        """
        place = {message_id: position for position, message_id in enumerate(order)}
        reported = {
            canonical_key(draft.category, draft.content): place.get(draft.span.message_id, -1)
            for draft in drafts
            if draft.category is Category.INVALID_PATH
        }
        names = {fact_id(self.scope.namespace, Category.INVALID_PATH, path): path for path in working}
        stored = self.view.facts_by_id(self.scope.namespace, sorted(names)) if names else {}
        changes = []
        for name in sorted(names):
            fact = self.changed.get(name) or stored.get(name)
            if fact is None or fact.status is not Status.ACTIVE or fact.pinned:
                continue
            shown_by = working[names[name]]
            if reported.get(names[name], -1) < place[shown_by]:
                cause = f"works again: {shown_by}"
                changes.append(to_stale(fact, Action.STALE, cause, self.at))
                changes.extend(self._back_from(fact, names[name], cause))
        self.changed.update({change.after.id: change.after for change in changes})
        return changes

    def _back_from(self, broken: Fact, path: str, cause: str) -> list[FactChange]:
        """The artifact that the report had superseded is believed again."""
        artifact = self._fact(fact_id(self.scope.namespace, Category.ARTIFACT, path))
        if artifact is None or artifact.superseded_by != broken.id or artifact.status is not Status.SUPERSEDED:
            return []
        after = replace(artifact, status=Status.ACTIVE, superseded_by="", valid_to=None, last_validated_at=self.at)
        return [FactChange(artifact, after, Action.REVIVE, cause, self.at)]

    def _again(self, old: Fact, draft: Draft, cause: str) -> Placed:
        """The very fact is on record: reinforce it, revive it, or respect its tombstone."""
        match old.status:
            case Status.FORGOTTEN:
                return _blocked(old)
            case Status.ACTIVE:
                change = self.write.reinforce(old, draft, cause)
                return Placed(Merged(old.id, "exact", "reinforced", "the same text"), (change,))
            case Status.STALE:
                change = self.write.revive(old, draft, cause)
                return Placed(Accepted(old.id, "revive", detail="it had gone stale"), (change,))
            case Status.SUPERSEDED:
                return self._back_again(old, draft, cause)

    def _back_again(self, old: Fact, draft: Draft, cause: str) -> Placed:
        revived = self.write.revive(old, draft, cause)
        newer = self._fact(old.superseded_by) if old.superseded_by else None
        if newer is None or newer.status is not Status.ACTIVE:
            return Placed(Accepted(old.id, "revive", detail="what had replaced it is gone"), (revived,))
        if newer.pinned:
            return Placed(Rejected("contradicted", "pinned_wins", f"{newer.id} is pinned", newer.id))
        if newer.role is not draft.role and draft.role is not Role.USER:
            return Placed(Rejected("contradicted", "user_wins", f"{newer.id} was said by the user", newer.id))
        changes = (revived, self.write.supersede(newer, old.id, cause))
        return Placed(Superseding(old.id, newer.id, "back_again", "corrected", "the older value is back"), changes)

    def _path(self, draft: Draft, name: str, key: str, cause: str) -> Placed:
        """An artifact against an invalid path of the same name, or the reverse: the later evidence wins."""
        own = self._fact(name)
        if own is not None and own.status is Status.FORGOTTEN:
            return _blocked(own)
        other = Category.INVALID_PATH if draft.category is Category.ARTIFACT else Category.ARTIFACT
        rival = self._fact(fact_id(self.scope.namespace, other, key))
        believe = self._believe(own, draft, name, key, cause)
        # What may not be entered exists all the same, so a denial leaves the artifact.
        if rival is None or rival.status is not Status.ACTIVE or draft.rule == "invalid_path.denied":
            return self._unopposed(own, name, believe)
        if draft.category is Category.ARTIFACT and draft.rule not in PROVEN:
            detail = f"reported broken as {rival.id}"
            return Placed(Rejected("artifact_marked_invalid", "invalid_wins", detail, rival.id))
        if rival.pinned:
            return Placed(Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id))
        changes = (believe, self.write.supersede(rival, name, cause))
        return Placed(
            Superseding(name, rival.id, "later_evidence", "corrected", "newer evidence about this path"), changes
        )

    def _unopposed(self, own: Fact | None, name: str, believe: FactChange) -> Placed:
        if own is None:
            return Placed(Accepted(name), (believe,))
        if own.status is Status.ACTIVE:
            return Placed(Merged(own.id, "exact", "reinforced", "the same path"), (believe,))
        return Placed(Accepted(own.id, "revive", detail=f"it had been {own.status}"), (believe,))

    def _believe(self, own: Fact | None, draft: Draft, name: str, key: str, cause: str) -> FactChange:
        if own is None:
            return self.write.new(draft, name, key, cause, self._fact(name))
        return (
            self.write.reinforce(own, draft, cause)
            if own.status is Status.ACTIVE
            else self.write.revive(own, draft, cause)
        )

    def _words(self, draft: Draft, name: str, key: str, cause: str) -> Placed:
        placed = self._forgotten_as_another_kind(draft, key)
        if placed is None and (old := self._fact(name)) is not None:
            placed = self._again(old, draft, cause)
        placed = placed or self._among_similar(draft, name, key, cause)
        return placed or Placed(Accepted(name), (self.write.new(draft, name, key, cause, self._fact(name)),))

    def _forgotten_as_another_kind(self, draft: Draft, key: str) -> Placed | None:
        """The same words may open a session, and so be a goal, after they were forgotten as a note."""
        for name in self._names(draft):
            fact = self._fact(name)
            if fact is not None and fact.status is Status.FORGOTTEN and fact.key == key:
                return _blocked(fact)
        return None

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
                    Merged(fact.id, "fuzzy", "near_duplicate", detail), (self.write.reinforce(fact, draft, cause),)
                )
        if draft.category in CORRECTABLE:
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
            changes = (
                self.write.new(draft, name, key, cause, self._fact(name)),
                self.write.supersede(rival, name, cause),
            )
            detail = f"a new value for {topic!r}" if topic else contradicts(draft.content, rival.content)
            return Placed(Superseding(name, rival.id, "new_value", "corrected", detail), changes)
        return None

    def _names(self, draft: Draft) -> list[str]:
        key = canonical_key(draft.category, draft.content)
        kin = PATH_CATEGORIES if draft.category in PATH_CATEGORIES else _SAID_IN_WORDS
        return [fact_id(self.scope.namespace, category, key) for category in sorted(kin)]

    def _fact(self, name: str) -> Fact | None:
        found = self.changed.get(name) or self.known.get(name)
        if found is None and name not in self.asked:
            self.asked.add(name)
            self.known.update(self.view.facts_by_id(self.scope.namespace, [name]))
            found = self.known.get(name)
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


def _blocked(tombstone: Fact) -> Placed:
    return Placed(Rejected("forgotten", "tombstone", f"forgotten as {tombstone.id}", tombstone.id))


def _other_value(one: str, other: str) -> bool:
    """False for values of which one only says more than the other: 'Berlin' and 'Berlin, Germany'."""
    first, second = one.casefold(), other.casefold()
    return not (first.startswith(second) or second.startswith(first))
