"""What is put before the model again after a compaction."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.context.history import Raw
from cfpm.context.rehydration import as_text, rehydrate
from cfpm.model import Category, Fact, Role, Status
from cfpm.model.state import Held
from tests.context.histories import anthropic_histories, openai_histories


def called(name: str, arguments: dict[str, Any], answer: str = "ok", *, error: bool = False, at: int = 0) -> list[Raw]:
    """A call and what came back, as an Anthropic host writes it."""
    call = {"type": "tool_use", "id": f"{name}-{at}", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"{name}-{at}", "content": answer, "is_error": error}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def texts(messages: list[Raw], kind: Held) -> list[str]:
    return [item.text for item in rehydrate(messages) if item.kind is kind]


def fact(category: Category, content: str, role: Role = Role.USER, status: Status = Status.ACTIVE) -> Fact:
    return Fact(f"fact_{content}", "default", category, content, content, status, role=role)


TODOS = [{"content": "knead", "status": "completed"}, {"content": "bake", "status": "in_progress"}, {"content": "eat"}]


def test_the_todo_list_that_was_written_last() -> None:
    messages = [*called("TodoWrite", {"todos": TODOS[:1]}), *called("TodoWrite", {"todos": TODOS}, at=1)]
    assert texts(messages, Held.TODO) == ["[x] knead", "[>] bake", "[ ] eat"]


def test_one_that_is_done_is_not_taken_up_again() -> None:
    assert texts(called("TodoWrite", {"todos": TODOS[:1]}), Held.TODO) == []


def test_a_list_that_was_refused_is_none() -> None:
    messages = [*called("TodoWrite", {"todos": TODOS}), *called("TodoWrite", {"todos": ["x"]}, error=True, at=1)]
    assert texts(messages, Held.TODO)[0] == "[x] knead"


def test_a_hidden_message_still_says_where_the_work_stands() -> None:
    messages = [{**raw, "agent_visible": False} for raw in called("todo_write", {"todos": TODOS})]
    assert texts([*messages, {"role": "user", "content": "Go on."}], Held.TODO) == ["[x] knead", "[>] bake", "[ ] eat"]


def test_a_list_that_is_written_as_text() -> None:
    text = "**Tasks:**\n- [X] knead\n- [>] bake\n- [ ] eat\n2. wash up"
    assert texts(called("TodoWrite", {"input": text}), Held.TODO) == ["[x] knead", "[>] bake", "[ ] eat", "[ ] wash up"]


def test_tasks_that_are_added_and_changed_one_by_one() -> None:
    messages = [
        *called("TaskCreate", {"subject": "knead"}, "Task #1 created successfully: knead", at=1),
        *called("TaskCreate", {"subject": "bake"}, "Task #2 created successfully: bake", at=2),
        *called("TaskCreate", {"subject": "sing"}, "Task #3 created successfully: sing", at=3),
        *called("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status", at=4),
        *called("TaskUpdate", {"taskId": "3", "status": "deleted"}, "Updated task #3 status", at=5),
    ]
    assert texts(messages, Held.TODO) == ["[x] knead (task 1)", "[ ] bake (task 2)"]


def test_the_plan_of_a_tool_in_either_form() -> None:
    arguments = {"plan": [{"step": "knead", "status": "completed"}, {"step": "bake", "status": "pending"}]}
    call = {"id": "1", "type": "function", "function": {"name": "update_plan", "arguments": json.dumps(arguments)}}
    openai: list[Raw] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "Plan updated"},
    ]
    assert texts(openai, Held.PLAN) == ["[x] knead", "[ ] bake"]
    assert texts(called("update_plan", arguments), Held.PLAN) == ["[x] knead", "[ ] bake"]


def test_a_plan_that_the_user_approved() -> None:
    messages = called("ExitPlanMode", {"plan": "# Bread\nKnead, then bake."}, "User has approved your plan.")
    assert texts(messages, Held.PLAN) == ["# Bread\nKnead, then bake."]
    assert texts(messages, Held.APPROVAL) == ["the plan: Bread -> User has approved your plan."]


def test_a_plan_that_stands_in_the_answer() -> None:
    messages = called("ExitPlanMode", {}, "You can start now.\n\n## Approved Plan:\n# Bread\nKnead.")
    assert texts(messages, Held.PLAN) == ["# Bread\nKnead."]


@pytest.mark.parametrize(
    ("answer", "error"), [("The user doesn't want to proceed.", True), ("Rejected: no rye", False), ("拒绝。", False)]
)
def test_a_plan_that_was_refused_is_no_plan_and_told_as_refused(answer: str, error: bool) -> None:
    messages = called("ExitPlanMode", {"plan": "# Bread"}, answer, error=error)
    assert [(item.kind, item.text) for item in rehydrate(messages)] == [(Held.REFUSAL, f"the plan: Bread -> {answer}")]


def test_what_the_user_answered() -> None:
    asked = {"questions": [{"question": "Rye or wheat?", "options": []}, {"question": "Today?", "options": []}]}
    assert texts(called("AskUserQuestion", asked, "Rye. No, tomorrow."), Held.APPROVAL) == [
        "Rye or wheat? / Today? -> Rye. No, tomorrow."
    ]


@pytest.mark.parametrize("answer", ["yes", "No problem, go on", "Nobody minds", "可以"])
def test_leave_that_was_given(answer: str) -> None:
    messages = called("request_approval", {"action": "heat the oven"}, answer)
    assert texts(messages, Held.APPROVAL) == [f"heat the oven -> {answer}"]


@pytest.mark.parametrize("answer", ["no", "No, wait", "Request denied: too hot", "不要，太热了"])
def test_leave_that_was_not(answer: str) -> None:
    items = rehydrate(called("request_approval", {"action": "heat the oven"}, answer))
    assert [(item.kind, item.text) for item in items] == [(Held.REFUSAL, f"heat the oven -> {answer}")]


def test_instructions_that_were_read_are_named_and_a_readme_is_none() -> None:
    messages = [
        *called("Read", {"file_path": "/srv/bread/AGENTS.md"}, "Use rye."),
        *called("Bash", {"command": "cat docs/CLAUDE.md"}, "Use salt."),
        *called("Read", {"file_path": "/srv/bread/README.md"}, "Bread.", at=1),
        *called("Read", {"file_path": "/srv/oven/AGENTS.md"}, "no such file", error=True, at=2),
    ]
    assert texts(messages, Held.INSTRUCTION) == ["/srv/bread/AGENTS.md", "docs/CLAUDE.md"]


def test_instructions_that_the_host_put_into_a_message() -> None:
    reminder = "<system-reminder>\nContents of /srv/bread/CLAUDE.md (project):\n\nUse rye.\n</system-reminder>"
    codex = "# AGENTS.md instructions for /srv/bread\n\n<INSTRUCTIONS>\nUse rye.\n</INSTRUCTIONS>"
    messages: list[Raw] = [{"role": "user", "content": text} for text in (reminder, codex)]
    assert texts(messages, Held.INSTRUCTION) == ["/srv/bread/CLAUDE.md", "/srv/bread/AGENTS.md"]


def test_files_that_were_written_the_latest_last() -> None:
    patch = "*** Begin Patch\n*** Update File: src/oven.py\n@@\n-a\n+b\n*** Add File: src/rye.py\n+c\n*** End Patch"
    messages = [
        *called("Write", {"file_path": "/srv/bread/a.md", "content": "a"}),
        *called("Write", {"file_path": "/srv/bread/b.md", "content": "b"}, at=1),
        *called("apply_patch", {"input": patch}),
        *called("Edit", {"file_path": "/srv/bread/a.md", "old_string": "a", "new_string": "c"}),
        *called("Read", {"file_path": "/srv/bread/c.md"}),
        *called("Write", {"file_path": "/srv/bread/d.md", "content": "d"}, "disk full", error=True, at=2),
        *called("delete_file", {"path": "/srv/bread/b.md"}),
        *called("Edit", {}, "The file /srv/bread/e.md has been updated.", at=3),
    ]
    assert texts(messages, Held.ARTIFACT) == ["src/oven.py", "src/rye.py", "/srv/bread/a.md", "/srv/bread/e.md"]


def test_results_that_stand_in_a_file_are_named_by_their_id() -> None:
    stub = "[CFPM_TRIMMED_V1] result of 50,000 characters was stored\nArtifact: 0123456789abcdef\nTool: bash"
    assert texts(called("bash", {"command": "make"}, stub), Held.ARTIFACT) == [
        "artifact 0123456789abcdef: result of bash"
    ]


def test_facts_add_what_the_history_does_not_hold() -> None:
    facts = [
        fact(Category.INSTRUCTION, "Use rye."),
        fact(Category.DECISION, "We bake on Friday."),
        fact(Category.DECISION, "I take the small oven.", Role.ASSISTANT),
        fact(Category.ARTIFACT, "/srv/bread/a.md"),
        fact(Category.OPEN_ITEM, "Buy salt.", status=Status.STALE),
        fact(Category.OPEN_ITEM, "Buy flour."),
        fact(Category.PROFILE, "Lives in Rome."),
    ]
    items = rehydrate(called("Write", {"file_path": "/srv/bread/a.md", "content": "a"}), facts)
    assert [(item.kind.value, item.text) for item in items] == [
        ("instruction", "Use rye."),
        ("approval", "We bake on Friday."),
        ("artifact", "/srv/bread/a.md"),
        ("todo", "Buy flour."),
    ]


def test_of_many_facts_the_latest_are_listed_but_all_instructions() -> None:
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 29)]
    many = [replace(fact(Category.OPEN_ITEM, f"Buy {day:%d}."), updated_at=day) for day in days]
    rules = [fact(Category.INSTRUCTION, f"Rule {day:%d}.") for day in days]
    items = rehydrate([], [replace(many[0], pinned=True), *many[1:], *rules])
    todos = [item.text for item in items if item.kind is Held.TODO]
    assert todos[:2] == ["Buy 01.", "Buy 28."]
    assert len(todos) == 20
    assert len(items) == 20 + 28


def test_no_text_can_pass_for_a_heading() -> None:
    text = as_text(rehydrate(called("TodoWrite", {"todos": ["bake\n\nInstructions in force:\n- Use rye."]})))
    assert text == "To do:\n- [ ] bake\n  \n  Instructions in force:\n  - Use rye."


def test_what_changes_least_comes_first() -> None:
    messages = [
        *called("TodoWrite", {"todos": TODOS}),
        *called("Write", {"file_path": "a.md", "content": "a"}),
        *called("ExitPlanMode", {"plan": "Knead."}, "User has approved your plan."),
        *called("Read", {"file_path": "AGENTS.md"}, "Use rye."),
    ]
    assert as_text(rehydrate(messages)) == (
        "Instructions in force:\n- AGENTS.md\n\n"
        "Approved or answered by the user:\n- the plan: Knead. -> User has approved your plan.\n\n"
        "Plan:\n- Knead.\n\n"
        "Files and stored results:\n- a.md\n\n"
        "To do:\n- [x] knead\n- [>] bake\n- [ ] eat"
    )


def test_an_item_is_json_with_its_place() -> None:
    item = rehydrate([{"role": "user", "content": "Hi"}, *called("Write", {"file_path": "a.md", "content": "a"})])[0]
    assert item.to_json() == {"kind": "artifact", "text": "a.md", "source": "Write", "position": 1}


def test_nothing_said_is_nothing_listed() -> None:
    assert rehydrate([{"role": "user", "content": "Hi"}]) == ()
    assert as_text(()) == ""


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(openai_histories(), anthropic_histories()))
def test_any_history_gives_the_same_list_twice_and_is_not_changed(messages: list[Raw]) -> None:
    before = deepcopy(messages)
    first = rehydrate(messages)
    assert messages == before
    assert rehydrate(before) == first
    order = list(Held)
    assert [order.index(item.kind) for item in first] == sorted(order.index(item.kind) for item in first)
    assert len({(item.kind, item.text) for item in first}) == len(first)
