"""Vectors live and die with the rows they belong to, and never mix with those of another embedder."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cfpm.embedding import StaticEmbedder, static_embedder
from cfpm.model import LoggedMessage, Message, Origin, Role
from cfpm.settings import Settings
from cfpm.store.store import Store
from cfpm.store.vectors import EMBEDDED_AT_ONCE, OF_A_TOOL
from tests.store.making import NAMESPACE, fact, learn, word_scores

if TYPE_CHECKING:
    from pathlib import Path

WORDS_ALONE = Settings(embedder="none")


def log(store: Store, *texts: str, session: str = "s1", origin: Origin = Origin.SAID) -> None:
    last = store.log.last_turn(NAMESPACE, session)
    first = last.turn + 1 if last else 0
    store.log.append(
        [
            LoggedMessage(
                NAMESPACE, session, first + n, 0, Message(Role.USER, text, f"{session}-{first + n}", None, "", origin)
            )
            for n, text in enumerate(texts)
        ]
    )


def other_embedder() -> StaticEmbedder:
    words = ["courier", "comes", "today", "?"]
    return StaticEmbedder("other/1", np.eye(4, dtype=np.int8), np.ones(4, dtype=np.float32), words)


def test_messages_and_facts_have_vectors_from_the_start(store: Store) -> None:
    log(store, "The courier comes today")
    learn(store, fact("the courier rings twice"))
    turns, facts = store.namespace_index.load(NAMESPACE)
    asked = static_embedder().embed(["courier"])[0]
    assert float(turns.vectors[0] @ asked) > 0.3
    assert float(facts.vectors[0] @ asked) > 0.3
    assert store.vectors.behind() == 0


def test_many_messages_at_once_have_the_vectors_that_each_has_alone(store: Store) -> None:
    texts = [f"The courier {number} comes with parcel {number * 7}" for number in range(2 * EMBEDDED_AT_ONCE + 3)]
    log(store, *texts)
    rows = store.connection.rows("SELECT vector, pieces FROM turn_vectors ORDER BY seq")
    assert rows == [static_embedder().packed([text])[0] for text in texts]


@pytest.mark.slow
def test_a_turn_of_many_messages_is_not_in_memory_as_numbers_all_at_once(store: Store) -> None:
    texts = [f"{number} " + "The courier comes with the parcel today. " * 15 for number in range(1_500)]
    static_embedder().packed(texts[:1])
    tracemalloc.start()
    try:
        log(store, *texts)
        assert tracemalloc.get_traced_memory()[1] < 40e6  # bytes; all at once, the numbers alone are 80 million
    finally:
        tracemalloc.stop()


def test_a_turn_that_is_rolled_back_leaves_no_vector(store: Store) -> None:
    def interrupted() -> None:
        with store.writing():
            log(store, "The courier comes today")
            assert len(store.namespace_index.load(NAMESPACE)[0]) == 1
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    assert len(store.namespace_index.load(NAMESPACE)[0]) == 0
    assert store.connection.number("SELECT count(*) FROM turn_vectors") == 0
    log(store, "Another one")
    assert store.vectors.space() == 1


def test_what_is_not_searched_has_none(store: Store) -> None:
    log(store, "You are a helpful assistant", origin=Origin.SYSTEM_PROMPT)
    assert store.connection.number("SELECT count(*) FROM turn_vectors") == 0
    assert store.vectors.behind() == 0


def test_what_another_connection_writes_is_seen(path: Path) -> None:
    with Store.open(str(path)) as one, Store.open(str(path)) as other:
        log(one, "first", "second")
        assert len(other.namespace_index.load(NAMESPACE)[0]) == 2
        log(one, "third")
        learn(one, fact("the courier rings twice"))
        turns, facts = other.namespace_index.load(NAMESPACE)
        assert (len(turns), len(facts)) == (3, 1)
        assert turns.before.tolist() == [-1, 0, 1]
        assert turns.after.tolist() == [1, 2, -1]


def test_neighbours_are_those_of_the_session(store: Store) -> None:
    log(store, "a1", session="a")
    log(store, "b1", session="b")
    log(store, "a2", session="a")
    turns, _ = store.namespace_index.load(NAMESPACE)
    assert turns.before.tolist() == [-1, -1, 0]
    assert turns.after.tolist() == [2, -1, -1]


def test_reindex_makes_what_is_missing_and_goes_on_where_it_stopped(path: Path) -> None:
    with Store.open(str(path), WORDS_ALONE) as store:
        log(store, *(f"message {n}" for n in range(1_200)))
        learn(store, fact("the courier rings twice"))
    with Store.open(str(path)) as store:
        assert store.vectors.behind() == 1_201
        assert not store.namespace_index.load(NAMESPACE)[0].vectors.any()

        def stop(done: int) -> None:
            if done >= 500:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.vectors.reindex(stop)
        assert store.vectors.behind() == 701
        seen: list[int] = []
        assert store.vectors.reindex(seen.append) == 701
        assert seen == [500, 700, 701]
        assert store.vectors.reindex() == 0
        assert store.namespace_index.load(NAMESPACE)[0].vectors.any(axis=1).all()


def test_vectors_of_another_embedder_are_not_compared(path: Path) -> None:
    with Store.open(str(path)) as store:
        log(store, "The courier comes today")
    with Store.open(str(path)) as store:
        store.vectors.load = other_embedder
        assert not store.namespace_index.load(NAMESPACE)[0].vectors.any()
        log(store, "today")
        turns, _ = store.namespace_index.load(NAMESPACE)
        assert turns.vectors.shape == (2, 4)
        assert turns.vectors.any(axis=1).tolist() == [False, True]
        store.vectors.reindex()
        assert store.namespace_index.load(NAMESPACE)[0].vectors.any(axis=1).tolist() == [True, True]


def test_without_an_embedder_words_alone_find(path: Path) -> None:
    with Store.open(str(path), WORDS_ALONE) as store:
        log(store, "The courier comes today")
        assert store.vectors.embedder is None
        assert store.vectors.reindex() == 0
        assert list(word_scores(store, "turns", "courier")) == [1]


def test_a_reworded_fact_has_the_vector_of_its_new_words(store: Store) -> None:
    from cfpm.model import Action
    from tests.store.making import alter

    known = fact("the courier rings twice")
    learn(store, known)
    before = store.namespace_index.load(NAMESPACE)[1].vectors.copy()
    alter(store, known, Action.REINFORCE, content="the baker sells bread")
    assert not np.allclose(before, store.namespace_index.load(NAMESPACE)[1].vectors)


def test_a_long_output_has_the_vector_of_its_head_now_and_after_reindex(path: Path) -> None:
    output = Message(Role.TOOL, "The courier comes today. " + "x1 " * 500 + "elephants", "out", None)
    wanted = static_embedder().embed([output.text[:OF_A_TOOL]])[0]
    for settings in (Settings(), WORDS_ALONE):
        place = path.with_name(f"{settings.embedder}.db")
        with Store.open(str(place), settings) as store:
            store.log.append([LoggedMessage(NAMESPACE, "s1", 0, 0, output)])
        with Store.open(str(place)) as store:
            store.vectors.reindex()
            turns, _ = store.namespace_index.load(NAMESPACE)
            assert float(turns.vectors[0] @ wanted) > 0.99
