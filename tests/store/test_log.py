"""The verbatim log keeps what was said, once, in order, and finds late answers to tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.model import LoggedMessage, Message, Role, ToolCall, ToolResult
from cfpm.store.log import LastTurn
from tests.store.making import NAMESPACE, answered, asked, at, said

if TYPE_CHECKING:
    from cfpm.store.store import Store


def test_messages_come_back_in_order_of_turn_and_position(store: Store) -> None:
    rows = [said("b", "m3", turn=1), said("first", "m1"), said("second", "m2", position=1)]
    assert store.append_messages(rows) == 3
    assert store.messages(NAMESPACE, session="s") == [rows[1], rows[2], rows[0]]
    assert store.messages(NAMESPACE, session="s", turn=0) == [rows[1], rows[2]]
    assert store.messages(NAMESPACE, session="other") == []


def test_message_that_is_known_is_not_stored_again(store: Store) -> None:
    store.append_messages([said("as first said", "m1")])
    assert store.append_messages([said("changed", "m1"), said("new", "m2", position=1)]) == 1
    assert [row.message.text for row in store.messages(NAMESPACE, session="s")] == ["as first said", "new"]
    assert store.search_turns([NAMESPACE], "changed", 5) == []
    assert [ident for ident, _ in store.search_turns([NAMESPACE], "new", 5)] == ["m2"]


def test_same_id_twice_in_one_call_is_one_message(store: Store) -> None:
    assert store.append_messages([said("one", "m1"), said("one", "m1", position=1)]) == 1
    assert all(check.ok for check in store.doctor())


def test_known_ids_are_those_of_the_session(store: Store) -> None:
    store.append_messages([said("a", "m1"), said("b", "m2", session="other"), said("c", "m3", namespace="user:b")])
    assert store.known_ids(NAMESPACE, "s", ["m1", "m2", "m3", "m4"]) == {"m1"}
    assert store.known_ids(NAMESPACE, "s", []) == set()


def test_known_ids_of_a_very_large_turn(store: Store) -> None:
    store.append_messages([said("x", "m5000")])
    assert store.known_ids(NAMESPACE, "s", [f"m{n}" for n in range(100_000)]) == {"m5000"}


def test_last_turn_says_where_to_go_on(store: Store) -> None:
    assert store.last_turn(NAMESPACE, "s") is None
    store.append_messages([said("a", "m1"), said("b", "m2", turn=1), said("c", "m3", turn=1, position=4)])
    assert store.last_turn(NAMESPACE, "s") == LastTurn(1, 5, at(1))
    assert store.last_turn(NAMESPACE, "other") is None


def test_last_turn_of_undated_messages_has_no_time(store: Store) -> None:
    store.append_messages([said("a", "m1", created_at=None)])
    assert store.last_turn(NAMESPACE, "s") == LastTurn(0, 1, None)


def test_result_that_comes_in_a_later_turn_finds_its_call(store: Store) -> None:
    call = ToolCall("call_1", "bash", {"command": "make test", "timeout": 5})
    store.append_messages([asked("m1", call), asked("m2", ToolCall("call_2", "read", {}), position=1)])
    assert store.calls(NAMESPACE, "s", ["call_1", "call_9"]) == {"call_1": call}
    assert store.calls(NAMESPACE, "other", ["call_1"]) == {}


def test_reused_call_id_means_the_latest_call(store: Store) -> None:
    first, second = ToolCall("1", "bash", {"command": "ls"}), ToolCall("1", "bash", {"command": "pwd"})
    store.append_messages([asked("m1", first)])
    store.append_messages([asked("m2", second, turn=1)])
    assert store.calls(NAMESPACE, "s", ["1"]) == {"1": second}


def test_call_without_an_id_is_kept_in_its_message(store: Store) -> None:
    row = asked("m1", ToolCall("", "bash", {"command": "ls"}))
    store.append_messages([row])
    assert store.messages(NAMESPACE, session="s") == [row]
    assert store.calls(NAMESPACE, "s", [""]) == {}


@pytest.mark.parametrize(
    "result",
    [ToolResult("c"), ToolResult("c", False, 0), ToolResult("c", True, -9), ToolResult("", is_error=True)],
)
def test_how_a_tool_call_ended_is_kept(store: Store, result: ToolResult) -> None:
    row = answered("out", "m1", result)
    store.append_messages([row])
    assert store.message(NAMESPACE, "m1", "s") == row


def test_cut_and_agent_are_kept(store: Store) -> None:
    row = LoggedMessage(NAMESPACE, "s", 3, 1, Message(Role.USER, "hi", "m1"), cut=812, agent="builder")
    store.append_messages([row])
    assert store.message(NAMESPACE, "m1", "s") == row


def test_message_without_a_session_is_found_in_the_first_that_has_it(store: Store) -> None:
    rows = [said("in z", "m1", session="z"), said("in b", "m1", session="b"), said("mine", "m1", namespace="user:x")]
    store.append_messages(rows)
    assert store.message(NAMESPACE, "m1") == rows[1]
    assert store.message(NAMESPACE, "m1", "z") == rows[0]
    assert store.message(NAMESPACE, "m2") is None


def test_lone_surrogates_become_replacement_characters_and_offsets_stay(store: Store) -> None:
    rows = [said("fine", "m1"), said("a\ud83d!", "m2", position=1), said("also fine", "m3", position=2)]
    assert store.append_messages(rows) == 3
    assert [row.message.text for row in store.messages(NAMESPACE, session="s")] == ["fine", "a\ufffd!", "also fine"]
    assert store.known_ids(NAMESPACE, "s", ["m2", "\udc00"]) == {"m2"}


def test_seen_lines_keep_the_kind_they_had_first(store: Store) -> None:
    assert store.add_lines(NAMESPACE, {"aa": "system_prompt", "bb": "boot_file"}) == 2
    assert store.add_lines(NAMESPACE, {"aa": "memory_block", "cc": "memory_block"}) == 1
    assert store.known_lines(NAMESPACE, ["aa", "cc", "dd"]) == {"aa": "system_prompt", "cc": "memory_block"}
    assert store.known_lines("user:x", ["aa"]) == {}
