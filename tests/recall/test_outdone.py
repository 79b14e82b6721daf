"""A rule of which a later one changes a part stands behind that in a block, and takes no room from others."""

from __future__ import annotations

from dataclasses import replace

from cfpm import Category, Memory
from cfpm.recall.replaced import outdone

SHEETS = "At most six drawings on a sheet, each with a scale and a date."
FEWER = "Four drawings are the ceiling on any sheet."
ALL_BUT = "The scale doesn't apply to sketches."


def rules(memory: Memory, *texts: str) -> None:
    for day, text in enumerate(texts, 1):
        said = {"role": "user", "content": text, "created_at": f"2026-03-0{day}T09:00:00Z"}
        memory.observe([said], session=f"day-{day}")


def test_the_older_of_two_rules_that_both_stand_comes_behind_the_newer() -> None:
    with Memory.open("sqlite://") as memory:
        rules(memory, SHEETS, FEWER)
        first, second = sorted(memory.facts(category=Category.INSTRUCTION), key=lambda fact: str(fact.created_at))
        linked = [replace(first, contradicts=second.id), replace(second, contradicts=first.id)]
        left, behind = outdone(linked)
        assert [fact.id for fact in left] == [second.id]
        assert {newer: older.id for newer, older in behind.items()} == {second.id: first.id}
        assert outdone([replace(first, contradicts=second.id, pinned=True), second])[1] == {}
        assert outdone([first, second]) == ([first, second], {})
        limited = replace(second, content=ALL_BUT)
        assert outdone([replace(first, contradicts=second.id), limited])[1] == {}


def test_in_a_block_it_stands_in_the_line_of_the_newer() -> None:
    with Memory.open("sqlite://") as memory:
        rules(memory, SHEETS, "Only three drawings on a sheet from today, the rest as it was.")
        lines = memory.recall("draw the sheet for the kiln", max_tokens=600).lines
        told = [line for line in lines if "drawings" in line]
        assert all(not line.startswith("- [instruction] At most six") for line in told)
        assert any("hree drawings" in line for line in told)
