"""A fact, its event, its count, its blocks and its full text change together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from cfpm.model import Action, Category, Source, Status
from cfpm.store.doctor import diagnose
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, alter, at, change, exported, fact, forget, learn, search_facts, words

if TYPE_CHECKING:
    from cfpm.model import Fact, FactChange


def test_creation_is_an_event_with_what_the_fact_is(store: Store) -> None:
    learn(store, fact("the port is 8080", topic="the port"), minutes=3)
    (event,) = store.events.find(NAMESPACE)
    assert (event.seq, event.action, event.cause, event.at) == (1, Action.CREATE, "cand_test", at(3))
    assert event.before == {}
    assert event.after["content"] == "the port is 8080"
    assert event.after["topic"] == "the port"
    assert "status" not in event.after, "what has its usual value is not repeated"


def test_change_is_an_event_with_only_what_changed(store: Store) -> None:
    note = fact("a note")
    learn(store, note)
    alter(store, note, Action.REINFORCE, confidence=0.8, evidence_count=2, updated_at=at(4))
    event = store.events.find(NAMESPACE)[-1]
    assert event.before == {"confidence": 0.7, "evidence_count": 1, "updated_at": "2026-03-01T09:00:00.000000Z"}
    assert event.after == {"confidence": 0.8, "evidence_count": 2, "updated_at": "2026-03-01T09:04:00.000000Z"}


def test_a_fact_may_change_several_times_in_one_turn(store: Store) -> None:
    first = fact("a note")
    second = replace(first, evidence_count=2)
    third = replace(second, status=Status.STALE, pinned=True)
    changes = [change(None, first), change(first, second, Action.REINFORCE), change(second, third, Action.STALE)]
    store.fact_writer.apply(NAMESPACE, changes, block_keys=words)
    assert store.facts.get(NAMESPACE, first.id) == third
    assert [event.action for event in store.events.find(NAMESPACE)] == [Action.CREATE, Action.REINFORCE, Action.STALE]
    assert store.events.find(NAMESPACE)[-1].before == {"status": "active", "pinned": False}


def test_creating_what_exists_updates_it_and_tells_what_it_was(store: Store) -> None:
    note = fact("a note")
    learn(store, note)
    forget(store, note)
    learn(store, replace(note, confidence=0.9))
    assert store.facts.get(NAMESPACE, note.id) == replace(note, confidence=0.9)
    assert store.events.find(NAMESPACE)[-1].before == {"status": "forgotten", "confidence": 0.7}
    assert store.facts.active(NAMESPACE) == 1
    assert all(check.ok for check in diagnose(store))


def test_facts_keep_their_place_when_they_change(store: Store) -> None:
    first, second = fact("first", updated_at=None), fact("second", updated_at=None)
    learn(store, first, second)
    alter(store, first, Action.REINFORCE, evidence_count=5)
    assert [f.content for f in store.facts.find(NAMESPACE)] == ["second", "first"]


def test_events_are_numbered_in_each_namespace(store: Store) -> None:
    learn(store, fact("a"), fact("b", namespace="user:x"), fact("c"))
    assert [event.seq for event in store.events.find(NAMESPACE)] == [1, 2]
    assert [event.seq for event in store.events.find("user:x")] == [1]


def test_fact_of_another_namespace_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="another namespace"):
        store.fact_writer.apply(NAMESPACE, [change(None, fact("a", namespace="user:x"))], block_keys=words)


def test_capacity_counts_what_is_active_learnt_and_not_pinned(store: Store) -> None:
    note = fact("a note")
    learn(store, note, fact("mine", source=Source.USER), fact("another"), fact("a goal", Category.GOAL))
    assert store.facts.active_learnt(NAMESPACE, Category.NOTE) == 2
    pinned = alter(store, note, Action.PIN, pinned=True)
    assert store.facts.active_learnt(NAMESPACE, Category.NOTE) == 1
    assert store.facts.active(NAMESPACE) == 4
    forget(store, alter(store, pinned, Action.UNPIN, pinned=False))
    assert store.facts.active_learnt(NAMESPACE, Category.NOTE) == 1
    assert store.facts.active(NAMESPACE) == 3


def test_reworded_fact_is_found_by_its_new_words_only(store: Store) -> None:
    note = fact("the port is 8080")
    learn(store, note)
    alter(store, note, Action.EDIT, content="The harbour is 8080")
    assert search_facts(store, [NAMESPACE], "port", 5) == []
    assert [ident for ident, _ in search_facts(store, [NAMESPACE], "harbour", 5)] == [note.id]


NOTES = [fact(f"note {n}") for n in range(4)]
STATES = st.builds(
    lambda note, status, pinned, source, confidence: replace(
        note, status=status, pinned=pinned, source=source, confidence=confidence
    ),
    st.sampled_from(NOTES),
    st.sampled_from(Status),
    st.booleans(),
    st.sampled_from(Source),
    st.sampled_from([0.2, 0.7, 1.0]),
)


def in_turn(states: list[Fact]) -> list[FactChange]:
    known: dict[str, Fact] = {}
    changes = []
    for state in states:
        changes.append(change(known.get(state.id), state, Action.EDIT if state.id in known else Action.CREATE))
        known[state.id] = state
    return changes


@pytest.mark.slow
@hypothesis_settings(max_examples=60, deadline=None)
@given(st.lists(STATES, max_size=12))
def test_counts_and_indices_are_right_after_any_changes(states: list[Fact]) -> None:
    with Store.open("sqlite://") as store:
        store.fact_writer.apply(NAMESPACE, in_turn(states), block_keys=words)
        facts = store.facts.find(NAMESPACE)
        assert store.facts.active(NAMESPACE) == sum(f.status is Status.ACTIVE for f in facts)
        compared = {f.id for f in facts if f.status is not Status.SUPERSEDED}
        assert {f.id for f in store.facts.similar(NAMESPACE, Category.NOTE, ["note"])} == compared
        assert [check for check in diagnose(store) if not check.ok] == []


@pytest.mark.slow
@hypothesis_settings(max_examples=60, deadline=None)
@given(st.lists(STATES, max_size=12), st.data())
def test_every_earlier_moment_can_be_read_and_gone_back_to(states: list[Fact], data: st.DataObject) -> None:
    with Store.open("sqlite://") as store:
        moments: list[dict[str, Fact]] = [{}]
        for one in in_turn(states):
            store.fact_writer.apply(NAMESPACE, [one], block_keys=words)
            moments.append({**moments[-1], one.after.id: one.after})
        number = data.draw(st.integers(0, len(states)))
        then = moments[number]
        assert {f.id: f for f in store.events.as_of(NAMESPACE, number)} == then
        store.fact_writer.apply(
            NAMESPACE, store.events.undo(NAMESPACE, number, cause="rollback", at=None), block_keys=words
        )
        now = {f.id: f for f in store.facts.find(NAMESPACE)}
        assert {ident: now[ident] for ident in then} == then
        assert {f.status for ident, f in now.items() if ident not in then} <= {Status.STALE}
        assert store.events.undo(NAMESPACE, number, cause="again", at=None) == []
        assert {f.id: f for f in store.events.as_of(NAMESPACE, len(states))} == moments[-1], "going back can be undone"
        assert exported(store).count('"type":"event"') >= len(states), "history is never erased"
