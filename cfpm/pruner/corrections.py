"""Which older facts a draft takes the place of, in other words: by slot, by value, in words of change, or by denial."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cfpm.model import Accepted, Fact, Rejected, Role, Status, Superseding
from cfpm.model.patterns import lazy_pattern
from cfpm.pruner.candidates import DENIABLE, KINDS, STANDING, Ledger, block_keys, value_keys
from cfpm.pruner.changes import CORRECTABLE, Proposal, Resolution, Writer
from cfpm.pruner.relation.contradiction import contradicts
from cfpm.pruner.relation.denial import Clash, denied, opposed
from cfpm.pruner.relation.update import Tie, may_update, update, values_known, values_told
from cfpm.text.canonical import same_speaker
from cfpm.text.changes import (
    called_off,
    is_over,
    opening_key,
    renewed,
    said_instead,
    takes_back,
    takes_place,
    was_planned,
)
from cfpm.text.deeds.deeds import deeds
from cfpm.text.deeds.denials import deed_keys, denial
from cfpm.text.quantities.slots import ON, topic_and_value

MAX_LINKS = 6
"""Facts that one fact may be linked to as contradicting it, the most alike first."""

RARE = 2
"""How many times as many for a denial: there are few of them, and what they deny may be long ago. Measured on BEAM 100K
and 500K: eight times as many are tied to the same facts, and cost a turn in a large store half as much again."""

GONE = Status.SUPERSEDED

NAMED = STANDING | {GONE}
"""A link changes no status, so what has been replaced since can be named too: it was said all the same."""

_TAKEN_BACK = lazy_pattern(
    r"\W*(?:actually|no|wait|sorry|correction|i mean|rather|scratch that|不对|不是|更正|其实)\b", re.IGNORECASE
)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Corrections:
    """Asked for a draft that is neither on record nor nearly the same as a fact that is."""

    ledger: Ledger
    write: Writer

    def find(self, new: Proposal, similar: Sequence[Fact]) -> Resolution | None:
        """What the draft takes the place of, or is linked to, by the first way that finds anything."""
        return (
            self._of_slot(new, similar)
            or self._taken_back(new)
            or self._of_value(new)
            or self._renewed(new)
            or self._denied(new)
            or self._called_off(new)
            or self._linked(new)
        )

    def _of_slot(self, new: Proposal, similar: Sequence[Fact]) -> Resolution | None:
        draft = new.draft
        if draft.category not in CORRECTABLE:
            return None
        topic, value = topic_and_value(draft.content)
        rivals = [fact for fact in self.ledger.on_topic(topic) if _other_value(fact.value, value)] if topic else []
        rivals = [fact for fact in rivals if same_speaker(fact.speaker, draft.speaker)]
        if topic.endswith(ON) and not (_TAKEN_BACK.match(draft.content) or _TAKEN_BACK.match(draft.line)):
            rivals = []
        rivals += [fact for fact in similar if fact.status is Status.ACTIVE and _turns_round(new, fact)]
        for rival in rivals:
            if stronger := outranked(new, rival):
                return Resolution(stronger)
        # One message that names several values for one word is a list, unless it takes something back.
        if not _TAKEN_BACK.match(draft.content):
            rivals = [rival for rival in rivals if rival.message_id != draft.span.message_id]
        if not rivals:
            return None
        detail = f"a new value for {topic!r}" if topic else contradicts(draft.content, rivals[0].content)
        return self._replace(new, rivals, "new_value", detail)

    def _taken_back(self, new: Proposal) -> Resolution | None:
        """What the user says again all but a word or two, with words that take back what was said before."""
        draft = new.draft
        if draft.role is not Role.USER or draft.category not in KINDS:
            return None
        instead = said_instead(draft.content) or said_instead(draft.line)
        if not instead:
            return None
        keys = (*block_keys(instead, draft.category), *filter(None, [opening_key(instead)]))
        near = self.ledger.said_before(keys, draft, new.id)
        rivals = [fact for fact in near if fact.status is Status.ACTIVE and takes_back(instead, fact.content)]
        return self._replace_latest(new, rivals, "taken_back", "instead of")

    def _renewed(self, new: Proposal) -> Resolution | None:
        """What the user says to have changed, in the words of before all but the value."""
        draft = new.draft
        if draft.role is not Role.USER or draft.category not in KINDS or not (clauses := renewed(draft.content)):
            return None
        texts = (draft.content, *clauses)
        keys = dict.fromkeys(block for text in texts for block in block_keys(text, draft.category))
        keys.update(dict.fromkeys(filter(None, map(opening_key, texts))))
        rivals = [
            fact
            for fact in self.ledger.said_before(tuple(keys), draft, new.id)
            if fact.status is Status.ACTIVE
            and (is_over(draft.content, fact.content) or any(takes_place(clause, fact.content) for clause in clauses))
        ]
        return self._replace_latest(new, rivals, "said_anew", "in place of")

    def _of_value(self, new: Proposal) -> Resolution | None:
        """A new value for what older facts gave another, found by the words beside it."""
        draft = new.draft
        if draft.role is not Role.USER or draft.category not in KINDS:
            return None
        told = values_told(draft.content, draft.line)
        keys = value_keys(may_update(told)) if told else ()
        if not keys:
            return None
        found = [
            (fact, changed)
            for fact in self.ledger.said_before(keys, draft, new.id)
            if (changed := update(told, values_known(fact.content, fact.topic)))
        ]
        if not found:
            return None
        sure = [pair for pair in found if pair[1].tie is Tie.FIRM]
        # A loose tie to several values means the latest: older ones are of something else.
        latest = max(found, key=lambda pair: pair[0].updated_at or _NEVER)[1].old
        gone = sure or [pair for pair in found if pair[1].old == latest]
        return self._replace(new, [fact for fact, _ in gone], "new_value", gone[0][1].why)

    def _denied(self, new: Proposal) -> Resolution | None:
        """ "I no longer use X" replaces "I use X", and "I use X now" replaces "I haven't used X yet"."""
        if new.draft.role is not Role.USER or new.draft.category not in DENIABLE:
            return None
        over = self._over(new)
        if not over:
            return None
        gone = {fact.id: fact for fact, _ in over}.values()
        changes = [self.write.supersede(fact, new) for fact in gone]
        created = self.write.new(new, self.ledger.fact(new.id))
        return Resolution(Superseding(new.id, over[0][0].id, "denied", "corrected", over[0][1]), (created, *changes))

    def _called_off(self, new: Proposal) -> Resolution | None:
        """Plans that take place no longer, by the name that the user gives them: "the May Fair is off"."""
        draft = new.draft
        if draft.role is not Role.USER or not (names := called_off(draft.content)):
            return None
        keys = tuple(dict.fromkeys(key for name in names for key in block_keys(name, draft.category)))
        near = {fact.id: fact for fact in self.ledger.said_before(keys, draft, new.id)}
        near.update((one.fact.id, one.fact) for one in self.ledger.told_near(draft, passing=True))
        over = [
            fact
            for fact in near.values()
            if fact.category in KINDS and not fact.pinned and any(was_planned(name, fact.content) for name in names)
        ]
        return self._replace(new, over[:MAX_LINKS], "called_off", f"no longer: {names[0]}") if over else None

    def _linked(self, new: Proposal) -> Resolution | None:
        """ "I never did X" and "I did X" stand both, each naming the other."""
        if new.draft.role is not Role.USER or new.draft.category not in DENIABLE:
            return None
        clashes = self._clashing(new)
        if not clashes:
            return None
        others = [fact for fact, _ in clashes]
        created = self.write.new(new, self.ledger.fact(new.id))
        linked = replace(created, after=replace(created.after, contradicts=" ".join(fact.id for fact in others)))
        changes = [self.write.contradict(fact, new) for fact in others]
        return Resolution(Accepted(new.id, "contradicting", detail=clashes[0][1].why), (linked, *changes))

    def _over(self, new: Proposal) -> list[tuple[Fact, str]]:
        """What was so and is no longer, or was not yet so and is now."""
        draft = new.draft
        found: list[tuple[Fact, str]] = []
        no = denial(draft.content)
        if no is not None and no.ended:
            keys = (*(f"do:{word}" for word in sorted(no.words)), *block_keys(draft.content, draft.category))
            done_before = self.ledger.said_before(keys, draft, new.id, RARE)
            found += [(fact, why) for fact in done_before if (why := denied(no, deeds(fact.content)))]
        if (done := deeds(draft.content)) and self.ledger.has_denials():
            denials = self.ledger.said_before(_denial_keys(draft.content), draft, new.id, RARE)
            known = [(fact, denial(fact.content)) for fact in denials]
            # What already speaks against something said before is no mere "not yet".
            over = [(fact, old) for fact, old in known if old and (old.ended or (old.yet and not fact.contradicts))]
            found += [(fact, why) for fact, old in over if (why := denied(old, done))]
        return found

    def _clashing(self, new: Proposal) -> list[tuple[Fact, Clash]]:
        draft = new.draft
        found: dict[str, tuple[Fact, Clash]] = {}
        if (no := denial(draft.content)) is not None and not no.ended:
            keys = [f"do:{word}" for word in sorted(no.words)]
            for fact in self.ledger.said_before(keys, draft, new.id, RARE, NAMED):
                if (clash := opposed(no, fact.content)) is not None:
                    found[fact.id] = (fact, clash)
        if deeds(draft.content) and self.ledger.has_denials():
            for fact in self.ledger.said_before(_denial_keys(draft.content), draft, new.id, RARE, NAMED):
                old = denial(fact.content)
                if old is not None and not old.ended and (clash := opposed(old, draft.content)) is not None:
                    found[fact.id] = (fact, clash)
        ordered = sorted(found.values(), key=lambda pair: (pair[0].status is GONE, -pair[1].strength, pair[0].id))
        return [pair for pair in ordered if pair[0].status is not GONE or self._was_meant(pair[0])][:MAX_LINKS]

    def _was_meant(self, fact: Fact) -> bool:
        """False for what was taken back, or was not done yet and is done: nobody holds to it any more."""
        newer = self.ledger.fact(fact.superseded_by) if fact.superseded_by else None
        no = denial(fact.content)
        if no is not None and newer is not None and denied(no, deeds(newer.content)):
            return False
        return newer is None or not said_instead(newer.content)

    def _replace_latest(self, new: Proposal, rivals: Sequence[Fact], how: str, why: str) -> Resolution | None:
        if not rivals:
            return None
        rival = max(rivals, key=lambda fact: (fact.updated_at or _NEVER, fact.id))
        return self._replace(new, [rival], how, f"{why} {rival.id}")

    def _replace(self, new: Proposal, gone: Sequence[Fact], how: str, detail: str) -> Resolution:
        new, changes = self.write.take_place(new, gone, self.ledger.fact)
        return Resolution(Superseding(new.id, gone[0].id, how, "corrected", detail), changes)


def outranked(new: Proposal, rival: Fact) -> Rejected | None:
    """The verdict on a draft that contradicts what the user said or pinned; None when it may take its place."""
    if rival.role is not new.draft.role and new.draft.role is not Role.USER:
        return Rejected("contradicted", "user_wins", f"{rival.id} was said by the user", rival.id)
    if rival.pinned:
        return Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id)
    return None


def _turns_round(new: Proposal, fact: Fact) -> bool:
    """A plain negation; "I never did" is no correction of "I did", but another statement."""
    denials = (denial(new.draft.content), denial(fact.content))
    if new.draft.role is Role.USER and any(no is not None and not no.ended and not no.yet for no in denials):
        return False
    return bool(contradicts(new.draft.content, fact.content))


def _other_value(one: str, other: str) -> bool:
    """False for values of which one only says more than the other: 'Berlin' and 'Berlin, Germany'."""
    first, second = one.casefold(), other.casefold()
    return not (first.startswith(second) or second.startswith(first))


def _denial_keys(text: str) -> tuple[str, ...]:
    """Under which the denials of what a text says was done are found."""
    return tuple("no:" + key[3:] for key in deed_keys(text))
