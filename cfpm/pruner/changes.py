"""What a draft or the passing of time changes in a fact. Pure values; what is to change is decided in `merge.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from cfpm.model import PATH_CATEGORIES, Action, Category, Draft, Fact, FactChange, Role, Scope, Status
from cfpm.pruner.retention import reinforced, stale_at
from cfpm.pruner.staleness import later, to_stale
from cfpm.pruner.updating import around
from cfpm.settings import Settings
from cfpm.text.quantities.slots import topic_and_value

CORRECTABLE = frozenset(Category) - PATH_CATEGORIES - {Category.VERIFIED_ACTION, Category.OPEN_ITEM}
"""Kinds whose slots have one value at a time: an opening "the port is 8080" is drafted as a goal. Open items pile up;
actions and paths have their own evidence."""

_FIELDS = tuple(field.name for field in fields(Fact))
_values = attrgetter(*_FIELDS)


def _altered(fact: Fact, **values: Any) -> Fact:
    """As `replace`, which takes twice the time for so many fields."""
    return Fact(**dict(zip(_FIELDS, _values(fact), strict=True)) | values)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the changes of one turn. `at` is the turn's time, None if it has none."""

    scope: Scope
    settings: Settings
    at: datetime | None

    def new(self, draft: Draft, name: str, key: str, cause: str, old: Fact | None) -> FactChange:
        """A fact that is believed for the first time, or anew in the place of `old`."""
        topic, value = topic_and_value(draft.content) if draft.category in CORRECTABLE else ("", "")
        if draft.category in PATH_CATEGORIES:
            # A path has no slot: its topic is the known folder that it is, its value how that is known.
            topic, value = draft.topic, draft.value
        else:
            topic = topic or around(draft.content, draft.line)
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
            valid_from=self.at,
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
            speaker="" if draft.category in PATH_CATEGORIES else draft.speaker,
            salience=draft.salience,
        )
        return FactChange(old, _altered(fact, stale_at=stale_at(fact, self.settings)), Action.CREATE, cause, self.at)

    def in_place_of(self, new: FactChange, gone: Iterable[Fact]) -> FactChange:
        """The new fact, believed at least as long as one of the kinds whose place it takes.

        A goal may tell a new value; when it went stale as goals do, no value would be left.
        """
        old = list(gone)
        ends = [stale_at(_altered(new.after, category=kind), self.settings) for kind in {fact.category for fact in old}]
        ends += [new.after.stale_at, *(fact.stale_at for fact in old if fact.stale_at is not None)]
        last = None if None in ends else max(end for end in ends if end is not None)
        return replace(new, after=_altered(new.after, stale_at=last))

    def reinforce(self, old: Fact, draft: Draft, cause: str) -> FactChange:
        """One more observation of a fact."""
        validates = draft.category in PATH_CATEGORIES or draft.role is Role.TOOL
        fact = _altered(
            old,
            status=Status.ACTIVE,
            confidence=max(old.confidence, reinforced(old.confidence, old.evidence_count, self.settings)),
            evidence_count=old.evidence_count + 1,
            updated_at=later(old.updated_at, self.at),
            last_validated_at=later(old.last_validated_at, self.at) if validates else old.last_validated_at,
            validation_command=draft.validation_command or old.validation_command,
            topic=draft.topic or old.topic if draft.category in PATH_CATEGORIES else old.topic,
            value=draft.value or old.value if draft.category in PATH_CATEGORIES else old.value,
            salience=max(old.salience, draft.salience),
        )
        action = Action.REINFORCE if old.status is Status.ACTIVE else Action.REVIVE
        return FactChange(old, _altered(fact, stale_at=stale_at(fact, self.settings)), action, cause, self.at)

    def revive(self, old: Fact, draft: Draft, cause: str) -> FactChange:
        """A fact that was stale or superseded is observed again."""
        change = self.reinforce(old, draft, cause)
        return replace(change, action=Action.REVIVE, after=_altered(change.after, valid_to=None, superseded_by=""))

    def supersede(self, old: Fact, by: str, cause: str) -> FactChange:
        """Another fact takes the place of this one, which stays, linked."""
        fact = _altered(
            old,
            status=Status.SUPERSEDED,
            superseded_by=by,
            valid_to=self.at,
            updated_at=later(old.updated_at, self.at),
        )
        return FactChange(old, fact, Action.SUPERSEDE, cause, self.at)

    def contradict(self, old: Fact, by: str, cause: str) -> FactChange:
        """Another fact says the opposite: both stand, and this one names the other."""
        named = dict.fromkeys([*old.contradicts.split(), by])
        fact = _altered(old, contradicts=" ".join(named), updated_at=later(old.updated_at, self.at))
        return FactChange(old, fact, Action.CONTRADICT, cause, self.at)


def retire(
    expired: Sequence[Fact], crowded: Mapping[Category, Sequence[Fact]], at: datetime | None
) -> list[FactChange]:
    """The automatic prune: facts whose confidence has decayed go stale, and the least useful of a full category are
    evicted."""
    changes = [to_stale(fact, Action.STALE, "decay", at) for fact in expired]
    gone = {fact.id for fact in expired}
    for category in sorted(crowded):
        changes += [to_stale(f, Action.EVICT, "over_capacity", at) for f in crowded[category] if f.id not in gone]
    return changes
