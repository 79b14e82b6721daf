from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.model import Action
from cfpm.store.growing import Growing
from cfpm.store.landscape import KEPT
from cfpm.store.matching import Stems
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, alter, fact, learn
from tests.store.test_vectors import log

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.store.landscape import Facts, Turns

WORDS = ("courier", "couriers", "bakes", "baking", "bread", "rings", "twice", "naïve", "面包", "don't", "§", "x-ray")


def arrays(turns: Turns, facts: Facts) -> dict[str, list[object]]:
    of_turns = ("seq", "session", "place", "before", "after", "role", "speaker", "sizes", "at", "frequency")
    of_facts = ("seq", "category", "active", "event", "turn", "sizes")
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
            store.landscape(NAMESPACE)
        grown = arrays(*store.landscape(NAMESPACE))
    with Store.open(str(path)) as store:
        assert arrays(*store.landscape(NAMESPACE)) == grown


def test_a_message_that_comes_late_stands_in_its_place(store: Store) -> None:
    log(store, "one", "two", "three", session="a")
    store.landscape(NAMESPACE)
    store._db.run("UPDATE memory_turns SET turn = turn + 5 WHERE text = 'three'")
    store._landscapes.clear()
    store.landscape(NAMESPACE)
    log(store, "late", session="a")
    last = store._db.number("SELECT max(seq) FROM memory_turns")
    store._db.run("UPDATE memory_turns SET turn = 2, position = 9 WHERE seq = ?", (last,))
    turns, _ = store.landscape(NAMESPACE)
    place = turns.place.tolist()
    order = sorted(range(len(place)), key=place.__getitem__)
    for one, other in pairwise(order):
        assert (turns.after[one], turns.before[other]) == (other, one)


def test_what_a_transaction_saw_is_gone_when_it_is_rolled_back(store: Store) -> None:
    log(store, "first")
    try:
        with store.writing():
            log(store, "second")
            assert len(store.landscape(NAMESPACE)[0]) == 2
            assert store.word_scores("second", store.landscape(NAMESPACE)[0], "turns").tolist()[0] == 0
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert len(store.landscape(NAMESPACE)[0]) == 1


def test_words_are_found_again_after_a_reading_that_failed(store: Store) -> None:
    log(store, "the courier rings")
    for _ in range(2):
        try:
            with store.reading():
                turns, _facts = store.landscape(NAMESPACE)
                assert store.word_scores("courier", turns, "turns")[0] > 0
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
    assert store.word_scores("courier", store.landscape(NAMESPACE)[0], "turns")[0] > 0


def test_one_reading_sees_one_moment(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    with Store.open(url) as store, Store.open(url) as other:
        log(store, "first")
        with store.reading():
            assert len(store.landscape(NAMESPACE)[0]) == 1
            log(other, "second")
            assert len(store.landscape(NAMESPACE)[0]) == 1
        assert len(store.landscape(NAMESPACE)[0]) == 2


def test_only_some_namespaces_are_kept(store: Store) -> None:
    for number in range(KEPT + 3):
        store.landscape(f"project:{number}")
    assert len(store._landscapes) == KEPT
    assert f"project:{KEPT + 2}" in store._landscapes


@pytest.mark.slow
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=12),
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
)
def test_scores_from_postings_are_those_of_the_index(texts: list[str], asked: str) -> None:
    with Store.open("sqlite://") as store:
        log(store, *texts, session="a")
        turns, _ = store.landscape(NAMESPACE)
        wanted = dict(store.turn_words(asked))
        found = store.word_scores(asked, turns, "turns")
        assert np.allclose(found, [wanted.get(seq, 0) for seq in turns.seq.tolist()], rtol=1e-6)


def test_scores_of_facts_leave_out_other_namespaces(store: Store) -> None:
    for content in ("the courier rings", "the baker sells bread", "couriers and couriers"):
        learn(store, fact(content))
    _, facts = store.landscape(NAMESPACE)
    wanted = dict(store.fact_words("courier"))
    found = store.word_scores("courier", facts, "facts")
    assert np.allclose(found, [wanted.get(seq, 0) for seq in facts.seq.tolist()], rtol=1e-6)
    assert not len(store.word_scores("courier", store.landscape("project:other")[1], "facts"))


def test_a_term_is_stemmed_as_the_index_stems_it() -> None:
    assert Stems().of(["running", "面 包", "§"]) == [["run"], ["面", "包"], []]


def test_an_array_keeps_its_rows_while_it_grows() -> None:
    held = Growing("i8")
    for number in range(300):
        held.extend(np.array([number]))
    assert held.rows.tolist() == list(range(300))
