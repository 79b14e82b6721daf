"""What a turn knows of the facts that its drafts touch: those of the store, as changed by the turn so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from cfpm.model import PATH_CATEGORIES, Category, Draft, Fact, FactChange, Rejected, Scope, Verdict
from cfpm.model.ids import fact_id
from cfpm.pruner.changes import Writer
from cfpm.settings import Settings
from cfpm.text.canonical import canonical_key

SAID_IN_WORDS = frozenset(Category) - PATH_CATEGORIES
"""All kinds but paths: the same words may be any of them."""


class FactView(Protocol):
    """What the merger asks of the store."""

    def facts_by_id(self, namespace: str, ids: Sequence[str]) -> dict[str, Fact]: ...

    def similar(
        self, namespace: str, category: Category, keys: Sequence[str], limit_per_key: int = 32, limit: int = 8
    ) -> list[Fact]: ...

    def on_topic(self, namespace: str, topics: Sequence[str]) -> list[Fact]: ...

    def has_forgotten(self, namespace: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Placed:
    """A draft's verdict and what it changes."""

    verdict: Verdict
    changes: tuple[FactChange, ...] = ()


@dataclass(slots=True)
class Ledger:
    """The facts of one turn. Give all drafts to `expect` first: that reads the store once."""

    view: FactView
    scope: Scope
    settings: Settings
    at: datetime | None
    write: Writer = field(init=False)
    changed: dict[str, Fact] = field(default_factory=dict)
    known: dict[str, Fact] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    forgets: bool = True
    """Whether the store may hold a fact that was forgotten; no turn forgets one."""

    def __post_init__(self) -> None:
        self.write = Writer(self.scope, self.settings, self.at)

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Reads the facts that these drafts may already be, in one look-up for the whole turn."""
        if not drafts:
            return
        self.forgets = self.view.has_forgotten(self.scope.namespace)
        ids = sorted({i for draft in drafts for i in self._names(draft)})
        self.known.update(self.view.facts_by_id(self.scope.namespace, ids))
        self.asked.update(ids)

    def _names(self, draft: Draft) -> list[str]:
        if not self.forgets and draft.category not in PATH_CATEGORIES:
            # The same words as another kind matter only where they may have been forgotten.
            key = canonical_key(draft.category, draft.content, draft.speaker)
            return [fact_id(self.scope.namespace, draft.category, key)]
        # What was forgotten with nobody's name is forgotten whoever says it.
        keys = dict.fromkeys(canonical_key(draft.category, draft.content, name) for name in (draft.speaker, ""))
        kin = PATH_CATEGORIES if draft.category in PATH_CATEGORIES else SAID_IN_WORDS
        return [fact_id(self.scope.namespace, category, key) for key in keys for category in sorted(kin)]

    def _fact(self, name: str) -> Fact | None:
        found = self.changed.get(name) or self.known.get(name)
        if found is None and name not in self.asked:
            self.asked.add(name)
            self.known.update(self.view.facts_by_id(self.scope.namespace, [name]))
            found = self.known.get(name)
        return found


def blocked(tombstone: Fact) -> Placed:
    """What was forgotten stays forgotten."""
    return Placed(Rejected("forgotten", "tombstone", f"forgotten as {tombstone.id}", tombstone.id))
