"""Where an audited draft goes: a new fact, into one that says the same, in place of one that it corrects, or nowhere.

Pure: it reads facts through `FactView` and answers with a verdict and the changes; the store writes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from cfpm.model import PATH_CATEGORIES, Accepted, Draft, Fact, Merged, Rejected, Role, Status, Superseding
from cfpm.model.ids import fact_id
from cfpm.pruner.changes import CORRECTABLE
from cfpm.pruner.ledger import Placed, blocked
from cfpm.pruner.opposing import Opposing
from cfpm.pruner.path_evidence import PathEvidence
from cfpm.pruner.similarity import block_keys, same
from cfpm.text.canonical import canonical_key, same_speaker


@dataclass(slots=True)
class Merger(Opposing, PathEvidence):
    """Places the drafts of one turn one after another; each sees what the ones before it changed."""

    def place(self, draft: Draft, cause: str) -> Placed:
        """Decides about one draft. Call `expect` with it first."""
        key = canonical_key(draft.category, draft.content, draft.speaker)
        name = fact_id(self.scope.namespace, draft.category, key)
        if draft.category in PATH_CATEGORIES:
            placed = self._path(draft, name, key, cause)
        else:
            placed = self._words(draft, name, key, cause)
        for change in placed.changes:
            self.changed[change.after.id] = change.after
        return placed

    def _again(self, old: Fact, draft: Draft, cause: str) -> Placed:
        """The very fact is on record: reinforce it, revive it, or respect its tombstone."""
        match old.status:
            case Status.FORGOTTEN:
                return blocked(old)
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

    def _words(self, draft: Draft, name: str, key: str, cause: str) -> Placed:
        placed = self._forgotten_as_another_kind(draft)
        if placed is None and (old := self._fact(name)) is not None:
            placed = self._again(old, draft, cause)
        placed = placed or self._among_similar(draft, name, key, cause)
        return placed or Placed(Accepted(name), (self.write.new(draft, name, key, cause, self._fact(name)),))

    def _forgotten_as_another_kind(self, draft: Draft) -> Placed | None:
        """The same words may open a session, and so be a goal, after they were forgotten as a note."""
        for name in self._names(draft) if self.forgets else ():
            fact = self._fact(name)
            if fact is not None and fact.status is Status.FORGOTTEN:
                return blocked(fact)
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
        if draft.category in CORRECTABLE and (placed := self._correcting(draft, name, key, cause, similar)) is not None:
            return placed
        return (
            self._taking_back(draft, name, key, cause)
            or self._updating(draft, name, key, cause)
            or self._renewing(draft, name, key, cause)
            or self._opposing(draft, name, key, cause)
        )

    def _similar(self, draft: Draft) -> list[Fact]:
        keys = block_keys(draft.content, draft.category)
        found = {fact.id: fact for fact in self.view.similar(self.scope.namespace, draft.category, keys)}
        wanted = set(keys)
        for fact in self.changed.values():
            if fact.id in found or (
                fact.category is draft.category and wanted & set(block_keys(fact.content, fact.category))
            ):
                found[fact.id] = fact
        return [fact for fact in found.values() if fact.status is not Status.SUPERSEDED and _may_be_same(fact, draft)]


def _may_be_same(fact: Fact, draft: Draft) -> bool:
    """False for the same words of another person; what was forgotten with nobody's name is so whoever says it."""
    return same_speaker(fact.speaker, draft.speaker) or (fact.status is Status.FORGOTTEN and not fact.speaker)
