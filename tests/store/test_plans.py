"""Nothing that a turn, a recall or a listing asks of the store reads a whole table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfpm.model import Action, Category, Decision, Status, ToolCall
from cfpm.model.clock import to_text
from tests.store.making import NAMESPACE, alter, asked, at, candidate, fact, forget, learn, said, words

if TYPE_CHECKING:
    from cfpm.store.store import Store

OURS = re.compile(r"^SCAN (memory_\w+|seen_lines|fact_\w+|recall_events|gate_events|schema_\w+|f|b|c|t)\b")


def whole_table_reads(store: Store, statements: list[str]) -> list[tuple[str, str]]:
    bad = []
    for sql in dict.fromkeys(statements):
        if sql.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE", "DELETE", "INSERT")):
            plan = [row[3] for row in store._db.rows(f"EXPLAIN QUERY PLAN {sql}")]
            bad += [(step, sql) for step in plan if OURS.match(step)]
    return bad


def a_turn(store: Store) -> None:
    with store.writing():
        store.known_ids(NAMESPACE, "s", ["m1", "m2"])
        store.last_turn(NAMESPACE, "s")
        store.message(NAMESPACE, "m1", "s")
        store.messages(NAMESPACE, session="s", turn=0)
        store.calls(NAMESPACE, "s", ["c1"])
        store.known_lines(NAMESPACE, ["aa", "bb"])
        store.append_messages([said("hello", "m1"), asked("m2", ToolCall("c1", "bash"), position=1)])
        store.add_lines(NAMESPACE, {"aa": "system_prompt"})
        store.by_keys(NAMESPACE, [(Category.NOTE, "a"), (Category.GOAL, "b")])
        store.facts_by_id(NAMESPACE, ["fact_1", "fact_2"])
        store.similar(NAMESPACE, Category.NOTE, ["port", "8080"])
        store.on_topic(NAMESPACE, ["the port"])
        store.has_forgotten(NAMESPACE)
        store.expired(NAMESPACE, to_text(at(1)) or "", 100)
        store.active_learnt(NAMESPACE, Category.NOTE)
        store.active(NAMESPACE)
        store.least_useful(NAMESPACE, Category.NOTE, 5)
        note = fact("the port is 8080", topic="the port", stale_at=at(5))
        learn(store, note)
        forget(store, alter(store, note, Action.EDIT, content="the port was 8080"))
        store.add_candidates([candidate("a")])
        store.change(NAMESPACE, store.undo(NAMESPACE, 1, cause="rollback", at=None), block_keys=words)


def a_recall(store: Store) -> None:
    store.facts([NAMESPACE], status=Status.ACTIVE, limit=8)
    store.facts([NAMESPACE], category=Category.INSTRUCTION, status=Status.ACTIVE, limit=8)
    store.search_facts([NAMESPACE], "port", 8)
    store.search_messages([NAMESPACE], "port", 8)
    store.add_recall_event(NAMESPACE, "s", "port", "hash", [], None)
    store.add_gate_event(NAMESPACE, {"action": "pass"}, None)


def a_look_at_the_audit(store: Store) -> None:
    row = candidate("a")
    store.candidate(NAMESPACE, row.id)
    store.candidates(NAMESPACE, limit=5)
    store.candidates(NAMESPACE, decision=Decision.REJECTED, limit=5)
    store.candidates(NAMESPACE, reason="negated", limit=5)
    store.candidates(NAMESPACE, session="s", limit=5)
    store.candidate_stats(NAMESPACE)
    store.set_decision(NAMESPACE, row.id, Decision.ACCEPTED, reason="user", rule="accept", fact_id="")
    store.trim_rejected(NAMESPACE, 5)
    store.fact(NAMESPACE, "fact_1")
    store.events(NAMESPACE, fact_id="fact_1")
    store.events(NAMESPACE, after_seq=1)
    store.events(NAMESPACE, since="2026-03-01")
    store.as_of(NAMESPACE, 1)
    store.as_of(NAMESPACE, "2026-03-01")
    store.facts_by_status(NAMESPACE)
    store.recall_events(NAMESPACE, session="s")
    store.recall_events(NAMESPACE, block_hash="hash")
    store.gate_events(NAMESPACE, session="s")


def test_no_question_reads_a_whole_table(store: Store) -> None:
    statements: list[str] = []
    store._db._driver.set_trace_callback(statements.append)
    for use in (a_turn, a_recall, a_look_at_the_audit):
        use(store)
    store._db._driver.set_trace_callback(None)
    assert len(statements) > 60
    assert whole_table_reads(store, statements) == []


def test_the_test_would_notice(store: Store) -> None:
    assert whole_table_reads(store, ["SELECT * FROM memory_facts WHERE content = 'a'"]) != []


def test_listing_the_newest_pinned_facts_sorts_nothing(store: Store) -> None:
    statements: list[str] = []
    store._db._driver.set_trace_callback(statements.append)
    store.facts(NAMESPACE, status=Status.ACTIVE, pinned=True, limit=8)
    store.facts(NAMESPACE, category=Category.GOAL, status=Status.ACTIVE, limit=8)
    store.expired(NAMESPACE, to_text(at(1)) or "", 8)
    store.least_useful(NAMESPACE, Category.NOTE, 8)
    store._db._driver.set_trace_callback(None)
    steps = [row[3] for sql in statements for row in store._db.rows(f"EXPLAIN QUERY PLAN {sql}")]
    assert [step for step in steps if "TEMP B-TREE" in step] == []


def test_listing_the_newest_facts_of_all_categories_sorts_no_row_that_is_not_shown(store: Store) -> None:
    statements: list[str] = []
    store._db._driver.set_trace_callback(statements.append)
    store.facts(NAMESPACE, status=Status.ACTIVE, limit=8)
    store.candidates(NAMESPACE, decision=Decision.REJECTED, limit=8)
    store._db._driver.set_trace_callback(None)
    for sql in statements:
        steps = [row[3] for row in store._db.rows(f"EXPLAIN QUERY PLAN {sql}")]
        assert any("USING COVERING INDEX" in step for step in steps)
