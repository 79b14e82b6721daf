from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from cfpm.model import Action
from cfpm.store.arrays import GrowingArray
from cfpm.store.namespace_index import KEPT
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, alter, fact, learn, word_scores
from tests.store.test_vectors import log

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.store.namespace_arrays import FactArrays, TurnArrays

WORDS = ("courier", "couriers", "bakes", "baking", "bread", "rings", "twice", "naïve", "面包", "don't", "§", "x-ray")


def arrays(turns: TurnArrays, facts: FactArrays) -> dict[str, list[object]]:
    of_turns = ("seq", "session", "place", "before", "after", "role", "speaker", "at", "frequency")
    of_facts = ("seq", "category", "active", "event", "turn")
    found = {f"turns.{name}": np.nan_to_num(getattr(turns, name)).tolist() for name in of_turns}
    found |= {f"facts.{name}": np.nan_to_num(getattr(facts, name)).tolist() for name in of_facts}
    found["vectors"] = [turns.vectors.tolist(), facts.vectors.tolist()]
    found["pieces"] = [turns.pieces.flat.tolist(), turns.pieces.starts.tolist()]
    return found | {"speakers": list(turns.speakers), "newest": [turns.newest, turns.named]}


def test_what_was_added_piece_by_piece_is_what_is_read_at_once(path: Path) -> None:
    with Store.open(str(path)) as store:
        for number in range(90):
            log(store, f"the courier rings {number} times", session=f"s{number % 3}")
            known = fact(f"courier {number} rings twice")
            learn(store, known)
            if number % 7 == 0:
                alter(store, known, Action.REINFORCE, content=f"baker {number} sells bread")
            store.namespace_index.load(NAMESPACE)
        grown = arrays(*store.namespace_index.load(NAMESPACE))
    with Store.open(str(path)) as store:
        assert arrays(*store.namespace_index.load(NAMESPACE)) == grown


def test_a_message_that_comes_late_stands_in_its_place(store: Store) -> None:
    log(store, "one", "two", "three", session="a")
    store.namespace_index.load(NAMESPACE)
    store.connection.run("UPDATE memory_turns SET turn = turn + 5 WHERE text = 'three'")
    store.namespace_index.known.clear()
    store.namespace_index.load(NAMESPACE)
    log(store, "late", session="a")
    last = store.connection.number("SELECT max(seq) FROM memory_turns")
    store.connection.run("UPDATE memory_turns SET turn = 2, position = 9 WHERE seq = ?", (last,))
    turns, _ = store.namespace_index.load(NAMESPACE)
    place = turns.place.tolist()
    order = sorted(range(len(place)), key=place.__getitem__)
    for one, other in pairwise(order):
        assert (turns.after[one], turns.before[other]) == (other, one)


def test_what_a_transaction_saw_is_gone_when_it_is_rolled_back(store: Store) -> None:
    log(store, "first")
    try:
        with store.writing():
            log(store, "second")
            assert len(store.namespace_index.load(NAMESPACE)[0]) == 2
            assert (
                store.search.word_scores("second", store.namespace_index.load(NAMESPACE)[0], "turns").tolist()[0] == 0
            )
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert len(store.namespace_index.load(NAMESPACE)[0]) == 1


def test_words_are_found_again_after_a_reading_that_failed(store: Store) -> None:
    log(store, "the courier rings")
    for _ in range(2):
        try:
            with store.reading():
                turns, _facts = store.namespace_index.load(NAMESPACE)
                assert store.search.word_scores("courier", turns, "turns")[0] > 0
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
    assert store.search.word_scores("courier", store.namespace_index.load(NAMESPACE)[0], "turns")[0] > 0


def test_one_reading_sees_one_moment(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    with Store.open(url) as store, Store.open(url) as other:
        log(store, "first")
        with store.reading():
            assert len(store.namespace_index.load(NAMESPACE)[0]) == 1
            log(other, "second")
            assert len(store.namespace_index.load(NAMESPACE)[0]) == 1
        assert len(store.namespace_index.load(NAMESPACE)[0]) == 2


def test_only_some_namespaces_are_kept(store: Store) -> None:
    for number in range(KEPT + 3):
        store.namespace_index.load(f"project:{number}")
    assert len(store.namespace_index.known) == KEPT
    assert f"project:{KEPT + 2}" in store.namespace_index.known


@hypothesis_settings(deadline=None)
@pytest.mark.slow
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=12),
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
)
def test_scores_of_messages_are_those_of_the_index(texts: list[str], asked: str) -> None:
    with Store.open("sqlite://") as store:
        log(store, *texts, session="a")
        turns, _ = store.namespace_index.load(NAMESPACE)
        wanted = word_scores(store, "turns", asked, single=True)
        found = store.search.word_scores(asked, turns, "turns")
        assert np.allclose(found, [wanted.get(seq, 0) for seq in turns.seq.tolist()], rtol=1e-6)


def test_scores_of_facts_leave_out_other_namespaces(store: Store) -> None:
    for content in ("the courier rings", "the baker sells bread", "couriers and couriers"):
        learn(store, fact(content))
    _, facts = store.namespace_index.load(NAMESPACE)
    wanted = word_scores(store, "facts", "courier")
    found = store.search.word_scores("courier", facts, "facts")
    assert np.allclose(found, [wanted.get(seq, 0) for seq in facts.seq.tolist()], rtol=1e-6)
    others = store.namespace_index.load("project:other")[1]
    assert not len(store.search.word_scores("courier", others, "facts"))


def test_an_array_keeps_its_rows_while_it_grows() -> None:
    held = GrowingArray("i8")
    for number in range(300):
        held.extend(np.array([number]))
    assert held.rows.tolist() == list(range(300))
