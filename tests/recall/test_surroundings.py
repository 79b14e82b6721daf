"""What is recalled although it shares no word with the question: by neighbours, speakers, times, and what stands."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cfpm import Memory, Message, Role
from cfpm.model import Category
from cfpm.recall import load_weights, rank
from cfpm.recall.late_interaction import SPREAD, spread
from cfpm.recall.question import read_question
from cfpm.recall.signals import turn_signals
from tests.recall.remembering import SHOP, keep, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.store.store import Store


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


def on(day: int, month: int = 5) -> datetime:
    return datetime(2023, month, day, 12, tzinfo=UTC)


def found(memory: Memory, query: str, k: int = 3) -> list[str]:
    return [item.message_id for item in memory.recall(query, k=k).items]


def signal(memory: Memory, name: str, query: str) -> dict[str, float]:
    """One signal of every message."""
    store = memory.store
    turns, facts = store.namespace_index.load(memory.scope.namespace)
    question = read_question(query, turns.speakers, store.vectors.embedder, turns.newest)
    seen = turn_signals(store, turns, facts, question, store.vectors.embedder)
    known = store.log.by_seq(turns.seq.tolist())
    of = zip(seen.rows.tolist(), seen.values[name].tolist(), strict=True)
    return {known[int(turns.seq[row])].message.id: value for row, value in of}


def chat(memory: Memory, *said: tuple[str, str], session: str = "s1", at: datetime | None = None) -> None:
    memory.observe(
        [Message(Role.USER, text, f"{session}-{n}", at, name) for n, (name, text) in enumerate(said, 1)],
        session=session,
    )


def test_the_reply_to_a_matching_question_is_found(memory: Memory) -> None:
    chat(
        memory, ("Ann", "What did you plant in the garden?"), ("Bob", "Tulips, mostly."), ("Ann", "Nice weather today.")
    )
    assert "s1-2" in found(memory, "What did Bob plant in the garden?", k=2)


def test_a_message_without_a_word_in_common_is_found_by_its_meaning(store: Store) -> None:
    say(store, "My dog and two cats sleep on the sofa.", ident="m1")
    say(store, "Invoices go out on the first of the month.", ident="m2")
    first = rank(store, [SHOP], "What pets live here?", 1)
    assert [item.id for item in first] == ["m1"]


def test_of_two_who_say_the_same_the_one_who_is_named_comes_first(memory: Memory) -> None:
    chat(memory, ("Ann", "I paint landscapes on Sundays."), ("Bob", "I paint landscapes too, every week."))
    assert found(memory, "What does Bob paint?")[0] == "s1-2"
    assert found(memory, "What does Ann paint?")[0] == "s1-1"


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("What did Ann paint for Bob?", {"Ann"}),
        ("What did Bob's cousin say to ann?", {"Bob"}),
        ("Who told Carl of Ann and Bob?", {"Carl"}),
        ("What do Ann and Bob paint?", {"Ann", "Bob"}),
        ("What did Ann, Bob and Carl paint?", {"Ann", "Bob", "Carl"}),
        ("What did Bob & Ann paint for Carl, Bob's friend?", {"Ann", "Bob"}),
        ("What was painted?", set()),
    ],
)
def test_a_question_is_about_the_first_it_names_and_those_joined_to_that_one(query: str, about: set[str]) -> None:
    speakers = ["", "Ann", "Bob", "Carl"]
    question = read_question(query, speakers, None, None)
    assert {speakers[number] for number in question.speakers} == about
    assert not {"ann", "bob", "carl"}.intersection(re.findall(r"\w+", question.words.lower()))


def test_of_two_who_are_named_the_one_it_is_about_comes_first(memory: Memory) -> None:
    chat(memory, ("Ann", "I bought a kite for the party."), ("Bob", "I bought a kite for the party too."))
    assert signal(memory, "speaker", "What did Bob buy for Ann?") == {"s1-1": 0.0, "s1-2": 1.0}
    assert signal(memory, "speaker", "What did Bob and Ann buy?") == {"s1-1": 0.0, "s1-2": 0.0}


def test_a_time_in_the_question_prefers_what_was_said_then(memory: Memory) -> None:
    chat(memory, ("Ann", "We had a picnic by the lake."), ("Bob", "Lovely."), session="may", at=on(9))
    chat(memory, ("Ann", "We had a picnic by the fountain."), ("Bob", "Lovely."), session="july", at=on(9, 7))
    assert found(memory, "Where was the picnic in May 2023?")[0] == "may-1"
    assert found(memory, "Where was the picnic in July 2023?")[0] == "july-1"


def test_what_was_said_soon_after_a_time_is_nearer_to_it_than_what_was_said_long_after(memory: Memory) -> None:
    for month in (4, 6, 11):
        chat(memory, ("Ann", "I took up fencing."), ("Bob", "Great."), session=f"m{month}", at=on(3, month))
    near = signal(memory, "time_near", "What did Ann take up in June 2023?")
    assert near["m6-1"] == 1.0
    assert near["m6-1"] > near["m4-1"] > near["m11-1"] > 0


def test_messages_without_a_time_are_near_to_none(memory: Memory) -> None:
    chat(memory, ("Ann", "I took up fencing."))
    assert signal(memory, "time_near", "What did Ann take up in June 2023?") == {"s1-1": 0.0}


BETWEEN = (("Bob", "Oh, nice."), ("Ann", "It was."), ("Bob", "Tell me."))


def test_a_word_of_the_question_counts_that_stood_some_messages_before(memory: Memory) -> None:
    chat(memory, ("Ann", "We were at the harbour."), *BETWEEN, ("Ann", "The kettle broke."), session="here")
    chat(memory, ("Ann", "We were at the office."), *BETWEEN, ("Ann", "The kettle broke."), session="elsewhere")
    wide = signal(memory, "near_wide", "Which kettle broke at the harbour?")
    assert wide["here-5"] > wide["elsewhere-5"]


def test_a_word_counts_less_with_each_message_between(memory: Memory) -> None:
    chat(memory, ("Ann", "We were at the harbour."), *BETWEEN, ("Ann", "Well."), ("Ann", "So."))
    wide = signal(memory, "near_wide", "Who was at the harbour?")
    assert wide["s1-1"] > wide["s1-2"] > wide["s1-3"] > wide["s1-4"] > wide["s1-5"] > wide["s1-6"]


def test_surroundings_end_with_the_session(memory: Memory) -> None:
    chat(memory, ("Ann", "The kettle broke."), ("Bob", "We were at the harbour."), session="one")
    chat(memory, ("Ann", "The kettle broke."), session="two")
    chat(memory, ("Bob", "We were at the harbour."), session="three")
    for name in ("near_wide", "meaning_around"):
        found = signal(memory, name, "Which kettle broke at the harbour?")
        assert found["one-1"] > found["two-1"]


def test_a_short_message_means_what_those_around_it_mean(memory: Memory) -> None:
    chat(memory, ("Ann", "My dog and my cats had a bath."), ("Ann", "Terrible!"), session="pets")
    chat(memory, ("Ann", "The invoices went out."), ("Ann", "Terrible!"), session="money")
    around = signal(memory, "meaning_around", "Which pets dislike water?")
    assert around["pets-2"] > around["money-2"]


def test_what_surroundings_mean_is_told_by_the_spread_of_their_cosines() -> None:
    close = np.linspace(0.8, 0.9, SPREAD + 1, dtype=np.float32)
    told = spread(np.concatenate(([np.float32(0.7), np.float32(0.1)], close)))
    assert told[-1] == 1.0
    assert told[2] == 0.0
    assert told[0] == pytest.approx(-1.0, abs=1e-4)
    assert told[1] == -2.0


@pytest.mark.parametrize("alike", [[], [0.0, 0.0], [0.4, 0.4], [-0.2, -0.1]])
def test_surroundings_that_are_all_alike_tell_nothing(alike: list[float]) -> None:
    assert not spread(np.array(alike, dtype=np.float32)).any()


def test_instructions_come_without_a_word_in_common(store: Store) -> None:
    keep(
        store, "Always give the version when I ask about packages", Category.INSTRUCTION, message_id="m1", session="s1"
    )
    say(store, "Always give the version when I ask about packages.", ident="m1")
    for number in range(8):
        say(store, f"The library of the town opens at {number} o'clock.", ident=f"n{number}")
    items = rank(store, [SHOP], "Which libraries do we use?", 10)
    assert "m1" in {item.message_id for item in items}


@pytest.mark.parametrize(
    ("query", "asked_back"),
    [
        ("Which libraries do we use?", False),
        ("Which libraries did I mention?", True),
        ("Which libraries came up over our conversations?", True),
        ("Give me a full overview of our libraries.", True),
    ],
)
def test_instructions_weigh_by_themselves_when_it_is_asked_what_was_said(
    store: Store, query: str, asked_back: bool
) -> None:
    keep(
        store, "Always give the version when I ask about packages", Category.INSTRUCTION, message_id="m1", session="s1"
    )
    say(store, "Always give the version when I ask about packages.", ident="m1")
    (item, *_) = rank(store, [SHOP], query, 1)
    assert "instruction" in item.why
    assert ("instruction_asked_back" in item.why) == asked_back


def test_the_same_said_with_another_number_is_not_the_same(store: Store) -> None:
    say(store, "The gate opens at 8 in the morning on weekdays in winter.", ident="m1")
    say(store, "The gate opens at 9 in the morning on weekdays in winter.", ident="m2")
    say(store, "The gate opens at 9 in the morning on weekdays in winter!", ident="m3")
    assert {item.id for item in rank(store, [SHOP], "When does the gate open?", 5)} == {"m1", "m2"}


def test_nothing_that_has_to_do_with_the_question_is_nothing(store: Store) -> None:
    say(store, "The gate opens at 8 in the morning.", ident="m1")
    assert rank(store, [SHOP], "zebra", 5) == []


def test_every_signal_with_a_weight_can_be_left_out(store: Store) -> None:
    say(store, "The gate opens at 8 in the morning.", ident="m1")
    tables = load_weights()
    (whole,) = rank(store, [SHOP], "When does the gate open?", 5)
    (part,) = rank(
        store, [SHOP], "When does the gate open?", 5, weights={n: t.without(["words"]) for n, t in tables.items()}
    )
    assert "words" in whole.why
    assert "words" not in part.why
    assert set(tables) == {"chat", "agent", "plain"}


def test_what_is_written_after_a_recall_is_found_by_the_next(memory: Memory) -> None:
    chat(memory, ("Ann", "I paint landscapes."))
    assert found(memory, "sculpture") == []
    chat(memory, ("Bob", "I took up sculpture."), session="s2")
    assert found(memory, "sculpture") == ["s2-1"]


def test_what_was_said_in_the_named_time_is_found_without_a_word_in_common(memory: Memory) -> None:
    chat(memory, ("Ann", "The roof leaks."), ("Bob", "Oh dear."), session="may", at=on(9))
    chat(memory, ("Ann", "The roof holds."), ("Bob", "Lovely."), session="july", at=on(9, 7))
    assert set(found(memory, "Which things did Ann tell in May 2023?", k=2)) == {"may-1", "may-2"}
