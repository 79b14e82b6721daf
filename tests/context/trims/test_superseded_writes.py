"""A write of a file that was written whole again later."""

from __future__ import annotations

from cfpm.context.trims import drop_superseded_writes, is_placeholder
from tests.context.trims.chats import Chat, Step, arguments, edit, lines, results, write

TEXT = lines(50)


def kept(chat: Chat) -> list[bool]:
    trim = drop_superseded_writes(chat.messages, min_saving=0)
    return ["_note" not in given for given in arguments(trim.messages)]


def test_an_earlier_write_becomes_a_short_note_in_json(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(write("a.py", TEXT))
    trim = drop_superseded_writes(chat.messages, min_saving=0)
    first, last = arguments(trim.messages)
    assert first.keys() == {"file_path", "_note"}
    assert first["file_path"] == "a.py"
    assert is_placeholder(first["_note"])
    assert last["content"] == TEXT
    assert trim.saved > 300


def test_a_patch_before_the_last_write_goes_and_one_after_it_stays(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(edit("a.py", TEXT)).did(write("./a.py", TEXT))
    chat.did(edit("a.py", TEXT))
    assert kept(chat) == [False, False, True, True]


def test_a_patch_alone_supersedes_nothing(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(edit("a.py", TEXT)).did(edit("a.py", TEXT))
    assert kept(chat) == [True, True, True]


def test_another_file_supersedes_nothing(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(write("A.py", TEXT)).did(write("b/a.py", TEXT))
    assert kept(chat) == [True, True, True]


def test_a_write_that_failed_supersedes_nothing(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(write("a.py", TEXT, "Error: disk full"), failed=True)
    assert kept(chat) == [True, True]


def test_a_write_that_still_waits_supersedes_nothing(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(write("a.py", TEXT))
    del chat.messages[-1]
    assert kept(chat) == [True, True]


def test_an_editor_keeps_the_word_that_says_what_it_did(chat: Chat) -> None:
    create: Step = ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": TEXT}, "ok")
    chat.user("Write it.").did(create).did(create)
    first, last = arguments(drop_superseded_writes(chat.messages, min_saving=0).messages)
    assert (first["command"], first["path"]) == ("create", "a.py")
    assert "file_text" not in first
    assert last["file_text"] == TEXT


def test_a_long_result_of_a_superseded_write_goes_too_and_a_failure_stays(chat: Chat) -> None:
    chat.user("Write it.").did(edit("a.py", TEXT, TEXT)).did(edit("a.py", TEXT, f"Error: {TEXT}"), failed=True)
    chat.did(write("a.py", TEXT))
    first, second, _ = results(drop_superseded_writes(chat.messages, min_saving=0).messages)
    assert is_placeholder(first)
    assert second == f"Error: {TEXT}"


def test_thinking_and_its_signature_stay() -> None:
    chat = Chat("anthropic").user("Write it.").did(write("a.py", TEXT)).did(write("a.py", TEXT))
    trim = drop_superseded_writes(chat.messages, min_saving=0)
    assert trim.messages[1]["content"][0] is chat.messages[1]["content"][0]  # type: ignore[index]


def test_a_short_write_is_left_alone(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", "x")).did(write("a.py", "y"))
    assert drop_superseded_writes(chat.messages, min_saving=0).messages is chat.messages


def test_little_room_is_not_worth_the_cached_prompt(chat: Chat) -> None:
    chat.user("Write it.").did(write("a.py", TEXT)).did(write("a.py", TEXT))
    trim = drop_superseded_writes(chat.messages)
    assert (trim.changed, trim.held_back > 0) == (False, True)
