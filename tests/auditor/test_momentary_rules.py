"""What is said of the work at hand, or of nothing that is named, is no fact; what is said of the world is."""

import pytest

from tests.extractor.remembering import remembered


@pytest.mark.parametrize(
    "text",
    [
        "line 41 of it looks odd to me",
        "the closing paragraph is far too long",
        "your second version was nicer",
        "each one should have a caption as well",
        "the last two verses don't rhyme",
        "for 4, keep theirs",
        "see the other adapters for how that goes",
        "need it shorter and without the list",
        "still no luck over there",
        "it stopped halfway through",
        "good evening from rainy Turku",
        "[Voice note, 0:12] what is this",
        "上面的图少了图例",
        "最后一行删掉",
        "你的例子太长了",
    ],
)
def test_a_remark_on_the_work_is_not_remembered(text: str) -> None:
    assert remembered(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Section 7 of our lease forbids pets.",
        "The first draft of my novel is due on 9 June.",
        "The output folder is dist/web.",
        "Every invoice needs a purchase number.",
        "The list of members is kept in Notion.",
        "I teach pottery.",
        "The kiln is heated with gas.",
        "My puppy sleeps in the hall.",
        "Our pipeline is still on Jenkins.",
        "网站只支持中文。",
    ],
)
def test_a_statement_about_the_world_is(text: str) -> None:
    assert remembered(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "the preview is blank again",
        "pipeline's red again",
        "the simulator keeps crashing",
        "I just got off the tram, one sec",
        "the build finished",
        "pip install has been hanging there for ten minutes",
        "页面又打不开了",
        "我刚到公司，先看看",
    ],
)
def test_a_state_of_the_moment_is_not_remembered(text: str) -> None:
    assert remembered(text) == []


def test_a_state_with_its_reason_lasts() -> None:
    assert remembered("My internet is slow because I live on a boat.") != []


@pytest.mark.parametrize(
    "text",
    [
        'my tenant left a note: "I work nights and I need quiet."',
        "here's the listing: We are a young crew and we love boats.",
        "rsync -av src/ dst/ shows nothing",
        "bash: foo: command not found",
        "--- FAIL: TestBasket (0.02s)",
        "Build #88 failed in 0m 12s",
    ],
)
def test_words_of_others_and_of_machines_are_not_remembered(text: str) -> None:
    assert remembered(text) == []
