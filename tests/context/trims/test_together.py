"""Several trims as one, the names of tools, and what a trim reports."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

from cfpm.context.trims import (
    cap_results,
    drop_superseded_reads,
    drop_superseded_writes,
    evict_results,
    known_tools,
    together,
)
from cfpm.context.trims.tools import Work
from cfpm.context.trims.trim import characters
from cfpm.model import ToolCall
from tests.context.trims.chats import Chat, lines, read, write

TEXT = lines(800)
if TYPE_CHECKING:
    from cfpm.context.history import Raw

READS = partial(drop_superseded_reads, min_saving=0)
WRITES = partial(drop_superseded_writes, min_saving=0)


def grown(chat: Chat) -> Chat:
    chat.user("Go.")
    for _ in range(4):
        chat.did(read("a.py", TEXT)).did(write("b.py", TEXT))
    return chat


def test_what_pays_only_together_is_done_together(chat: Chat) -> None:
    grown(chat)
    apart = drop_superseded_reads(chat.messages).held_back
    trim = together(chat.messages, (READS, WRITES), min_saving=apart + 1)
    assert trim.rewritten == 6
    assert trim.saved == pytest.approx(characters(chat.messages) - characters(trim.messages))


def test_what_does_not_pay_even_together_is_held_back(chat: Chat) -> None:
    trim = together(grown(chat).messages, (READS, WRITES), min_saving=10_000_000)
    assert trim.messages is chat.messages
    assert (trim.changed, trim.saved) == (False, 0)
    assert trim.held_back > 40_000


def test_nothing_to_do_gives_the_very_list(chat: Chat) -> None:
    chat.user("Go.")
    assert together(chat.messages, (READS, WRITES, cap_results), min_saving=0).messages is chat.messages


def test_manifests_and_problems_are_joined(chat: Chat) -> None:
    evict = partial(evict_results, max_tokens=0)
    trim = together(grown(chat).messages, (evict, evict), min_saving=0)
    assert trim.problem.count("the budget is 0") == 2
    assert trim.manifest.count("evicted") == 2


@pytest.mark.parametrize(
    ("name", "given", "work"),
    [
        ("Read", {}, Work.READ),
        ("mcp__file_system__read_text_file", {}, Work.READ),
        ("functions.shell", {}, Work.SHELL),
        ("container.exec", {}, Work.SHELL),
        ("MultiEdit", {}, Work.PATCH),
        ("apply_patch", {}, Work.PATCH),
        ("str_replace_based_edit_tool", {"command": "create"}, Work.WRITE),
        ("str_replace_based_edit_tool", {"command": "insert"}, Work.PATCH),
        ("str_replace_based_edit_tool", {}, Work.OTHER),
        ("readiness_check", {}, Work.OTHER),
        ("overwrite", {}, Work.OTHER),
        ("", {}, Work.OTHER),
    ],
)
def test_tools_are_known_by_their_names(name: str, given: dict[str, object], work: Work) -> None:
    assert known_tools().work_of(ToolCall("c", name, given)) is work


def test_no_tool_is_of_two_kinds() -> None:
    tools = known_tools()
    names = [*tools.reads, *tools.looks, *tools.writes, *tools.patches, *tools.shells, *tools.editors]
    assert len(names) == len(set(names))


def test_a_label_names_the_call_on_one_line() -> None:
    label = known_tools().label_of(ToolCall("c", "Bash", {"command": "make \\\n  test " + "x" * 90}))
    assert label.startswith("Bash(make \\ test xxx")
    assert len(label) == len("Bash()") + 50


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "Write", "arguments": "{broken"}}
    messages: list[Raw] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": TEXT},
    ]
    assert WRITES(messages).messages is messages
    assert json.dumps(cap_results(messages, 100).messages[0]) == json.dumps(messages[0])
