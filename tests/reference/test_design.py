"""Weaknesses in the design of the original, section 10.2 of the reference page: ours does not have them.

Costs are measured by the latency benchmark. A path boundary when renaming has no counterpart: there is no such verb.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from cfpm import Memory
from cfpm.model import Action, Category, Fact, Source, Status
from tests.reference.transcripts import GREETING, agent, learnt, ran, the_fact, user, wrote

RULE = "Always use tabs in the shop code."


def test_posix_paths_keep_their_case(memory: Memory) -> None:
    memory.observe([*wrote("/srv/Shop/Notes.md"), *wrote("/srv/shop/notes.md")])
    assert learnt(memory, Category.ARTIFACT) == ["/srv/Shop/Notes.md", "/srv/shop/notes.md"]


def test_a_broken_posix_path_does_not_break_its_namesake(memory: Memory) -> None:
    memory.observe(ran("cat /srv/shop/OUT.txt", "cat: /srv/shop/OUT.txt: No such file or directory", exit_code=1))
    memory.observe([agent("Saved to /srv/shop/out.txt.")])
    assert learnt(memory, Category.ARTIFACT) == ["/srv/shop/out.txt"]


def test_windows_paths_do_not_differ_by_case_or_slash(memory: Memory) -> None:
    memory.observe(wrote(r"C:\Shop\Notes.md"))
    memory.observe(wrote("c:/shop/notes.md"))
    assert learnt(memory, Category.ARTIFACT) == [r"C:\Shop\Notes.md"]
    assert the_fact(memory, r"C:\Shop\Notes.md").evidence_count == 2


def test_ids_and_first_times_are_stable_over_turns(memory: Memory) -> None:
    memory.observe([user(RULE, at="2026-03-01T10:00:00Z")])
    first = the_fact(memory, RULE)
    for day in range(2, 6):
        memory.observe([user(RULE, at=f"2026-03-0{day}T10:00:00Z"), *wrote(f"src/day{day}.py")])
    last = the_fact(memory, RULE)
    assert (last.id, last.created_at) == (first.id, datetime(2026, 3, 1, 10, tzinfo=UTC))
    assert last.evidence_count == 5


def test_evidence_raises_confidence_with_diminishing_returns(memory: Memory) -> None:
    seen = []
    for day in range(1, 6):
        memory.observe([user(RULE, at=f"2026-03-0{day}T10:00:00Z")])
        seen.append(the_fact(memory, RULE).confidence)
    gains = [later - earlier for earlier, later in pairwise(seen)]
    assert all(gain > 0 for gain in gains)
    assert gains == sorted(gains, reverse=True)
    assert seen[-1] < 1


@pytest.mark.parametrize(
    "text",
    [
        "Please build a REST API",
        "Please build a GraphQL API for the orders.",
        "Fix the rounding of the cart total",
        "Could you write release notes for our version 2?",
        "帮我写一个登录页面",
        "我想要一个导出功能",
        "请修复购物车的总价",
        "创建一个新的订单页面",
    ],
)
def test_imperatives_are_goals(memory: Memory, text: str) -> None:
    memory.observe([GREETING, agent("What can I do?"), user(text)])
    assert learnt(memory, Category.GOAL) == [text]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I prefer small commits.", Category.PREFERENCE),
        ("My name is Lin and I work in Berlin.", Category.PROFILE),
        ("We decided to use PostgreSQL for the orders.", Category.DECISION),
        ("Yesterday I launched the new shop.", Category.EVENT),
        ("我喜欢简短的提交信息", Category.PREFERENCE),
        ("我们决定使用PostgreSQL", Category.DECISION),
    ],
)
def test_what_the_original_had_no_category_for(memory: Memory, text: str, category: Category) -> None:
    memory.observe([GREETING, user(text)])
    assert learnt(memory, category) == [text]
    assert the_fact(memory, text).role == "user"


def _edit(memory: Memory, fact: Fact, verb: str) -> Action:
    match verb:
        case "forget":
            memory.forget(fact.id)
            return Action.FORGET
        case "pin":
            memory.pin(fact.id)
            return Action.PIN
        case _:
            memory.remember(fact.content, category=fact.category)
            return memory.history(fact.id)[-1].action


@pytest.mark.parametrize("verb", ["forget", "pin", "remember"])
def test_a_users_edit_can_be_undone_without_a_snapshot(memory: Memory, verb: str) -> None:
    memory.observe([user(RULE, at="2026-03-01T10:00:00Z")])
    before = the_fact(memory, RULE)
    then = memory.history(before.id)[-1].seq
    action = _edit(memory, before, verb)
    assert the_fact(memory, RULE) != before
    changed = memory.history(before.id)[-1]
    assert (changed.action, changed.cause) == (action, verb)
    assert changed.before
    assert changed.after
    assert memory.facts(as_of=then) == [before]
    assert memory.rollback(then).reverted == 1
    assert the_fact(memory, RULE) == before


def test_a_user_stating_a_known_fact_is_an_edit_of_it(memory: Memory) -> None:
    memory.observe([user(RULE)])
    fact = memory.remember(RULE, category=Category.INSTRUCTION)
    assert fact.source is Source.USER
    assert [event.action for event in memory.history(fact.id)] == [Action.CREATE, Action.EDIT]


def test_a_rollback_can_itself_be_rolled_back(memory: Memory) -> None:
    memory.observe([user(RULE)])
    fact = the_fact(memory, RULE)
    learnt_at = memory.history(fact.id)[-1].seq
    memory.forget(fact.id)
    forgotten_at = memory.history(fact.id)[-1].seq
    memory.rollback(learnt_at)
    assert memory.fact(fact.id).status is Status.ACTIVE
    memory.rollback(forgotten_at)
    assert memory.fact(fact.id).status is Status.FORGOTTEN
    assert [event.action for event in memory.history(fact.id)][2:] == [Action.ROLLBACK, Action.ROLLBACK]


def test_a_pin_stops_the_decay_and_its_end_lets_it_go_on(memory: Memory) -> None:
    memory.observe([GREETING, user("Please build a REST API", at="2026-03-01T10:00:00Z")])
    goal = the_fact(memory, "Please build a REST API")
    assert goal.stale_at is not None
    assert memory.pin(goal.id).stale_at is None
    assert memory.pin(goal.id, False) == goal


@pytest.mark.parametrize("pin", [True, False])
def test_the_users_word_about_a_path_replaces_what_was_learnt(memory: Memory, *, pin: bool) -> None:
    path = "/srv/shop/out/report.pdf"
    memory.observe(ran(f"cat {path}", f"cat: {path}: No such file or directory", exit_code=1))
    memory.remember(path, category=Category.ARTIFACT, pin=pin)
    assert learnt(memory, Category.ARTIFACT) == [path]
    assert learnt(memory, Category.INVALID_PATH) == []
    assert "do not use" not in memory.recall("report").block
