"""How the sets are read; the files here have their layout and texts of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.extraction.extractors import EXTRACTORS
from benchmarks.extraction.measures import beam, bundled, locomo, peers
from benchmarks.extraction.scoring import Gold
from cfpm import Role
from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from pathlib import Path


def chat_of_two(folder: Path) -> None:
    first = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Where is your bakery?"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "On Mill Street, since 2019."},
        {"speaker": "Ada", "dia_id": "D1:3", "text": "I love rye bread."},
    ]
    sample = {
        "sample_id": "chat-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Hello again!"}],
            "session_10_date_time": "9:05 am on 2 July, 2025",
            "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "Did you sleep?"}],
            "session_2_date_time": "12:30 am on 1 June, 2025",
            "session_1": first,
            "session_1_date_time": "6:35 pm on 14 January, 2025",
        },
        "observation": {
            "session_1_observation": {
                "Ben": [["Ben's bakery is on Mill Street", "D1:2"]],
                "Ada": [["Ada loves rye bread", ["D1:3", "D1:1"]]],
            }
        },
    }
    (folder / "locomo").mkdir()
    for name in ("locomo1.json", "locomo_other.json", "locomo_corrected.json"):
        (folder / "locomo" / name).write_text(json.dumps([sample]), encoding="utf-8")


def plan_and_chat(folder: Path) -> None:
    chat = folder / "beam" / "100K" / "3"
    chat.mkdir(parents=True)
    plan = "BATCH 1 PLAN\n• **Time Anchor:** May 2, 2025\n• **User Instruction:** Always answer in verse.\n"
    (chat / "plan.txt").write_text(f"{plan}BATCH 2 PLAN\n• **Cooking Labels:Soup:** Cooked a leek soup.\n", "utf-8")
    rows = [
        {"role": "user", "id": 0, "index": "1,1", "time_anchor": "May-02-2025", "content": "It's May 2. ->-> 1,1"},
        {"role": "assistant", "id": 1, "content": "Noted ->-> really"},
        {"role": "user", "id": 2, "index": "1,2", "content": "Answer in verse, always! ->-> 1,2)\n"},
        {"role": "user", "id": 3, "content": "Why?"},
    ]
    late = {"role": "user", "id": 4, "index": "2,1", "time_anchor": "June-10-2025", "content": "A leek soup ->-> 2,1"}
    batches = [{"batch_number": 1, "turns": [rows[:2], rows[2:]]}, {"batch_number": 2, "turns": [[late]]}]
    (chat / "chat.json").write_text(json.dumps(batches), encoding="utf-8")


def test_turns_of_two_people_become_named_messages_in_the_order_of_their_sessions(tmp_path: Path) -> None:
    chat_of_two(tmp_path)
    (chat,) = locomo.conversations(tmp_path)
    assert [message.id for message in chat.messages] == ["D1:1", "D1:2", "D1:3", "D2:1", "D10:1"]
    ben = chat.messages[1]
    assert (ben.role, ben.name, to_text(ben.created_at)) == (Role.USER, "Ben", "2025-01-14T18:35:00.000000Z")
    assert to_text(chat.messages[3].created_at) == "2025-06-01T00:30:00.000000Z"


def test_observations_are_gold_with_their_turns_and_their_session(tmp_path: Path) -> None:
    chat_of_two(tmp_path)
    assert locomo.gold(tmp_path)["chat-1"] == (
        Gold("Ben's bakery is on Mill Street", frozenset({"D1:2"}), "Ben", "session_1"),
        Gold("Ada loves rye bread", frozenset({"D1:3", "D1:1"}), "Ada", "session_1"),
    )


def test_only_a_question_and_its_answer_in_one_session_may_stand_for_each_other(tmp_path: Path) -> None:
    chat_of_two(tmp_path)
    (item,) = locomo.labelled(tmp_path)
    assert item.near == {"D1:1": ("D1:2",), "D1:2": ("D1:1",)}


def test_the_place_in_the_plan_is_stripped_from_what_the_user_says(tmp_path: Path) -> None:
    plan_and_chat(tmp_path)
    (chat,) = beam.conversations(tmp_path)
    assert [message.text for message in chat.messages] == [
        "It's May 2.",
        "Noted ->-> really",
        "Answer in verse, always!",
        "Why?",
        "A leek soup",
    ]


def test_a_date_holds_until_the_next_one(tmp_path: Path) -> None:
    plan_and_chat(tmp_path)
    (chat,) = beam.conversations(tmp_path)
    assert [(to_text(m.created_at) or "")[:10] for m in chat.messages] == ["2025-05-02"] * 4 + ["2025-06-10"]


def test_bullets_that_a_message_was_written_from_are_gold(tmp_path: Path) -> None:
    plan_and_chat(tmp_path)
    assert beam.gold(tmp_path)["3"] == (
        Gold("May 2, 2025", frozenset({"0"}), "Time Anchor"),
        Gold("Always answer in verse.", frozenset({"2"}), "User Instruction"),
        Gold("Cooked a leek soup.", frozenset({"4"}), "Cooking Labels:Soup"),
    )
    assert [beam.kind(fact.label) for fact in beam.gold(tmp_path)["3"]] == ["other", "instruction", "other"]


def test_a_folder_without_a_set_is_none(tmp_path: Path) -> None:
    every = EXTRACTORS["turns"]
    assert [module.measure(tmp_path, every) for module in (locomo, beam, peers)] == [None, None, None]


def test_sets_are_scored_from_their_files(tmp_path: Path) -> None:
    chat_of_two(tmp_path)
    plan_and_chat(tmp_path)
    for module in (locomo, beam):
        result = module.measure(tmp_path, EXTRACTORS["sentences"])
        assert result is not None
        rows = {row.measure: row for row in result.rows}
        assert rows["grounding"].value == 1
        assert rows["BGR@4"].value == rows["recall"].value == 1


def test_facts_of_other_memories_are_held_against_single_turns(tmp_path: Path) -> None:
    folder = tmp_path / "peers" / "memobase" / "900-chats"
    folder.mkdir(parents=True)
    spoken = [("human", "I play the viola &amp; sing"), ("gpt", "Nice"), ("human", "My cat is called Plum")]
    chat = {"id": "x", "conversations": [{"from": who, "value": text} for who, text in spoken]}
    (folder / "sharegpt_test.json").write_text(json.dumps(chat), encoding="utf-8")
    (folder / "full_mem0.txt").write_text("- User plays the viola\n- Loves the opera\n", encoding="utf-8")
    (folder / "full_memobase.txt").write_text(
        "* interest: music - plays the viola, cat called Plum\n", encoding="utf-8"
    )
    result = peers.measure(tmp_path, EXTRACTORS["turns"])
    assert result is not None
    assert [row.value for row in result.rows] == [0.5, 0.5, 0.5, 0.0, 1.0, 1.0, 2.0, 1.0]


def test_every_fact_of_the_bundled_set_cites_messages_that_are_there() -> None:
    sets = bundled.labelled()
    assert len(sets) == 6
    assert sum(len(item.gold) for item in sets) >= 60
    for item in sets:
        texts = item.texts()
        assert len(texts) == len(item.conversation.messages)
        for fact in item.gold:
            assert fact.evidence
            assert fact.evidence <= texts.keys()
