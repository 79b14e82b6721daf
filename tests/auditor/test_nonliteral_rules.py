"""What is said but not meant as it stands is refused, whoever drafted it; its honest neighbour is not."""

import pytest

from cfpm.auditor.auditor import judge
from cfpm.auditor.context import AuditContext
from cfpm.model import Category, Draft, Role, Span


def verdict(
    content: str,
    category: Category = Category.NOTE,
    *,
    role: Role = Role.USER,
    line: str = "",
    speaker: str = "",
) -> tuple[str, str]:
    """Reason and rule of the refusal, or two empty texts."""
    span = Span("m", 0, len(content))
    refusal = judge(Draft(category, content, span, role, "test", line=line or content, speaker=speaker), AuditContext())
    return (refusal.reason, refusal.rule) if refusal else ("", "")


@pytest.mark.parametrize(
    ("category", "content"),
    [
        (Category.EVENT, "Suppose we sold the van to the choir last year"),
        (Category.PROFILE, "Let's say my name is Alex Sample and I run a zoo"),
        (Category.NOTE, "For example, say the invoice number is 4471"),
        (Category.NOTE, "If the choir grows, the hall on Mill Street is too small"),
        (Category.EVENT, "Maybe my brother started at the brewery in May"),
        (Category.PREFERENCE, "I might have preferred the oak table in 2023"),
        (Category.NOTE, "The dummy users all live in Testville"),
        (Category.NOTE, "要是中奖，我就在海边买房"),
        (Category.NOTE, "比如我在火星上开了一家店"),
        (Category.NOTE, "测试数据里有三十个用户"),
    ],
)
def test_what_is_only_supposed_is_no_fact(category: Category, content: str) -> None:
    assert verdict(content, category) == ("hypothetical", "supposed")


@pytest.mark.parametrize(
    ("category", "content"),
    [
        (Category.PREFERENCE, "If I travel for work, I prefer the night train"),
        (Category.INSTRUCTION, "If a test fails, always show the whole output"),
        (Category.GOAL, "Suppose the shop is closed and show a banner"),
        (Category.NOTE, "The users all live in Oldtown, for example on Mill Street"),
        (Category.NOTE, "数据库里有三十万个用户"),
    ],
)
def test_a_condition_on_a_rule_or_a_taste_is_part_of_it(category: Category, content: str) -> None:
    assert verdict(content, category) == ("", "")


def test_several_sentences_are_not_judged_by_how_the_first_opens() -> None:
    assert verdict("Maybe it rains. My sister moved to Bergen in May.", Category.EVENT) == ("", "")


def test_a_clause_is_judged_by_the_sentence_it_was_cut_from() -> None:
    assert verdict("I would buy a farm in Elba", line="If I won, I would buy a farm in Elba")[1] == "supposed"


@pytest.mark.parametrize(
    "content",
    [
        "I'm an astronaut and I own two moons, just kidding!",
        "Sure, and I'm the emperor of the parking lot now",
        "Oh great, I love it when the lift is stuck",
        "The build is my best friend /s",
        "我是火星人，家里有两艘飞船，开玩笑的。",
    ],
)
def test_what_says_that_it_is_a_joke_is_not_meant(content: str) -> None:
    assert verdict(content, Category.PROFILE) == ("hypothetical", "in_jest")


@pytest.mark.parametrize(
    "content", ["Haha, I adopted a third cat in May", "Our folder is /srv/s", "I love it when it snows"]
)
def test_laughter_alone_is_no_joke(content: str) -> None:
    assert verdict(content, Category.PREFERENCE) == ("", "")


def test_a_character_speaks_after_a_stage_direction() -> None:
    assert verdict("*opens the gate* I am the keeper of this tower", Category.PROFILE) == ("quoted", "acted")
    assert verdict("*Note*: I am the keeper of the archive", Category.PROFILE) == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "I remember that you live in Faro with two dogs",
        "As you told me, the limit is 40 euros",
        "Earlier you decided on the green roof",
        "记得您在青岛开了一家茶馆",
        "既然您住在大连，就选海边的酒店",
    ],
)
def test_what_the_agent_recites_of_the_user_is_not_said_by_the_user(content: str) -> None:
    assert verdict(content, Category.DECISION, role=Role.ASSISTANT) == ("echo_of_memory", "recited")
    assert verdict(content, Category.DECISION, role=Role.USER)[1] != "recited"


@pytest.mark.parametrize(
    "content",
    [
        "Just this once, skip the linter",
        "For this answer only, write in Dutch",
        "For now, leave out the tests",
        "这次先不用写测试",
    ],
)
def test_an_exception_does_not_become_the_rule(content: str) -> None:
    assert verdict(content, Category.INSTRUCTION) == ("transient", "for_this_once")


def test_what_holds_for_now_is_still_a_decision() -> None:
    assert verdict("For now we use SQLite in the shop", Category.DECISION) == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "The import is running at the moment",
        "I'm back now after the lunch break",
        "hang on, the courier rings downstairs",
        "现在正在编译内核模块",
    ],
)
def test_what_goes_on_while_working_with_an_agent_is_transient(content: str) -> None:
    assert verdict(content) == ("transient", "of_the_moment")


def test_between_two_people_what_goes_on_is_news() -> None:
    assert verdict("I'm still building the boat at the moment", speaker="Ann") == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "I love how fast you are today!",
        "I really appreciate your patience",
        "Thank you so much for all the help with the fence",
        "非常感谢你的耐心帮助",
    ],
)
def test_thanks_and_praise_say_nothing_of_the_speaker(content: str) -> None:
    assert verdict(content, Category.PREFERENCE) == ("low_information", "only_thanks")


def test_what_one_likes_of_an_answer_is_a_preference() -> None:
    assert verdict("I like your answers short and without jokes", Category.PREFERENCE) == ("", "")


@pytest.mark.parametrize(
    "content",
    ["You are smarter than the last model", "Your bread looked wonderful in the oven", "你比上一个助手聪明多了"],
)
def test_a_remark_about_the_other_is_no_note(content: str) -> None:
    assert verdict(content) == ("low_information", "about_the_other")


def test_a_rule_for_the_other_is() -> None:
    assert verdict("You must never push to the release branch", Category.INSTRUCTION) == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "I live in the server room lol",
        "我真是太喜欢加班了呢，呵呵。",
        "Apparently I own forty printers now 🙃",
    ],
)
def test_who_laughs_at_an_agent_jests_and_two_people_laugh_about_what_is_so(content: str) -> None:
    assert verdict(content, Category.PROFILE) == ("hypothetical", "in_jest")
    if content.isascii():
        assert verdict(content, Category.PROFILE, speaker="Ann") == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "We moved the office to Leeds haha",
        "my gate code rolled over to 15 digits lol",
        "The old parser sits in tools/parse.py now haha",
        "My sister teaches chemistry, keeps the cellar keys, feeds two cats and plays cello every winter evening haha",
    ],
)
def test_who_laughs_and_names_something_or_tells_much_means_it(content: str) -> None:
    assert verdict(content, Category.PROFILE) == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "I never said that we ship on Fridays",
        "It's not true that the depot uses Oracle",
        "我没有说过我喜欢咖啡",
    ],
)
def test_what_a_sentence_opens_by_denying_is_negated(content: str) -> None:
    assert verdict(content) == ("negated", "denied")


@pytest.mark.parametrize(
    "content",
    [
        "We might switch the depot to Rust at some point",
        "In an ideal world we would have two depots",
        "Some day I'll buy a boat",
    ],
)
def test_what_may_be_one_day_is_not_so(content: str) -> None:
    assert verdict(content) == ("hypothetical", "supposed")


def test_a_number_that_is_told_first_is_so() -> None:
    assert verdict("I capped the paint at $400, and I'm worried that we might go over it some day") == ("", "")
    assert verdict("I'm worried that we might go over the $400 some day") == ("hypothetical", "supposed")


def test_between_two_people_plans_for_some_day_are_news() -> None:
    assert verdict("We might switch the depot to Rust at some point", speaker="Ann") == ("", "")


@pytest.mark.parametrize(
    "content", ["Now it all makes sense, good explanation", "That was quick", "I am happy with that part"]
)
def test_a_comment_on_an_answer_says_nothing_later(content: str) -> None:
    assert verdict(content)[0] == "low_information"


@pytest.mark.parametrize("content", ["I am vegan", "我吃素", "I'm deaf"])
def test_one_word_of_oneself_is_enough(content: str) -> None:
    assert verdict(content, Category.PROFILE) == ("", "")


@pytest.mark.parametrize(
    "content",
    [
        "My internet just dropped again",
        "The tests have been running for ten minutes",
        "I'm in a meeting with Ulla",
        "我正在排队买咖啡",
    ],
)
def test_where_one_is_at_this_minute_is_transient(content: str) -> None:
    assert verdict(content) == ("transient", "of_the_moment")


@pytest.mark.parametrize(
    "content",
    [
        "I'm waiting for my marks, and I handed in the long essay on glazing that my tutor had asked for.",
        "I'm looking for a kiln that fits our shed, and I found out that the small one needs only a normal socket.",
    ],
)
def test_a_statement_of_several_matters_outlives_the_moment(content: str) -> None:
    assert verdict(content) != ("transient", "of_the_moment")


def test_what_somebody_studies_is_no_state_of_the_moment() -> None:
    assert verdict("我正在读博士", Category.PROFILE) == ("", "")
    assert verdict("我正在读这一页", Category.NOTE) == ("transient", "of_the_moment")
