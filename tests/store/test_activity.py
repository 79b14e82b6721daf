"""What was recalled and what the gate decided is kept, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.errors import UsageError
from tests.store.making import NAMESPACE, at

if TYPE_CHECKING:
    from cfpm.store.store import Store


def test_recall_is_kept_with_its_facts_in_order(store: Store) -> None:
    ident = store.add_recall_event(NAMESPACE, "s", "where is it?", "hash", ["fact_2", "fact_1"], at(1))
    (event,) = store.recall_events(NAMESPACE)
    assert (event.id, event.query, event.fact_ids, event.at) == (ident, "where is it?", ("fact_2", "fact_1"), at(1))


def test_recalls_newest_first_by_session_and_block(store: Store) -> None:
    for minute, (session, block) in enumerate([("s", "a"), ("t", "a"), ("s", "b")]):
        store.add_recall_event(NAMESPACE, session, "q", block, [], at(minute))
    assert [event.block_hash for event in store.recall_events(NAMESPACE, session="s")] == ["b", "a"]
    assert [event.session for event in store.recall_events(NAMESPACE, block_hash="a", limit=1)] == ["t"]
    assert store.recall_events("user:x") == []


def test_same_recall_at_the_same_moment_is_one_event(store: Store) -> None:
    for _ in range(2):
        store.add_recall_event(NAMESPACE, "s", "q", "hash", ["fact_1"], None)
    store.add_recall_event(NAMESPACE, "s", "q", "hash", ["fact_1"], at(1))
    assert len(store.recall_events(NAMESPACE)) == 2


def test_gate_decision_is_kept_whole(store: Store) -> None:
    change = {"target": "desktop", "path": "/home/ann/Desktop", "start": 3, "end": 12}
    event = {"session": "s", "tool": "bash", "dialect": "bash", "action": "rewrite", "reason": "known_path"}
    event |= {"command": "ls ~/Desktop", "rewritten": "ls /home/ann/Desktop"}
    store.add_gate_event(NAMESPACE, {**event, "changes": [change]}, at(1))
    (kept,) = store.gate_events(NAMESPACE, session="s")
    assert {key: kept[key] for key in event} == event
    assert (kept["changes"], kept["at"], kept["agent"]) == ([change], at(1), "")


def test_hosts_that_number_their_calls_from_one_do_not_lose_decisions(store: Store) -> None:
    for minute, command in enumerate(["ls", "pwd"]):
        store.add_gate_event(NAMESPACE, {"id": "1", "action": "pass", "command": command}, at(minute))
    assert [event["command"] for event in store.gate_events(NAMESPACE)] == ["pwd", "ls"]
    assert len(store.gate_events(NAMESPACE, limit=1)) == 1


def test_unknown_key_of_a_gate_decision_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="colour"):
        store.add_gate_event(NAMESPACE, {"colour": "red"}, None)
