"""Plays that somebody opens, and choices that an agent only proposes."""

import pytest

from cfpm.model import Category, Mark
from tests.extractor.saying import agent, clean, drafts, of, user


@pytest.mark.parametrize(
    ("text", "played"),
    [
        (
            "Let's role-play: you guard the bridge. I am a trader and I live in the hills.",
            "I am a trader and I live in the hills.",
        ),
        ("You are the ferryman, I am the queen. I live in a castle in the north.", "I live in a castle in the north."),
        ("来玩角色扮演吧，你守桥。我是山里的商人，我住在北边。", "我是山里的商人，我住在北边。"),
    ],
)
def test_what_follows_the_opening_of_a_play_is_said_by_a_character(text: str, played: str) -> None:
    found = [draft for draft in drafts(user(text)) if draft.content in played]
    assert not [draft for draft in found if Mark.QUOTED not in draft.marks]
    assert clean(drafts(user(played)), Category.PROFILE)


def test_a_role_alone_opens_no_play() -> None:
    assert clean(drafts(user("You are a great help. I live in the north of Malmo.")), Category.PROFILE)


def test_what_an_agent_proposes_is_not_decided() -> None:
    text = "既然预算不多，就选第二家酒店吧。"
    assert of(drafts(agent(text)), Category.DECISION) == [text]
    assert clean(drafts(agent(text)), Category.DECISION) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I own three castles. lol", False),
        ("I own three castles. haha just kidding", False),
        ("The shop moved to Gdansk in May. lol, maybe the whole town will follow us", True),
    ],
)
def test_laughter_takes_back_what_stands_before_it_unless_it_opens_a_sentence(text: str, meant: bool) -> None:
    told = text.partition(".")[0] + "."
    found = [draft for draft in drafts(user(text)) if draft.content == told and Mark.QUOTED not in draft.marks]
    assert bool(found) is meant
