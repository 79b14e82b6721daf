"""The part of the merger that finds what a draft takes the place of, in other words. What it denies: `opposing.py`."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from cfpm.model import Draft, Fact, Rejected, Role, Status, Superseding
from cfpm.pruner.keys import DENIABLE, KINDS, fact_keys, value_keys
from cfpm.pruner.ledger import Ledger, Placed
from cfpm.pruner.similarity import block_keys, contradicts
from cfpm.pruner.updating import Tie, heard, may_update, said, update
from cfpm.text.canonical import same_speaker
from cfpm.text.changes import is_over, opening_key, renewed, takes_place
from cfpm.text.deeds.denials import denial
from cfpm.text.quantities.slots import ON, topic_and_value
from cfpm.text.retractions import said_instead, takes_back

PER_KEY, MOST = 32, 8
"""Facts of a key that are looked at, and of all keys that are read, of a kind."""

STANDING = frozenset({Status.ACTIVE, Status.STALE})
"""Statuses of facts that a draft can take the place of."""

_TAKEN_BACK = re.compile(
    r"\W*(?:actually|no|wait|sorry|correction|i mean|rather|scratch that|不对|不是|更正|其实)\b", re.IGNORECASE
)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Correcting(Ledger):
    """Corrections by slot, by value, and in words of change."""

    def _correcting(self, draft: Draft, name: str, key: str, cause: str, similar: Sequence[Fact]) -> Placed | None:
        topic, value = topic_and_value(draft.content)
        rivals = [f for f in self._on_topic(topic) if _other_value(f.value, value)] if topic else []
        rivals = [f for f in rivals if same_speaker(f.speaker, draft.speaker)]
        if topic.endswith(ON) and not (_TAKEN_BACK.match(draft.content) or _TAKEN_BACK.match(draft.line)):
            rivals = []
        rivals += [f for f in similar if f.status is Status.ACTIVE and _turns_round(draft, f)]
        for rival in rivals:
            if rival.role is not draft.role and draft.role is not Role.USER:
                return Placed(Rejected("contradicted", "user_wins", f"{rival.id} was said by the user", rival.id))
            if rival.pinned:
                return Placed(Rejected("contradicted", "pinned_wins", f"{rival.id} is pinned", rival.id))
        # One message that names several values for one word is a list, unless it takes something back.
        if not _TAKEN_BACK.match(draft.content):
            rivals = [rival for rival in rivals if rival.message_id != draft.span.message_id]
        if not rivals:
            return None
        detail = f"a new value for {topic!r}" if topic else contradicts(draft.content, rivals[0].content)
        new = self.write.new(draft, name, key, cause, self._fact(name))
        new = self.write.in_place_of(new, rivals)
        gone = {rival.id: self.write.supersede(rival, name, cause) for rival in rivals}
        return Placed(Superseding(name, rivals[0].id, "new_value", "corrected", detail), (new, *gone.values()))

    def _taking_back(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        """What the user says again all but a word or two, with words that take back what was said before."""
        if draft.role is not Role.USER or draft.category not in KINDS:
            return None
        instead = said_instead(draft.content) or said_instead(draft.line)
        if not instead:
            return None
        near = self._with_keys(
            (*block_keys(instead, draft.category), *filter(None, [opening_key(instead)])), draft, name
        )
        rivals = [fact for fact in near if fact.status is Status.ACTIVE and takes_back(instead, fact.content)]
        if not rivals:
            return None
        rival = max(rivals, key=lambda fact: (fact.updated_at or _NEVER, fact.id))
        new = self.write.in_place_of(self.write.new(draft, name, key, cause, self._fact(name)), [rival])
        gone = self.write.supersede(rival, name, cause)
        return Placed(Superseding(name, rival.id, "taken_back", "corrected", f"instead of {rival.id}"), (new, gone))

    def _renewing(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        """What the user says to have changed, in the words of before all but the value."""
        if draft.role is not Role.USER or draft.category not in KINDS or not (clauses := renewed(draft.content)):
            return None
        texts = (draft.content, *clauses)
        looked_up = dict.fromkeys(block for text in texts for block in block_keys(text, draft.category))
        looked_up.update(dict.fromkeys(filter(None, map(opening_key, texts))))
        near = (fact for fact in self._with_keys(tuple(looked_up), draft, name) if fact.status is Status.ACTIVE)
        rivals = [
            fact
            for fact in near
            if is_over(draft.content, fact.content) or any(takes_place(clause, fact.content) for clause in clauses)
        ]
        if not rivals:
            return None
        rival = max(rivals, key=lambda fact: (fact.updated_at or _NEVER, fact.id))
        new = self.write.in_place_of(self.write.new(draft, name, key, cause, self._fact(name)), [rival])
        gone = self.write.supersede(rival, name, cause)
        return Placed(Superseding(name, rival.id, "said_anew", "corrected", f"in place of {rival.id}"), (new, gone))

    def _updating(self, draft: Draft, name: str, key: str, cause: str) -> Placed | None:
        """A new value for what older facts gave another, found by the words beside it."""
        if draft.role is not Role.USER or draft.category not in KINDS:
            return None
        told = said(draft.content, draft.line)
        keys = value_keys(may_update(told)) if told else ()
        if not keys:
            return None
        found = [
            (fact, told_anew)
            for fact in self._with_keys(keys, draft, name)
            if (told_anew := update(told, heard(fact.content, fact.topic)))
        ]
        if not found:
            return None
        sure = [pair for pair in found if pair[1].tie is Tie.FIRM]
        # A loose tie to several values means the latest: older ones are of something else.
        latest = max(found, key=lambda pair: pair[0].updated_at or _NEVER)[1].old
        gone = sure or [pair for pair in found if pair[1].old == latest]
        new = self.write.new(draft, name, key, cause, self._fact(name))
        new = self.write.in_place_of(new, (fact for fact, _ in gone))
        changes = [self.write.supersede(fact, name, cause) for fact, _ in gone]
        return Placed(Superseding(name, gone[0][0].id, "new_value", "corrected", gone[0][1].why), (new, *changes))

    def _with_keys(
        self, keys: Sequence[str], draft: Draft, name: str, many: int = 1, statuses: Container[Status] = STANDING
    ) -> list[Fact]:
        """Facts that the same user said, found by any of the keys, those with most in common first.

        `many` times as many as usual are looked at.
        """
        space, per_key, most = self.scope.namespace, PER_KEY * many, MOST * many
        kinds = KINDS if many == 1 else DENIABLE
        found = {f.id: f for kind in kinds for f in self.view.similar(space, kind, keys, per_key, most)}
        wanted = set(keys)
        for fact in self.changed.values():
            if fact.id in found or wanted & set(fact_keys(fact)):
                found[fact.id] = fact
        return [
            fact
            for fact in found.values()
            if fact.id != name
            and fact.status in statuses
            and fact.role is Role.USER
            and same_speaker(fact.speaker, draft.speaker)
            and not fact.pinned
            and fact.message_id != draft.span.message_id
        ]

    def _on_topic(self, topic: str) -> list[Fact]:
        found = {fact.id: fact for fact in self.view.on_topic(self.scope.namespace, [topic])}
        found.update({fact.id: fact for fact in self.changed.values() if fact.topic == topic or fact.id in found})
        return [fact for fact in found.values() if fact.status is Status.ACTIVE and fact.topic == topic]


def _turns_round(draft: Draft, fact: Fact) -> bool:
    """A plain negation; "I never did" is no correction of "I did", but another statement."""
    denials = (denial(draft.content), denial(fact.content))
    if draft.role is Role.USER and any(no is not None and not no.ended and not no.yet for no in denials):
        return False
    return bool(contradicts(draft.content, fact.content))


def _other_value(one: str, other: str) -> bool:
    """False for values of which one only says more than the other: 'Berlin' and 'Berlin, Germany'."""
    first, second = one.casefold(), other.casefold()
    return not (first.startswith(second) or second.startswith(first))
