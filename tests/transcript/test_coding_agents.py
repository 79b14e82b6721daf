"""The files of coding agents: Codex, Gemini CLI, pi, Antigravity, Cursor."""

from __future__ import annotations

from datetime import UTC, datetime

from cfpm.model import Role, ToolResult
from cfpm.transcript.reading import detect
from cfpm.transcript.sessions import group_turns
from tests.transcript.conftest import Write
from tests.transcript.walk import known_records, messages, problems, records, shape

AT = "2026-03-01T10:00:00.000Z"


def codex(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def item(kind: str, **payload: object) -> dict[str, object]:
    return codex("response_item", type=kind, **payload)


def said(role: str, *texts: str) -> dict[str, object]:
    return item("message", role=role, content=[{"type": "input_text", "text": text} for text in texts])


META = codex("session_meta", id="session-7", cwd="/srv/app", source="cli")


def test_a_rollout_is_read_from_its_response_items_only(write: Write) -> None:
    path = write(
        "rollout-x.jsonl",
        [
            META,
            codex("turn_context", model="m"),
            said("user", "<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>"),
            said("user", "Run the tests."),
            codex("event_msg", type="user_message", message="Run the tests."),
            item("reasoning", summary=[{"type": "summary_text", "text": "First the tests."}]),
            item("function_call", name="exec_command", call_id="c1", arguments='{"cmd": "make test"}'),
            item("function_call_output", call_id="c1", output="Chunk ID: 1\nProcess exited with code 2\nOutput:\nno"),
            codex("compacted", message="", replacement_history=[{"role": "user", "content": "Run the tests."}]),
            said("assistant", "They fail."),
            codex("event_msg", type="agent_message", message="They fail."),
        ],
    )
    assert detect(path) == "codex"
    assert {record.session for record in records(path)} == {"session-7"}
    found = messages(path)
    assert [(role, origin) for role, origin, _ in shape(found)] == [
        ("user", "boot_file"),
        ("user", "said"),
        ("assistant", "thinking"),
        ("assistant", "said"),
        ("tool", "said"),
        ("assistant", "said"),
    ]
    assert found[3].tool_calls[0].command == "make test"
    assert found[4].tool_result == ToolResult("c1", is_error=True, exit_code=2)
    assert found[1].created_at == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert len(list(group_turns(found, session="s"))) == 2


def test_an_output_of_older_versions_is_unwrapped_with_its_exit_code(write: Write) -> None:
    output = '{"output": "no rule", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}'
    rows = [
        META,
        item("function_call", name="shell", call_id="c", arguments='{"command": ["bash", "-lc", "make"]}'),
        item("function_call_output", call_id="c", output=output),
        item("custom_tool_call", name="apply_patch", call_id="d", input="*** Begin Patch"),
        item("custom_tool_call_output", call_id="d", output={"type": "input_text", "text": "done"}),
        item("local_shell_call", call_id="e", action={"type": "exec", "command": ["ls"]}),
    ]
    found = messages(write("r.jsonl", rows))
    assert found[0].tool_calls[0].command == "make"
    assert (found[1].text, found[1].tool_result) == ("no rule", ToolResult("c", is_error=True, exit_code=2))
    assert (found[3].text, found[4].tool_calls[0].command) == ("done", "ls")


def test_what_a_subagent_is_asked_are_not_the_users_words(write: Write) -> None:
    meta = codex("session_meta", id="child", source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}})
    found = messages(write("r.jsonl", [meta, said("user", "Review it."), said("assistant", "Reviewed.")]))
    assert [(message.role.value, message.origin.value, message.name) for message in found] == [
        ("assistant", "host_notice", "sidechain"),
        ("assistant", "said", "sidechain"),
    ]


def test_a_fork_keeps_its_own_name(write: Write) -> None:
    rows = [META, codex("session_meta", id="origin"), said("user", "Go on.")]
    assert {record.session for record in records(write("r.jsonl", rows))} == {"session-7"}


def test_kinds_that_a_reader_does_not_know_are_told_once_with_their_count(write: Write) -> None:
    rows = [META, codex("novelty"), codex("novelty"), item("hologram", text="x"), said("user", "Hello there.")]
    found = problems(write("r.jsonl", rows))
    assert [(problem.unknown, problem.count, problem.place) for problem in found] == [
        ("novelty", 2, "line 2"),
        ("response_item hologram", 1, "line 4"),
    ]


def test_a_torn_last_line_loses_only_itself(write: Write) -> None:
    whole = write("a.jsonl", [META, said("user", "Hello there."), said("assistant", "Hi.")])
    path = write("b.jsonl", whole.read_bytes()[:-20])
    assert [problem.place for problem in problems(path)] == ["line 3"]
    assert [message.text for message in messages(write("c.jsonl", [META, said("user", "Hello there.")]))] == [
        "Hello there."
    ]


HEADER = {"sessionId": "g-1", "projectHash": "abc", "startTime": AT, "kind": "main"}


def gemini(kind: str, name: str, content: object, **more: object) -> dict[str, object]:
    return {"id": name, "timestamp": AT, "type": kind, "content": content, **more}


def called(status: str, output: str) -> dict[str, object]:
    answer = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": output}}}
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "status": status, "result": [answer]}
    return {**call, "timestamp": AT}


def test_a_message_of_gemini_counts_as_it_was_written_last(write: Write) -> None:
    thought = {"subject": "Plan", "description": "Run it."}
    path = write(
        "session-1.jsonl",
        [
            HEADER,
            gemini("user", "u1", [{"text": "Build it."}]),
            gemini("gemini", "a1", "", thoughts=[thought]),
            {"$set": {"lastUpdated": AT}},
            gemini("info", "i1", "Request cancelled."),
            gemini("gemini", "a1", "Built.", thoughts=[thought], toolCalls=[called("error", "Exit Code: 2")]),
        ],
    )
    assert detect(path) == "gemini"
    assert {record.session for record in records(path)} == {"g-1"}
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "Build it."),
        ("assistant", "thinking", "Plan\nRun it."),
        ("assistant", "said", "Built."),
        ("tool", "said", "Exit Code: 2"),
        ("system", "host_notice", "Request cancelled."),
    ]
    assert found[2].tool_calls[0].command == "make"
    assert found[3].tool_result is not None
    assert found[3].tool_result.failed


def test_a_result_that_gemini_writes_twice_is_read_once_with_its_exit_code(write: Write) -> None:
    output = "<untrusted_context>\nOutput: no rule\nExit Code: 2\nProcess Group PGID: 9\n</untrusted_context>"
    again = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": output}}}
    rows = [HEADER, gemini("gemini", "a1", "", toolCalls=[called("success", output)]), gemini("user", "u2", [again])]
    found = messages(write("session-1.jsonl", rows))
    assert [message.role.value for message in found] == ["assistant", "tool"]
    assert found[1].tool_result == ToolResult("c1", is_error=True, exit_code=2)


def test_a_patch_of_all_messages_takes_the_place_of_those_before_it(write: Write) -> None:
    first, second = gemini("user", "u1", "One thing."), gemini("user", "u2", "Another thing.")
    rows = [HEADER, {"$set": {"messages": [first]}}, {"$set": {"messages": [first, second]}}]
    found = messages(write("session-1.jsonl", rows))
    assert [message.text for message in found] == ["One thing.", "Another thing."]
    assert messages(write("session-2.jsonl", [*rows, {"$rewindTo": "u2"}])) == found[:1]


def test_a_chat_of_an_earlier_version_is_one_object(write: Write) -> None:
    chat = {**HEADER, "messages": [gemini("user", "u1", "Hello there."), gemini("gemini", "a1", "Hi.")]}
    path = write("session-1.json", chat)
    assert detect(path) == "gemini"
    assert [message.role for message in messages(path)] == [Role.USER, Role.ASSISTANT]


def test_our_block_in_the_frame_of_gemini_is_a_memory_block(write: Write) -> None:
    block = "<<<CFPM_MEMORY_V1 Remembered data\n- [note] The port is 8081.\nCFPM_MEMORY_V1>>>"
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    parts = [{"text": "Which port?"}, {"text": f"<hook_context>{escaped}</hook_context>"}]
    found = messages(write("session-1.jsonl", [HEADER, gemini("user", "u1", parts)]))
    assert [message.origin.value for message in found] == ["said", "memory_block"]


def test_the_pieces_of_an_answer_in_a_stream_are_one_message(write: Write) -> None:
    def event(kind: str, **more: object) -> dict[str, object]:
        return {"type": kind, "timestamp": AT, **more}

    path = write(
        "out.jsonl",
        [
            event("init", session_id="s-9", model="m"),
            event("message", role="user", content="List it."),
            event("message", role="assistant", content="I ", delta=True),
            event("message", role="assistant", content="look.", delta=True),
            event("tool_use", tool_name="list_directory", tool_id="t1", parameters={"path": "."}),
            event("tool_result", tool_id="t1", status="success", output="a.txt"),
            event("result", status="success", stats={}),
        ],
    )
    assert detect(path) == "gemini"
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "List it."),
        ("assistant", "said", "I look."),
        ("assistant", "said", ""),
        ("tool", "said", "a.txt"),
    ]
    assert found[3].tool_result == ToolResult("t1", is_error=False)
    assert {record.session for record in records(path)} == {"s-9"}


def pi(kind: str, name: str, **more: object) -> dict[str, object]:
    return {"type": kind, "id": name, "parentId": None, "timestamp": AT, **more}


def test_a_session_of_pi(write: Write) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    path = write(
        "s.jsonl",
        [
            {"type": "session", "version": 3, "id": "p-1", "timestamp": AT, "cwd": "/srv/app"},
            pi("model_change", "m0", modelId="m"),
            pi("message", "m1", message={"role": "user", "content": "List it."}),
            pi(
                "message",
                "m2",
                message={"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, call]},
            ),
            pi("message", "m3", message={"role": "toolResult", "toolCallId": "c1", "content": "a", "isError": False}),
            pi("message", "m4", message={"role": "bashExecution", "command": "make", "output": "no", "exitCode": 2}),
            pi("compaction", "m5", summary="They listed it."),
            pi("message", "m6", message={"role": "choir", "content": "la"}),
        ],
    )
    assert detect(path) == "pi"
    found = [record.message for record in known_records(path)]
    assert shape(found) == [
        ("user", "said", "List it."),
        ("assistant", "thinking", "Hm."),
        ("assistant", "said", ""),
        ("tool", "said", "a"),
        ("assistant", "said", ""),
        ("tool", "said", "no"),
        ("system", "host_notice", "They listed it."),
    ]
    assert found[3].tool_result == ToolResult("c1", is_error=False)
    assert found[5].tool_result == ToolResult(found[4].tool_calls[0].id, is_error=True, exit_code=2)
    assert [problem.unknown for problem in problems(path)] == ["message of role choir"]


def step(number: int, source: str, kind: str, **more: object) -> dict[str, object]:
    return {"step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": AT, **more}


def test_a_transcript_of_antigravity(write: Write) -> None:
    asked = (
        "<USER_REQUEST>\nList it.\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nThe model is X.\n</USER_SETTINGS_CHANGE>"
    )
    calls = [{"name": "run_command", "args": {"CommandLine": '"make"', "Cwd": '"/srv"'}}]
    path = write(
        "brain/conv-1/.system_generated/logs/transcript.jsonl",
        [
            step(0, "USER_EXPLICIT", "USER_INPUT", content=asked),
            step(1, "SYSTEM", "CONVERSATION_HISTORY"),
            step(2, "MODEL", "PLANNER_RESPONSE", thinking="Hm.", tool_calls=calls),
            step(3, "MODEL", "RUN_COMMAND", content="all passed"),
            step(4, "SYSTEM", "CHECKPOINT", content="# Resuming"),
            step(5, "MODEL", "PLANNER_RESPONSE", content="Done."),
            step(6, "ORACLE", "VISION", content="Use tabs."),
        ],
    )
    assert detect(path) == "antigravity"
    assert {record.session for record in known_records(path)} == {"conv-1"}
    found = [record.message for record in known_records(path)]
    assert [(role, origin) for role, origin, _ in shape(found)] == [
        ("user", "said"),
        ("user", "host_notice"),
        ("assistant", "thinking"),
        ("assistant", "said"),
        ("tool", "said"),
        ("system", "host_notice"),
        ("assistant", "said"),
    ]
    assert found[0].text == "List it."
    assert found[3].tool_calls[0].command == "make"
    assert found[4].tool_result == ToolResult(found[3].tool_calls[0].id)
    assert [problem.unknown for problem in problems(path)] == ["step of source ORACLE"]


def test_a_transcript_of_cursors_agent(write: Write) -> None:
    query = "<open_files>\na.py\n</open_files>\n<user_query>\nRename it.\n</user_query>"
    blocks = [{"type": "text", "text": "I rename."}, {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}]
    rows = [
        {"role": "user", "message": {"content": [{"type": "text", "text": query}]}},
        {"role": "assistant", "message": {"content": blocks}},
    ]
    path = write("c.jsonl", rows)
    assert detect(path) == "cursor"
    found = messages(path)
    assert shape(found) == [
        ("user", "host_notice", "<open_files>\na.py\n</open_files>"),
        ("user", "said", "Rename it."),
        ("assistant", "said", "I rename."),
    ]
    assert found[2].tool_calls[0].command == "ls"


def test_a_transcript_of_cursors_agent_as_text(write: Write) -> None:
    text = """user:
<user_query>
Rename it.
</user_query>

assistant:
I look first.
[Tool call] Grep
  pattern: flag
[Tool result] Grep
  a.py: flag
It is in a.py.

user:
<user_query>
Thanks.
</user_query>
"""
    path = write("c.txt", text)
    assert detect(path) == "cursor"
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "Rename it."),
        ("assistant", "said", "I look first."),
        ("assistant", "said", ""),
        ("tool", "said", "a.py: flag"),
        ("assistant", "said", "It is in a.py."),
        ("user", "said", "Thanks."),
    ]
    assert found[2].tool_calls[0].arguments == {"pattern": "flag"}


def test_a_chat_that_cursor_exported(write: Write) -> None:
    text = """# Rename the flag
_Exported on 5/30/2025 at 09:02:45 GMT+7 from Cursor (0.50.7)_

---

**User**

Rename it.

---

**Cursor**

Done:

**User**

is a title in my answer.

---

**User**

Thanks.
"""
    path = write("e.md", text)
    assert detect(path) == "cursor"
    assert shape(messages(path)) == [
        ("user", "said", "Rename it."),
        ("assistant", "said", "Done:\n\n**User**\n\nis a title in my answer."),
        ("user", "said", "Thanks."),
    ]
