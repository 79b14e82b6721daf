"""History, point-in-time reads and rollback: nothing is erased, and later turns do not shine through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.model import Action, Status
from cfpm.model.clock import to_text
from tests.store.making import NAMESPACE, alter, at, fact, forget, learn, words

if TYPE_CHECKING:
    from cfpm.model import Fact
    from cfpm.store.store import Store


def text(minutes: float) -> str:
    return to_text(at(minutes)) or ""


def contents(facts: list[Fact]) -> list[str]:
    return [one.content for one in facts]


@pytest.fixture
def story(store: Store) -> Fact:
    """A note learnt at minute 1, reinforced at 5, forgotten at 9; a second one learnt at minute 6."""
    note = fact("the port is 8080")
    learn(store, note, minutes=1)
    seen = alter(store, note, Action.REINFORCE, 5, evidence_count=2)
    learn(store, fact("the host is alpha"), minutes=6)
    forget(store, seen, 9)
    return note


def test_events_oldest_first_and_filtered(store: Store, story: Fact) -> None:
    assert [event.seq for event in store.events(NAMESPACE)] == [1, 2, 3, 4]
    assert [event.seq for event in store.events(NAMESPACE, fact_id=story.id)] == [1, 2, 4]
    assert [event.seq for event in store.events(NAMESPACE, after_seq=2)] == [3, 4]
    assert [event.seq for event in store.events(NAMESPACE, since="2026-03-01T09:06:00Z")] == [3, 4]
    assert [event.seq for event in store.events(NAMESPACE, after_seq=1, limit=1)] == [2]
    assert store.events("user:x") == []
    assert store.last_event(NAMESPACE) == 4


def test_as_of_a_moment_shows_what_was_believed_then(store: Store, story: Fact) -> None:
    assert store.as_of(NAMESPACE, text(0)) == []
    assert store.as_of(NAMESPACE, text(1)) == [story]
    assert [f.evidence_count for f in store.as_of(NAMESPACE, text(5.5))] == [2]
    assert [f.status for f in store.as_of(NAMESPACE, text(8))] == [Status.ACTIVE, Status.ACTIVE]
    assert store.as_of(NAMESPACE, text(99))[0].status is Status.FORGOTTEN


def test_as_of_reads_any_iso_moment(store: Store, story: Fact) -> None:
    assert store.as_of(NAMESPACE, "2026-03-01T10:01:00+01:00") == [story]
    assert store.as_of(NAMESPACE, "2026-03-01 09:01") == [story]


def test_as_of_an_event_number(store: Store, story: Fact) -> None:
    assert store.as_of(NAMESPACE, 0) == []
    assert store.as_of(NAMESPACE, 1) == [story]
    assert contents(store.as_of(NAMESPACE, 3)) == ["the port is 8080", "the host is alpha"]


def test_older_session_observed_later_does_not_shine_through(store: Store) -> None:
    note = fact("a note")
    learn(store, note, minutes=10)
    alter(store, note, Action.REINFORCE, 5, evidence_count=2)
    assert store.as_of(NAMESPACE, text(7)) == [], "it was created at minute 10"


def test_events_without_a_time_stay_with_the_event_before_them(store: Store) -> None:
    note = fact("a note")
    learn(store, note, minutes=1)
    seen = alter(store, note, Action.REINFORCE, None, evidence_count=2)
    alter(store, seen, Action.REINFORCE, 5, evidence_count=3)
    assert [f.evidence_count for f in store.as_of(NAMESPACE, text(2))] == [2]


def test_rollback_brings_back_the_forgotten_and_withdraws_the_later(store: Store, story: Fact) -> None:
    changes = store.undo(NAMESPACE, text(3), cause="rollback", at=at(20))
    store.change(NAMESPACE, changes, block_keys=words)
    assert [(f.content, f.status) for f in store.facts(NAMESPACE)] == [
        ("the host is alpha", Status.STALE),
        ("the port is 8080", Status.ACTIVE),
    ]
    assert store.fact(NAMESPACE, story.id) == story
    assert [event.action for event in store.events(NAMESPACE)[4:]] == [Action.ROLLBACK, Action.ROLLBACK]
    assert store.events(NAMESPACE)[-1].cause == "rollback"
    assert contents(store.as_of(NAMESPACE, text(8))) == ["the port is 8080", "the host is alpha"]


def test_rollback_to_where_we_are_changes_nothing(store: Store, story: Fact) -> None:
    assert story
    assert store.undo(NAMESPACE, 4, cause="rollback", at=None) == []
    assert store.undo(NAMESPACE, text(9), cause="rollback", at=None) == []


def test_rollback_leaves_other_namespaces_alone(store: Store, story: Fact) -> None:
    learn(store, fact("theirs", namespace="user:x"), minutes=50)
    changes = store.undo(NAMESPACE, 0, cause="rollback", at=None)
    assert {change.after.namespace for change in changes} == {story.namespace}


def test_what_was_rolled_back_can_be_found_and_learnt_again(store: Store) -> None:
    note = fact("the port is 8080")
    learn(store, note)
    store.change(NAMESPACE, store.undo(NAMESPACE, 0, cause="rollback", at=None), block_keys=words)
    (stale,) = store.similar(NAMESPACE, note.category, ["port"])
    assert stale.status is Status.STALE
    alter(store, stale, Action.REVIVE, status=Status.ACTIVE)
    assert store.active(NAMESPACE) == 1
