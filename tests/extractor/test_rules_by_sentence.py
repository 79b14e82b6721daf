"""Rules are heard wherever they are said: at a session's opening, in a list, beside a reason; greetings are no part of
a fact."""

import pytest

from cfpm.model import Category
from tests.extractor.saying import drafts, user


def rules(text: str) -> list[str]:
    return [draft.content for draft in drafts(user(text)) if draft.category is Category.INSTRUCTION]


def test_items_of_a_list_of_rules_are_rules_one_by_one() -> None:
    text = (
        "Hi! Some conventions for this project:\n1. Tabs, not spaces.\n2. run the linter before you commit\n"
        "3. Who reviews it?\n\nNow please look at the login test."
    )

    assert sorted(rules(text)) == ["Tabs, not spaces.", "run the linter before you commit"]


@pytest.mark.parametrize("opening", ["House rules", "Conventions for this project", "我们的规矩"])
def test_lines_below_a_heading_are_items_up_to_a_blank_line(opening: str) -> None:
    text = f"{opening}:\nuse tabs\nrun the linter first\n\nadd a login page"

    assert sorted(rules(text)) == ["run the linter first", "use tabs"]


def test_a_list_of_work_holds_no_rules() -> None:
    assert rules("Please do the following:\n- add a login page\n- rename the cart module") == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Oh, and btw, always use tabs.", "always use tabs."),
        ("Hey, quick thing: never push to main, thanks!", "never push to main"),
        ("ok so we deploy from main only", "we deploy from main only"),
        ("Hi, I'm Marta.", "I'm Marta."),
    ],
)
def test_greetings_and_thanks_stand_outside_of_the_span(text: str, content: str) -> None:
    found = next(draft for draft in drafts(user(text)) if draft.content == content)

    assert text[found.span.start : found.span.end] == content
    assert found.category is not Category.GOAL


def test_a_rule_that_follows_from_something_told_is_heard() -> None:
    text = "The new client reads our code and has no Polish, so comments in English only, please."

    assert rules(text) != []


@pytest.mark.parametrize("text", ["你好。我们没有决定用哪个框架。", "Hello. We haven't agreed on which linter we use."])
def test_what_was_not_done_is_no_rule(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize("text", ["Commit messages: imperative mood, no full stop.", "提交信息：用英文写，不要句号。"])
def test_what_a_rule_is_about_announces_no_paste(text: str) -> None:
    assert rules(text) == [text]


def test_a_rule_that_opens_a_session_is_no_goal() -> None:
    assert rules("Use the logging module instead of print in all of our code.") != []
