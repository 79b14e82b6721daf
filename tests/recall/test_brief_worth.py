"""Which lines of a brief a colleague would keep: rules beyond the task, findings with their subject, newer numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.recall.brief import BriefLine, Section
from cfpm.recall.brief.lines import distinct
from cfpm.recall.brief.packing import Offer
from cfpm.recall.brief.records import Records
from cfpm.recall.brief.surroundings import Surroundings, in_context
from cfpm.recall.brief.telling import is_known, is_whole, without_lines
from cfpm.recall.brief.worth import is_past, lasting, says_a_rule, worth_reading
from tests.reference.transcripts import agent, ran, user, wrote

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


def lines(memory: Memory, section: Section) -> list[str]:
    return [line.text for line in memory.brief(max_tokens=5_000).lines if line.section == section]


def test_a_rule_of_the_file_at_hand_stays_with_its_session(memory: Memory) -> None:
    memory.observe(
        [
            user("Teach the kiln to cool down slowly.", at="2026-03-02T09:00:00Z"),
            user("Always sort the plates of shelf.py by their size.", at="2026-03-02T09:01:00Z"),
            user("Rates must be rounded in ramp.py before they are shown.", at="2026-03-02T09:02:00Z"),
            *wrote("/srv/kiln/oven/ramp.py", at="2026-03-02T09:03:00Z"),
            *wrote("/srv/kiln/oven/shelf.py", at="2026-03-02T09:04:00Z"),
        ],
        session="monday",
    )
    told = lines(memory, Section.RULES)
    assert any("by their size" in line for line in told)
    assert not any("rounded" in line for line in told)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("Always fire the glaze before you weigh the bowls.", True),
        ("Ask any questions.", False),
        ("Always use tabs.", True),
        ("No emojis in replies.", True),
        ("Please use the metric system in everything.", True),
        ("Always run step 2 before step 3 of the release.", True),
        ("回答用中文。", True),
        ("Keep it as it is for now", False),
        ("is every function of the oven named by what it does", False),
        ("You have notes on how to load the kiln.", False),
        ("ask me before you throw any bowl away, some of them are for the fair.", True),
        ("never suggest a glaze with lead in it even if I forget to say so", True),
        ("he reads this, too, so never mention the present unless I do", True),
        ("Don't suggest glazes with lead to my pupils, please.", True),
        ("it was cold in the shed so I fired it again", False),
    ],
)
def test_a_rule_orders_something_in_particular(rule: str, says: bool) -> None:
    assert says_a_rule(rule) is says


@pytest.mark.parametrize(
    "talk",
    [
        "My advice is to keep the ramp in its own module.",
        "Your kiln reads the plan once a run.",
        "The user asked for a slower ramp in the plan.",
        "The plan is read on line 212 before the rate is set.",
    ],
)
def test_an_agents_talk_is_no_knowledge(talk: str) -> None:
    assert not is_known(talk, by_agent=True)


def test_numbers_of_lines_are_left_out_where_the_statement_stands_without_them() -> None:
    said = "`read_plan()` (line 212) is called by `oven/ramp.py:40` once a run."
    assert without_lines(said) == "`read_plan()` is called by `oven/ramp.py` once a run."


def test_a_statement_without_its_subject_is_not_whole() -> None:
    assert not is_whole("are read again after each firing of the kiln")
    assert not is_whole("and is redundant with the check of the plan")
    assert is_whole("The rates are read again after each firing of the kiln.")
    assert not is_whole("Is the tray wet? Then we do not need the second glaze at all.")


def test_an_item_is_told_with_its_heading_and_what_goes_on_about_it() -> None:
    before = "Here is what I found.\n\n### Plans of the kiln\n\n- "
    behind = " This keeps the curve smooth.\n\nAnything else?"
    said = "**Steps:** at most twelve are read from one plan."
    told = in_context(
        "Steps: at most twelve are read from one plan.", said, Surroundings(before, behind), by_agent=True
    )
    assert told == "Plans of the kiln: Steps: at most twelve are read from one plan. This keeps the curve smooth."


def test_an_item_of_what_was_proposed_is_not_told() -> None:
    around = Surroundings("### Suggested improvements\n\n- ", "")
    said = "The plan is read in one place."
    assert not in_context(said, said, around, by_agent=True)


def test_a_name_is_told_of_the_file_that_is_meant(memory: Memory) -> None:
    memory.observe(
        [
            user("Teach the kiln to cool down slowly.", at="2026-03-02T09:00:00Z"),
            *wrote("/srv/kiln/oven/ramp.py", at="2026-03-02T09:01:00Z"),
            *wrote("/srv/kiln/mail/ramp.py", at="2026-03-02T09:02:00Z"),
        ],
        session="monday",
    )
    records = Records.of(memory.store.deeds.recent("default"), "/srv/kiln")
    records.tell(["`mail/ramp.py`: `send_notice` waits for the plan.", "`ramp.py` has `cooling_curve`."])
    assert set(records.files["mail/ramp.py"].names) == {"send_notice"}
    assert not records.files["oven/ramp.py"].names


def test_of_two_numbers_for_the_same_the_newer_is_told() -> None:
    monday, friday = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 6, tzinfo=UTC)
    older, newer = (
        Offer(
            BriefLine(Section.PROJECT, f"A shelf of the kiln holds {count} plates. (fact_{count})", f"fact_{count}"),
            worth,
            at,
        )
        for count, worth, at in ((40, 2.0, monday), (55, 1.0, friday))
    )
    assert [one.line.id for one in distinct([older, newer])] == ["fact_55"]
    assert [one.line.id for one in distinct([replace(older, said=friday), replace(newer, said=monday)])] == ["fact_40"]
    assert [one.line.id for one in distinct([replace(older, said=None), newer])] == ["fact_40"]


def test_a_command_is_told_once_without_what_only_joins_its_output(memory: Memory) -> None:
    memory.observe(
        [
            user("Run the tests of the kiln.", at="2026-03-02T09:00:00Z"),
            *ran("pytest -q oven 2>&1", "5 passed in 0.44s", exit_code=0, at="2026-03-02T09:01:00Z"),
            *ran("pytest -q oven | tail -3", "5 passed in 0.44s", exit_code=0, at="2026-03-02T09:02:00Z"),
        ],
        session="monday",
    )
    (told,) = lines(memory, Section.COMMANDS)
    assert told.startswith("run the tests: `pytest -q oven` ok 2×")


def test_a_program_that_failed_alike_is_told_once(memory: Memory) -> None:
    for day, script in (("2", "plan"), ("3", "rate")):
        memory.observe(
            [
                user(f"Look at the {script} of the kiln.", at=f"2026-03-0{day}T09:00:00Z"),
                *ran(
                    f"kilnctl show {script}",
                    "kilnctl: command not found",
                    exit_code=127,
                    at=f"2026-03-0{day}T09:01:00Z",
                ),
            ],
            session=script,
        )
    assert len([line for line in lines(memory, Section.PITFALLS) if "command not found" in line]) == 1


def test_what_is_worth_reading_says_something_and_the_surest_comes_first(memory: Memory) -> None:
    memory.observe(
        [
            user("Always weigh the bowls before the glaze is fired.", at="2026-03-02T09:00:00Z"),
            user("Ask any questions.", at="2026-03-02T09:01:00Z"),
            agent("The kiln reads `plan.toml` once, before the first firing of a day.", at="2026-03-02T09:02:00Z"),
        ],
        session="monday",
    )
    told = [fact.content for fact in worth_reading(memory.facts())]
    assert any("weigh the bowls" in text for text in told)
    assert "Ask any questions." not in told


def test_how_surely_it_lasts_does_not_depend_on_what_else_is_asked() -> None:
    texts = ["The kiln reads `plan.toml` once a run.", "I am looking at the plan now."]
    together = lasting(texts, by_agent=True)
    assert together == [lasting([text], by_agent=True)[0] for text in texts]
    assert together[0] > together[1]


@pytest.mark.parametrize(
    ("said", "past"),
    [
        ("The glaze workshop with the guild is on 12 March, ten people come.", True),
        ("The market week is 9 to 15 March, I'm away then.", False),
        ("From 12 March the big kiln is fired on Tuesdays.", False),
        ("The guild moves to the mill on 12 March.", False),
        ("The glaze workshop is on 2 April, ten people come.", False),
        ("The glaze workshop was on 1 March.", False),
    ],
)
def test_what_was_to_come_and_is_over_comes_last(memory: Memory, said: str, past: bool) -> None:
    memory.observe([user(said, at="2026-03-05T09:00:00Z"), agent("Noted.", at="2026-03-05T09:00:05Z")], session="one")
    (fact,) = memory.facts()
    assert is_past(fact, datetime(2026, 3, 15, 12, tzinfo=UTC)) is past
    assert not is_past(fact, datetime(2026, 3, 6, 12, tzinfo=UTC))
