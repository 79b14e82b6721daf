"""A command that was run again: of the earlier run only how it ended stays."""

from __future__ import annotations

import pytest

from cfpm.context.trims import shorten_repeated_commands
from cfpm.transcript.outcomes import outcome
from tests.context.trims.chats import Chat, Step, lines, ran, results

OUTPUT = lines(60)


def shortened(chat: Chat) -> list[str]:
    return results(shorten_repeated_commands(chat.messages, min_saving=0).messages)


def test_an_earlier_run_says_that_it_succeeded(chat: Chat) -> None:
    first, last = shortened(chat.user("Test.").did(ran("make test", OUTPUT)).did(ran(" make test\n", OUTPUT)))
    assert first.startswith("[CFPM_TRIMMED_V1 succeeded, output of ")
    assert last == OUTPUT


@pytest.mark.parametrize("text", [f"Exit code 2\n{OUTPUT}", f"{OUTPUT}\n[The command completed with exit code 2.]"])
def test_an_earlier_run_says_with_which_code_it_failed(chat: Chat, text: str) -> None:
    first = shortened(chat.user("Test.").did(ran("make", text)).did(ran("make", OUTPUT)))[0]
    assert first.startswith("[CFPM_TRIMMED_V1 failed with exit code 2, output of ")
    assert outcome(first) == (True, 2)


def test_a_failure_without_a_code_is_told(chat: Chat) -> None:
    chat.user("Test.").did(ran("make", OUTPUT), failed=True).did(ran("make", OUTPUT))
    assert shortened(chat)[0].startswith("[CFPM_TRIMMED_V1 failed, output of ")
    trim = shorten_repeated_commands(chat.messages, min_saving=0)
    assert "'is_error': True" in str(trim.messages[2])


def test_the_last_run_keeps_its_result_even_when_it_failed(chat: Chat) -> None:
    chat.user("Test.").did(ran("make", OUTPUT)).did(ran("make", f"Exit code 2\n{OUTPUT}"))
    assert shortened(chat)[1].endswith(OUTPUT)


@pytest.mark.parametrize(
    "second",
    [ran("make test -v", OUTPUT), ran("make", OUTPUT, workdir="/srv"), ("note", {"command": "make"}, OUTPUT)],
    ids=["another command", "another folder", "no shell"],
)
def test_what_is_not_the_same_command_is_kept(chat: Chat, second: Step) -> None:
    chat.user("Test.").did(ran("make", OUTPUT)).did(second)
    assert shorten_repeated_commands(chat.messages, min_saving=0).messages is chat.messages


def test_a_description_of_the_call_does_not_make_it_another(chat: Chat) -> None:
    chat.user("Test.").did(ran("make", OUTPUT, description="Build")).did(ran("make", OUTPUT, description="Again"))
    assert shorten_repeated_commands(chat.messages, min_saving=0).rewritten == 1


def test_a_command_may_be_a_list_of_words(chat: Chat) -> None:
    step: Step = ("shell", {"command": ["bash", "-lc", "make"]}, OUTPUT)
    assert shorten_repeated_commands(chat.user("Go.").did(step).did(step).messages, min_saving=0).rewritten == 1


def test_little_room_is_not_worth_the_cached_prompt(chat: Chat) -> None:
    chat.user("Test.").did(ran("make", OUTPUT)).did(ran("make", OUTPUT))
    assert shorten_repeated_commands(chat.messages).held_back > 0
