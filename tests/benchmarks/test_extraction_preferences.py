"""How preferences and standing rules are scored; the files here have the sets' layout and texts of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.extraction.conversation import Conversation, Prediction
from benchmarks.extraction.extractors import EXTRACTORS
from benchmarks.extraction.measures import instructions, prefeval

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.extraction.result import Result

TEA = {"preference": '"I dislike sweet tea."', "question": "What should I drink in Oslo?"}
SKI = {"preference": "I avoid steep ski slopes.", "question": "Where should I go in winter?"}
TALK = {
    "1": {"user": "I work nights. I usually avoid steep slopes.", "assistant": "Noted."},
    "0": {"user": "Hello there!", "assistant": "Hello!"},
    "2": {"user": "Thanks!"},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    stated = tmp_path / "prefeval" / "explicit_preference"
    talk = tmp_path / "prefeval" / "implicit_preference" / "persona-driven"
    for folder in (stated, talk):
        folder.mkdir(parents=True)
    (stated / "drinks.json").write_text(json.dumps([TEA]), encoding="utf-8")
    (stated / "sports.json").write_text(json.dumps([SKI]), encoding="utf-8")
    for name, item in (("drinks", TEA), ("sports", SKI)):
        (talk / f"{name}.json").write_text(json.dumps([{**item, "conversation": TALK}]), encoding="utf-8")
    return tmp_path


def values(result: Result | None) -> dict[str, float | None]:
    assert result is not None
    return {f"{row.set}: {row.measure}": row.value for row in result.rows}


def labelled(category: str) -> list[Prediction]:
    return [Prediction("I dislike sweet tea.", ("0",), category), Prediction("What to drink in Oslo?", ("1",), "goal")]


def test_a_sentence_in_quotation_marks_is_said_without_them(data: Path) -> None:
    first, second = prefeval.stated(data)
    assert [m.text for m in first.conversation.messages] == ["I dislike sweet tea.", "What should I drink in Oslo?"]
    assert first.gold[0].text == "I dislike sweet tea."
    assert second.conversation.session == "sports-0"


def test_rounds_come_in_the_order_of_their_numbers_and_only_users_may_reveal(data: Path) -> None:
    case = prefeval.revealed(data)[1]
    said = [message.text for message in case.conversation.messages]
    assert said == ["Hello there!", "Hello!", "I work nights. I usually avoid steep slopes.", "Noted.", "Thanks!"]
    assert case.gold[0].evidence == {"0u", "1u", "2u"}


def test_the_talk_between_statement_and_question_is_of_another_topic(data: Path) -> None:
    case = prefeval.stated_amid_talk(data)[0]
    messages = case.conversation.messages
    assert (messages[0].text, messages[-1].text) == ("I dislike sweet tea.", "What should I drink in Oslo?")
    assert [gold.text for gold in case.gold] == ["I dislike sweet tea.", "I avoid steep ski slopes."]


@pytest.mark.parametrize(("category", "found"), [("preference", True), ("instruction", True), ("profile", False)])
def test_only_a_preference_or_an_instruction_counts_as_found(data: Path, category: str, found: bool) -> None:
    outcome = prefeval.outcome(prefeval.stated(data)[0], lambda _: labelled(category))
    assert (0 in outcome.found) is found
    assert outcome.found_anyhow == {0}
    assert outcome.taken == int(found)


def test_what_is_superseded_is_not_found(data: Path) -> None:
    gone = Prediction("I dislike sweet tea.", ("0",), "preference", status="superseded")
    assert not prefeval.outcome(prefeval.stated(data)[0], lambda _: [gone]).found


def test_without_categories_every_fact_is_held_against_the_preference(data: Path) -> None:
    rows = values(prefeval.measure(data, EXTRACTORS["turns"]))
    assert rows["PrefEval stated: found as preference or instruction"] == 1
    assert rows["PrefEval stated: precision of preference and instruction"] == 0.5


def test_the_memory_finds_what_is_stated_and_takes_no_question_for_it(data: Path) -> None:
    rows = values(prefeval.measure(data, EXTRACTORS["cfpm"]))
    assert rows["PrefEval stated: found as preference or instruction"] == 1
    assert rows["PrefEval stated: precision of preference and instruction"] == 1


def test_standing_rules_must_cite_their_message(tmp_path: Path) -> None:
    chat = tmp_path / "beam" / "100K" / "1"
    chat.mkdir(parents=True)
    plan = "BATCH 1 PLAN\n• **User Instruction:** Always answer in verse.\n• **Preference Statement:** I prefer odes.\n"
    (chat / "plan.txt").write_text(plan, encoding="utf-8")
    rows = [
        {"role": "user", "id": 0, "index": "1,1", "content": "Always answer in verse. ->-> 1,1"},
        {"role": "user", "id": 1, "index": "1,2", "content": "I prefer odes, you know. ->-> 1,2"},
    ]
    (chat / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [rows]}]), encoding="utf-8")

    def other_message(_: Conversation) -> list[Prediction]:
        return [Prediction("Always answer in verse.", ("1",), "instruction")]

    wrong = values(instructions.measure(tmp_path, other_message))
    assert wrong["BEAM standing rules: User Instruction found as instruction"] == 0
    right = values(instructions.measure(tmp_path, EXTRACTORS["cfpm"]))
    assert right["BEAM standing rules: User Instruction found as instruction"] == 1
    assert right["BEAM standing rules: Preference Statement found as preference"] == 1


def test_a_folder_without_these_sets_is_none(tmp_path: Path) -> None:
    every = EXTRACTORS["turns"]
    assert prefeval.measure(tmp_path, every) is None
    assert instructions.measure(tmp_path, every) is None
