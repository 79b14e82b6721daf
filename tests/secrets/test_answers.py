"""Secrets that nobody could tell without the question that they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.secrets.asked import asks_for_a_secret, without_answer

if TYPE_CHECKING:
    from pathlib import Path

ASKED = "What is the PIN of the alarm panel?"


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


@pytest.mark.parametrize("apart", [True, False])
def test_a_secret_that_was_asked_for_is_not_stored(tmp_path: Path, apart: bool) -> None:
    asked, reply = {"role": "assistant", "content": ASKED}, {"role": "user", "content": "90417"}
    with Memory.open(tmp_path / "memory.db") as memory:
        for messages in ([asked], [reply]) if apart else ([asked, reply],):
            memory.observe(messages, session="talk")
    assert b"alarm panel" in stored(tmp_path)
    assert b"90417" not in stored(tmp_path)


def test_an_answer_to_another_question_stays(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe([{"role": "assistant", "content": "Which port does the panel listen on?"}], session="talk")
        memory.observe([{"role": "user", "content": "90417"}], session="talk")
    assert b"90417" in stored(tmp_path)


def test_a_history_that_is_told_again_is_known(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": "The panel beeps."},
        {"role": "assistant", "content": ASKED},
        {"role": "user", "content": "90417"},
    ]
    with Memory.open(tmp_path / "memory.db") as memory:
        first = memory.observe(history, session="talk")
        again = memory.observe(history, session="talk")
    assert (first.messages, again.messages) == (3, 0)


def test_what_was_only_a_secret_is_no_line_of_a_block(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe([{"role": "user", "content": "The alarm panel hangs in the hall."}], session="talk")
        memory.observe([{"role": "assistant", "content": ASKED}, {"role": "user", "content": "90417"}], session="talk")
        block = memory.recall("Where is the alarm panel?").block
    assert "hangs in the hall" in block
    assert "redacted" not in block


@pytest.mark.parametrize(
    ("asked", "reply", "secret"),
    [
        ("What is the PIN of the shed?", "4471", b"4471"),
        ("And what's the password for the guest network?", "it's meadowlark", b"meadowlark"),
        ("What is the wifi password?", "heron-sluice-brass", b"heron"),
        ("Can you send me the passphrase of the archive?", "sure, quill77oak", b"quill77oak"),
        ("保险柜的密码是多少？", "八六三一二", "八六三一二".encode()),
    ],
)
def test_whatever_answers_a_question_for_a_secret_is_one(tmp_path: Path, asked: str, reply: str, secret: bytes) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe([{"role": "assistant", "content": asked}, {"role": "user", "content": reply}], session="talk")
    assert secret not in stored(tmp_path)


@pytest.mark.parametrize(
    "asked",
    [
        "Which password manager do you use?",
        "When did you change the password?",
        "How long is the password?",
        "Who knows the PIN?",
        "What pins does the board have free?",
    ],
)
def test_other_questions_about_secrets_ask_for_none(asked: str) -> None:
    assert not asks_for_a_secret(asked)


@pytest.mark.parametrize("reply", ["I'd rather not say.", "no", "ask Mira at the desk"])
def test_who_gives_no_secret_is_understood(reply: str) -> None:
    assert without_answer(reply) == reply
