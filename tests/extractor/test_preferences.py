"""Preferences: what counts as a stated taste, in one clause among others, and what only sounds like one."""

import pytest

from cfpm.model import Category, Mark
from tests.extractor.saying import clean, drafts, of, user


@pytest.mark.parametrize(
    "text",
    [
        "I strongly dislike bitter melon.",
        "I much prefer night trains.",
        "I always avoid large gatherings.",
        "I have a strong aversion to velvet.",
        "I have a severe hazelnut allergy.",
        "I have no interest in sports cars.",
        "I only wear natural fabrics.",
        "I exclusively read paper books.",
        "I never drink coffee after noon.",
        "I don't eat meat.",
        "I cannot stand loud offices.",
        "I follow a strict macrobiotic diet.",
        "I find horror films unsettling.",
        "I learn best by doing.",
        "I insist on paper tickets.",
        "I'm a committed vegan.",
        "I'm not a morning person.",
        "I'm more of a cat person.",
        "I am uninterested in gadgets.",
        "I've always loved trains.",
        "I'd rather use tabs.",
        "Noise is a deal-breaker for me.",
        "Crowds make me anxious.",
        "Driving long distances isn't my thing.",
        "We prefer small commits.",
        "我从来不吃辣",
        "我尽量避免坐飞机",
        "我真的很不喜欢下雨天",
        "我乳糖不耐受",
        "比起咖啡我更喜欢茶",
    ],
)
def test_a_taste_an_aversion_or_a_need_is_a_preference(text: str) -> None:
    assert clean(drafts(user(text)), Category.PREFERENCE) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I love the idea of a themed corner!",
        "I like your suggestion about walking.",
        "I really like that, thanks!",
        "I love the lighthouse idea!",
        "I appreciate your help with the forms.",
        "I don't like how this looks.",
        "I especially like the second drawing.",
        "I really like the lantern and bridge concepts.",
        "My favorite part was the ferry.",
        "我喜欢你的建议",
    ],
)
def test_liking_what_was_just_said_is_no_taste(text: str) -> None:
    assert of(drafts(user(text)), Category.PREFERENCE) == []


@pytest.mark.parametrize(
    "text",
    [
        "How do I avoid a race condition here?",
        "Those who prefer tea may leave.",
        "You know what I like about it.",
        "I can't read the file.",
        "I used to like jazz.",
        "I'm an organised person looking for a flat.",
        "I want to avoid global state.",
        "She hates spinach.",
        "你喜欢什么颜色？",
    ],
)
def test_what_is_asked_past_or_said_of_others_is_no_preference(text: str) -> None:
    assert clean(drafts(user(text)), Category.PREFERENCE) == []


def test_a_preference_stands_after_other_clauses() -> None:
    text = "I'm going to the coast in May and I hate crowds, so where should I stay?"
    assert clean(drafts(user(text)), Category.PREFERENCE)[0].endswith("I hate crowds")


@pytest.mark.parametrize(
    "text",
    ["Where should we eat, since I avoid seafood?", "Which inn is near the park, as I usually prefer quiet places?"],
)
def test_a_reason_inside_a_question_is_stated_all_the_same(text: str) -> None:
    assert len(clean(drafts(user(text)), Category.PREFERENCE)) == 1


def test_a_question_about_a_taste_states_none() -> None:
    (draft,) = [d for d in drafts(user("Maybe I prefer tabs?")) if d.category is Category.PREFERENCE]
    assert Mark.QUESTION in draft.marks


def test_an_interest_is_part_of_the_profile() -> None:
    found = drafts(user("I'm really interested in marine biology."))
    assert clean(found, Category.PROFILE) == ["I'm really interested in marine biology."]
    assert of(found, Category.PREFERENCE) == []


def test_the_lack_of_interest_is_a_preference() -> None:
    assert clean(drafts(user("I'm not interested in sports.")), Category.PREFERENCE) != []
