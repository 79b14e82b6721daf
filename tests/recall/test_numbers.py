"""Where recall draws its lines: what is shown and what not, on either side of each number that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cfpm import Memory, Message, Role
from cfpm.embedding import static_embedder
from cfpm.model import Category, Status
from cfpm.recall import Neighbour, rank, recall
from cfpm.recall.candidates import CoarseScores, candidates, of_sessions
from cfpm.recall.priors import fresh
from cfpm.settings import Settings
from cfpm.store.namespace_arrays import TurnArrays
from tests.recall.remembering import SHOP, keep, say
from tests.recall.test_surroundings import chat, found, on, signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.store.store import Store


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


def idents(store: Store, query: str, k: int = 8) -> list[str]:
    return [item.id for item in rank(store, [SHOP], query, k)]


def texts(store: Store, query: str, k: int = 8) -> list[str]:
    return [item.text for item in rank(store, [SHOP], query, k)]


# --- facts of one message ---


def test_of_a_message_with_many_facts_some_are_shown_and_not_all(store: Store) -> None:
    fruit = ("apples", "pears", "plums", "figs", "quinces", "grapes", "cherries")
    say(store, "For the market. " + " ".join(f"The stall sells {name} in crates." for name in fruit), ident="m1")
    for name in fruit:
        keep(store, f"The stall sells {name} in crates", message_id="m1", session="s1")
    facts = [item for item in rank(store, [SHOP], "what does the stall sell", 20) if item.kind == "fact"]
    assert 2 <= len(facts) <= 4


def test_a_fact_that_answers_as_well_as_its_message_stands_for_it(store: Store) -> None:
    say(store, "Well, you know how it is here, the courier comes on Thursday, as far as I know.", ident="m1")
    fact = keep(store, "The courier comes on Thursday", message_id="m1", session="s1")
    assert idents(store, "when does the courier come")[0] == fact.id


def test_a_fact_that_tells_little_of_what_is_asked_stands_behind_its_message(store: Store) -> None:
    question = "On which day do the parcels weigh most at the harbour office?"
    say(store, "The parcels smell of tar. On Thursday at the harbour office the parcels weigh most of all.", ident="m1")
    little = keep(store, "The parcels smell of tar", message_id="m1", session="s1")
    say(store, "Parcels weigh most on Friday at the harbour office.", ident="m2")
    keep(store, "Parcels weigh most on Friday at the harbour office", message_id="m2", session="s1")
    found = idents(store, question)
    assert found.index("m1") < found.index(little.id)


# --- what says something new ---


def test_two_messages_that_share_most_of_their_words_are_both_shown(store: Store) -> None:
    say(store, "The courier brings the parcel to the gate and leaves it with the porter", ident="m1")
    say(store, "The courier brings the letter to the gate and leaves it with the baker", ident="m2")
    assert sorted(idents(store, "courier")) == ["m1", "m2"]


def test_a_long_message_repeated_with_another_word_is_shown_once(store: Store) -> None:
    words = "courier brings parcel gate leaves porter morning rain bicycle yellow bell rings twice because lane steep"
    say(store, f"{words} {words.replace('e', 'o')} truly", ident="m1")
    say(store, f"{words} {words.replace('e', 'o')} really", ident="m2")
    assert len(idents(store, "courier")) == 1


def test_a_turn_of_which_a_fact_tells_more_than_half_stays(store: Store) -> None:
    say(store, "The courier comes on Thursday with the heavy parcels. She hates the hill.", ident="m1")
    keep(store, "The courier comes on Thursday with the heavy parcels", message_id="m1", session="s1")
    assert sorted(item.kind for item in rank(store, [SHOP], "courier", 5)) == ["fact", "turn"]


# --- recency ---


def test_what_is_some_months_old_is_neither_new_nor_forgotten(store: Store) -> None:
    for name, day in (("apple", 0), ("pear", 300), ("plum", 400)):
        keep(store, f"The {name} courier comes", day=day)
    recency = {item.text.split()[1]: item.why["recency"] for item in rank(store, [SHOP], "courier", 5)}
    assert 0.5 < recency["pear"] / recency["plum"] < 0.9
    assert 0.1 < recency["apple"] / recency["plum"] < 0.4


def test_a_fact_without_a_time_stands_between_a_new_one_and_a_very_old_one(store: Store) -> None:
    keep(store, "The courier comes on Monday", day=-3_000)
    keep(store, "The courier comes on Tuesday", created_at=None, updated_at=None)
    keep(store, "The courier comes on Friday", day=10)
    recency = {item.text.split()[-1]: item.why.get("recency", 0) for item in rank(store, [SHOP], "courier comes", 5)}
    assert recency["Monday"] < recency["Tuesday"] < recency["Friday"]


def test_pinning_decides_among_equals_and_not_against_the_words(store: Store) -> None:
    keep(store, "The courier lives in Ghent", pinned=True)
    keep(store, "The courier comes on Thursday with the parcels")
    assert texts(store, "when does the courier come with the parcels")[0].startswith("The courier comes")


# --- who says it ---


def test_what_people_said_stands_before_what_a_host_wrote(store: Store) -> None:
    say(store, "parcel courier thursday gate", ident="m1", role=Role.SYSTEM)
    say(store, "parcel courier thursday door", ident="m2", role=Role.ASSISTANT)
    assert idents(store, "parcel courier") == ["m2", "m1"]


def test_what_an_agent_said_stands_before_what_a_tool_printed(store: Store) -> None:
    say(store, "parcel courier thursday gate", ident="m1", role=Role.TOOL)
    say(store, "parcel courier thursday door", ident="m2", role=Role.ASSISTANT)
    assert idents(store, "parcel courier") == ["m2", "m1"]


# --- how many are looked at ---


def test_repetitions_do_not_take_the_places_of_what_says_something_else(store: Store) -> None:
    for number in range(25):
        say(store, "Ask the courier about the parcel" + "!" * number, ident=f"r{number}")
    places = ["harbour", "castle", "mill", "bakery", "school", "tower", "garden", "bridge", "market", "station"]
    for number, place in enumerate((*places, *(f"new {place}" for place in places))):
        say(store, f"Yesterday the courier saw {number} umbrellas at the {place}", ident=f"n{number}")
    assert len(idents(store, "ask the courier about a parcel", k=20)) == 20


def test_some_repetitions_do_not_take_the_places_where_few_are_wanted(store: Store) -> None:
    for number in range(9):
        say(store, "Ask the courier about the parcel" + "!" * number, ident=f"r{number}")
    for number, place in enumerate(("harbour", "castle")):
        say(store, f"Yesterday at the {place} we saw a courier with umbrellas and dogs", ident=f"n{number}")
    assert len(idents(store, "ask the courier about a parcel", k=3)) == 3


def test_what_was_forgotten_long_ago_stays_out_of_passages(store: Store) -> None:
    keep(store, "The vault opens with a silver key", status=Status.FORGOTTEN, day=0)
    for number in range(30):
        keep(store, f"Parcel {number} went to the harbour", status=Status.FORGOTTEN, day=number + 1)
    say(store, "By the way, the vault opens with a silver key, said the porter.", ident="m1")
    say(store, "The vault is behind the stairs.", ident="m2")
    assert idents(store, "how does the vault open") == ["m2"]


def test_what_a_word_stands_in_early_is_found_among_two_hundred_others(store: Store) -> None:
    say(store, "Otis said that the lantern hangs in the boathouse, far from here, beside nets and ropes.", ident="m0")
    for number in range(200):
        say(store, f"lantern {number}", ident=f"n{number}", day=number)
    assert "m0" in idents(store, "Where in the boathouse hangs the lantern?", k=3)


def test_what_its_speaker_alone_speaks_for_is_left_out(memory: Memory) -> None:
    said = [("Ann", "We spent the week at the harbour."), ("Bob", "Oh, nice."), ("Ann", "The kettle broke twice.")]
    other = [("Ann", "The invoices went out on time."), ("Bob", "Sure.")]
    for session, lines in (("here", said), ("money", other)):
        messages = [Message(Role.USER, text, f"{session}-{n}", None, name) for n, (name, text) in enumerate(lines)]
        memory.observe(messages, session=session)
    found = memory.recall("Where did Ann spend her holidays by the sea, at which harbour?", k=10).items
    assert {item.session for item in found} == {"here"}


# --- neighbours of an index outside ---


def outside() -> Memory:
    memory = Memory.open("sqlite://", settings=Settings(embedder="none"))
    memory.observe(
        [
            {"id": "1", "role": "user", "content": "The lighthouse on the cape was painted red."},
            {"id": "2", "role": "user", "content": "We use port 8081 for staging."},
        ],
        session="s",
    )
    return memory


def test_the_nearest_neighbour_stands_behind_what_has_the_words_of_the_question(store: Store) -> None:
    say(store, "The lighthouse on the cape was painted red.", ident="m1")
    say(store, "We use port 8081 for staging.", ident="m2")
    near = [Neighbour("turn", 1, 0.9)]
    found = [item.id for item in rank(store, [SHOP], "Which port does staging use?", 8, neighbours=near)]
    assert found == ["m2", "m1"]


def test_a_neighbour_at_some_distance_is_still_one() -> None:
    with outside() as memory:
        assert len(memory.recall("zebra", neighbours=[Neighbour("turn", 1, 0.35)]).items) == 1


def test_an_answer_without_a_word_of_the_question_is_shown_for_its_speaker_and_what_was_asked_before_it(
    memory: Memory,
) -> None:
    asked = (("Bob", "I heard you were at the concert."), ("Bob", "Tell me."))
    chat(memory, *asked, ("Ann", "The singer forgot his lines and everybody left early."), session="here")
    chat(memory, ("Bob", "The invoices went out on time."), ("Ann", "Sure, as ever."), session="money")
    shown = found(memory, "What was Ann's opinion of the concert?", k=10)
    assert "here-3" in shown
    assert "money-1" not in shown


# --- which are looked at closely ---


def looked_at(sessions: list[int], words: dict[int, float]) -> set[int]:
    """The rows that are candidates, of messages in these sessions, some of which have words of the question."""
    turns = TurnArrays(1)
    rows = [(n, f"s{of}", 0, n, "user", "Ann", None, None, b"") for n, of in enumerate(sessions)]
    turns.extend(rows)
    own, nothing = np.zeros(len(turns) + 1, np.float32), np.zeros(len(turns) + 1, np.float32)
    for row, value in words.items():
        own[row] = value
    of_own, of_nothing = (of_sessions(turns.session, values[:-1], turns.sessions) for values in (own, nothing))
    none = np.zeros(0, np.float32)
    coarse = CoarseScores(own, nothing, of_own, of_nothing, none, none, none)
    return set(candidates(turns, coarse, []).tolist())


def test_what_fits_by_itself_is_looked_at_before_what_stands_beside_it_and_that_before_the_rest() -> None:
    fits = dict.fromkeys(range(1, 600, 3), 1.0)
    chosen = looked_at([n // 3 for n in range(600)] + [900] * 600, fits)
    assert set(fits) <= chosen
    assert max(chosen) < 600


def test_a_message_that_fits_is_looked_at_though_a_whole_session_is_about_something_like_it() -> None:
    chosen = looked_at([1] * 600 + [2] * 600, {10: 1.0, 300: 1.0, 500: 1.0, 900: 0.9})
    assert 900 in chosen
    assert len([row for row in chosen if row < 600]) > 200


def test_a_session_is_worth_what_several_of_its_messages_say_and_not_one_alone_or_all() -> None:
    alone, several, many = [1.0], [0.8] * 4, [0.4] * 40
    values = np.array([*alone, *several, *many], np.float32)
    session = np.array([0] * len(alone) + [1] * len(several) + [2] * len(many))
    worth = of_sessions(session, values, 3)
    assert worth[1] > worth[0]
    assert worth[1] > worth[2]


# --- times ---


@pytest.fixture
def fencing(memory: Memory) -> Memory:
    """The same told in June, soon after, some weeks after and much later."""
    for day, month in ((3, 6), (5, 7), (25, 7), (20, 12)):
        said = (("Ann", "I took up fencing."), ("Bob", "Great."))
        chat(memory, *said, session=f"{day}-{month}", at=on(day, month))
    return memory


IN_JUNE = "What did Ann take up in June 2023?"


def test_what_was_said_within_days_of_a_time_may_tell_of_it_and_what_was_said_weeks_after_not(fencing: Memory) -> None:
    told = signal(fencing, "time", IN_JUNE)
    assert told["3-6-1"] == 1.0
    assert 0.3 < told["5-7-1"] < 0.9
    assert told["25-7-1"] == 0.0


def test_nearness_to_a_time_fades_within_months(fencing: Memory) -> None:
    near = signal(fencing, "time_near", IN_JUNE)
    assert near["5-7-1"] > 0.7
    assert 0.2 < near["25-7-1"] < 0.7
    assert near["20-12-1"] < 0.1


# --- words and what stands around them ---


@pytest.fixture
def kettle(memory: Memory) -> Memory:
    here = (("Ann", "We spent the week at the harbour."), ("Bob", "Oh, nice."), ("Ann", "The kettle broke twice."))
    chat(memory, *here, ("Ann", "Well."), session="here")
    chat(memory, ("Ann", "The invoices went out on time."), ("Bob", "Sure."), session="money")
    return memory


def test_a_word_stands_for_one_of_like_meaning_and_not_for_any(kettle: Memory) -> None:
    near = signal(kettle, "near", "Which teapot broke in the seaport?")
    assert near["here-1"] > 0.3
    assert near["money-1"] == 0.0


def test_a_word_beside_a_message_counts_more_than_half_and_not_in_full(kettle: Memory) -> None:
    around = signal(kettle, "near_around", "Which kettle broke twice?")
    assert around["here-3"] == 1.0
    assert 0.4 < around["here-4"] < 0.9


def test_a_message_of_two_hundred_words_is_long_and_one_of_five_short(memory: Memory) -> None:
    pieces = map(static_embedder().spelled, range(3_000, 3_400))
    many = " ".join([piece for piece in pieces if piece.isalpha()][:250])
    chat(memory, ("Ann", "The courier rings twice."), ("Bob", many))
    length = signal(memory, "length", "courier")
    assert 0.1 < length["s1-1"] < 0.5
    assert 0.8 < length["s1-2"] < 1.3


def test_the_last_words_of_a_long_question_count(memory: Memory) -> None:
    chat(memory, ("Ann", "The kettle shines."), ("Bob", "The printer hums."))
    near = signal(memory, "near", "What did Otis ask Marta on Tuesday by telephone, with a cough, about the kettle?")
    assert near["s1-1"] > near["s1-2"]
    far = "Tell me, please, " + "as you know it so well by now, " * 20 + "where the kettle is."
    assert found(memory, far)[0] == "s1-1"


# --- what is new ---


def stored(*messages: list[int]) -> TurnArrays:
    turns = TurnArrays(1)
    rows = [np.array(sorted(one), "<u2").tobytes() for one in messages]
    turns.extend([(n, "s1", 0, n, "user", "Ann", None, None, row) for n, row in enumerate(rows)])
    return turns


def test_a_word_of_two_hundred_messages_ago_is_not_new_and_one_of_two_thousand_ago_is() -> None:
    for between, new in ((200, False), (2_000, True)):
        turns = stored([7], *([9] for _ in range(between)), [7])
        assert bool(fresh(turns, np.array([len(turns) - 1]))[0]) is new


def test_more_new_words_say_more_up_to_some_hundreds() -> None:
    turns = stored([1], list(range(10, 30)), list(range(100, 250)), list(range(1_000, 3_000)))
    one, twenty, many, flood = fresh(turns, np.arange(4)).tolist()
    assert one < 0.3 < twenty < 0.7 < many < 1.0
    assert flood == 1.0


# --- the block ---


def test_rules_take_about_a_quarter_of_a_full_block(store: Store) -> None:
    for number in range(16):
        keep(store, f"Rule number {number} holds for every single one of the {number} workshops", Category.INSTRUCTION)
    for number in range(12):
        say(store, f"The courier of street {number} has a bicycle with {number + 20} bells on it", ident=f"m{number}")
    lines = recall(store, [SHOP], "courier bicycle bells", k=12, max_tokens=600).block.splitlines()[1:-1]
    rules = sum(map(len, filter(lambda line: "[instruction]" in line, lines)))
    assert 0.1 < rules / sum(map(len, lines)) < 0.45


def test_paths_not_to_use_leave_most_of_a_block_to_the_answers(store: Store) -> None:
    for number in range(30):
        keep(store, f"/srv/old/courier/bicycle/of/street/{number}/settings.ini", Category.INVALID_PATH)
    for number in range(12):
        say(store, f"The courier of street {number} has a bicycle with {number + 20} bells on it", ident=f"m{number}")
    lines = recall(store, [SHOP], "courier bicycle bells", k=30, max_tokens=600).block.splitlines()[1:-1]
    paths = sum(map(len, filter(lambda line: "[invalid_path]" in line, lines)))
    assert 0.05 < paths / sum(map(len, lines)) < 0.3


def test_a_long_message_and_a_long_fact_are_shortened_in_the_block(store: Store) -> None:
    say(store, "The courier of the street " + "goes up and down " * 100, ident="m1")
    keep(store, "The courier of the town " + "goes far and wide " * 100)
    lines = recall(store, [SHOP], "courier", max_tokens=4_000).block.splitlines()[1:-1]
    sizes = {("turn" if "[turn]" in line else "fact"): len(line) for line in lines}
    assert 300 < sizes["turn"] < 550
    assert 500 < sizes["fact"] < 900


def test_of_many_facts_that_contradict_one_a_few_are_named_in_its_line(store: Store) -> None:
    keep(store, "The courier never rings", contradicts=" ".join(f"fact_{n}" for n in range(6)))
    assert 1 <= recall(store, [SHOP], "courier").block.count("contradicts fact_") <= 3


def test_a_passage_that_answers_best_is_not_crowded_out_by_facts(store: Store) -> None:
    for number in range(30):
        keep(store, f"The courier of street {number} has a bicycle called {chr(65 + number)}nna")
    say(store, "The courier rings the silver bell at the harbour gate.", ident="m1")
    shown = recall(store, [SHOP], "which bell does the courier ring at the gate?", k=30, max_tokens=400)
    assert "silver bell" in shown.block


def test_twenty_facts_that_somebody_pinned_all_stand(store: Store) -> None:
    for number in range(20):
        keep(store, f"The key of room {number} hangs behind door {number}", pinned=True)
    assert recall(store, [SHOP], "courier", max_tokens=4_000).block.count("The key of room") == 20


# --- what the weights say of one message against another ---


def test_of_the_same_said_after_a_time_what_was_said_sooner_gains() -> None:
    gained = 0.0
    for whats in (("lessons", "classes"), ("classes", "lessons")):  # one of the words is nearer to the question
        with Memory.open("sqlite://") as fresh:
            for session, month, what in zip(("later", "sooner"), (12, 7), whats, strict=True):
                chat(fresh, ("Ann", f"I took up fencing {what}."), ("Bob", "Great."), session=session, at=on(20, month))
            items = fresh.recall("What fencing did Ann take up in June 2023?").items
        scores = {item.message_id: item.score for item in items}
        gained += scores["sooner-1"] - scores["later-1"]
    assert gained > 0.01


def test_what_happened_to_somebody_gains_by_being_of_a_kind_that_is_asked_for_and_by_being_new(memory: Memory) -> None:
    for name, chatting in (("", "user"), ("Ann", "chat")):
        said = ("The courier thing is fine, thanks, see you soon!", "The courier broke his leg in Ghent last week.")
        messages = [Message(Role.USER, text, f"{chatting}-{n}", None, name) for n, text in enumerate(said)]
        with Memory.open("sqlite://") as fresh_memory:
            fresh_memory.observe(messages, session="s1")
            items = fresh_memory.recall("courier", k=5).items
        why = {item.message_id: item.why for item in items}
        assert why[f"{chatting}-1"].get("telling", 0) > why[f"{chatting}-0"].get("telling", 0) + 0.005
        assert why[f"{chatting}-1"]["fresh"] > 0.005


def test_what_has_the_words_of_the_question_gains_by_them(memory: Memory) -> None:
    chat(memory, ("Ann", "The courier brings a parcel."), ("Bob", "The plumber rings a bell."))
    said = [
        {"role": "user", "content": "The courier brings a parcel."},
        {"role": "user", "content": "The plumber rings."},
    ]
    with Memory.open("sqlite://") as other:
        other.observe(said, session="s1")
        for each in (memory, other):
            best = each.recall("Which parcel does the courier bring?").items[0]
            assert "parcel" in best.text
            assert best.why["words"] > 0.005
