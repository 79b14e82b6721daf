"""A read of a file that was changed since keeps only its edges."""

from __future__ import annotations

from cfpm.context.trims import cap_consumed_reads
from tests.context.trims.chats import Chat, edit, lines, read, results, write

TEXT = lines(200)


def test_a_read_that_the_agent_acted_on_is_cut(chat: Chat) -> None:
    chat.user("Fix it.").did(read("src/a.py", TEXT)).did(edit("./src/a.py", "b"))
    trim = cap_consumed_reads(chat.messages, min_saving=0)
    text = results(trim.messages)[0]
    assert len(text) < 650
    assert "the file was changed later: read it again if needed" in text


def test_a_write_of_the_whole_file_consumes_it_too(chat: Chat) -> None:
    chat.user("Fix it.").did(read("a.py", TEXT)).did(write("a.py", "b"))
    assert cap_consumed_reads(chat.messages, min_saving=0).rewritten == 1


def test_what_was_not_changed_afterwards_is_kept(chat: Chat) -> None:
    chat.user("Fix it.").did(edit("a.py", "b")).did(read("a.py", TEXT)).did(edit("b.py", "b"))
    assert cap_consumed_reads(chat.messages, min_saving=0).messages is chat.messages


def test_an_edit_beside_the_read_was_made_before_the_agent_saw_it(chat: Chat) -> None:
    chat.user("Fix it.").did(read("a.py", TEXT), edit("a.py", "b"))
    assert not cap_consumed_reads(chat.messages, min_saving=0).changed


def test_an_edit_that_failed_consumes_nothing(chat: Chat) -> None:
    chat.user("Fix it.").did(read("a.py", TEXT)).did(edit("a.py", "b", "String to replace not found"), failed=True)
    assert not cap_consumed_reads(chat.messages, min_saving=0).changed


def test_little_room_is_not_worth_the_cached_prompt(chat: Chat) -> None:
    chat.user("Fix it.").did(read("a.py", TEXT)).did(edit("a.py", "b"))
    assert cap_consumed_reads(chat.messages).held_back > 0
