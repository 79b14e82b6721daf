"""Instructions: standing rules against orders for once, conditions, negative rules, and talk that only sounds so."""

import pytest

from cfpm.model import Category
from tests.extractor.saying import clean, drafts, of, user


@pytest.mark.parametrize(
    "text",
    [
        "Always include unit weights when I ask about offers.",
        "Include the VAT whenever I ask for prices.",
        "When I ask about recipes, give metric units.",
        "When writing tests, use pytest.",
        'If I say "go", start the build.',
        "Every time you commit, update the changelog.",
        "每次我问价格时，请附上税费",
    ],
)
def test_a_rule_on_a_condition_stands(text: str) -> None:
    assert clean(drafts(user(text)), Category.INSTRUCTION) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Don't ever use emojis in your replies.",
        "I want you to never guess a version.",
        "Under no circumstances should you email the client.",
        "Stop adding comments to the code.",
        "We use spaces, never tabs.",
        "请永远不要使用表情符号",
        "别再给我推荐辣的菜",
    ],
)
def test_a_negative_rule_stands(text: str) -> None:
    assert clean(drafts(user(text)), Category.INSTRUCTION) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "By default, use British spelling.",
        "In future, please keep answers short.",
        "Keep your answers short.",
        "Your answers should be under 100 words.",
        "The tests should always be deterministic.",
        "Make sure all commits are signed.",
        "Could you always name your sources?",
        "I'd like you to always explain your reasoning.",
        "以后回答都用中文",
        "记住，我不吃辣",
        "从现在起只用英文回复我",
    ],
)
def test_a_rule_of_manner_stands_however_politely_it_is_put(text: str) -> None:
    assert clean(drafts(user(text)), Category.INSTRUCTION) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Please use tabs here.",
        "Don't touch the other menus for now.",
        "Make sure you extend the changelog with the new flag.",
        "不要在这里加注释",
        "这次不要运行测试",
    ],
)
def test_an_order_for_once_is_a_goal(text: str) -> None:
    found = drafts(user(text))
    assert of(found, Category.INSTRUCTION) == []
    assert clean(found, Category.GOAL) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "When it's not used, keep it as it is.",
        "From now on I will drink more water.",
        "In the future I hope to live by the sea.",
        "Every time I visit her she bakes a cake.",
        "We always meet behind the old bakery.",
        "They always forget the salt.",
        "I hire helpers at times, but never for night calls.",
        "I'm content with a warm stew, no matter how late in the day it is.",
        "It has a field that is required for the upload.",
        "I want to make sure that all requests are logged.",
        "We should also make sure to sing along.",
        "毕业以后我去了北京",
        "每次去那里都很开心",
        "我总是迟到",
    ],
)
def test_how_things_are_or_will_once_be_is_no_rule(text: str) -> None:
    assert of(drafts(user(text)), Category.INSTRUCTION) == []
