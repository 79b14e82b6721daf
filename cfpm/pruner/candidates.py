"""Which facts a draft is compared with: the keys under which the store finds them, and what the turn itself changed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, Protocol

from cfpm.model import OF_A_TASK, PATH_CATEGORIES, Category, Draft, Fact, FactChange, Role, Scope, Status
from cfpm.model.ids import fact_id
from cfpm.pruner.key_index import KeyIndex
from cfpm.pruner.relation.update import values_known
from cfpm.text import is_question
from cfpm.text.canonical import canonical_key, same_speaker
from cfpm.text.changes import opening_key
from cfpm.text.deeds.denials import DENIES, deed_keys, denial, denial_keys
from cfpm.text.grammar.reading import MAX_CHARS, read
from cfpm.text.quantities.mentions import Mention

BLOCK_KEYS = 4
"""Measured on SICK and STS-B: each of the 808 merged pairs of two texts shares one of its four longest words."""

VALUE_WORDS = 6
"""Words of a value under which it is found: its noun first, then names, then the longest."""

VALUE_KEYS = 12
"""Keys of all values of one text together."""

PER_KEY, MOST = 32, 8
"""Facts of a key that are looked at, and of all keys that are read, of a kind."""

MOST_OF_TURN = 16
"""Facts that the same turn made or changed of which a draft is compared with, those with most in common first. Turns
of ordinary length have fewer under any key."""

KINDS = (Category.NOTE, Category.EVENT, Category.GOAL, Category.PROFILE, Category.DECISION)
"""Kinds in which a value may stand."""

DENIABLE = (*KINDS, Category.PREFERENCE)
"""Kinds in which something is told that was done or was not: "I prefer tea, I've never had coffee"."""

STATED = frozenset({*DENIABLE, Category.INSTRUCTION})
"""Kinds of what a user says to be so, or to be done."""

NEAREST, LEAST_NEAR = 24, 0.2
"""Facts whose meaning may be compared with a draft's, and their least cosine. Of 810 changes that authors labelled in
ten chat logs the old statement is among the nearest 24 of some 75 in 100, among the nearest ten of 60."""

STANDING = frozenset({Status.ACTIVE, Status.STALE})
"""Statuses of facts that a draft can take the place of."""

_AMOUNT = "am"
"""Money and counts are found together: "$80,000" and "95k"."""

_IN_WORDS = frozenset(Category) - PATH_CATEGORIES
"""All kinds but paths: the same words may be any of them."""


def fact_keys(fact: Fact) -> Sequence[str]:
    """The keys under which the store finds a fact when something like it is drafted.

    What was superseded is neither the same as a draft nor has a value to lose, but it can still be denied.
    """
    if fact.status is Status.SUPERSEDED:
        return _deniable_keys(fact.content, fact.category)
    return index_keys(fact.content, fact.category, fact.topic)


@lru_cache(maxsize=1_024)
def index_keys(content: str, category: Category, topic: str = "") -> tuple[str, ...]:
    """All keys under which a fact is stored that nothing took the place of."""
    if category in PATH_CATEGORIES:
        return block_keys(content, category)
    found = dict.fromkeys(block_keys(content, category))
    if category in KINDS:
        found.update(dict.fromkeys(value_keys(values_known(content, topic))))
    found.update(dict.fromkeys(_deniable_keys(content, category)))
    if category in KINDS and (opening := opening_key(content)):
        found[opening] = None
    return tuple(found)


@lru_cache(maxsize=1_024)
def block_keys(content: str, category: Category) -> tuple[str, ...]:
    """At most four keys; two facts that say the same share at least one. Path categories: the file name."""
    if category in PATH_CATEGORIES:
        name = content.strip().strip("`\"'").replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
        return (name,) if name else ()
    reading = read(content[:MAX_CHARS])
    if reading.chinese:
        plain = "".join(word for word in reading.words if word not in reading.numbers)
        words = {plain[at : at + 2] for at in range(max(1, len(plain) - 1))} - {""}
    else:
        words = {word for word in reading.words if word not in reading.numbers} or set(reading.words)
    return tuple(sorted(words, key=lambda word: (-len(word), word))[:BLOCK_KEYS])


def value_keys(told: Iterable[Mention]) -> tuple[str, ...]:
    """The kind of each value with each of the longest words beside it."""
    found: dict[str, None] = {}
    for mention in told:
        kind = _AMOUNT if mention.figure.kind in ("money", "count") else mention.figure.kind[:2]
        known, names = mention.slots, mention.names
        words = sorted(mention.near | names, key=lambda w: (w not in known, w not in names, -len(w), w))
        for word in words[:VALUE_WORDS]:
            found[f"{kind}:{word}"] = None
    return tuple(found)[:VALUE_KEYS]


def _deniable_keys(content: str, category: Category) -> tuple[str, ...]:
    return (*denial_keys(denial(content)), *deed_keys(content)) if category in DENIABLE else ()


class FactView(Protocol):
    """What the pruner asks of the store."""

    def by_id(self, namespace: str, ids: Sequence[str]) -> dict[str, Fact]: ...

    def similar(
        self, namespace: str, category: Category, keys: Sequence[str], limit_per_key: int = 32, limit: int = 8
    ) -> list[Fact]: ...

    def latest_on_topic(self, namespace: str, topic: str, limit: int) -> list[Fact]: ...

    def has_forgotten(self, namespace: str) -> bool: ...


class Near(NamedTuple):
    """A fact that is near to a draft: the cosine of both by their words, that of the sentences in which they were said
    by their stored vectors, 0 where they have none, and a number that grows with the time of the fact."""

    fact: Fact
    cosine: float
    meant: float
    said: int


class NearView(Protocol):
    """What is near to a draft by its meaning."""

    def of(self, scope: Scope, drafts: Sequence[Draft], many: int, least: float) -> list[list[Near]]: ...


@dataclass(slots=True)
class Ledger:
    """The facts that the drafts of one turn touch: those of the store, as changed by the turn so far.

    Give all drafts to `expect` first: that reads the store once. Give all changes to `record`.
    """

    view: FactView
    scope: Scope
    neighbours: NearView | None = None
    near: dict[str, list[Near]] = field(default_factory=dict)
    """What the store holds near to the drafts of the turn, by their words."""
    changed: dict[str, Fact] = field(default_factory=dict)
    known: dict[str, Fact] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    forgets: bool = True
    """Whether the store may hold a fact that was forgotten; no turn forgets one."""
    denials: bool | None = None
    """Whether the store or the turn holds a denial; None until that is asked."""
    compared: int = 0
    """Facts that were handed out to be compared with a draft: the work of the turn, the same on every machine."""
    read: int = 0
    """Pairs of statements whose relation was asked for, which takes longer than to compare words."""
    rules_read: int = 0
    """Pairs that were asked for besides, because the older statement is a standing rule."""
    blocks: KeyIndex = field(default_factory=lambda: KeyIndex(_kind_and_blocks))
    said: KeyIndex = field(default_factory=lambda: KeyIndex(fact_keys))
    topics: KeyIndex = field(default_factory=lambda: KeyIndex(_topics))
    unread: list[str] = field(default_factory=list)
    """What changed facts say that nobody has looked through for a denial."""

    @property
    def namespace(self) -> str:
        """Where the facts are."""
        return self.scope.namespace

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Reads the facts that these drafts may already be, in one look-up for the whole turn."""
        if not drafts:
            return
        self.forgets = self.view.has_forgotten(self.namespace)
        ids = sorted({name for draft in drafts for name in self.ids(draft)})
        self.known.update(self.view.by_id(self.namespace, ids))
        self.asked.update(ids)
        if self.neighbours is not None:
            told: dict[str, Draft] = {}
            for draft in filter(may_end_a_rule, drafts):
                told.setdefault(draft.content, draft)
            found = self.neighbours.of(self.scope, list(told.values()), NEAREST, LEAST_NEAR) if told else []
            self.near = dict(zip(told, found, strict=True))

    def record(self, changes: Iterable[FactChange]) -> None:
        """Facts as later drafts of the turn are to see them."""
        for change in changes:
            fact = change.after
            self.changed[fact.id] = fact
            for index in (self.blocks, self.said, self.topics):
                index.put(fact)
            self.unread.append(fact.content)

    def ids(self, draft: Draft) -> list[str]:
        """The ids that the same words may have: as another kind only where they may have been forgotten as one."""
        if not self.forgets and draft.category not in PATH_CATEGORIES:
            key = canonical_key(draft.category, draft.content, draft.speaker)
            return [fact_id(self.namespace, draft.category, key)]
        # What was forgotten with nobody's name is forgotten whoever says it.
        keys = dict.fromkeys(canonical_key(draft.category, draft.content, name) for name in (draft.speaker, ""))
        kin = PATH_CATEGORIES if draft.category in PATH_CATEGORIES else _IN_WORDS
        return [fact_id(self.namespace, category, key) for key in keys for category in sorted(kin)]

    def fact(self, name: str) -> Fact | None:
        """The fact with this id."""
        found = self.changed.get(name) or self.known.get(name)
        if found is None and name not in self.asked:
            self.asked.add(name)
            self.known.update(self.view.by_id(self.namespace, [name]))
            found = self.known.get(name)
        return found

    def similar(self, draft: Draft) -> list[Fact]:
        """Facts of the draft's kind that may say the same, tombstones among them."""
        keys = block_keys(draft.content, draft.category)
        stored = self.view.similar(self.namespace, draft.category, keys)
        of_turn = self.blocks.find([(draft.category, key) for key in keys], PER_KEY, MOST_OF_TURN)
        found = self._as_changed(stored, of_turn)
        return [fact for fact in found if fact.status is not Status.SUPERSEDED and _may_be_same(fact, draft)]

    def on_topic(self, topic: str) -> list[Fact]:
        """Active facts with this slot, at most some tens of those learnt last."""
        stored = self.view.latest_on_topic(self.namespace, topic, PER_KEY)
        found = self._as_changed(stored, self.topics.find([topic], PER_KEY, MOST_OF_TURN))
        return [fact for fact in found if fact.status is Status.ACTIVE and fact.topic == topic]

    def said_before(
        self, keys: Sequence[str], draft: Draft, name: str, many: int = 1, statuses: Container[Status] = STANDING
    ) -> list[Fact]:
        """Facts that the same user said in earlier messages, found by any of the keys, those with most in common first.

        `name` is the draft's own id; `many` times as many as usual are looked at.
        """
        per_key, most, message_id = PER_KEY * many, MOST * many, draft.span.message_id
        kinds = KINDS if many == 1 else DENIABLE
        stored = [f for kind in kinds for f in self.view.similar(self.namespace, kind, keys, per_key, most)]
        of_turn = self.said.find(keys, per_key, MOST_OF_TURN * many, apart_from=message_id)
        return [
            fact
            for fact in self._as_changed(stored, of_turn)
            if fact.id != name
            and fact.status in statuses
            and fact.role is Role.USER
            and same_speaker(fact.speaker, draft.speaker)
            and not fact.pinned
            and fact.message_id != message_id
        ]

    def told_near(self, draft: Draft, *, passing: bool = False) -> list[Near]:
        """What the same user stated in earlier messages of nearly the same subject, the nearest first; with `passing`
        also what was to be done until a task is. Not what says just the same."""
        found = (one._replace(fact=self.changed.get(one.fact.id, one.fact)) for one in self.near.get(draft.content, []))
        return [
            one
            for one in found
            if one.fact.content != draft.content
            and one.fact.status is Status.ACTIVE
            and _is_stated(one.fact, passing=passing)
            and same_speaker(one.fact.speaker, draft.speaker)
            and one.fact.message_id != draft.span.message_id
        ]

    def just_said(self, draft: Draft) -> Fact | None:
        """What the same message stated last before the draft."""
        place = draft.span.message_id
        earlier = [
            fact
            for fact in self.changed.values()
            if fact.message_id == place
            and fact.span_end <= draft.span.start
            and fact.status is Status.ACTIVE
            and _is_stated(fact)
        ]
        return max(earlier, key=lambda fact: (fact.span_end, fact.id), default=None)

    def has_denials(self) -> bool:
        """Asked of the store once a turn: most conversations deny nothing."""
        if self.denials is None:
            self.denials = any(self.view.similar(self.namespace, kind, [DENIES], 1) for kind in DENIABLE)
        if not self.denials:
            self.denials = any(denial(content) is not None for content in self.unread)
        self.unread.clear()
        return self.denials

    def _as_changed(self, stored: Iterable[Fact], of_turn: Iterable[str]) -> list[Fact]:
        """Facts of the store as the turn left them, then those of the turn itself."""
        found = {fact.id: self.changed.get(fact.id, fact) for fact in stored}
        found.update({name: self.changed[name] for name in of_turn})
        self.compared += len(found)
        return list(found.values())


def states(draft: Draft, *, passing: bool = False) -> bool:
    """Whether a user says in it how something is, or how it is to be done from now on; with `passing` also until a
    task is done."""
    return draft.role is Role.USER and _is_stated(draft, passing=passing)


def may_end_a_rule(draft: Draft) -> bool:
    """Whether a user says in it how something is or is to be done, be it only asked for: "drop the type hints"."""
    return states(draft) or (draft.role is Role.USER and draft.category is Category.GOAL)


def _is_stated(one: Draft | Fact, *, passing: bool = False) -> bool:
    """Whether it tells how something is or is to be done; with `passing`, be it only until a task is done. What is
    asked tells nothing."""
    ends = one.category is Category.GOAL and one.confidence <= OF_A_TASK
    return one.category in STATED and (passing or not ends) and not is_question(one.content.lower())


def _kind_and_blocks(fact: Fact) -> list[tuple[Category, str]]:
    return [(fact.category, key) for key in block_keys(fact.content, fact.category)]


def _topics(fact: Fact) -> tuple[str, ...]:
    return (fact.topic,) if fact.topic else ()


def _may_be_same(fact: Fact, draft: Draft) -> bool:
    """False for the same words of another person; what was forgotten with nobody's name is so whoever says it."""
    return same_speaker(fact.speaker, draft.speaker) or (fact.status is Status.FORGOTTEN and not fact.speaker)
