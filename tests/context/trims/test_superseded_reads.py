"""A read that was made again: only the last that shows something keeps its result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cfpm.context.trims import MIN_SAVING, drop_superseded_reads, known_tools
from tests.context.trims.chats import Chat, Step, lines, read, results

if TYPE_CHECKING:
    from cfpm.context.history import Raw

TEXT = lines(100)


def kept(chat: Chat) -> list[bool]:
    trim = drop_superseded_reads(chat.messages, min_saving=0)
    return [text == given for text, given in zip(results(trim.messages), results(chat.messages), strict=True)]


def test_of_the_same_read_only_the_last_keeps_its_result(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", TEXT)).did(read("b.py", TEXT)).did(read("a.py", TEXT))
    assert kept(chat) == [False, True, True]


def test_the_note_says_what_it_stands_for_and_calls_stay(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", TEXT)).did(read("a.py", TEXT))
    trim = drop_superseded_reads(chat.messages, min_saving=0)
    assert results(trim.messages)[0] == (
        f"[CFPM_TRIMMED_V1 result of {len(TEXT):,} characters left out, the same was read again later"
        "; not the real value, do not reuse]"
    )
    assert trim.messages[1] is chat.messages[1]


def test_the_order_of_arguments_does_not_count(chat: Chat) -> None:
    first: Step = ("Grep", {"pattern": "x", "path": "src"}, TEXT)
    second: Step = ("Grep", {"path": "src", "pattern": "x"}, TEXT)
    assert kept(chat.user("Look.").did(first).did(second)) == [False, True]


def test_another_question_about_the_same_path_supersedes_nothing(chat: Chat) -> None:
    first: Step = ("Grep", {"pattern": "x", "path": "src"}, TEXT)
    second: Step = ("Grep", {"pattern": "y", "path": "src"}, TEXT)
    assert kept(chat.user("Look.").did(first).did(second)) == [True, True]


def test_a_whole_read_supersedes_a_part_that_it_shows(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", lines(20), offset=50, limit=20)).did(read("./a.py", TEXT))
    assert kept(chat) == [False, True]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({}, {"offset": 50}, id="a part says nothing of the rest"),
        pytest.param({"offset": 1, "limit": 20}, {"offset": 50, "limit": 20}, id="two parts"),
        pytest.param({"offset": 1990, "limit": 20}, {}, id="a tool that shows no more than the first lines"),
        pytest.param({"view_range": [90, 120]}, {}, id="a range that ends behind what was shown"),
        pytest.param({"tail": 20}, {}, id="a part that stands nobody knows where"),
    ],
)
def test_a_read_that_does_not_show_the_same_lines_supersedes_nothing(
    chat: Chat, first: dict[str, object], second: dict[str, object]
) -> None:
    chat.user("Look.").did(read("a.py", TEXT, **first)).did(read("a.py", TEXT, **second))
    assert kept(chat) == [True, True]


def test_a_read_that_failed_supersedes_nothing(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", TEXT)).did(read("a.py", "Error: no such file"), failed=True)
    assert kept(chat) == [True, True]


def test_the_word_that_nothing_changed_supersedes_nothing(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", TEXT)).did(read("a.py", "File unchanged since last read."))
    assert kept(chat) == [True, True]


def test_a_long_file_that_speaks_of_what_is_unchanged_is_a_read(chat: Chat) -> None:
    chat.user("Look.").did(read("a.py", TEXT)).did(read("a.py", f"unchanged since\n{TEXT}"))
    assert kept(chat) == [False, True]


def test_a_tool_that_gives_what_is_new_is_never_superseded(chat: Chat) -> None:
    chat.user("Look.").did(("BashOutput", {"id": "1"}, TEXT)).did(("BashOutput", {"id": "1"}, TEXT))
    assert kept(chat) == [True, True]


def test_an_editor_reads_when_its_argument_says_so(chat: Chat) -> None:
    view: Step = ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, TEXT)
    undo: Step = ("str_replace_based_edit_tool", {"command": "undo_edit", "path": "a.py"}, TEXT)
    assert kept(chat.user("Look.").did(view).did(undo).did(view).did(undo)) == [False, True, True, True]


def test_a_host_names_its_own_tools(chat: Chat) -> None:
    page: Step = ("load-page", {"url": "u"}, TEXT)
    chat.user("Look.").did(page).did(page)
    assert not drop_superseded_reads(chat.messages, min_saving=0).changed
    tools = replace(known_tools(), looks={"LoadPage"})
    assert drop_superseded_reads(chat.messages, min_saving=0, tools=tools).rewritten == 1


def test_the_cached_prompt_is_worth_more_than_little_room(chat: Chat) -> None:
    text = lines(1_500)
    chat.user("Look.").did(read("a.py", text)).did(read("a.py", text))
    trim = drop_superseded_reads(chat.messages)
    assert trim.messages is chat.messages
    assert 0 < trim.held_back < MIN_SAVING
    for _ in range(4):
        chat.did(read("a.py", text))
    trim = drop_superseded_reads(chat.messages)
    assert trim.saved >= MIN_SAVING
    assert results(trim.messages)[-1] == text


def test_the_first_calls_of_a_host_without_ids_are_told_apart() -> None:
    called = {"name": "read_file", "arguments": '{"path": "a"}'}
    call: Raw = {"role": "assistant", "content": None, "function_call": called}
    result: Raw = {"role": "function", "name": "read_file", "content": TEXT}
    trim = drop_superseded_reads([call, result, call, result], min_saving=0)
    assert [message is result for message in trim.messages] == [False, False, False, True]
