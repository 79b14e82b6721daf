"""What only changes a part of an older statement, or takes the sentence before it back."""

from __future__ import annotations

import pytest

from cfpm import Memory
from cfpm.model import Status
from cfpm.text.changes import ends_as_a_whole, excepts, revokes
from cfpm.text.heads.partly import holds_in_part

ACTIVE, GONE = Status.ACTIVE, Status.SUPERSEDED


def told(*sessions: str) -> Memory:
    memory = Memory.open("sqlite://")
    for number, said in enumerate(sessions):
        memory.observe([{"role": "user", "content": said}], session=f"s{number}")
    return memory


def contents(memory: Memory, status: Status = ACTIVE) -> list[str]:
    return [fact.content for fact in memory.facts(status=status)]


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("Label the crates in Danish. Hm no, scrap that, the drivers read only Polish.", "Danish"),
        ("Always begin mails with the order number. Actually no, forget that.", "order number"),
        ("Always sign the notes as Bo. Hm no, scrap that, Ada signs them.", "as Bo"),
        ("以后标签都用丹麦文。算了，当我没说。", "丹麦文"),
    ],
)
def test_what_the_next_sentence_takes_back_is_never_believed(said: str, stays: str) -> None:
    with told(said) as memory:
        assert not any(stays in content for content in contents(memory))
        assert [one.reason for one in memory.candidates() if stays in one.content] == ["negated"]


@pytest.mark.parametrize(
    "said",
    [
        "scrap that, six",
        "scrap that, make it six",
        "算了，当我没说，改成六个",
        "no wait, on Tuesday",
        "forget the milk",
        "Never mind the rain, we go",
        "skip it if slow",
    ],
)
def test_another_value_or_matter_takes_nothing_back(said: str) -> None:
    assert not revokes(said)


def test_an_exception_leaves_its_rule() -> None:
    rule, but = (
        "Keep your replies under four lines.",
        "The four lines don't apply to contracts, I want every clause there.",
    )
    with told(rule, but) as memory:
        assert {rule, but} <= set(contents(memory))
        assert contents(memory, GONE) == []


def test_of_a_rule_that_is_over_as_a_whole_nothing_is_left() -> None:
    rule = "每次出窑后先写一段小结，列出裂了的碗"
    with told(rule, "写小结那条作废，没人看") as memory:
        assert not any("裂了" in content for content in contents(memory))


def test_what_is_left_keeps_the_words_that_say_what_it_is_about() -> None:
    rule, change = "letters to members: in blue ink and signed by Runa and Olle", "from now on only Runa signs letters"
    with told(rule, change) as memory:
        assert "letters to members: in blue ink" in contents(memory)
        assert rule in contents(memory, GONE)


def test_a_rule_that_says_less_than_before_is_no_repetition() -> None:
    rule, change = "cards to guests: short, signed Tove & Per", "sign the cards to guests just Tove from now on"
    with told(rule, change) as memory:
        assert change in contents(memory)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("That doesn't count for invoices.", True),
        ("合同除外。", True),
        ("We count every invoice.", False),
    ],
)
def test_words_of_an_exception(text: str, tells: bool) -> None:
    assert excepts(text) is tells


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Drop the rule about blue ink.", False),
        ("That ink rule is off.", True),
        ("那条不用了", True),
        ("那条改成两行", False),
    ],
)
def test_a_rule_that_is_named_and_over(text: str, tells: bool) -> None:
    assert ends_as_a_whole(text) is tells


def test_several_statements_hold_in_part_more_likely_than_one() -> None:
    change = "The lint step runs with ruff now."
    several = holds_in_part(change, "Tests with pytest, lint with flake8, deploys only by Ruben.")
    assert several > holds_in_part(change, "We lint with flake8.")
