"""What a draft changes in facts. Pure values; what is to change is decided in `resolve`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from cfpm.model import (
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
    Verdict,
)
from cfpm.model.ids import fact_id
from cfpm.pruner.relation.update import line_topic
from cfpm.pruner.retention import later, reinforced, stale_at
from cfpm.settings import Settings
from cfpm.text import lexicons_for, plain_words
from cfpm.text.canonical import canonical_key
from cfpm.text.changes import ends_as_a_whole, excepts
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.odds import log_odds
from cfpm.text.heads.partly import MAX_PARTS, holds_in_part
from cfpm.text.heads.relation import judge
from cfpm.text.heads.sentence import ended
from cfpm.text.heads.sentence import judge as judge_sentences
from cfpm.text.parts import parts
from cfpm.text.quantities.slots import topic_and_value

CORRECTABLE = frozenset(Category) - PATH_CATEGORIES - {Category.VERIFIED_ACTION, Category.OPEN_ITEM}
"""Kinds whose slots have one value at a time: an opening "the port is 8080" is drafted as a goal. Open items pile up;
actions and paths have their own evidence."""

STANDING_RULES = (Category.INSTRUCTION, Category.PREFERENCE)

IN_PARTS = (*STANDING_RULES, Category.NOTE, Category.PROFILE, Category.DECISION)
"""Kinds of facts of which a part may stand when another part is replaced."""

_TOLD = (Category.NOTE, Category.PROFILE, Category.DECISION)

OPENS = "goal.opening"
"""The rule by which whatever a session starts with is its goal, for want of another kind."""

TOUCHED, AHEAD = 300, 0.8
"""Thousandths of any relation but difference from which one of several statements of a fact is meant by what takes the
fact's place, where none is all of the fact goes; and how much surer than of another one, in log odds, that must be for
the other to be left as it was. Of 41 facts whose other part holds it is left of 34, and of 19 that go altogether
something of 6 (`relations benchmarks/labels/parts-t1.jsonl`)."""

LIKE_A_RULE = 250
"""Thousandths that it is a rule or a wish, or asked for, from which a part of a rule, or a note, is held for a rule."""

LIKE_A_DECISION = 300
"""Thousandths from which what is left of a decision is one by itself: "I have one running on the shelf" has 7. Not
measured."""

NOTHING, WORTH_LEAVING = 500, 400
"""Thousandths from which what is left says nothing, and below which it is not worth knowing later. Chosen by
hand; what they leave is counted above."""

MAY_LEAVE, IN_PART = 100, 700
"""Thousandths that an older statement holds in part, below which nothing of it is left, and from which it stands beside
the newer one where no part of it can be told by itself. With 500 in place of 700 old rules stand beside new ones
so often that of ten stories one order in a hundred more lacks its rule."""

MAX_NAMED = 32
"""Facts that one fact names as saying the opposite, the latest ones: each change of it is written down whole."""

_PLAUSIBLE = timedelta(days=3_650)
"""By how much a session may be younger than one that is read after it; more is no time of a message."""
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Proposal:
    """An audited draft with the id and the canonical key of the fact that it would be; `cause` names its candidate."""

    draft: Draft
    id: str
    key: str
    cause: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """A draft's verdict and what it changes."""

    verdict: Verdict
    changes: tuple[FactChange, ...] = ()


def blocked(tombstone: Fact) -> Resolution:
    """What was forgotten stays forgotten."""
    return buried_as(tombstone.id)


def buried_as(name: str) -> Resolution:
    """As `blocked`, by the id of the tombstone's fact; empty for one that was erased."""
    detail = f"forgotten as {name}" if name else "erased, and not to be learnt again"
    return Resolution(Rejected("forgotten", "tombstone", detail, name))


def holds_beside(fact: Fact, newer: str) -> bool:
    """Whether a fact stands beside a newer statement that changes a part of it: where no other part can be told by
    itself, to end it would lose more than the old value."""
    if fact.category not in IN_PARTS or ends_as_a_whole(newer):
        return False
    if fact.category in STANDING_RULES and excepts(newer):
        return True
    return holds_in_part(newer, fact.content) >= IN_PART and untouched(fact.content, newer, fact.category) is None


class Left(NamedTuple):
    """The stretch [begin, end) of an older text that still holds, and what kind of fact that is."""

    begin: int
    end: int
    category: Category


# Asked of a pair before it is settled, and again of what is left.
@lru_cache(maxsize=256)
def untouched(older: str, newer: str, category: Category) -> Left | None:
    """The longest stretch of statements within an older text that a newer one, which replaces something in it, leaves
    as they were; None where there is none that says something by itself."""
    slices = parts(older)[:MAX_PARTS]
    if len(slices) < 2:
        return None
    told = judge(newer, [older[begin:end] for begin, end in slices])
    touched = [1_000 - one.different for one in told]
    if max(touched) < TOUCHED:
        return None
    most = log_odds(max(touched)) - AHEAD
    left = [log_odds(share) <= most for share in touched]
    runs: list[tuple[int, int]] = []
    for place, (_, end) in enumerate(slices):
        if left[place]:
            joins = place > 0 and left[place - 1]
            runs = [*runs[:-1], (runs[-1][0], end)] if joins else [*runs, (_with_heading(older, slices, place), end)]
    found = [Left(*run, kind) for run in runs if (kind := _kind_alone(older[slice(*run)], category)) is not None]
    return max(found, key=lambda one: one.end - one.begin, default=None)


def _with_heading(text: str, slices: Sequence[tuple[int, int]], place: int) -> int:
    """Where a part begins, with what says what it is about: "replies to guests: short, in French"."""
    begin = slices[place][0]
    if place == 0:
        return begin
    before, end = slices[place - 1]
    return before if text[end:begin].startswith((":", "：")) else begin


def _kind_alone(text: str, category: Category) -> Category | None:
    """What it is by itself, as a part of a fact of that kind; None for what is not worth keeping, does not say what it
    is about, or is a mere reason beside what is gone."""
    lower = text.lower()
    words = frozenset(plain_words(lower))
    if ":" not in text and any(each["points.back"].find(lower, words) for each in lexicons_for(lower)):
        return None
    # A part has no end of its own, and words without one look like a heading.
    (told,) = judge_sentences([ended(text)])
    kinds = told.kind
    if category in STANDING_RULES and _rules(kinds):
        return category
    if kinds["none"] >= NOTHING or told.lasting["later"] < WORTH_LEAVING:
        return None
    if category is Category.DECISION and kinds["decision"] >= LIKE_A_DECISION:
        return category
    return Category.NOTE if category in (*STANDING_RULES, Category.DECISION) else category


def _like_a_rule(text: str) -> bool:
    (kinds,) = head("user").of(Seen([ended(text)]))
    return _rules(kinds)


def _rules(kinds: Mapping[str, int]) -> bool:
    wanted = kinds["instruction"] + kinds["preference"] + kinds["goal"]
    # "I have no pager" tells of somebody, whatever it was said for.
    return wanted >= LIKE_A_RULE and wanted > kinds["profile"]


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the changes of one turn. `at` is the turn's time, None if it has none."""

    scope: Scope
    settings: Settings
    at: datetime | None

    def new(self, proposal: Proposal, old: Fact | None) -> FactChange:
        """A fact that is believed for the first time, or anew in the place of `old`."""
        draft = proposal.draft
        topic, value = topic_and_value(draft.content) if draft.category in CORRECTABLE else ("", "")
        if draft.category in PATH_CATEGORIES:
            # A path has no slot: its topic is the known folder that it is, its value how that is known.
            topic, value = draft.topic, draft.value
        else:
            topic = topic or line_topic(draft.content, draft.line)
        fact = Fact(
            id=proposal.id,
            namespace=self.scope.namespace,
            category=draft.category,
            key=proposal.key,
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
        return FactChange(
            old, replace(fact, stale_at=stale_at(fact, self.settings)), Action.CREATE, proposal.cause, self.at
        )

    def take_place(
        self, new: Proposal, gone: Sequence[Fact], known: Callable[[str], Fact | None]
    ) -> tuple[Proposal, tuple[FactChange, ...]]:
        """The draft as a new fact in the place of these, believed as long as they were, and what is left of them."""
        new = self.in_kind_of(new, gone, known)
        created = self.in_place_of(self.new(new, known(new.id)), gone)
        old = {fact.id: fact for fact in gone}.values()
        left = [change for fact in old if (change := self._left_of(fact, new, known)) is not None]
        return new, (created, *(self.supersede(fact, new) for fact in old), *left)

    def _left_of(self, fact: Fact, by: Proposal, known: Callable[[str], Fact | None]) -> FactChange | None:
        """Of several statements in one fact those that the newer one does not touch, as a fact of their own."""
        newer = by.draft.content
        if fact.category not in IN_PARTS or ends_as_a_whole(newer) or holds_in_part(newer, fact.content) < MAY_LEAVE:
            return None
        found = untouched(fact.content, newer, fact.category)
        if found is None:
            return None
        begin, end, category = found
        content = fact.content[begin:end]
        key = canonical_key(category, content, fact.speaker)
        name = fact_id(self.scope.namespace, category, key)
        if known(name) is not None:
            return None
        topic, value = topic_and_value(content)
        verbatim = fact.span_end - fact.span_start == len(fact.content)
        span = (fact.span_start + begin, fact.span_start + end) if verbatim else (fact.span_start, fact.span_end)
        left = replace(fact, id=name, key=key, content=content, topic=topic, value=value, contradicts="")
        left = replace(left, category=category)
        left = replace(left, span_start=span[0], span_end=span[1], pinned=False)
        return FactChange(None, left, Action.CREATE, by.cause, self.at)

    def in_kind_of(self, new: Proposal, gone: Sequence[Fact], known: Callable[[str], Fact | None]) -> Proposal:
        """What changes a standing rule as a rule, and what only opened a session as of the kind that it changes: as a
        goal or a note it would leave the prompt with no word on it. What is nothing like a rule stays what it is: "Ada
        has her own key since Monday" ends one and makes none."""
        draft = new.draft
        kinds = [fact.category for fact in gone if fact.category in STANDING_RULES and _like_a_rule(draft.content)]
        if not kinds and draft.rule == OPENS:
            kinds = [fact.category for fact in gone if fact.category in _TOLD]
        if not kinds or draft.category in STANDING_RULES:
            return new
        draft = replace(draft, category=kinds[0])
        key = canonical_key(draft.category, draft.content, draft.speaker)
        told = Proposal(draft, fact_id(self.scope.namespace, draft.category, key), key, new.cause)
        return told if known(told.id) is None else new

    def in_place_of(self, new: FactChange, gone: Iterable[Fact]) -> FactChange:
        """The new fact, believed at least as long as one of the kinds whose place it takes.

        A goal may tell a new value; when it went stale as goals do, no value would be left.
        """
        old = list(gone)
        sure = max([new.after.confidence, *(fact.confidence for fact in old)])
        kinds = {fact.category for fact in old}
        ends = [stale_at(replace(new.after, category=kind, confidence=sure), self.settings) for kind in kinds]
        ends += [new.after.stale_at, *(fact.stale_at for fact in old if fact.stale_at is not None)]
        last = None if None in ends else max(end for end in ends if end is not None)
        return replace(new, after=replace(new.after, stale_at=last))

    def reinforce(self, old: Fact, proposal: Proposal) -> FactChange:
        """One more observation of a fact."""
        draft = proposal.draft
        validates = draft.category in PATH_CATEGORIES or draft.role is Role.TOOL
        fact = replace(
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
        return FactChange(old, replace(fact, stale_at=stale_at(fact, self.settings)), action, proposal.cause, self.at)

    def revive(self, old: Fact, proposal: Proposal) -> FactChange:
        """A fact that was stale or superseded is observed again."""
        change = self.reinforce(old, proposal)
        return replace(change, action=Action.REVIVE, after=replace(change.after, valid_to=None, superseded_by=""))

    def supersede(self, old: Fact, by: Proposal) -> FactChange:
        """Another fact takes the place of this one, which stays, linked."""
        fact = replace(
            old,
            status=Status.SUPERSEDED,
            superseded_by=by.id,
            valid_to=self.at,
            updated_at=later(old.updated_at, self.at),
        )
        return FactChange(old, fact, Action.SUPERSEDE, by.cause, self.at)

    def comes_before(self, fact: Fact) -> bool:
        """Whether another session said a fact after this turn, which is only read later."""
        said = fact.updated_at
        if said is None or self.at is None or fact.session == self.scope.session:
            return False
        return timedelta() < said - self.at < _PLAUSIBLE

    def outdated(self, own: FactChange, later: Iterable[Fact]) -> Resolution:
        """What a draft becomes that was said before these facts, which hold instead: on record as replaced by the last
        of them, or one more observation of what is so already."""
        newest = max(later, key=lambda fact: (fact.updated_at or _NEVER, fact.id))
        fact = replace(own.after, status=Status.SUPERSEDED, superseded_by=newest.id, valid_to=newest.updated_at)
        fact = replace(fact, contradicts="")
        detail = f"{newest.id} was said after it"
        if own.before is None:
            return Resolution(Accepted(fact.id, "said_before", detail=detail), (replace(own, after=fact),))
        again = own.before.status is Status.SUPERSEDED
        change = replace(own, after=fact, action=Action.REINFORCE if again else Action.SUPERSEDE)
        return Resolution(Merged(fact.id, "said_before", "reinforced", detail), (change,))

    def contradict(self, old: Fact, by: Proposal) -> FactChange:
        """Another fact says the opposite: both stand, and this one names the other."""
        named = list(dict.fromkeys([*old.contradicts.split(), by.id]))[-MAX_NAMED:]
        fact = replace(old, contradicts=" ".join(named), updated_at=later(old.updated_at, self.at))
        return FactChange(old, fact, Action.CONTRADICT, by.cause, self.at)
