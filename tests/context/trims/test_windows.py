"""Windows over tool results, by groups of calls and by tokens."""

from __future__ import annotations

import pytest

from cfpm.context.tokens import PER_MEDIUM
from cfpm.context.trims import evict_results, is_placeholder, keep_last_results
from cfpm.errors import UsageError
from tests.context.trims.chats import Chat, lines, ran, read, results

TEXT = lines(100)


def grown(chat: Chat, steps: int) -> Chat:
    chat.user("Work.")
    for number in range(steps):
        chat.did(read(f"src/part_{number}.py", TEXT))
    return chat


def gone(messages: list[str]) -> list[bool]:
    return [is_placeholder(text) for text in messages]


def test_the_last_groups_keep_their_results(chat: Chat) -> None:
    trim = keep_last_results(grown(chat, 5).messages, 2, trigger=0)
    assert gone(results(trim.messages)) == [True, True, True, False, False]
    assert "result of Read(src/part_0.py), " in results(trim.messages)[0]
    assert len(trim.messages) == len(chat.messages)


def test_parallel_calls_are_one_group(chat: Chat) -> None:
    chat.user("Work.").did(ran("a", TEXT)).did(ran("b", TEXT), ran("c", TEXT), ran("d", TEXT))
    assert gone(results(keep_last_results(chat.messages, 1, trigger=0).messages)) == [True, False, False, False]


def test_calls_next_to_each_other_in_the_responses_style_are_one_group() -> None:
    calls = [{"type": "function_call", "call_id": n, "name": "x", "arguments": "{}"} for n in "abc"]
    answers = [{"type": "function_call_output", "call_id": n, "output": TEXT} for n in "abc"]
    messages = [calls[0], answers[0], *calls[1:], *answers[1:]]
    assert gone(results(keep_last_results(messages, 1, trigger=0).messages)) == [True, False, False]


def test_no_more_groups_than_the_window_are_left_alone(chat: Chat) -> None:
    assert keep_last_results(grown(chat, 3).messages, 3, trigger=0).messages is chat.messages


def test_the_window_waits_until_the_history_is_nearly_full(chat: Chat) -> None:
    grown(chat, 10)
    size = 10 * len(TEXT)
    early = keep_last_results(chat.messages, 2, trigger=2 * size)
    assert early.messages is chat.messages
    assert early.held_back > 0
    assert keep_last_results(chat.messages, 2, trigger=size).rewritten == 8


def test_a_note_keeps_the_exit_code(chat: Chat) -> None:
    chat.user("Work.").did(ran("make", f"Exit code 2\n{TEXT}")).did(ran("ls", TEXT))
    assert results(keep_last_results(chat.messages, 1, trigger=0).messages)[0].endswith("]\nExit code: 2")


def test_a_negative_number_of_groups_is_refused() -> None:
    with pytest.raises(UsageError):
        keep_last_results([], -1)


def test_the_oldest_results_are_evicted_and_only_as_many_as_needed(chat: Chat) -> None:
    grown(chat, 5)
    trim = evict_results(chat.messages, 2 * len(TEXT) + len(TEXT) // 2 + 600, count=len)
    assert gone(results(trim.messages)) == [True, True, True, False, False]
    trim = evict_results(chat.messages, 4 * len(TEXT) + 400, count=len)
    assert gone(results(trim.messages)) == [True, False, False, False, False]


def test_within_the_budget_nothing_is_evicted(chat: Chat) -> None:
    trim = evict_results(grown(chat, 5).messages, 5 * len(TEXT), count=len)
    assert trim.messages is chat.messages
    assert trim.manifest == ""


def test_an_evicted_result_shows_its_call_and_how_it_began(chat: Chat) -> None:
    trim = evict_results(grown(chat, 3).messages, 0, count=len)
    first = results(trim.messages)[0]
    assert "evicted: Read(src/part_0.py)" in first
    assert "begins: 0: line 0 1: line 7" in first
    assert len(first) < 400


def test_the_last_results_are_never_evicted_and_the_problem_is_told(chat: Chat) -> None:
    trim = evict_results(grown(chat, 3).messages, 0, count=len)
    assert gone(results(trim.messages)) == [True, True, False]
    assert "the budget is 0" in trim.problem


def test_the_manifest_counts_what_was_evicted_before(chat: Chat) -> None:
    first = evict_results(grown(chat, 9).messages, 7 * len(TEXT), count=len)
    assert (
        first.manifest
        == "Tool results in view: 6; evicted: 3 ("
        + ", ".join(f"Read(src/part_{number}.py)" for number in (2, 1, 0))
        + ")."
    )
    again = evict_results(first.messages, 7 * len(TEXT), count=len)
    assert again.messages is first.messages
    assert again.manifest == first.manifest
    more = evict_results(first.messages, 2 * len(TEXT), count=len)
    assert more.manifest.endswith("and 3 more).")


def test_media_count_and_stay(chat: Chat) -> None:
    image = {"type": "image", "source": {"type": "url", "url": "u"}}
    chat.user("Work.").did(("screenshot", {}, [image, {"type": "text", "text": TEXT}])).did(ran("ls", "a.py"))
    trim = evict_results(chat.messages, PER_MEDIUM, count=len)
    assert trim.media == 1
    assert str(image) in str(trim.messages)
    assert trim.problem


def test_negative_budgets_are_refused() -> None:
    with pytest.raises(UsageError):
        evict_results([], -1)
