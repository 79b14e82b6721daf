"""What the trims do when a host names no figures: what stays, what goes, and from when on it pays."""

from __future__ import annotations

import pytest

from cfpm.context.trims import (
    cap_consumed_reads,
    cap_intermediate_text,
    cap_results,
    drop_superseded_reads,
    is_placeholder,
    keep_last_results,
)
from cfpm.context.trims.retry import trim_stage
from tests.context.trims.chats import Chat, edit, lines, ran, read, results


def sized(chars: int) -> str:
    return lines(chars // 8)[:chars]


def test_a_result_of_some_pages_stays_whole_and_of_a_book_some_pages_stay(chat: Chat) -> None:
    chat.user("Look.").did(ran("make", sized(10_000)), ran("make all", sized(100_000)))
    pages, book = results(cap_results(chat.messages).messages)
    assert len(pages) == 10_000
    assert 8_000 < len(book) < 32_000


def grown(chat: Chat, steps: int, chars: int) -> Chat:
    chat.user("Work.")
    for number in range(steps):
        chat.did(read(f"src/part_{number}.py", sized(chars)))
    return chat


def test_of_a_full_history_about_a_dozen_results_stay(chat: Chat) -> None:
    kept = results(keep_last_results(grown(chat, 40, 10_000).messages).messages)
    assert 8 <= sum(not is_placeholder(text) for text in kept) <= 16


@pytest.mark.parametrize(("chars", "full"), [(2_500, False), (3_600, False), (6_000, True), (10_000, True)])
def test_results_stay_until_a_history_has_nearly_two_hundred_thousand_characters(
    chat: Chat, chars: int, full: bool
) -> None:
    assert keep_last_results(grown(chat, 40, chars).messages).changed is full


def changed_files(chat: Chat, files: int, chars: int) -> Chat:
    chat.user("Work.")
    for number in range(files):
        chat.did(read(f"src/part_{number}.py", sized(chars))).did(edit(f"src/part_{number}.py", "b"))
    return chat.did(ran("make", "ok"))


def test_of_a_file_that_was_read_and_then_changed_a_few_lines_stay(chat: Chat) -> None:
    trim = cap_consumed_reads(changed_files(chat, 1, 200_000).messages)
    assert 200 < len(results(trim.messages)[0]) < 1_500


@pytest.mark.parametrize(("chars", "pays"), [(3_000, False), (20_000, True)])
def test_a_small_saving_is_not_worth_a_lost_prompt_cache(chat: Chat, chars: int, pays: bool) -> None:
    trim = cap_consumed_reads(changed_files(chat, 10, chars).messages)
    assert trim.changed is pays
    assert bool(trim.held_back) is not pays


def test_what_an_agent_says_between_calls_is_cut_to_a_sentence(chat: Chat) -> None:
    chat.user("Work.").did(ran("make", "ok"), said="Now I look at the loader. " * 40).did(ran("make", "ok"))
    told = str(cap_intermediate_text(chat.messages, min_saving=0).messages)
    assert 2 <= told.count("Now I look at the loader.") <= 8


def test_a_result_that_says_that_nothing_changed_is_short_and_one_that_quotes_it_is_not(chat: Chat) -> None:
    unchanged = "File unchanged since the last read."
    for again, leaves in ((unchanged + " " + "Refer to that. " * 20, False), (unchanged + "\n" + sized(5_000), True)):
        other = Chat(chat.form).user("Look.").did(read("a.py", sized(4_000))).did(read("a.py", again))
        trim = drop_superseded_reads(other.messages, min_saving=0)
        assert is_placeholder(results(trim.messages)[0]) is leaves


def test_when_the_window_overflows_results_are_cut_to_a_page_and_then_to_some_lines(chat: Chat) -> None:
    chat.user("Look.").did(ran("make", sized(100_000))).did(ran("make all", sized(100_000)))
    for stage, least, most in ((1, 2_000, 9_000), (2, 250, 1_500)):
        assert all(least < len(text) < most for text in results(trim_stage(chat.messages, stage).messages))
