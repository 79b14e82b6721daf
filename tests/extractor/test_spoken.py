"""What the user says: goals, instructions, preferences, profile, decisions, events, open items, notes."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cfpm.model import Category, Mark
from tests.extractor.saying import agent, clean, drafts, of, user


@pytest.mark.parametrize(
    "text",
    [
        "Please build a GraphQL API for the cart.",
        "Add a dark mode to the settings page",
        "I want to migrate the shop to PostgreSQL.",
        "We need to fix the login error.",
        "We need to handle failed payments.",
        "now move the helpers into their own file",
        "帮我写一个登录页面",
        "我想要一个新的导出功能",
        "需要修复购物车的总价",
    ],
)
def test_requests_imperatives_and_wishes_are_goals(text: str) -> None:
    assert clean(drafts(user(text)), Category.GOAL) == [text]


@pytest.mark.parametrize(
    "text", ["A goalkeeper needs gloves.", "That was needless and unwanted.", "Additionally it rained."]
)
def test_words_that_only_contain_a_cue_are_no_goal(text: str) -> None:
    assert of(drafts(user(text)), Category.GOAL) == []


def test_a_goal_that_announces_something_takes_the_next_line_with_it() -> None:
    text = "Implement the following plan:\n\n# Plan: a cache for the price list\n\n## Context\nlong text"
    assert (
        of(drafts(user(text)), Category.GOAL)[0] == "Implement the following plan: # Plan: a cache for the price list"
    )


def test_what_a_session_opens_with_is_its_goal_even_as_a_question() -> None:
    text = "Why does the checkout page take nine seconds to load?"
    assert of(drafts(user(text), opening=True), Category.GOAL) == [text]
    assert clean(drafts(user(text), opening=False), Category.GOAL) == []


def test_a_greeting_opens_no_goal() -> None:
    assert of(drafts(user("Hello there!"), opening=True), Category.GOAL) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always run the tests before you commit.",
        "Never push to main.",
        "From now on, answer in French.",
        "Please make sure to use tabs.",
        "Don't touch the generated files.",
        "You must not delete migrations.",
        "Whenever I ask for prices, include the VAT.",
        "以后每次提交前都要运行测试",
        "不要修改生成的文件",
    ],
)
def test_standing_rules_are_instructions(text: str) -> None:
    assert clean(drafts(user(text)), Category.INSTRUCTION) == [text]


@pytest.mark.parametrize(
    "text", ["I always loved dancing in Oslo.", "I have never been to Peru.", "Should I always use tabs?"]
)
def test_always_and_never_alone_give_no_order(text: str) -> None:
    assert clean(drafts(user(text)), Category.INSTRUCTION) == []


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tabs over spaces.",
        "I'd rather use Postgres than MySQL.",
        "I don't like long meetings.",
        "My favorite editor is Helix.",
        "I can't stand popups on web pages.",
        "我更喜欢深色主题",
        "我讨厌弹出窗口",
    ],
)
def test_tastes_are_preferences(text: str) -> None:
    assert clean(drafts(user(text)), Category.PREFERENCE) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "My name is Kim Larsen.",
        "I'm a nurse from Bergen.",
        "I work at a small bakery.",
        "My daughter plays the cello.",
        "我住在杭州",
        "我的猫叫咪咪",
    ],
)
def test_statements_about_oneself_are_profile(text: str) -> None:
    assert clean(drafts(user(text)), Category.PROFILE) == [text]


@pytest.mark.parametrize(
    "text", ["We decided to use Redis for the queue.", "Let's go with option B.", "我们决定采用方案二"]
)
def test_choices_are_decisions(text: str) -> None:
    assert clean(drafts(user(text)), Category.DECISION) == [text]


def test_an_undecided_choice_is_marked() -> None:
    (draft,) = [d for d in drafts(user("We haven't decided on Redis or Kafka.")) if d.category is Category.DECISION]
    assert Mark.NEGATED in draft.marks


@pytest.mark.parametrize(
    "text", ["I adopted a puppy last weekend.", "We went hiking near Voss yesterday.", "昨天我们去了西湖散步"]
)
def test_what_happened_is_an_event(text: str) -> None:
    assert clean(drafts(user(text)), Category.EVENT) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "TODO: write the migration guide",
        "- [ ] cover the refund path",
        "The refund path still needs to be tested.",
        "待办：补充文档",
        "Left: the hinge, the second coat and a receipt for Odile.",
        "剩下：合页没装,发票也还没开。",
    ],
)
def test_what_is_left_to_do_is_an_open_item(text: str) -> None:
    found = of(drafts(user(text)), Category.OPEN_ITEM) + of(drafts(agent(text)), Category.OPEN_ITEM)
    assert found


def test_a_plain_statement_with_something_specific_is_a_note() -> None:
    text = "The staging gateway listens on port 8081 behind nginx."
    assert clean(drafts(user(text)), Category.NOTE) == [text]


def test_a_line_that_is_only_a_path_is_no_note() -> None:
    found = drafts(user("/srv/shop/logs/2026-11-21/checkout.log"))
    assert [draft.category for draft in found] == [Category.ARTIFACT]


def test_a_statement_before_a_trailing_question_is_kept_without_it() -> None:
    found = drafts(user("I'm a nurse from Bergen and I earn 45,000 a year, can you give me some tips on saving?"))
    assert clean(found, Category.PROFILE) == ["I'm a nurse from Bergen and I earn 45,000 a year"]


@pytest.mark.parametrize(
    "text",
    [
        "# Shop\n\nAlways run `make test` before you commit.\nI prefer tabs.",
        "Look at this:\n> Never push to main.",
        "| rule | text |\n| 1 | Always use tabs |",
        "# A\nintro\n# B\nNever push to main.\nmore\nmore",
    ],
)
def test_documents_quotes_and_tables_are_quoted(text: str) -> None:
    found = drafts(user(text))
    assert clean(found, Category.INSTRUCTION) == []
    assert clean(found, Category.PREFERENCE) == []


def test_code_is_not_mined() -> None:
    assert drafts(user("```\n# always use tabs\nI prefer spaces\n```")) == []


def test_spans_cite_the_very_words() -> None:
    message = user("Hi!\n  - I prefer tabs over spaces.\nThanks")
    (draft,) = drafts(message)
    assert message.text[draft.span.start : draft.span.end] == draft.content == "I prefer tabs over spaces."


def test_what_only_points_to_something_before_it_is_not_worth_its_tokens() -> None:
    pointing = drafts(user("Look at the patch. That is on purpose anyway."))
    assert any(Mark.LOW_SALIENCE in draft.marks for draft in pointing if draft.content == "That is on purpose anyway.")
    naming = drafts(user("The kiln stands in the shed."))
    assert all(Mark.LOW_SALIENCE not in draft.marks for draft in naming)


def test_a_passage_knows_the_moment_that_it_names() -> None:
    said = replace(user("I sold the kayak yesterday."), created_at=datetime(2024, 3, 8, 15, tzinfo=UTC))
    (draft,) = drafts(said)
    assert draft.event_time == datetime(2024, 3, 7, tzinfo=UTC)


def test_neighbouring_statements_of_a_chat_may_be_one_passage_and_keep_their_speaker() -> None:
    said = "I adopted a greyhound. She is called Luna."
    (draft,) = drafts(replace(user(f"Thanks, Noor! {said}"), name="Ivo"))
    assert (draft.content, draft.speaker) == (said, "Ivo")


def test_what_is_told_to_an_agent_stays_apart() -> None:
    found = clean(drafts(user("I live in Ghent. I work at a bakery.")), Category.PROFILE)
    assert found == ["I live in Ghent.", "I work at a bakery."]


def test_a_conjunction_is_taken_off_only_before_a_statement() -> None:
    assert [draft.content for draft in drafts(user("So far I fired nine bowls in March."))] == [
        "So far I fired nine bowls in March."
    ]


def test_the_line_of_a_draft_stays_near_it_in_a_message_without_full_stops() -> None:
    found = drafts(user("I moved to Ghent, and I bought three kilns in May, " * 200))
    assert len(found) > 20
    assert max(len(draft.line) for draft in found) < 1_500
