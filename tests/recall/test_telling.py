"""What speaks for a message whatever is asked: that it says what nobody said lately, and what people ask for later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cfpm import Memory, Message, Role
from cfpm.embedding import static_embedder
from cfpm.recall.telling import COLUMNS, WITHIN, fresh, load_directions, telling
from cfpm.store.namespace_arrays import TurnArrays
from tests.recall.remembering import SHOP, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cfpm.store.store import Store


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


def turns_of(memory: Memory) -> TurnArrays:
    return memory.store.namespace_index.load(memory.scope.namespace)[0]


def told(memory: Memory, *said: str, session: str = "s1") -> None:
    messages = [Message(Role.USER, text, f"{session}-{n}", None, "Ann") for n, text in enumerate(said)]
    memory.observe(messages, session=session)


def stored(*messages: Sequence[int]) -> TurnArrays:
    """Messages of these word pieces."""
    turns = TurnArrays(1)
    add(turns, *messages)
    return turns


def add(turns: TurnArrays, *messages: Sequence[int]) -> None:
    first = len(turns)
    turns.extend(
        [
            (first + n, "s1", 0, first + n, "user", "Ann", None, None, np.array(sorted(one), "<u2").tobytes())
            for n, one in enumerate(messages)
        ]
    )


def all_of(turns: TurnArrays) -> NDArray[np.int64]:
    return np.arange(len(turns))


def test_what_was_said_before_is_less_fresh_than_what_was_not(memory: Memory) -> None:
    told(memory, "I bought a violin at the harbour.", "I bought a violin at the harbour!", "I bought a kettle.")
    first, again, partly = fresh(turns_of(memory), np.array([0, 1, 2])).tolist()
    assert first > partly > again == 0


def test_what_comes_later_counts_with_what_is_known(memory: Memory) -> None:
    told(memory, "I bought a violin.")
    assert fresh(turns_of(memory), np.array([0]))[0] > 0
    told(memory, "I bought a violin.", "My sister sails.", session="s2")
    again, new = fresh(turns_of(memory), np.array([1, 2])).tolist()
    assert again == 0 < new


def test_a_word_is_new_again_when_nobody_used_it_for_long() -> None:
    turns = stored([5], *[[7]] * WITHIN, [5], [5])
    found = fresh(turns, all_of(turns))
    assert found[WITHIN + 1] == found[0] > 0
    assert found[WITHIN + 2] == 0


def test_a_word_used_a_while_ago_is_not_new() -> None:
    turns = stored([5], *[[7]] * (WITHIN - 1), [5])
    assert fresh(turns, all_of(turns))[-1] == 0


def test_messages_that_come_one_by_one_are_as_fresh_as_all_at_once() -> None:
    messages = [[n * n % 11, n % 7 + 20, n % 13 + 40] for n in range(60)]
    step_by_step = stored(messages[0])
    for message in messages[1:]:
        add(step_by_step, message)
        fresh(step_by_step, np.array([len(step_by_step) - 1]))
    at_once = stored(*messages)
    assert fresh(step_by_step, all_of(step_by_step)).tolist() == fresh(at_once, all_of(at_once)).tolist()


def test_a_message_without_words_is_not_fresh() -> None:
    turns = stored([], [5], [])
    assert fresh(turns, all_of(turns)).tolist() == [0.0, pytest.approx(np.log(2) / np.log(301)), 0.0]


def test_the_directions_are_of_the_vectors_that_ship() -> None:
    space, directions = load_directions()
    assert space == static_embedder().name
    for direction in directions.values():
        assert len(direction) == COLUMNS
        assert np.linalg.norm(direction) == pytest.approx(1, abs=0.01)


def test_what_happened_to_somebody_tells_more_than_thanks(memory: Memory) -> None:
    told(memory, "My brother moved to a farm and keeps bees.", "Thanks, that is so kind of you to say!")
    tale, thanks = telling(turns_of(memory), np.array([0, 1]), static_embedder(), chat=True).tolist()
    assert tale > thanks


def test_vectors_of_another_embedder_tell_nothing(store: Store) -> None:
    class Another:
        name = "another/1"

    say(store, "My brother moved to a farm and keeps bees.", ident="m1")
    turns, _ = store.namespace_index.load(SHOP)
    assert telling(turns, np.array([0]), Another(), chat=True).tolist() == [0.0]  # type: ignore[arg-type]
