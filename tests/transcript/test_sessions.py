"""Session ids: the host's own, else derived from what was said, and the same when a file grows or moves."""

from __future__ import annotations

from tests.transcript.conftest import Write
from tests.transcript.walk import records

CHAT = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Rename the flag."},
    {"role": "assistant", "content": "Done."},
]


def sessions(write: Write, name: str, content: object, **options: str) -> list[str]:
    return list(dict.fromkeys(record.session for record in records(write(name, content), **options)))


def test_the_id_is_the_stem_and_a_hash_wherever_the_file_lies(write: Write) -> None:
    (name,) = sessions(write, "a/chat.json", CHAT)
    assert sessions(write, "b/c/chat.jsonl", CHAT) == [name]
    stem, _, digest = name.rpartition("-")
    assert (stem, len(digest)) == ("chat", 8)


def test_growing_keeps_it_and_another_beginning_changes_it(write: Write) -> None:
    (name,) = sessions(write, "chat.jsonl", CHAT)
    assert sessions(write, "chat.jsonl", [*CHAT, *CHAT]) == [name]
    assert sessions(write, "chat.jsonl", CHAT[:2]) == [name]
    assert sessions(write, "chat.jsonl", [CHAT[0], {"role": "user", "content": "Other."}]) != [name]
    assert sessions(write, "chat.jsonl", [{"role": "system", "content": "Else."}, *CHAT[1:]]) != [name]


def test_a_given_session_is_taken_and_prefixes_the_sessions_inside(write: Write) -> None:
    assert sessions(write, "chat.json", CHAT, session="mine") == ["mine"]
    runs = [{"task_id": n, "trial": 0, "traj": CHAT} for n in range(2)]
    assert sessions(write, "runs.json", runs, session="mine") == ["mine-task-0-trial-0", "mine-task-1-trial-0"]


def test_a_file_without_a_user_has_a_name_too(write: Write) -> None:
    (name,) = sessions(write, "only.json", [CHAT[2]])
    assert name.startswith("only-")
    assert sessions(write, "only.json", [CHAT[2]] * 500) == sessions(write, "only.json", [CHAT[2]] * 700)


def test_a_name_of_the_file_that_is_no_text_gives_a_clean_id(write: Write) -> None:
    (name,) = sessions(write, "caf\udce9.json", CHAT)
    assert name.encode().decode().startswith("caf\ufffd-")
