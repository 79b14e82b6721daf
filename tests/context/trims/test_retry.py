"""Sending with less after the model refused a prompt because of its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.context.trims import send_with_retries, smaller, trim_stage
from cfpm.context.trims.trim import characters
from cfpm.errors import UsageError
from tests.context.trims.chats import Chat, edit, ran, read, results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.context.history import Raw

LONG = "x" * 10_000


class TooLong(Exception):  # noqa: N818
    """What a provider raises here."""


class Model:
    """Takes prompts of at most so many characters."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.sizes: list[int] = []

    def __call__(self, messages: Sequence[Raw]) -> str:
        self.sizes.append(characters(messages))
        if self.sizes[-1] > self.room:
            raise TooLong
        return "fine"


def is_too_long(error: Exception) -> bool:
    return isinstance(error, TooLong)


@pytest.fixture
def long(chat: Chat) -> Chat:
    return chat.user("Go.").did(ran("make", LONG), said="I build it.").did(ran("make test", LONG), said="I test it.")


@pytest.mark.parametrize(("stage", "most"), [(1, 4_100), (2, 600)])
def test_the_first_stages_cut_results(long: Chat, stage: int, most: int) -> None:
    texts = results(trim_stage(long.messages, stage).messages)
    assert all(text.startswith("xxx") and len(text) <= most for text in texts)


def test_the_last_stage_has_no_tools_and_keeps_what_was_said(long: Chat) -> None:
    messages = trim_stage(long.messages, 3).messages
    assert messages[0] is long.messages[0]
    assert "I build it." in str(messages)
    assert "call_0" not in str(messages)
    assert messages[-1]["role"] == "user"
    assert "thinking" not in str(messages)


def test_a_list_that_ends_with_what_somebody_said_gets_no_closing_note(long: Chat) -> None:
    long.user("And now?")
    assert trim_stage(long.messages, 3).messages[-1] is long.messages[-1]


def test_each_stage_starts_from_the_whole_list(long: Chat) -> None:
    assert "9,500 characters removed" in results(trim_stage(long.messages, 2).messages)[0]


def test_consumed_reads_are_cut_to_their_edges_at_once(chat: Chat) -> None:
    chat.user("Go.").did(read("a.py", LONG)).did(edit("a.py", "b"))
    assert len(results(trim_stage(chat.messages, 1).messages)[0]) < 700


def test_short_results_are_left_alone(chat: Chat) -> None:
    chat.user("Go.").did(ran("ls", "a.py"))
    assert trim_stage(chat.messages, 1).messages is chat.messages
    assert [stage for stage, _ in smaller(chat.messages)] in ([3], [])


@pytest.mark.parametrize(("room", "stage"), [(50_000, 0), (12_000, 1), (3_000, 2), (400, 3)])
def test_a_prompt_is_sent_again_until_it_fits(long: Chat, room: int, stage: int) -> None:
    model = Model(room)
    sent = send_with_retries(model, long.messages, is_too_long)
    assert (sent.answer, sent.stage, len(model.sizes)) == ("fine", stage, stage + 1)
    assert model.sizes == sorted(model.sizes, reverse=True)
    assert sent.trim.changed is (stage > 0)


def test_after_three_retries_the_error_is_passed_on(long: Chat) -> None:
    model = Model(10)
    with pytest.raises(TooLong):
        send_with_retries(model, long.messages, is_too_long)
    assert len(model.sizes) == 4


def test_any_other_error_is_passed_on_at_once(long: Chat) -> None:
    model = Model(10)
    with pytest.raises(TooLong):
        send_with_retries(model, long.messages, lambda error: False)
    assert len(model.sizes) == 1


def test_the_same_list_is_not_sent_twice() -> None:
    model = Model(10)
    with pytest.raises(TooLong):
        send_with_retries(model, [{"role": "user", "content": "x" * 5_000}], is_too_long)
    assert len(model.sizes) == 1


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(UsageError):
        trim_stage([], 4)
