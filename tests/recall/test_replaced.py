"""What a fact took the place of stands behind it, where a part of that may still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory, Status
from cfpm.recall.replaced import holds_more

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("older", "newer", "more"),
    [
        ("The bakery opens at 7, parking is behind the mill.", "The bakery opens at 8 now.", True),
        ("The bakery opens at 7.", "The bakery opens at 8 now.", False),
        ("I live in Ghent", "We finally relocated, it's Lyon", False),
        ("Who trims the hedge? Otto trims it, ladder from Irma.", "Bea trims the hedge now.", True),
        ("周六去游泳，教练姓林", "游泳改到周日了", True),
        ("", "", False),
    ],
)
def test_a_clause_of_its_own_may_still_hold(older: str, newer: str, more: bool) -> None:
    assert holds_more(older, newer) is more


def test_a_block_shows_what_may_still_hold(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        for number, text in enumerate(
            ["The oven: 230 degrees, 40 minutes, lid off for the last ten.", "The oven goes to 250 degrees now."]
        ):
            said = {"role": "user", "content": text, "created_at": f"2026-03-{number + 10}T09:00:00Z"}
            memory.observe([said], session=f"s{number}")
        [older] = memory.facts(status=Status.SUPERSEDED)
        block = memory.recall("How hot is the oven?", max_tokens=400).block
        [line] = [line for line in block.splitlines() if "250" in line and "[turn]" not in line]
        assert line.index("250") < line.index("[outdated in part]") < line.index("lid off")
        memory.forget(older.id)
        assert "lid off" not in memory.recall("How hot is the oven?", max_tokens=400).block


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (
            "notes to members: short, in Danish, and signed by Runa & Olle.",
            "[instruction] notes to members: short, in Danish",
        ),
        (
            "Short notes to members in Danish, signed Runa & Olle",
            "[outdated in part] Short notes to members in Danish, signed Runa & Olle",
        ),
    ],
)
def test_beside_an_order_what_is_left_of_a_rule_comes_before_answers(rule: str, left: str) -> None:
    change = "from now on only i sign the notes"
    things = "ink paper stain fold stamp corner edge envelope line date logo weight price proof sample ribbon seal tint"
    with Memory.open("sqlite://") as memory:
        for number, text in enumerate((rule, change)):
            said = {"role": "user", "content": text, "created_at": f"2026-03-{number + 10}T09:00:00Z"}
            memory.observe([said], session=f"s{number}")
        talk = [
            f"About the {thing} of the notes: the printer wrote that lot {lot} has a {thing} which the members saw."
            for lot, thing in enumerate(things.split())
        ]
        memory.observe([{"role": "user", "content": text} for text in talk], session="printer")
        told = memory.recall("write a note to the members about the stain", max_tokens=300).block
    assert "only i sign" in told
    assert left in told
