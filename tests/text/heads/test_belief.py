"""What is somebody else's word, a jest or a guess is told from what the speaker means."""

import pytest

from cfpm.text.heads.belief import JEST, REPORTED, SUPPOSED, unmeant


@pytest.mark.parametrize(
    "text",
    [
        "My uncle says you should put everything into gold.",
        "The rep promises it will never go down, sure.",
        "People say the old mill was sold to a chain.",
        "I read somewhere that nobody should drink coffee before ten.",
        "我邻居说喝醋能治百病，我才不信",
    ],
)
def test_an_opinion_of_others_is_their_word(text: str) -> None:
    assert unmeant(text) == REPORTED


@pytest.mark.parametrize(
    "text",
    [
        "The vet says twice a day, with food.",
        "Legal says no GPL in anything we ship.",
        "Jenny says she is moving to Bath in March.",
        "Ravi from platform says the staging database listens on 5433.",
        "I told the team that we freeze on Thursday.",
        "I read German better than English.",
        "医生说每天两次，饭后吃",
    ],
)
def test_an_authority_and_who_speaks_of_themselves_are_believed(text: str) -> None:
    assert unmeant(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "If this form crashes once more I'm moving to a cave.",
        "The hamster approved the merge.",
        "I'd sell my soul for a nap.",
        "再改需求我就去月球放羊哈哈",
    ],
)
def test_a_jest_is_one(text: str) -> None:
    assert unmeant(text) == JEST


@pytest.mark.parametrize(
    "text",
    [
        "Our cat has kidney disease and eats only renal food.",
        "I'm going to the coast in May and I hate crowds.",
        "haha yes we finally got the keys, we move in on Saturday",
        "I want to sell the house before the summer, the agent comes on Monday.",
    ],
)
def test_who_laughs_or_keeps_a_cat_tells_what_is_so(text: str) -> None:
    assert unmeant(text) == ""


@pytest.mark.parametrize(
    ("guess", "known"),
    [
        ("I suspect the landlord took the key.", "I suspect you'd pick AWS, but we're on Hetzner."),
        ("We assume it's the new detergent, not sure yet.", "I guess we'll go with Postgres then, decided."),
        ("我怀疑是他把缓存清了", "查清楚了，是他把缓存清了"),
    ],
)
def test_a_guess_is_told_from_a_decision(guess: str, known: str) -> None:
    assert unmeant(guess) == SUPPOSED
    assert unmeant(known) == ""
