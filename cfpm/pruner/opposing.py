"""The part of the merger that finds what a draft denies, or what denies it, among facts in other words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cfpm.model import Accepted, Draft, Fact, Role, Status, Superseding
from cfpm.pruner.correcting import STANDING, Correcting
from cfpm.pruner.keys import DENIABLE
from cfpm.pruner.ledger import Placed
from cfpm.pruner.opposition import Clash, denied, opposed
from cfpm.pruner.similarity import block_keys
from cfpm.text.deeds.deeds import deeds
from cfpm.text.deeds.denials import DENIES, deed_keys, denial
from cfpm.text.retractions import said_instead

MAX_LINKS = 6
"""Facts that one fact may be linked to as contradicting it, the most alike first."""

RARE = 2
"""How many times as many for a denial: there are few of them, and what they deny may be long ago. Measured on BEAM 100K
and 500K: eight times as many are tied to the same facts, and cost a turn in a large store half as much again."""

GONE = Status.SUPERSEDED

NAMED = STANDING | {GONE}
"""A link changes no status, so what has been replaced since can be named too: it was said all the same."""


@dataclass(slots=True)
class Opposing(Correcting):
    """What denies or is denied."""

    denials: bool | None = None

    def _opposing(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        """ "I no longer use X" replaces "I use X"; "I never did X" and "I did X" stand both, each naming the other."""
        if draft.role is not Role.USER or draft.category not in DENIABLE:
            return None
        over = self._over(draft, name)
        if over:
            new = self.write.new(draft, name, key, cause, self._fact(name))
            changes = [self.write.supersede(fact, name, cause) for fact in {f.id: f for f, _ in over}.values()]
            return Placed(Superseding(name, over[0][0].id, "denied", "corrected", over[0][1]), (new, *changes))
        clashes = self._clashing(draft, name)
        if not clashes:
            return None
        others = [fact for fact, _ in clashes]
        new = self.write.new(draft, name, key, cause, self._fact(name))
        linked = replace(new, after=replace(new.after, contradicts=" ".join(fact.id for fact in others)))
        changes = [self.write.contradict(fact, name, cause) for fact in others]
        return Placed(Accepted(name, "contradicting", detail=clashes[0][1].why), (linked, *changes))

    def _over(self, draft: Draft, name: str) -> list[tuple[Fact, str]]:
        """What was so and is no longer, or was not yet so and is now."""
        found: list[tuple[Fact, str]] = []
        no = denial(draft.content)
        if no is not None and no.ended:
            keys = (*(f"do:{word}" for word in sorted(no.words)), *block_keys(draft.content, draft.category))
            found += [
                (f, why) for f in self._with_keys(keys, draft, name, RARE) if (why := denied(no, deeds(f.content)))
            ]
        if (done := deeds(draft.content)) and self._has_denials():
            known = [(f, denial(f.content)) for f in self._with_keys(_denial_keys(draft.content), draft, name, RARE)]
            # What already speaks against something said before is no mere "not yet".
            over = [(f, old) for f, old in known if old and (old.ended or (old.yet and not f.contradicts))]
            found += [(f, why) for f, old in over if (why := denied(old, done))]
        return found

    def _clashing(self, draft: Draft, name: str) -> list[tuple[Fact, Clash]]:
        found: dict[str, tuple[Fact, Clash]] = {}
        if (no := denial(draft.content)) is not None and not no.ended:
            keys = [f"do:{word}" for word in sorted(no.words)]
            for fact in self._with_keys(keys, draft, name, RARE, NAMED):
                if (clash := opposed(no, fact.content)) is not None:
                    found[fact.id] = (fact, clash)
        if deeds(draft.content) and self._has_denials():
            for fact in self._with_keys(_denial_keys(draft.content), draft, name, RARE, NAMED):
                old = denial(fact.content)
                if old is not None and not old.ended and (clash := opposed(old, draft.content)) is not None:
                    found[fact.id] = (fact, clash)
        ordered = sorted(found.values(), key=lambda pair: (pair[0].status is GONE, -pair[1].strength, pair[0].id))
        return [pair for pair in ordered if pair[0].status is not GONE or self._was_meant(pair[0])][:MAX_LINKS]

    def _was_meant(self, fact: Fact) -> bool:
        """False for what was taken back, or was not done yet and is done: nobody holds to it any more."""
        newer = self._fact(fact.superseded_by) if fact.superseded_by else None
        no = denial(fact.content)
        if no is not None and newer is not None and denied(no, deeds(newer.content)):
            return False
        return newer is None or not said_instead(newer.content)

    def _has_denials(self) -> bool:
        """Asked of the store once a turn: most conversations deny nothing."""
        if self.denials is None:
            space = self.scope.namespace
            self.denials = any(self.view.similar(space, kind, [DENIES], 1) for kind in DENIABLE)
        return self.denials or any(denial(fact.content) is not None for fact in self.changed.values())


def _denial_keys(text: str) -> tuple[str, ...]:
    """Under which the denials of what a text says was done are found."""
    return tuple("no:" + key[3:] for key in deed_keys(text))
