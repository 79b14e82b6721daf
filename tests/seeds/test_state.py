"""The rows of the design that speak of answers of the user and of what a session holds, each as a case of its own."""

from __future__ import annotations

import asyncio
import functools
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters import gated

from cfpm import AsyncMemory, Memory, UsageError
from cfpm.context.strategies.registry import NAMES
from cfpm.context.strategies.types import Compaction, Limits
from cfpm.model.state import Held

BUDGETS = (pytest.param(700, marks=pytest.mark.slow), 2_000, pytest.param(8_000, marks=pytest.mark.slow))
Raw = dict[str, Any]


def called(name: str, arguments: Raw, answer: str, at: str, *, error: bool | None = None) -> list[Raw]:
    """A call and what came back, as an Anthropic host writes it."""
    result: Raw = {"type": "tool_result", "tool_use_id": at, "content": answer}
    if error is not None:
        result["is_error"] = error
    call = {"type": "tool_use", "id": at, "name": name, "input": arguments}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def said(role: str, text: str) -> Raw:
    return {"role": role, "content": text}


def todos(at: str, **steps: str) -> list[Raw]:
    listed = [{"content": text.replace("_", " "), "status": status} for text, status in steps.items()]
    return called("TodoWrite", {"todos": listed}, "Todos have been modified", at)


def planned(at: str, **steps: str) -> list[Raw]:
    listed = [{"step": text.replace("_", " "), "status": status} for text, status in steps.items()]
    return called("update_plan", {"plan": listed}, "Plan updated", at)


def answered() -> list[Raw]:
    """Leave that was given and refused, in every way in which hosts tell of it."""
    asked = {"questions": [{"question": "Push to main?"}]}
    reply = 'User has answered your questions: "Push to main?"="No, never push to main". Continue.'
    return [
        said("user", "Please migrate the orchard database to version 5."),
        *called("request_approval", {"action": "drop table users"}, "Denied by the user", "a1", error=False),
        *called("request_permission", {"action": "restart the staging server"}, "Approved", "a2"),
        *called("AskUserQuestion", asked, reply, "a3"),
        *called("Bash", {"command": "rm -rf build"}, "The user doesn't want to proceed with this.", "a4", error=True),
        *called(
            "ExitPlanMode", {"plan": "# Throw away\n- drop"}, "The user doesn't want to proceed.", "a5", error=True
        ),
        said("assistant", "The copy is ready. Shall I switch the readers over?"),
        said("user", "Yes, but keep the old copy."),
        said("assistant", "Done. May I remove the nightly dump?"),
        said("user", "No, keep it until March."),
    ]


STAND = {
    "drop table users": False,
    "restart the staging server": True,
    "Push to main?": False,
    "rm -rf build": False,
    "Shall I switch the": True,
    "May I remove the n": False,
}


def work(turns: int = 24) -> list[Raw]:
    """Turns without an answer of the user, longer than any budget here."""
    lines: list[Raw] = []
    for number in range(turns):
        lines += called("Read", {"file_path": f"/srv/orchard/part{number}.py"}, "def f(): ...\n" * 60, f"w{number}")
        lines += [said("assistant", f"Looked at part{number}."), said("user", f"Go on with the next part, {number}.")]
    return lines


def compacted(messages: Sequence[object], strategy: str, tokens: int, **options: Any) -> Compaction:
    with Memory.open("sqlite://") as memory:
        return memory.compact(messages, Limits(tokens), session="s", strategy=strategy, **options)


@functools.cache
def worked_on(strategy: str, tokens: int) -> Compaction:
    """What is left of the answers and the work after them; several tests look at it, none changes it."""
    return compacted([*answered(), *work()], strategy, tokens)


def block(done: Compaction) -> str:
    return done.checkpoint.rpartition("<<<CFPM_STATE_V1")[2]


def test_row_3_17_state_of_the_hosts_own_comes_back_as_it_was_given(tmp_path: Path) -> None:
    blob = '{"plan":"fetch","round":3,\n "stalls":1}'
    with Memory.open(tmp_path / "m.db") as memory:
        memory.put_state("host", "magentic", "an older one", session="s")
        memory.put_state("host", "magentic", blob, status="running", session="s")
        memory.put_state("host", "gone", "x", session="s")
        memory.put_state("host", "gone", "", session="s")
    with Memory.open(tmp_path / "m.db") as memory:
        assert [(entry.key, entry.text, entry.status) for entry in memory.state("s")] == [("magentic", blob, "running")]
        assert memory.state("other") == []
        assert '"round":3' in memory.reattach("s").text


def test_row_4_4_approvals_are_records_of_the_store(tmp_path: Path) -> None:
    asked: list[str] = []

    def allows(command: str) -> bool:
        asked.append(command)
        return command == "make test"

    with Memory.open(tmp_path / "m.db") as memory:
        memory.observe(answered(), session="s")
        memory.observe(answered(), session="s")
        tool = gated(memory, dialect="bash", session="s", approve=allows)(lambda command: command)
        assert tool("make test") == "make test"
        with pytest.raises(PermissionError):
            tool("make clean")
        memory.approve("use the paid service", answer="fine", scope="session", session="s")
        found = {one.subject.removeprefix("Bash "): one.granted for one in memory.approvals("s")}
        assert memory.verify() == []
    assert found == {
        "drop table users": False,
        "restart the staging server": True,
        "Push to main?": False,
        "rm -rf build": False,
        "the plan: Throw away": False,
        "Shall I switch the readers over?": True,
        "May I remove the nightly dump?": False,
        "<lambda>: make test": True,
        "<lambda>: make clean": False,
        "use the paid service": True,
    }


def test_row_4_4_also_around_an_async_tool(tmp_path: Path) -> None:
    async def run() -> list[tuple[str, bool]]:
        async with AsyncMemory.open(tmp_path / "m.db") as memory:

            @gated(memory, dialect="bash", approve=lambda command: False)
            async def tool(command: str) -> str:
                return command

            with pytest.raises(PermissionError):
                await tool("make clean")
            return [(one.subject, one.granted) for one in await memory.approvals("default")]

    assert asyncio.run(run()) == [("tool: make clean", False)]


def test_row_4_6_plan_goal_approvals_and_progress_are_in_the_store(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.observe([*answered(), *planned("p1", back_up="in_progress", move_rows="pending")], session="s")
        memory.observe(planned("p2", back_up="completed", move_rows="in_progress"), session="s")
        memory.put_state("goal", "goal", "orchard on version 5", session="s")
        memory.put_state("progress", "", "told the owners", session="s")
        held = {(entry.kind, entry.text, entry.status) for entry in memory.state("s")}
    assert {
        (Held.PLAN, "back up", "done"),
        (Held.PLAN, "move rows", "active"),
        (Held.GOAL, "orchard on version 5", ""),
        (Held.PROGRESS, "done: back up", ""),
        (Held.PROGRESS, "told the owners", ""),
    } <= held


@pytest.mark.parametrize("strategy", NAMES)
@pytest.mark.parametrize("tokens", BUDGETS)
def test_row_4_10_answers_stand_in_every_strategy_at_every_budget(strategy: str, tokens: int) -> None:
    done = worked_on(strategy, tokens)
    assert done.changed
    assert done.after_tokens <= tokens
    granted, _, refused = block(done).partition("Refused by the user")
    for subject, allowed in STAND.items():
        assert subject in (granted if allowed else refused), subject
        assert subject not in (refused if allowed else granted), subject


@pytest.mark.slow
@pytest.mark.parametrize("strategy", NAMES)
def test_row_4_10_a_refused_action_is_never_told_as_done(strategy: str) -> None:
    text = worked_on(strategy, 8_000).checkpoint
    told = text.partition("<<<CFPM_STATE_V1")[0]
    for line in told.splitlines():
        if "drop table" in line or "rm -rf" in line or "AskUserQuestion" in line:
            assert line.startswith("- refused"), line
    assert "\n- drop" not in told


@pytest.mark.parametrize("strategy", NAMES)
def test_row_4_10_answers_stand_after_a_second_compaction_without_the_store(strategy: str) -> None:
    first = worked_on(strategy, 2_000)
    second = compacted([*first.messages, *work()], strategy, 2_000, observe=False)
    assert second.changed
    assert second.checkpoint.count("<<<CFPM_STATE_V1") == 1
    assert sum(str(message["content"]).count("<<<CFPM_STATE_V1") for message in second.messages) == 1
    for subject in STAND:
        assert subject in block(second), subject


def test_row_4_10_the_last_answer_to_a_question_is_the_one_that_holds() -> None:
    messages = answered()
    messages += called("request_approval", {"action": "drop table users"}, "Approved", "b1")
    told = block(compacted([*messages, *work()], "cfpm", 2_000))
    assert told.count("drop table users") == 1
    assert "drop table users" in told.partition("Refused by the user")[0]


@pytest.mark.parametrize("strategy", NAMES)
def test_row_4_13_plan_and_todo_list_stand_beside_each_other(strategy: str) -> None:
    lists = [*planned("p", back_up="completed", move_rows="pending"), *todos("t", auth="pending", docs="pending")]
    for messages in (lists, lists[2:] + lists[:2]):
        told = block(compacted([said("user", "Please migrate it."), *messages, *work()], strategy, 2_000))
        for step in ("[ ] move rows", "[ ] auth", "[ ] docs"):
            assert step in told, step


def test_row_4_14_a_step_is_not_left_out_because_the_last_message_repeats_its_words() -> None:
    messages = [said("user", "Please do it all."), *todos("t", auth="pending", docs="pending", rate_limits="pending")]
    ending = [said("user", "Continue with the auth and the docs.")]
    told = block(compacted([*messages, *work(), *ending], "cfpm", 2_000))
    assert all(f"[ ] {step}" in told for step in ("auth", "docs", "rate limits"))


def test_row_4_15_what_was_tried_without_success_is_told() -> None:
    tried = said("assistant", "I tried raising the pool size to 40. It did not help, the workers still starve.")
    text = compacted([said("user", "Please find the leak."), *work(4), tried, *work()], "cfpm", 2_000).checkpoint
    assert "Tried:" in text
    assert "raising the pool size to 40" in text


def test_row_4_16_the_goal_has_its_done_condition_and_its_budget() -> None:
    goal = {"objective": "Move the orchard to version 5", "done_condition": "all tests pass", "token_budget": 90_000}
    messages = [
        said("user", "Please help. You are done when the owners can log in. The budget is 20 dollars."),
        *called("create_goal", goal, "Goal set", "g"),
    ]
    told = block(compacted([*messages, *work()], "cfpm", 2_000))
    assert "- Move the orchard to version 5" in told
    assert "- done when: all tests pass" in told
    assert "- budget: 90000" in told
    told = block(compacted([messages[0], *work()], "cfpm", 2_000))
    assert "You are done when the owners can log in." in told
    assert "The budget is 20 dollars." in told


@pytest.mark.slow
def test_row_4_17_loaded_instructions_and_invoked_skills_are_told() -> None:
    messages = [
        said("user", "Please make the report."),
        *called("Read", {"file_path": "/srv/orchard/AGENTS.md"}, "Use metric units.", "i"),
        *called("Skill", {"skill": "spreadsheet"}, "Launching skill: spreadsheet", "k1"),
        *called("Read", {"file_path": "/srv/skills/letters/SKILL.md"}, "How to write letters", "k2"),
    ]
    for strategy in NAMES:
        told = block(compacted([*messages, *work()], strategy, 2_000))
        assert all(name in told for name in ("/srv/orchard/AGENTS.md", "- spreadsheet", "- letters")), strategy


def test_row_4_19_steps_that_are_alike_are_told_once() -> None:
    text = compacted([said("user", "Please read it all."), *work(40)], "cfpm", 2_000).checkpoint
    assert text.count("Looked at part") <= 1


def test_row_4_20_the_headings_of_a_handoff() -> None:
    lists = [*planned("p", move_rows="pending"), *todos("t", auth="pending")]
    instructions = called("Read", {"file_path": "/srv/orchard/AGENTS.md"}, "Use metric units.", "i")
    done = compacted([*answered(), *instructions, *lists, *work()], "cfpm", 8_000)
    for heading in (
        "Last request",
        "Files",
        "Instructions in force",
        "Approved or answered",
        "Refused",
        "Plan",
        "To do",
    ):
        assert f"\n{heading}" in done.checkpoint, heading


def test_row_4_21_all_of_the_list_is_attached_again_without_the_host_asking() -> None:
    goal = {"objective": "Move the orchard to version 5", "done_condition": "all tests pass", "token_budget": 90_000}
    messages = [
        *answered(),
        *called("Read", {"file_path": "/srv/orchard/AGENTS.md"}, "Use metric units.", "i"),
        *called("create_goal", goal, "Goal set", "g"),
        *called("Skill", {"skill": "spreadsheet"}, "Launching skill: spreadsheet", "k"),
        *called("ReadMcpResourceTool", {"server": "wiki", "uri": "wiki://harvest"}, "Harvest in June.", "r"),
        *called("mcp__tracker__open_issue", {"title": "x"}, "opened 4", "c"),
        *called("Bash", {"command": "make check", "workdir": "/srv/orchard"}, "12 passed", "b"),
        *called("Write", {"file_path": "/srv/orchard/move.sql", "content": "x"}, "File created", "f"),
        *planned("p", move_rows="pending"),
        *todos("t", auth="pending"),
    ]
    with Memory.open("sqlite://") as memory:
        memory.observe(messages, session="s")
        memory.put_state("host", "machine", "coding", session="s")
        memory.put_state("progress", "", "told the owners", session="s")
        found = memory.reattach("s")
        done = memory.compact([*messages, *work()], Limits(8_000), session="s", strategy="intent")
        short = memory.compact([*messages, *work()], Limits(8_000), session="s", strategy="intent", reattach=False)
    kinds = {item.kind for item in found.items}
    assert kinds == set(Held)
    assert {item.kind for item in done.held} == set(Held)
    for text in (
        "wiki://harvest",
        "tracker",
        "/srv/orchard",
        "make check: ok",
        "move.sql",
        "coding",
        "told the owners",
    ):
        assert text in block(done), text
    assert {item.kind for item in short.held} == {Held.APPROVAL, Held.REFUSAL, Held.PLAN, Held.TODO}


def test_row_4_21_the_block_keeps_to_its_tokens_and_says_what_it_left_out() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([*answered(), *planned("p", move_rows="pending"), *work()], session="s")
        small = memory.reattach("s", max_tokens=320)
        from cfpm.recall import counter

        assert counter(memory.settings.tokenizer)(small.text) <= 320
    assert small.left_out
    assert f"\n ({len(small.left_out)} more: cfpm state)\n" in small.text
    assert "[ ] move rows" in small.text
    assert "drop table users" in small.text


def test_row_4_22_progress_is_kept_and_only_its_end_is_told() -> None:
    with Memory.open("sqlite://") as memory:
        for number in range(12):
            memory.put_state("progress", "", f"part {number} moved", session="s")
        assert [entry.text for entry in memory.state("s")] == [f"part {number} moved" for number in range(12)]
        told = memory.reattach("s").text
    assert "part 11 moved" in told
    assert "part 2 moved" not in told


def test_what_a_session_holds_goes_with_an_export_and_with_an_erasure(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a.db") as memory, Memory.open(tmp_path / "b.db") as other:
        memory.observe([*answered(), *todos("t", auth="pending")], session="s")
        memory.approve("sing", session="s")
        out = io.StringIO()
        memory.export(out)
        other.import_lines(out.getvalue().splitlines(keepends=True), "export")
        assert [one.line for one in other.approvals()] == [one.line for one in memory.approvals()]
        assert other.state("s") == memory.state("s")
        again = io.StringIO()
        other.export(again)
        assert again.getvalue() == out.getvalue()
        memory.erase(query="drop table users")
        assert "drop table users" not in [one.subject for one in memory.approvals()]
        assert memory.approvals()
        memory.erase(session="s")
        assert (memory.approvals(), memory.state("s"), memory.verify()) == ([], [], [])
    assert b"drop table users" not in (tmp_path / "a.db").read_bytes()


def test_what_was_forgotten_is_not_put_before_the_model_again() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([said("user", "My locker code phrase is silver heron lantern.")], session="s")
        memory.put_state("progress", "", "My locker code phrase is silver heron lantern.", session="s")
        for fact in memory.facts():
            memory.forget(fact.id)
        assert "heron" not in memory.reattach("s").text


def test_no_secret_is_kept_in_an_answer_or_in_the_state() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Memory.open("sqlite://") as memory:
        memory.approve(f"push with {secret}", answer=f"use {secret}", session="s")
        memory.put_state("host", "token", f"token {secret}", session="s")
        memory.observe(called("request_approval", {"action": f"push with {secret}"}, "yes", "x"), session="s")
        held = json.dumps([one.line for one in memory.approvals()] + [entry.text for entry in memory.state("s")])
    assert secret not in held


@pytest.mark.parametrize(("kind", "remedy"), [("refusal", "approve"), ("observation", "tool calls"), ("dream", "host")])
def test_a_kind_that_is_not_put_by_hand_is_refused_with_the_remedy(kind: str, remedy: str) -> None:
    with Memory.open("sqlite://") as memory, pytest.raises(UsageError, match=remedy):
        memory.put_state(kind, "key", "text")


@pytest.mark.parametrize("subject", ["", "  ", "x" * 5_000])
def test_an_answer_to_nothing_is_refused(subject: str) -> None:
    with Memory.open("sqlite://") as memory:
        with pytest.raises(UsageError):
            memory.approve(subject)
        assert memory.approvals() == []


@pytest.mark.parametrize("strategy", NAMES)
def test_nothing_is_learnt_from_the_block_when_it_comes_back(strategy: str) -> None:
    done = compacted([*answered(), *planned("p", move_rows="pending"), *work()], strategy, 2_000)
    (note,) = [message for message in done.messages if "CFPM_STATE_V1" in str(message["content"])]
    alone = {**note, "content": "<<<CFPM_STATE_V1" + block(done)}
    with Memory.open("sqlite://") as memory:
        assert memory.observe([alone], session="q").accepted == 0
        assert (memory.facts(), memory.approvals(), memory.state("q")) == ([], [], [])
