"""Who sees which message, and how hosts write it down."""

from __future__ import annotations

import pytest

from cfpm.context.history import Raw
from cfpm.context.views import extended, for_agent, for_user
from cfpm.errors import InputError

SAID: Raw = {"role": "user", "content": "Bake bread."}
GONE: Raw = {"role": "user", "content": "Is the oven on?", "user_visible": True, "agent_visible": False}
NOTE: Raw = {"role": "user", "content": "The oven is on.", "user_visible": False, "agent_visible": True}
LOG = [SAID, GONE, NOTE]


def test_the_model_sees_no_compacted_message_and_no_flag() -> None:
    assert for_agent(LOG) == (SAID, {"role": "user", "content": "The oven is on."})


def test_the_user_sees_what_was_said_and_no_note() -> None:
    assert for_user(LOG) == (SAID, {"role": "user", "content": "Is the oven on?"})


def test_a_message_without_flags_is_the_very_same() -> None:
    assert for_agent([SAID])[0] is SAID


def test_what_the_host_added_is_added_to_the_log() -> None:
    new = {"role": "assistant", "content": "Yes."}
    assert extended(LOG, [*for_agent(LOG), new]) == (*LOG, new)


@pytest.mark.parametrize("messages", [[], [SAID], [SAID, SAID], [NOTE, SAID]])
def test_a_list_that_does_not_go_on_from_the_log_is_refused(messages: list[Raw]) -> None:
    with pytest.raises(InputError, match=r"message \d"):
        extended(LOG, messages)
