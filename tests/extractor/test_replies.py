"""Answers of users that say little without the question of the agent before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.extractor.replies import given, question_in
from cfpm.model import Category, Fact, Message, Role

if TYPE_CHECKING:
    from pathlib import Path


def kept(folder: Path, asked: str, reply: str, *, apart: bool = True) -> list[Fact]:
    """The user's facts after this exchange, told in two calls or in one."""
    said = [{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": asked}]
    replied = [{"role": "user", "content": reply}]
    with Memory.open(folder / "memory.db") as memory:
        for messages in (said, replied) if apart else (said + replied,):
            memory.observe(messages, session="talk")
        return [fact for fact in memory.facts() if fact.role is Role.USER]


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("The menu is set. Does anybody at the table have an allergy?", "yes, Ravi can't have sesame"),
        ("What size are the filters of your furnace?", "20x25"),
        ("您家的暖气滤网是什么尺寸？", "五十乘六十"),
    ],
)
def test_an_answer_is_kept_with_its_question(tmp_path: Path, asked: str, reply: str, apart: bool) -> None:
    (fact,) = kept(tmp_path, asked, reply, apart=apart)
    assert fact.content == f"{question_in(asked)} {reply}"


def test_what_an_agent_offers_for_good_becomes_a_rule_by_a_yes(tmp_path: Path) -> None:
    (fact,) = kept(tmp_path, "Shall I always put the weight in grams behind each ingredient?", "Yes please.")
    assert fact.category is Category.INSTRUCTION
    assert "weight in grams" in fact.content


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Shall I go on with the next page?", "yes"),
        ("Did that fix it?", "yep, thanks"),
        ("Do you want to see the other draft first?", "ok"),
    ],
)
def test_an_answer_about_the_moment_is_not_kept(tmp_path: Path, asked: str, reply: str) -> None:
    assert kept(tmp_path, asked, reply) == []


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Hello! What's up first?", "Ravi is allergic to sesame and mustard."),
        ("您好！先做什么？", "我儿子对芒果过敏。"),
    ],
)
def test_what_only_opens_a_talk_is_no_question_of_an_answer(tmp_path: Path, asked: str, reply: str) -> None:
    (fact,) = kept(tmp_path, asked, reply)
    assert fact.content == reply


@pytest.mark.parametrize("asked", ["Where are you from?", "Which city?", "Would you like it with ice?"])
def test_a_short_question_that_names_something_needs_its_answer(asked: str) -> None:
    message = Message(id="m", role=Role.USER, text="Aleppo")
    assert given(message, asked) is not None


def test_the_fact_cites_the_answer(tmp_path: Path) -> None:
    (fact,) = kept(tmp_path, "What size are the filters of your furnace?", "20x25, I think. Now to the roof.")
    with Memory.open(tmp_path / "memory.db") as memory:
        (row,) = (one for one in memory.candidates() if one.fact_id == fact.id)
        assert memory.explain(row.id).quoted == "20x25, I think."


def test_a_question_that_points_back_brings_the_sentence_before_it() -> None:
    said = "The old importer still reads spreadsheets. Do we have to keep that?"
    assert question_in(said) == said


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("I moved the file.", "thanks"),
        ("Which city?", "Which ones are there?"),
        (
            "Which city is it?",
            "Let me tell you how the four of us ended up in this place after so many years on the road.",
        ),
        ("Anything else? I can list the rest too. There are nine of them, by the way.", "Porto"),
    ],
)
def test_what_is_no_answer(said: str, reply: str) -> None:
    assert given(Message(Role.USER, reply), said) is None


def test_only_what_was_said_right_before_is_answered(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe(
            [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "What is your shoe size?"}]
        )
        memory.observe(
            [{"role": "user", "content": "Hang on, someone is at the door."}, {"role": "assistant", "content": "Sure."}]
        )
        memory.observe([{"role": "user", "content": "41 steps up to the attic, phew."}])
        assert not any("shoe size" in fact.content for fact in memory.facts())


def test_an_answer_stands_in_the_brief_with_its_question(tmp_path: Path) -> None:
    kept(tmp_path, "Which filters does your furnace take?", "two of the 20x25 ones")
    with Memory.open(tmp_path / "memory.db") as memory:
        assert "Which filters does your furnace take? two of the 20x25 ones" in memory.brief(max_tokens=400).text


@pytest.mark.parametrize(
    "said",
    [
        "Draft: Dear Mr Falk, the oak boards have come. May we deliver them on Monday?",
        "Here is the letter to the mill: the boards are too short. Could you cut new ones?",
        "草稿：范先生您好，木板到了。周一可以送货吗？",
    ],
)
def test_a_question_in_a_text_for_somebody_else_is_not_for_the_user(said: str) -> None:
    assert question_in(said) == ""


def test_latin_words_in_a_chinese_answer_count_as_words() -> None:
    reply = "可以。以后外部的 commit 一律 squash 再 merge 到 main,别留 wip"
    answer = given(Message(Role.USER, reply), "要不要把这个分支删掉？")
    assert answer is not None
    assert answer.text == "可以。"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Draft: Dear Mr Falk, the oak boards have come. Shall I send it?", "Shall I send it?"),
        ("Note: the mill is shut on Monday. Which day suits you?", "Which day suits you?"),
    ],
)
def test_a_question_beside_such_a_text_is_for_the_user(said: str, asked: str) -> None:
    assert question_in(said).endswith(asked)


def test_a_message_of_empty_lines_takes_no_time() -> None:
    assert question_in("\n" * 2_000_000 + "Which day suits you?") == "Which day suits you?"
