"""What sets one thing against another, and which older statements it ends, by the weights that ship."""

from __future__ import annotations

import pytest

from cfpm import Memory, Status
from cfpm.text.heads.contrast import BESIDE, OVER, Contrast, contrast, ends
from cfpm.text.heads.relation import judge


@pytest.mark.parametrize(
    ("text", "affirmed", "denied"),
    [
        ("Use spaces in Go files, not tabs.", "Use spaces in Go files", "tabs"),
        ("print the labels on linen rather than paper", "print the labels on linen", "paper"),
        ("not the ferry but the night train", "the night train", "the ferry"),
        ("no footnotes, endnotes please", "endnotes please", "footnotes"),
        ("不要用表格，用列表", "用列表", "用表格"),
        ("报告用英文而不是德文", "报告用英文", "德文"),
    ],
)
def test_the_two_sides_of_a_statement(text: str, affirmed: str, denied: str) -> None:
    assert contrast(text) == Contrast(affirmed, denied)


@pytest.mark.parametrize(
    "text",
    ["I'm not going to the regatta.", "Never sand the hull wet.", "The kiln fires on Thursdays.", "x, not y" * 40],
)
def test_what_sets_nothing_against_another(text: str) -> None:
    assert contrast(text) is None


def share(newer: str, older: str) -> int:
    (told,) = judge(newer, [older])
    found = ends(newer, older, told)
    assert found is not None
    return found


def test_an_older_statement_of_what_is_denied_is_over() -> None:
    assert share("Use spaces in Go files, not tabs.", "Always use tabs in Go files.") >= OVER
    assert share("we print the labels on linen now rather than paper", "The labels are printed on paper.") >= OVER


def test_what_denies_it_too_or_says_something_else_holds() -> None:
    newer = "Use spaces in Go files, not tabs."
    assert share(newer, "Never use tabs.") < BESIDE
    assert share(newer, "The browser opens forty tabs at every start.") < BESIDE


def test_a_memory_lets_go_of_the_one_and_keeps_the_others() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": "Always use tabs in Go files."}], session="a")
        memory.observe([{"role": "user", "content": "My sister plays the tabs of old songs."}], session="b")
        memory.observe([{"role": "user", "content": "Use spaces in Go files, not tabs."}], session="c")
        gone = [fact.content for fact in memory.facts(status=Status.SUPERSEDED)]
    assert gone == ["Always use tabs in Go files."]
