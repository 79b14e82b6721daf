"""Where an audited draft goes: a new fact, into one that says the same, in place of one that it corrects, or nowhere.

Pure: it reads facts through `FactView` and answers with a verdict and the changes; the store writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from cfpm.extractor.evidence import Removal
from cfpm.model import (
    CONTRAST,
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
)
from cfpm.model.ids import fact_id
from cfpm.pruner.candidates import FactView, Ledger, NearView
from cfpm.pruner.changes import Proposal, Resolution, Writer, blocked
from cfpm.pruner.corrections import Corrections
from cfpm.pruner.meaning import Meaning
from cfpm.pruner.path_evidence import PathEvidence
from cfpm.pruner.relation.sameness import same
from cfpm.settings import Settings
from cfpm.text.canonical import canonical_key


class ConflictResolver:
    """Places the drafts of one turn one after another; each sees what the ones before it changed."""

    def __init__(
        self,
        view: FactView,
        scope: Scope,
        settings: Settings,
        at: datetime | None,
        neighbours: NearView | None = None,
    ) -> None:
        """Without `neighbours`, or if the settings read no pairs, only what shares words with a draft is compared."""
        self.settings = settings
        self.ledger = Ledger(view, scope, neighbours if settings.max_pairs_per_turn else None)
        self.write = Writer(scope, settings, at)
        self.corrections = Corrections(self.ledger, self.write)
        self.meaning = Meaning(self.ledger, self.write, settings.max_pairs_per_turn)
        self.paths = PathEvidence(self.ledger, self.write)

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Reads the facts that these drafts may already be, in one look-up for the whole turn."""
        self.ledger.expect(drafts)
        self.meaning.expect(drafts)

    def place(self, draft: Draft, cause: str) -> Resolution:
        """Decides about one draft. Call `expect` with it first.

        Once the turn has taken the comparisons that the settings allow it, every further draft is refused.
        """
        if self.ledger.compared >= self.settings.max_comparisons_per_turn:
            return Resolution(Rejected("over_capacity", "work", f"the turn took {self.ledger.compared} comparisons"))
        key = canonical_key(draft.category, draft.content, draft.speaker)
        new = Proposal(draft, fact_id(self.ledger.namespace, draft.category, key), key, cause)
        placed = self.paths.place(new) if draft.category in PATH_CATEGORIES else self._in_time(new, self._place(new))
        self.ledger.record(placed.changes)
        return placed

    def retract(self, working: Mapping[str, str], drafts: Sequence[Draft], order: Sequence[str]) -> list[FactChange]:
        """Lets go of invalid paths that worked later: see `PathEvidence.retract`."""
        return self.paths.retract(working, drafts, order)

    def remove(
        self, gone: Sequence[Removal], stored: Sequence[Fact], drafts: Sequence[Draft], order: Sequence[str]
    ) -> list[FactChange]:
        """Lets go of artifacts that were removed or moved: see `PathEvidence.remove`."""
        return self.paths.remove(gone, stored, drafts, order)

    def _place(self, new: Proposal) -> Resolution:
        if folded := self._folded(new):
            return folded
        old = self.ledger.fact(new.id)
        placed = self._forgotten(new) or (self._again(old, new) if old is not None else None)
        placed = placed or self._among_similar(new)
        alone = new.draft.rule == CONTRAST and new.draft.content == new.draft.line
        if placed is None and alone:
            return Resolution(Rejected("low_information", "of_no_subject", "nothing is known that it could correct"))
        return placed or Resolution(Accepted(new.id), (self.write.new(new, self.ledger.fact(new.id)),))

    def _in_time(self, new: Proposal, placed: Resolution) -> Resolution:
        """What would take the place of something that was said after it takes none: an older session may be read behind
        newer ones."""
        later = [
            one.before
            for one in placed.changes
            if one.before is not None and one.action is Action.SUPERSEDE and self.write.comes_before(one.before)
        ]
        if not later or not isinstance(placed.verdict, Superseding):
            return placed
        name = placed.verdict.fact_id
        return self.write.outdated(next(one for one in placed.changes if one.after.id == name), later)

    def _folded(self, new: Proposal) -> Resolution | None:
        """What a program reports of an edit is evidence of the fact of the file, which the turn has confirmed."""
        draft = new.draft
        if draft.category is not Category.VERIFIED_ACTION or draft.role is not Role.TOOL or not draft.value:
            return None
        key = canonical_key(Category.ARTIFACT, draft.value, draft.speaker)
        file = self.ledger.changed.get(fact_id(self.ledger.namespace, Category.ARTIFACT, key))
        if file is None or file.status is not Status.ACTIVE:
            return None
        return Resolution(Merged(file.id, "edit", "folded", "it reports an edit of this file"), ())

    def _forgotten(self, new: Proposal) -> Resolution | None:
        """The same words may open a session, and so be a goal, after they were forgotten as a note."""
        for name in self.ledger.ids(new.draft) if self.ledger.forgets else ():
            fact = self.ledger.fact(name)
            if fact is not None and fact.status is Status.FORGOTTEN:
                return blocked(fact)
        return None

    def _again(self, old: Fact, new: Proposal) -> Resolution:
        """The very fact is on record: reinforce it, revive it, or respect its tombstone."""
        match old.status:
            case Status.FORGOTTEN:
                return blocked(old)
            case Status.ACTIVE:
                change = self.write.reinforce(old, new)
                return Resolution(Merged(old.id, "exact", "reinforced", "the same text"), (change,))
            case Status.STALE:
                change = self.write.revive(old, new)
                return Resolution(Accepted(old.id, "revive", detail="it had gone stale"), (change,))
            case Status.SUPERSEDED:
                return self._back_again(old, new)

    def _back_again(self, old: Fact, new: Proposal) -> Resolution:
        revived = self.write.revive(old, new)
        newer = self.ledger.fact(old.superseded_by) if old.superseded_by else None
        if newer is None or newer.status is not Status.ACTIVE:
            return Resolution(Accepted(old.id, "revive", detail="what had replaced it is gone"), (revived,))
        if newer.pinned:
            return Resolution(Rejected("contradicted", "pinned_wins", f"{newer.id} is pinned", newer.id))
        if newer.role is not new.draft.role and new.draft.role is not Role.USER:
            return Resolution(Rejected("contradicted", "user_wins", f"{newer.id} was said by the user", newer.id))
        changes = (revived, self.write.supersede(newer, new))
        return Resolution(Superseding(old.id, newer.id, "back_again", "corrected", "the older value is back"), changes)

    def _among_similar(self, new: Proposal) -> Resolution | None:
        similar = self.ledger.similar(new.draft)
        for fact in similar:
            sameness = same(new.draft.content, fact.content, threshold=self.settings.fuzzy_threshold)
            if sameness.same and fact.status is Status.FORGOTTEN:
                detail = f"nearly the same was forgotten as {fact.id}"
                return Resolution(Rejected("forgotten", "tombstone", detail, fact.id))
            if sameness.same:
                detail = f"{sameness.score:.0f} of 100 alike: {sameness.why}"
                change = self.write.reinforce(fact, new)
                return Resolution(Merged(fact.id, "fuzzy", "near_duplicate", detail), (change,))
        return self.corrections.find(new, similar) or self.meaning.find(new)
