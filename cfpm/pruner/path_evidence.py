"""Paths that exist against paths that are broken: the later evidence wins, and a tool's outweighs a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cfpm.auditor.path_rules import PROVEN
from cfpm.model import Accepted, Action, Category, Draft, Fact, FactChange, Merged, Rejected, Status, Superseding
from cfpm.model.ids import fact_id
from cfpm.pruner.ledger import Ledger, Placed, blocked
from cfpm.pruner.staleness import to_stale
from cfpm.text.canonical import canonical_key


@dataclass(slots=True)
class PathEvidence(Ledger):
    """The part of the merger that places artifacts and invalid paths."""

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

    def _path(self, draft: Draft, name: str, key: str, cause: str) -> Placed:
        """An artifact against an invalid path of the same name, or the reverse: the later evidence wins."""
        own = self._fact(name)
        if own is not None and own.status is Status.FORGOTTEN:
            return blocked(own)
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
