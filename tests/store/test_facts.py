"""Which facts a turn and a user find, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model import Action, Category, Source, Status
from cfpm.model.clock import to_text
from tests.store.making import NAMESPACE, alter, at, fact, forget, learn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.model import Fact
    from cfpm.store.store import Store


def contents(facts: Iterable[Fact]) -> list[str]:
    return [one.content for one in facts]


def test_fact_is_found_only_in_its_namespace(store: Store) -> None:
    mine, theirs = fact("a note"), fact("a note", namespace="user:x")
    learn(store, mine, theirs)
    assert store.fact(NAMESPACE, mine.id) == mine
    assert store.fact("user:x", mine.id) is None
    assert store.facts_by_id(NAMESPACE, [mine.id, theirs.id, "fact_0"]) == {mine.id: mine}
    assert set(store.facts_by_id([NAMESPACE, "user:x"], [mine.id, theirs.id])) == {mine.id, theirs.id}


def test_pinned_first_then_newest_change_then_last_learnt(store: Store) -> None:
    learn(
        store,
        fact("old", updated_at=at(1)),
        fact("undated", updated_at=None),
        fact("new", updated_at=at(9)),
        fact("twin", updated_at=at(9)),
        fact("pinned", updated_at=at(0), pinned=True),
    )
    assert contents(store.facts(NAMESPACE)) == ["pinned", "twin", "new", "old", "undated"]
    assert contents(store.facts(NAMESPACE, limit=2)) == ["pinned", "twin"]
    assert contents(store.facts(NAMESPACE, pinned=True, limit=2)) == ["pinned"]
    assert contents(store.facts(NAMESPACE, limit=0)) == []


def test_facts_of_several_namespaces_stand_in_one_order(store: Store) -> None:
    learn(store, fact("mine", updated_at=at(2)), fact("theirs", namespace="user:x", updated_at=at(3)))
    assert contents(store.facts([NAMESPACE, "user:x"])) == ["theirs", "mine"]
    assert store.facts([]) == []


def test_facts_by_category_and_status(store: Store) -> None:
    learn(store, fact("a goal", Category.GOAL), fact("a note"), fact("an old note", status=Status.STALE))
    assert contents(store.facts(NAMESPACE, category=Category.GOAL)) == ["a goal"]
    assert contents(store.facts(NAMESPACE, status=Status.STALE)) == ["an old note"]
    assert contents(store.facts(NAMESPACE, category=Category.NOTE, status=Status.ACTIVE)) == ["a note"]


def test_by_keys_finds_forgotten_facts_too(store: Store) -> None:
    note = fact("The build is slow.")
    goal = fact("ship it", Category.GOAL)
    learn(store, note, goal)
    gone = forget(store, note)
    pairs = [(Category.NOTE, note.key), (Category.GOAL, goal.key), (Category.GOAL, note.key)]
    assert store.by_keys(NAMESPACE, pairs) == [goal, gone]


def test_similar_puts_those_that_share_most_first(store: Store) -> None:
    learn(store, fact("the port is 8080"), fact("the harbour is old"), fact("the port is closed"), fact("unrelated"))
    found = store.similar(NAMESPACE, Category.NOTE, ["the", "port", "8080"])
    assert contents(found) == ["the port is 8080", "the port is closed", "the harbour is old"]


def test_similar_stays_in_category_and_namespace(store: Store) -> None:
    learn(store, fact("port", Category.GOAL), fact("port", namespace="user:x"))
    assert store.similar(NAMESPACE, Category.NOTE, ["port"]) == []
    assert store.similar(NAMESPACE, Category.NOTE, []) == []


def test_similar_has_limits_for_a_key_and_for_all(store: Store) -> None:
    learn(store, *(fact(f"port {n}") for n in range(10)))
    newest = store.similar(NAMESPACE, Category.NOTE, ["port"], limit_per_key=3)
    assert contents(newest) == ["port 9", "port 8", "port 7"]
    assert contents(store.similar(NAMESPACE, Category.NOTE, ["port", "2"], limit=2)) == ["port 2", "port 9"]


def test_similar_knows_stale_facts_and_tombstones_but_nothing_superseded(store: Store) -> None:
    stale, gone, old, back = fact("port a"), fact("port b"), fact("port c"), fact("port d")
    learn(store, stale, gone, old, back)
    alter(store, stale, Action.STALE, status=Status.STALE)
    forget(store, gone)
    alter(store, old, Action.SUPERSEDE, status=Status.SUPERSEDED)
    alter(store, alter(store, back, Action.SUPERSEDE, status=Status.SUPERSEDED), Action.REVIVE, status=Status.ACTIVE)
    assert contents(store.similar(NAMESPACE, Category.NOTE, ["port"])) == ["port d", "port b", "port a"]


def test_similar_follows_the_keys_of_a_status(store: Store) -> None:
    note = fact("port #a")
    learn(store, note)
    old = alter(store, note, Action.SUPERSEDE, status=Status.SUPERSEDED)
    assert store.similar(NAMESPACE, Category.NOTE, ["port"]) == []
    assert store.similar(NAMESPACE, Category.NOTE, ["#a"]) == [old]
    alter(store, old, Action.REVIVE, status=Status.ACTIVE)
    assert contents(store.similar(NAMESPACE, Category.NOTE, ["port"])) == ["port #a"]


def test_similar_follows_a_rewording(store: Store) -> None:
    note = fact("the port is 8080")
    learn(store, note)
    alter(store, note, Action.EDIT, content="the door is 8080", key="the door is 8080")
    assert store.similar(NAMESPACE, Category.NOTE, ["port"]) == []
    assert contents(store.similar(NAMESPACE, Category.NOTE, ["door"])) == ["the door is 8080"]


def test_on_topic_finds_active_facts_the_last_learnt_first(store: Store) -> None:
    learn(
        store,
        fact("the port is 80", topic="the port", value="80"),
        fact("the port is 81", topic="the port", value="81"),
        fact("the host is a", topic="the host", value="a"),
        fact("the port was 1", topic="the port", status=Status.SUPERSEDED),
        fact("no topic"),
    )
    assert contents(store.on_topic(NAMESPACE, ["the port"])) == ["the port is 81", "the port is 80"]
    assert len(store.on_topic(NAMESPACE, ["the port", "the host"])) == 3
    assert store.on_topic(NAMESPACE, [""]) == []


def test_expired_are_active_unpinned_and_due_the_longest_first(store: Store) -> None:
    learn(
        store,
        fact("due", stale_at=at(5)),
        fact("long due", stale_at=at(1)),
        fact("not yet", stale_at=at(6)),
        fact("never"),
        fact("pinned", stale_at=at(1), pinned=True),
        fact("stale already", stale_at=at(1), status=Status.STALE),
    )
    now = to_text(at(5)) or ""
    assert contents(store.expired(NAMESPACE, now, 10)) == ["long due", "due"]
    assert contents(store.expired(NAMESPACE, now, 1)) == ["long due"]


def test_least_useful_are_the_doubtful_then_the_rarely_seen_then_the_old(store: Store) -> None:
    learn(
        store,
        fact("sure", confidence=0.9),
        fact("seen twice", confidence=0.5, evidence_count=2),
        fact("newer", confidence=0.5, updated_at=at(2)),
        fact("older", confidence=0.5, updated_at=at(1)),
        fact("mine", confidence=0.1, source=Source.USER),
        fact("pinned", confidence=0.1, pinned=True),
        fact("from a model", confidence=0.6, source=Source.MODEL),
    )
    found = store.least_useful(NAMESPACE, Category.NOTE, 9)
    assert contents(found) == ["older", "newer", "seen twice", "from a model", "sure"]
    assert contents(store.least_useful(NAMESPACE, Category.NOTE, 1)) == ["older"]
    assert store.active_learnt(NAMESPACE, Category.NOTE) == 5
    assert store.active(NAMESPACE) == 7


def test_namespaces_are_those_with_anything_in_them(store: Store) -> None:
    learn(store, fact("b", namespace="user:b"), fact("a", namespace="user:a"))
    assert store.namespaces() == ["user:a", "user:b"]
