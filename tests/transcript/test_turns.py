"""Where a turn begins, and that its index does not depend on how a session is passed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.model import Message, Origin, Role, ToolResult, Turn
from cfpm.transcript import begins_turn, group_turns

USER, ASSISTANT = Message(Role.USER, "Do it."), Message(Role.ASSISTANT, "Done.")
SYSTEM = Message(Role.SYSTEM, "You help.", origin=Origin.SYSTEM_PROMPT)
TOOL = Message(Role.TOOL, "ok", tool_result=ToolResult("c"))
NOTICE = Message(Role.USER, "[Request interrupted by user]", origin=Origin.HOST_NOTICE)


def indices(turns: list[Turn]) -> list[tuple[int, int]]:
    return [(turn.index, len(turn.messages)) for turn in turns]


def test_each_real_user_message_begins_a_turn() -> None:
    turns = list(group_turns([USER, ASSISTANT, TOOL, NOTICE, USER, ASSISTANT], session="s"))
    assert indices(turns) == [(0, 4), (1, 2)]
    assert turns[0].session == "s"


def test_what_stands_before_the_first_user_message_is_the_first_turn() -> None:
    assert indices(list(group_turns([SYSTEM, ASSISTANT, USER], session="s", first_index=3))) == [(3, 2), (4, 1)]


def test_a_part_goes_on_with_the_open_turn() -> None:
    assert indices(list(group_turns([TOOL, USER], session="s", first_index=3, continues=True))) == [(3, 1), (4, 1)]
    assert indices(list(group_turns([USER, TOOL], session="s", first_index=3, continues=True))) == [(4, 2)]


def test_nothing_gives_no_turn() -> None:
    assert list(group_turns([], session="s")) == []


def test_a_hundred_thousand_messages_in_one_turn() -> None:
    (turn,) = group_turns([USER, *[TOOL] * 100_000], session="s")
    assert len(turn.messages) == 100_001


def test_blank_and_marked_user_messages_begin_none() -> None:
    assert not begins_turn(Message(Role.USER, " \n"))
    assert not any(
        begins_turn(Message(Role.USER, "x", origin=origin)) for origin in Origin if origin is not Origin.SAID
    )


MESSAGES = st.lists(st.sampled_from([USER, ASSISTANT, SYSTEM, TOOL, NOTICE]), max_size=30)


@settings(max_examples=100)
@given(MESSAGES, st.data())
def test_nothing_is_lost_the_order_is_kept_and_parts_give_the_same_turns(
    messages: list[Message], data: st.DataObject
) -> None:
    whole = list(group_turns(messages, session="s"))
    assert [message for turn in whole for message in turn.messages] == messages
    assert [turn.index for turn in whole] == list(range(len(whole)))
    cut = data.draw(st.integers(0, len(messages)))
    first = list(group_turns(messages[:cut], session="s"))
    last = first[-1].index if first else 0
    second = list(group_turns(messages[cut:], session="s", first_index=last, continues=bool(first)))
    places = [turn.index for turn in (*first, *second) for _ in turn.messages]
    assert places == [turn.index for turn in whole for _ in turn.messages]
