"""A session of a transcript as the dicts that a provider takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.compaction.provider_rules import refused
from cfpm.context.history import Kind, read_history
from cfpm.context.sessions import as_dicts, read_session
from cfpm.errors import InputError, UsageError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from pathlib import Path


def asked(text: str) -> Message:
    return Message(Role.USER, text)


def called(name: str, text: str = "") -> Message:
    return Message(Role.ASSISTANT, text, tool_calls=(ToolCall(name, "bash", {"command": "ls"}),))


def printed(name: str, text: str = "a.py", *, failed: bool | None = None) -> Message:
    return Message(Role.TOOL, text, tool_result=ToolResult(name, failed))


def test_calls_in_a_row_are_one_message_with_their_results_behind_it() -> None:
    """As Claude Code writes parallel calls: two messages, then two results."""
    dicts = as_dicts([asked("go"), called("a", "look"), called("b"), printed("a"), printed("b", "c.py")])
    assert [entry["role"] for entry in dicts] == ["user", "assistant", "tool", "tool"]
    assert refused(dicts) == []


def test_a_late_result_is_put_behind_its_call() -> None:
    dicts = as_dicts([asked("go"), called("a"), asked("wait"), printed("a")])
    assert [entry["role"] for entry in dicts] == ["user", "assistant", "tool", "user"]


def test_calls_without_ids_are_answered_in_order() -> None:
    dicts = as_dicts([asked("go"), called("", "one"), printed("", "first"), called("", "two"), printed("", "second")])
    assert [entry["content"] for entry in dicts] == ["go", "one", "first", "two", "second"]


def test_thinking_is_left_out_and_an_outcome_kept() -> None:
    thought = Message(Role.ASSISTANT, "hm", origin=Origin.THINKING)
    dicts = as_dicts([asked("go"), thought, called("a"), printed("a", failed=True)])
    assert [entry.get("is_error") for entry in dicts] == [None, None, True]


def test_a_call_that_nobody_answered_belongs_to_no_view() -> None:
    dicts = as_dicts([asked("go"), called("a"), asked("stop")])
    assert [group.kind for group in read_history(dicts, estimated).groups] == [Kind.USER, Kind.BROKEN, Kind.USER]


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


MESSAGES = [{"role": "user", "content": "hello", "extra": 1}, {"role": "assistant", "content": "hi"}]


@pytest.mark.parametrize("value", [MESSAGES, {"messages": MESSAGES}])
def test_a_list_of_dicts_is_taken_as_it_stands(tmp_path: Path, value: object) -> None:
    _, dicts = read_session(written(tmp_path / "chat.json", value))
    assert dicts == MESSAGES


def test_json_lines_are_taken_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(map(json.dumps, MESSAGES)) + "\n", encoding="utf-8")
    assert read_session(path)[1] == MESSAGES


def test_one_of_several_sessions_must_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path / "chats.json", [{"messages": MESSAGES}, {"messages": [*MESSAGES, *MESSAGES]}])
    with pytest.raises(UsageError, match="2 sessions") as refused:
        read_session(path)
    names = refused.value.remedy.split(": ")[1].split(", ")
    assert [len(read_session(path, session=name)[1]) for name in names] == [2, 4]
    with pytest.raises(UsageError, match="no session 'x'"):
        read_session(path, session="x")


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_text("\n".join(map(json.dumps, MESSAGES * 3)) + '\n{"role": "user", "cont', encoding="utf-8")
    with pytest.raises(InputError, match=r"torn\.jsonl, line 7"):
        read_session(path)


def test_a_kind_of_line_that_nobody_knows_leaves_the_history_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    said = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Hello there."}}
    path.write_text("".join(json.dumps(row) + "\n" for row in ({"type": "novelty", "sessionId": "s"}, said)))
    name, dicts = read_session(path)
    assert (name, [message["content"] for message in dicts]) == ("s", ["Hello there."])
