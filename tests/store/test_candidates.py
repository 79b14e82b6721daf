"""The audit trail keeps every verdict, and only a user changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.errors import NotFoundError
from cfpm.model import Category, Decision
from tests.store.making import NAMESPACE, candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.model import Candidate
    from cfpm.store.store import Store


def contents(candidates: Iterable[Candidate]) -> list[str]:
    return [one.content for one in candidates]


def test_candidate_comes_back_as_it_was(store: Store) -> None:
    row = candidate('it\'s "not" done', marks=("negated", "quoted"), detail="line 1\nline 2", reviewed=True)
    assert store.add_candidates([row]) == 1
    assert store.candidate(NAMESPACE, row.id) == row
    assert store.candidate("user:x", row.id) is None


def test_candidate_is_added_once(store: Store) -> None:
    row = candidate("a")
    assert store.add_candidates([row, candidate("b")]) == 2
    assert store.add_candidates([row, candidate("c")]) == 1
    assert contents(store.candidates(NAMESPACE)) == ["c", "b", "a"]
    assert sum(store.candidate_stats(NAMESPACE).values()) == 3


def test_newest_first_and_filtered_by_all_that_is_asked(store: Store) -> None:
    store.add_candidates(
        [
            candidate("a", Decision.ACCEPTED, "accepted"),
            candidate("b", session="t"),
            candidate("c", reason="question"),
            candidate("d"),
            candidate("e", namespace="user:x"),
        ]
    )
    assert contents(store.candidates(NAMESPACE)) == ["d", "c", "b", "a"]
    assert contents(store.candidates(NAMESPACE, limit=2)) == ["d", "c"]
    assert contents(store.candidates(NAMESPACE, decision=Decision.REJECTED)) == ["d", "c", "b"]
    assert contents(store.candidates(NAMESPACE, reason="negated")) == ["d", "b"]
    assert contents(store.candidates(NAMESPACE, session="s", decision=Decision.REJECTED, reason="negated")) == ["d"]
    assert contents(store.candidates(NAMESPACE, reason="nonsense")) == []


def test_reversal_by_a_user_stays(store: Store) -> None:
    row = candidate("a")
    store.add_candidates([row])
    changed = store.set_decision(
        NAMESPACE, row.id, Decision.ACCEPTED, reason="user", rule="accept", fact_id="fact_1", detail="by hand"
    )
    assert (changed.decision, changed.fact_id, changed.reviewed) == (Decision.ACCEPTED, "fact_1", True)
    store.add_candidates([row])
    assert store.candidate(NAMESPACE, row.id) == changed


def test_reversal_of_an_unknown_candidate_says_so(store: Store) -> None:
    row = candidate("a", namespace="user:x")
    store.add_candidates([row])
    with pytest.raises(NotFoundError, match=row.id):
        store.set_decision(NAMESPACE, row.id, Decision.ACCEPTED, reason="user", rule="accept", fact_id="")
    assert store.candidate("user:x", row.id) == row


def test_stats_add_up_to_all_candidates(store: Store) -> None:
    rows = [candidate("a"), candidate("b"), candidate("c", Decision.ACCEPTED, "accepted", category=Category.GOAL)]
    store.add_candidates(rows)
    assert store.candidate_stats(NAMESPACE) == {
        (Decision.REJECTED, "negated", Category.NOTE): 2,
        (Decision.ACCEPTED, "accepted", Category.GOAL): 1,
    }
    assert store.candidate_stats("user:x") == {}


def test_trimming_removes_the_oldest_rejected_and_nothing_else(store: Store) -> None:
    rows = [candidate("first"), candidate("kept", Decision.ACCEPTED, "accepted"), candidate("reviewed", reviewed=True)]
    rows += [candidate(f"r{n}") for n in range(3)]
    store.add_candidates([*rows, candidate("theirs", namespace="user:x")])
    assert store.trim_rejected(NAMESPACE, 2) == 2
    assert contents(store.candidates(NAMESPACE)) == ["r2", "r1", "reviewed", "kept"]
    assert store.trim_rejected(NAMESPACE, 2) == 0
    assert contents(store.candidates("user:x")) == ["theirs"]


def test_counts_follow_reversals_trims_and_rows_that_were_known(store: Store) -> None:
    rows = [candidate(name, reason="question") for name in "abcd"]
    store.add_candidates(rows)
    store.add_candidates([rows[0], candidate("e", reason="question")])
    assert list(store.candidate_stats(NAMESPACE).values()) == [5]
    store.set_decision(NAMESPACE, rows[0].id, Decision.ACCEPTED, reason="reviewed", rule="accept", fact_id="fact_1")
    assert list(store.candidate_stats(NAMESPACE).values()) == [1, 4]
    store.trim_rejected(NAMESPACE, 1)
    assert list(store.candidate_stats(NAMESPACE).values()) == [1, 1]
    assert all(check.ok for check in store.doctor() if check.name == "counts")
