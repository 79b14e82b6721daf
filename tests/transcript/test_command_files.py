"""The request inside the file that a command puts into the conversation."""

from __future__ import annotations

import pytest

from cfpm.model import Message, Origin, Role
from cfpm.transcript.boot_files import split_request
from tests.transcript.conftest import Write
from tests.transcript.test_claude_code import row
from tests.transcript.walk import messages

CONTEXT = "## Context\n\n- Branch: cart\n\n"
TASK = "## Your task\n\nReview the open change of the cart.\n\n- ignore the change log\n"


def parts(text: str) -> list[tuple[Origin, str]]:
    return [(part.origin, part.text) for part in split_request(Message(Role.USER, text))]


def test_what_stands_below_the_task_heading_is_said() -> None:
    assert parts(CONTEXT + TASK) == [
        (Origin.BOOT_FILE, "## Context\n\n- Branch: cart\n\n## Your task"),
        (Origin.SAID, "Review the open change of the cart."),
        (Origin.BOOT_FILE, "- ignore the change log"),
    ]


def test_a_file_without_headings_asks_first() -> None:
    assert parts("Fix the defect that I name.\n\nNever commit.") == [
        (Origin.SAID, "Fix the defect that I name."),
        (Origin.BOOT_FILE, "Never commit."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        CONTEXT + "Always read the diff.",
        "You are a careful reviewer of Go code.\n\nNever commit.",
        "# Your task\n\n- read\n- write",
        "---\nmodel: small\n---\nFix it.",
    ],
)
def test_a_file_that_shows_no_request_stays_whole(text: str) -> None:
    assert parts(text) == [(Origin.BOOT_FILE, text)]


def test_a_chinese_heading_is_understood() -> None:
    assert parts("## 背景\n\n分支 cart\n\n## 任务\n\n检查购物车的改动。")[-1] == (Origin.SAID, "检查购物车的改动。")


def test_the_meta_row_behind_a_command_is_its_file(write: Write) -> None:
    path = write(
        "k.jsonl",
        [
            row("user", "a", "<command-message>review</command-message>\n<command-name>/review</command-name>"),
            row("user", "b", CONTEXT + TASK, isMeta=True),
            row("user", "c", "Review nothing else.", isMeta=True),
        ],
    )
    found = [(message.id, message.origin) for message in messages(path)]
    assert found == [
        ("a", Origin.HOST_NOTICE),
        ("b", Origin.BOOT_FILE),
        ("b/2", Origin.SAID),
        ("b/3", Origin.BOOT_FILE),
        ("c", Origin.HOST_NOTICE),
    ]


def test_a_notice_behind_a_command_is_no_file(write: Write) -> None:
    path = write(
        "n.jsonl",
        [
            row("user", "a", "<command-name>/model</command-name>"),
            row("user", "b", "<local-command-stdout>Set.</local-command-stdout>", isMeta=True),
        ],
    )
    assert [message.origin for message in messages(path)] == [Origin.HOST_NOTICE, Origin.HOST_NOTICE]
