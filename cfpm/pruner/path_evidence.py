"""Paths that exist against paths that are broken: the later evidence wins, and a tool's outweighs a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cfpm.auditor.path_rules import PROVEN
from cfpm.extractor.evidence import Removal
from cfpm.model import Accepted, Action, Category, Draft, Fact, FactChange, Merged, Rejected, Status, Superseding
from cfpm.model.ids import fact_id
from cfpm.pruner.candidates import Ledger
from cfpm.pruner.changes import Proposal, Resolution, Writer, blocked
from cfpm.pruner.retention import to_stale
from cfpm.text.canonical import canonical_key


@dataclass(frozen=True, slots=True)
class PathEvidence:
    """Places artifacts and invalid paths."""

    ledger: Ledger
    write: Writer

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
        names = {fact_id(self.ledger.namespace, Category.INVALID_PATH, path): path for path in working}
        stored = self.ledger.view.by_id(self.ledger.namespace, sorted(names)) if names else {}
        changes = []
        for name in sorted(names):
            fact = self.ledger.changed.get(name) or stored.get(name)
            if fact is None or fact.status is not Status.ACTIVE or fact.pinned:
                continue
            shown_by = working[names[name]]
            if reported.get(names[name], -1) < place[shown_by]:
                cause = f"works again: {shown_by}"
                changes.append(to_stale(fact, Action.STALE, cause, self.write.at))
                changes.extend(self._back_from(fact, names[name], cause))
        self.ledger.record(changes)
        return changes

    def remove(
        self, gone: Sequence[Removal], stored: Sequence[Fact], drafts: Sequence[Draft], order: Sequence[str]
    ) -> list[FactChange]:
        """Lets go of the artifacts that a tool removed or moved: of the `stored` ones, and of those of this turn.

        `order` are the ids of the turn's messages; what one of its `drafts` shows after the removal is there again.
        """
        place = {message_id: position for position, message_id in enumerate(order)}
        shown: dict[str, int] = {}
        for draft in drafts:
            if draft.category is Category.ARTIFACT:
                key = canonical_key(draft.category, draft.content)
                shown[key] = max(shown.get(key, -1), place.get(draft.span.message_id, -1))
        known = {fact.id: fact for fact in stored} | self.ledger.changed
        changes = []
        for name in sorted(known):
            fact = known[name]
            if fact.category is not Category.ARTIFACT or fact.status is not Status.ACTIVE or fact.pinned:
                continue
            for removal in gone:
                if removal.covers(fact.key) and shown.get(fact.key, -1) < place[removal.message_id]:
                    changes.append(to_stale(fact, Action.STALE, removal.cause, self.write.at))
                    break
        self.ledger.record(changes)
        return changes

    def _back_from(self, broken: Fact, path: str, cause: str) -> list[FactChange]:
        """The artifact that the report had superseded is believed again."""
        artifact = self.ledger.fact(fact_id(self.ledger.namespace, Category.ARTIFACT, path))
        if artifact is None or artifact.superseded_by != broken.id or artifact.status is not Status.SUPERSEDED:
            return []
        after = replace(
            artifact, status=Status.ACTIVE, superseded_by="", valid_to=None, last_validated_at=self.write.at
        )
        return [FactChange(artifact, after, Action.REVIVE, cause, self.write.at)]

    def place(self, new: Proposal) -> Resolution:
        """An artifact against an invalid path of the same name, or the reverse: the later evidence wins."""
        draft, own = new.draft, self.ledger.fact(new.id)
        if own is not None and own.status is Status.FORGOTTEN:
            return blocked(own)
        other = Category.INVALID_PATH if draft.category is Category.ARTIFACT else Category.ARTIFACT
        rival = self.ledger.fact(fact_id(self.ledger.namespace, other, new.key))
        believed = self._believe(own, new)
        # What may not be entered exists all the same, so a denial leaves the artifact.
        if rival is None or rival.status is not Status.ACTIVE or draft.rule == "invalid_path.denied":
            return _unopposed(own, new, believed)
        if draft.category is Category.ARTIFACT and draft.rule not in PROVEN:
            detail = f"reported broken as {rival.id}"
            return Resolution(Rejected("artifact_marked_invalid", "invalid_wins", detail, rival.id))
        if rival.pinned:
            return Resolution(Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id))
        verdict = Superseding(new.id, rival.id, "later_evidence", "corrected", "newer evidence about this path")
        return Resolution(verdict, (believed, self.write.supersede(rival, new)))

    def _believe(self, own: Fact | None, new: Proposal) -> FactChange:
        if own is None:
            return self.write.new(new, None)
        return self.write.reinforce(own, new) if own.status is Status.ACTIVE else self.write.revive(own, new)


def _unopposed(own: Fact | None, new: Proposal, believed: FactChange) -> Resolution:
    if own is None:
        return Resolution(Accepted(new.id), (believed,))
    if own.status is Status.ACTIVE:
        return Resolution(Merged(own.id, "exact", "reinforced", "the same path"), (believed,))
    return Resolution(Accepted(own.id, "revive", detail=f"it had been {own.status}"), (believed,))
