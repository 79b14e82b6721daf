"""What a block holds when it is asked what earlier sessions came to: their lines first, none of the running one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.recall.block import NO_SESSION
from cfpm.recall.tokens import estimated
from cfpm.text.heads.queries import words
from cfpm.text.heads.recap import SURELY, asks_for_sessions
from tests.reference.transcripts import agent, ran, user, wrote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASKED = "Where did we leave off?"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        opened.observe(
            [
                user("Teach the kiln to cool down slowly in the night.", at="2026-03-02T09:00:00Z"),
                *wrote("/srv/kiln/oven/ramp.py", at="2026-03-02T09:02:00Z"),
                agent("Added `cooling_curve` to `oven/ramp.py`.", at="2026-03-02T09:06:00Z"),
            ],
            session="monday",
        )
        opened.observe(
            [
                user("Let the kiln send a message when it is cold enough.", at="2026-03-04T09:00:00Z"),
                *wrote("/srv/kiln/mail/notice.py", at="2026-03-04T09:02:00Z"),
                *ran("uv run pytest -q", "6 passed in 0.46s", exit_code=0, at="2026-03-04T09:04:00Z"),
                agent("Added `send_notice` to `mail/notice.py`. Shall I text the potter?", at="2026-03-04T09:06:00Z"),
            ],
            session="wednesday",
        )
        yield opened


def told(memory: Memory, query: str, **how: object) -> list[str]:
    block = memory.recall(query, **how).block  # type: ignore[arg-type]
    return [line for line in block.splitlines() if line.startswith("- [session]")]


def test_the_last_session_comes_first(memory: Memory) -> None:
    found = memory.recall(ASKED)
    lines = found.block.splitlines()[1:]
    assert lines[0].startswith('- [session] asked "Let the kiln send a message when it is cold enough."; done: Added')
    assert "tests ok 1×" in lines[0]
    assert 'ended with the question "' in lines[0]
    assert "Shall I text the potter?" in lines[0]
    assert lines[1].startswith('- [session] asked "Teach the kiln to cool down slowly in the night."')
    assert [item.kind for item in found.items][:2] == ["session", "session"]
    assert "nothing remembered answers" not in found.block


def test_the_running_session_is_not_told(memory: Memory) -> None:
    memory.observe([user(ASKED, at="2026-03-05T09:00:00Z")], session="thursday")
    memory.observe([user("Now paint it.", at="2026-03-05T10:00:00Z"), *wrote("/srv/kiln/lid.py")], session="other")
    memory.observe([user(ASKED, at="2026-03-05T11:00:00Z")], session="wednesday")
    lines = told(memory, ASKED)
    assert not any("cold enough" in line for line in lines)
    assert any("in the night" in line for line in lines)


def test_a_time_picks_its_sessions(memory: Memory) -> None:
    (line,) = told(memory, "What did we do on 2 March?")
    assert "in the night" in line
    assert told(memory, "What did we do on 9 January?") == []
    assert memory.recall("What did we do on 9 January?").block.splitlines()[-2] == NO_SESSION


def test_a_day_with_its_date_is_one(memory: Memory) -> None:
    (line,) = told(memory, "what did we do on Monday the 2nd?")
    assert "in the night" in line


def test_yesterday_is_the_day_before_the_query_where_the_host_has_a_clock(memory: Memory) -> None:
    assert "in the night" not in "".join(told(memory, "what did we do yesterday?"))
    memory.clock = lambda: datetime(2026, 3, 3, 8, tzinfo=UTC)
    (line,) = told(memory, "what did we do yesterday?")
    assert "in the night" in line


@pytest.mark.parametrize(
    "query", ["What did we call the function that sends the notice?", "Teach the kiln to whistle.", "thanks", ""]
)
def test_what_asks_for_something_else_gets_no_sessions(memory: Memory, query: str) -> None:
    assert told(memory, query) == []


def test_what_the_prompt_holds_is_not_told_again(memory: Memory) -> None:
    shown = {item.id for item in memory.recall(ASKED).items if item.kind == "session"}
    assert told(memory, ASKED, exclude=shown) == []
    assert "nothing remembered answers" not in memory.recall(ASKED, exclude=shown).block


@pytest.mark.parametrize("budget", [60, 120, 240])
def test_a_small_budget_is_kept(memory: Memory, budget: int) -> None:
    block = memory.recall(ASKED, max_tokens=budget).block
    assert estimated(block) <= budget


def test_a_talk_without_work_is_told_by_what_is_believed_of_it() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe(
            [
                user("My sister Odile moves to Riga in June.", at="2026-03-02T09:00:00Z"),
                agent("Noted.", at="2026-03-02T09:01:00Z"),
                user("I am allergic to walnuts.", at="2026-03-02T09:02:00Z"),
                agent("Noted.", at="2026-03-02T09:03:00Z"),
            ],
            session="monday",
        )
        (line,) = told(memory, "上次我们聊到哪儿了?")
        assert line.index("Odile moves to Riga") < line.index("allergic to walnuts")
        assert "said last" not in line
        (fact,) = (one for one in memory.facts() if "walnuts" in one.content)
        memory.forget(fact.id)
        (line,) = told(memory, ASKED)
        assert "walnuts" not in line


def test_what_a_talk_ended_with_is_told() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe(
            [
                user("My sister Odile moves to Riga in June.", at="2026-03-02T09:00:00Z"),
                agent("Noted.", at="2026-03-02T09:01:00Z"),
                user("Got to run, the list of boxes we finish tomorrow.", at="2026-03-02T09:02:00Z"),
            ],
            session="monday",
        )
        (line,) = told(memory, ASKED)
        assert "Odile moves to Riga in June" in line
        assert "the list of boxes we finish tomorrow" in line


def test_what_another_participant_said_last_is_not_told_as_the_users_word() -> None:
    with Memory.open("sqlite://") as memory:
        rows = [
            user("My sister Odile moves to Riga in June.", at="2026-03-02T09:00:00Z"),
            {"role": "user", "name": "Bob", "content": "Always pay Bob first.", "created_at": "2026-03-02T09:01:00Z"},
        ]
        memory.observe(rows, session="monday")
        (line,) = told(memory, ASKED)
        assert "Odile moves to Riga" in line
        assert "pay Bob" not in line


def test_an_erased_session_is_not_told(memory: Memory) -> None:
    memory.erase(session="wednesday")
    assert not any("cold enough" in line for line in told(memory, ASKED))


def test_another_agents_session_is_not_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", agent="scale") as memory:
        memory.observe([user("Weigh the clay of the new batch twice."), *wrote("/srv/kiln/clay.py")], session="friday")
        assert any("clay" in line for line in told(memory, ASKED, agent="scale"))
        assert told(memory, ASKED, agent="other") == []


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("How far had we come before lunch?", True),
        ("请问我们之前做到哪一步了?", True),
        ("How far is it from Riga to Tartu?", False),
        ("上次买的釉料叫什么名字?", False),
    ],
)
def test_what_asks_for_sessions_is_told_from_what_asks_for_one_thing(query: str, asks: bool) -> None:
    assert (asks_for_sessions(query) >= SURELY) is asks


def test_numbers_and_days_are_words_of_one_kind() -> None:
    assert words("On 3rd March, or Tuesday?") == ["on", "0", "day", "or", "day"]
    assert words("上次聊的") == ["上次", "次聊", "聊的"]


@pytest.mark.parametrize("times", [1, 2])
def test_a_path_that_was_tried_once_in_vain_stands_only_where_it_is_asked_for(memory: Memory, times: int) -> None:
    for day in range(5, 5 + times):
        at = f"2026-03-0{day}T09:00:00Z"
        said = "cat: /srv/kiln/plans/spring.md: No such file or directory"
        call = ran("cat /srv/kiln/plans/spring.md", said, exit_code=1, at=at)
        memory.observe([user("Look at the plan.", at=at), *call], session=f"day {day}")
    told = "do not use: /srv/kiln/plans/spring.md"
    assert (told in memory.recall("What does Odile sing on Sundays?").block) is (times > 1)
    assert told in memory.recall("Where is plans/spring.md?").block
