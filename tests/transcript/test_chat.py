"""Chats of people: lists, ShareGPT, sessions with dates, batches, exchanges, and plain text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cfpm.model import Origin, Role
from cfpm.transcript.reading import detect, read
from cfpm.transcript.records import NotATranscript
from cfpm.transcript.sessions import group_turns
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, records, shape


def test_two_people_are_both_users_with_their_names(write: Write) -> None:
    path = write(
        "c.json",
        [
            {"speaker": "Ann", "text": "I moved to Rome."},
            {"speaker": "Ben", "text": "I like Oslo."},
            {"speaker": "Ben", "text": "Cold!"},
        ],
    )
    assert detect(path) == "chat"
    found = messages(path)
    assert [(message.role, message.name) for message in found] == [
        (Role.USER, "Ann"),
        (Role.USER, "Ben"),
        (Role.USER, "Ben"),
    ]
    assert [turn.index for turn in group_turns(found, session="s")] == [0, 1, 2]


def test_the_words_for_speaker_and_text_vary(write: Write) -> None:
    rows = [
        {"from": "human", "value": "Hi"},
        {"name": "Bot", "message": "Hello"},
        {"role": "gpt", "content": "Hey", "time": "2026-03-01"},
    ]
    found = messages(write("c.jsonl", rows))
    assert [message.role for message in found] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
    assert found[2].created_at == datetime(2026, 3, 1, tzinfo=UTC)


def test_sharegpt(write: Write) -> None:
    talk = [
        {"from": "system", "value": "Be kind."},
        {"from": "human", "value": "Weather?"},
        {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Rome"}}'},
        {"from": "observation", "value": "sunny"},
        {"from": "gpt", "value": "Sunny."},
    ]
    found = messages(write("s.json", {"id": "x", "conversations": talk}))
    assert [message.role for message in found] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert found[2].tool_calls[0].arguments == {"city": "Rome"}
    many = records(write("many.json", [{"conversations": talk}, {"conversations": talk[:2]}]))
    assert len({record.session for record in many}) == 2


def test_sessions_with_a_date_and_captions(write: Write) -> None:
    conversation = {
        "speaker_a": "Ann",
        "session_1_date_time": "6:35 pm on 14 January, 2025",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red boat"}],
        "session_2_date_time": "9:00 am on 1 February, 2025",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Nice."}],
        "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Bye."}],
    }
    found = records(write("l.json", [{"sample_id": "conv-1", "conversation": conversation, "qa": []}]))
    assert [record.session for record in found] == ["l-conv-1-session_1", "l-conv-1-session_2", "l-conv-1-session_10"]
    assert found[0].message.text == "Look!\n[image: a red boat]"
    assert (found[0].message.id, found[0].message.name) == ("D1:1", "Ann")
    assert [record.message.created_at for record in found] == [
        datetime(2025, 1, 14, 18, 35, tzinfo=UTC),
        datetime(2025, 2, 1, 9, 0, tzinfo=UTC),
        None,
    ]


def test_batches_keep_their_anchor_of_time(write: Write) -> None:
    batches = [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"role": "user", "id": 0, "content": "Hi ->-> 1,1", "time_anchor": "March-15-2024"},
                    {"role": "assistant", "id": 1, "content": "Hello"},
                ]
            ],
        },
        {"batch_number": 2, "turns": [[{"role": "user", "id": 2, "content": "Again"}]]},
    ]
    found = messages(write("chat.json", batches))
    assert [message.text for message in found] == ["Hi ->-> 1,1", "Hello", "Again"]
    assert [message.id for message in found] == ["0", "1", "2"]
    assert {message.created_at for message in found} == {datetime(2024, 3, 15, tzinfo=UTC)}


def test_numbered_exchanges_are_a_session_each(write: Write) -> None:
    rows = [
        {
            "persona": "x",
            "conversation": {"0": {"user": "Hi", "assistant": "Hello"}, "1": {"user": "Bye", "assistant": "Bye"}},
        }
    ] * 2
    found = records(write("p.json", rows))
    assert [record.message.role for record in found[:4]] == [Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT]
    assert len({record.session for record in found}) == 2


def test_a_wrong_utterance_is_a_problem(write: Write) -> None:
    path = write("c.json", [{"speaker": "Ann", "text": "Hi"}, {"speaker": "Ann"}, 3])
    assert [problem.place for problem in problems(path)] == ["message 2", "item 3"]


TEXT = """Chat of Sunday

[2026-03-01 10:00] Ann: Are you there?
Still waiting.
[2026-03-01 10:01] Ben: Yes: at home.
[2026-03-01 10:02] Ann: Good.
[2026-03-01 10:03] Ben: Bye.
"""


def test_plain_text(write: Write) -> None:
    found = messages(write("c.txt", TEXT), format="chat")
    assert [(message.name, message.text) for message in found] == [
        ("", "Chat of Sunday"),
        ("Ann", "Are you there?\nStill waiting."),
        ("Ben", "Yes: at home."),
        ("Ann", "Good."),
        ("Ben", "Bye."),
    ]
    assert found[0].origin is Origin.HOST_NOTICE
    assert found[1].created_at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "User: hello\nAssistant: hi\n",
        "安娜：你在哪里？\n本：在家。\n安娜：好。\n本：再见。\n",
        "12/31/25, 10:15 PM - A: 1\n12/31/25, 10:16 PM - B: 2\n1/1/26, 0:01 AM - A: 3\n1/1/26, 0:02 AM - B: 4\n",
        "**User:** hello\n\n**Assistant:** hi there\n",
    ],
)
def test_plain_text_is_recognised(write: Write, text: str) -> None:
    path = write("c.txt", text)
    assert detect(path) == "chat"
    assert all(message.text for message in messages(path))


@pytest.mark.parametrize(
    "text",
    [
        "name: app\nversion: 2\nport: 80\n",
        "Note: one line with a colon\n\nand prose that goes on.\n",
        "Host: a\nPort: 1\nHost: b\nTag: x\n",
        "def f():\n    return 1\n",
    ],
)
def test_other_files_with_colons_are_not(write: Write, text: str) -> None:
    with pytest.raises(NotATranscript):
        read(write("c.txt", text))


def test_roles_by_name_in_plain_text(write: Write) -> None:
    assert shape(messages(write("c.txt", "User: hello\nAssistant: hi\nTool: Error: no\n")))[2] == (
        "tool",
        "said",
        "Error: no",
    )
