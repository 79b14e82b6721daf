"""Who sees which message, and how hosts write it down."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.context.history import Raw
from cfpm.context.views import Fields, extended, for_agent, for_user, for_user_only, from_host, plain, to_host
from cfpm.errors import InputError

SAID: Raw = {"role": "user", "content": "Bake bread."}
GONE: Raw = {"role": "user", "content": "Is the oven on?", "user_visible": True, "agent_visible": False}
NOTE: Raw = {"role": "user", "content": "The oven is on.", "user_visible": False, "agent_visible": True}
LOG = [SAID, GONE, NOTE]
NESTED = Fields(("metadata", "userVisible"), ("metadata", "agentVisible"))


def test_the_model_sees_no_compacted_message_and_no_flag() -> None:
    assert for_agent(LOG) == (SAID, {"role": "user", "content": "The oven is on."})


def test_the_user_sees_what_was_said_and_no_note() -> None:
    assert for_user(LOG) == (SAID, {"role": "user", "content": "Is the oven on?"})


def test_a_message_without_flags_is_the_very_same() -> None:
    assert for_agent([SAID])[0] is SAID


def test_what_tells_the_user_something_is_not_for_the_model() -> None:
    told = [for_user_only("Compacting ...")]
    assert for_agent(told) == ()
    assert for_user(told)[0]["content"] == "Compacting ..."


def test_a_host_keeps_the_flags_where_it_likes() -> None:
    log = [{**GONE, "metadata": {"pinned": True}}]
    assert to_host(log, NESTED) == [
        {
            "role": "user",
            "content": "Is the oven on?",
            "metadata": {"pinned": True, "userVisible": True, "agentVisible": False},
        }
    ]


def test_a_field_that_is_in_use_for_something_else_is_named() -> None:
    with pytest.raises(InputError, match="message 1: metadata is a str"):
        to_host([SAID, {**SAID, "metadata": "mine"}], NESTED)


def test_what_the_host_added_is_added_to_the_log() -> None:
    new = {"role": "assistant", "content": "Yes."}
    assert extended(LOG, [*for_agent(LOG), new]) == (*LOG, new)


@pytest.mark.parametrize("messages", [[], [SAID], [SAID, SAID], [NOTE, SAID]])
def test_a_list_that_does_not_go_on_from_the_log_is_refused(messages: list[Raw]) -> None:
    with pytest.raises(InputError, match=r"message \d"):
        extended(LOG, messages)


RAWS = st.fixed_dictionaries(
    {"role": st.just("user"), "content": st.text(max_size=5)},
    optional={
        "user_visible": st.booleans(),
        "agent_visible": st.booleans(),
        "metadata": st.dictionaries(st.sampled_from("ab"), st.integers(), min_size=1),
    },
)


@given(st.lists(RAWS, max_size=5), st.sampled_from([Fields(), NESTED, Fields(("shown",), ("metadata", "seen"))]))
def test_there_and_back_is_the_same_log_and_nothing_is_changed(log: list[dict[str, object]], fields: Fields) -> None:
    before = deepcopy(log)
    back = from_host(to_host(log, fields), fields)
    assert log == before
    assert [plain(raw) for raw in back] == [plain(raw) for raw in log]
    assert (for_agent(back), for_user(back)) == (for_agent(log), for_user(log))
