"""The figures of the house as tables: measure, before, now, goal; one row a room; what the numbers count, in lists."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from benchmarks.house.figures import Room
from benchmarks.house.imports import DOORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.house.figures import House
    from benchmarks.house.literals import Literal
    from benchmarks.house.quotations import Quotations

GOALS = {
    "lines in cfpm": 33_000,
    "loose files at the top of cfpm": 0,
    "circles of imports": 0,
    "modules reached by no door": 0,
    "observe: modules": 45,
    "observe: moves between rooms": 60,
}
"""The most that each may be."""


def with_quotations(house: House, quoted: Quotations | None) -> dict[str, int]:
    """The figures, with those of the data where it was read."""
    if quoted is None:
        return house.figures
    return {
        **house.figures,
        "four words in a row in code and tests": quoted.in_code,
        "of them in the data": quoted.shared,
        "telling sequences of the data": quoted.telling,
    }


def text(now: dict[str, int], before: dict[str, int] | None, rooms: dict[str, Room]) -> str:
    """Both tables."""
    head = ["measure", *(["before"] if before else []), "now", "goal", ""]
    rows = [head]
    for name, figure in now.items():
        goal = GOALS.get(name)
        verdict = "" if goal is None else "met" if figure <= goal else "NOT MET"
        earlier = [_number(before.get(name))] if before else []
        limit = "" if goal is None else f"at most {goal:,}"
        rows.append([name, *earlier, _number(figure), limit, verdict])
    columns = [field.name.replace("_", " ") for field in fields(Room)]
    by_room = [["room", *columns]]
    by_room += [[name, *(_number(value) for value in asdict(room).values())] for name, room in rooms.items()]
    return f"{table(rows)}\n\n{table(by_room)}\n\nDoors (names and commands): {', '.join(DOORS)}."


def _number(figure: int | None) -> str:
    return "-" if figure is None else f"{figure:,}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Fixed-width text: the first column to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def lists(house: House, quoted: Quotations | None) -> str:
    """What the figures count, one thing a line."""
    return "\n".join(_lists(house, quoted))


def _lists(house: House, quoted: Quotations | None) -> Iterator[str]:
    yield from _titled("Modules reached by no door", house.unreached)
    yield from _titled("Circles of imports", house.circles)
    yield from _titled("Circles through imports inside functions", house.lazy_circles)
    yield from _titled("Loose files at the top of cfpm", house.loose)
    yield from _titled("Imports between rooms", [f"{count:>4}  {way}" for way, count in house.between.items()])
    yield from _titled("Word lists in Python", [_place(item) for item in house.word_lists])
    yield from _titled("Regular expressions", [_place(item) for item in house.patterns])
    if quoted is not None:
        hits = [f"{hit.file}:{hit.line}: {hit.words}  <- {', '.join(hit.places)}" for hit in quoted.hits]
        yield from _titled("Telling sequences of the data, overlapping ones joined", hits)


def _titled(title: str, items: Sequence[str]) -> Iterator[str]:
    yield f"\n{title}: {len(items)}"
    yield from (f"  {item}" for item in items)


def _place(item: Literal) -> str:
    shown = item.text if len(item.text) <= 100 else f"{item.text[:99]}…"
    return f"{item.module}:{item.line}: {shown}"


def document(
    now: dict[str, int], before: dict[str, int] | None, house: House, quoted: Quotations | None
) -> dict[str, Any]:
    """All of it as JSON."""
    return {
        "figures": now,
        "before": before,
        "goals": GOALS,
        "rooms": {name: asdict(room) for name, room in house.rooms.items()},
        "between_rooms": house.between,
        "unreached": house.unreached,
        "circles": house.circles,
        "lazy_circles": house.lazy_circles,
        "loose": house.loose,
        "word_lists": [item._asdict() for item in house.word_lists],
        "patterns": [item._asdict() for item in house.patterns],
        "telling": None if quoted is None else [hit._asdict() for hit in quoted.hits],
    }
