"""Tables for people, fitted to the terminal: columns where there is room, else an entry of two lines for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.cli.output import clean, console, one_line, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

Row = tuple[str, ...]

READABLE = 40
"""Characters of a line below which sentences are hard to read."""


def show_table(
    columns: Sequence[str], rows: Iterable[Row], *, wide: str, lead: str = "", empty: str = "nothing"
) -> None:
    """Prints the rows, or one line that says that there are none.

    The column `wide` takes the room that is left. On a narrow terminal a row becomes its `lead` cell (default: the
    first) beside its `wide` cell, with the other cells in a line below.
    """
    filled = list(rows)
    if not filled:
        show(empty)
        return
    out = console()
    if len(columns) > 3 and _room(columns, filled, wide, out.width) < READABLE:
        out.print(_entries(columns, filled, columns.index(lead) if lead else 0, columns.index(wide)))
    else:
        out.print(_grid(columns, filled, wide))


def show_counts(columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Prints a table of short cells; all but the first column are numbers."""
    from rich.table import Table

    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index else "left")
    for row in rows:
        made.add_row(*(one_line(cell) for cell in row))
    console().print(made)


def _room(columns: Sequence[str], rows: Iterable[Row], wide: str, width: int) -> int:
    """What the other columns would leave to `wide` if none of them is broken: ids are there to be copied."""
    from rich.cells import cell_len

    lines = [tuple(columns), *rows]
    others = [index for index, column in enumerate(columns) if column != wide]
    return width - sum(max(cell_len(line[index]) for line in lines) + 3 for index in others)


def _grid(columns: Sequence[str], rows: Iterable[Row], wide: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        if column == wide:
            made.add_column(column, ratio=1, overflow="fold", min_width=20)
        else:
            made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(one_line(cell)) for cell in row))
    return made


def _entries(columns: Sequence[str], rows: Iterable[Row], lead: int, wide: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold", ratio=1)
    for row in rows:
        # A number alone says nothing without the head of its column.
        rest = [
            f"{column} {cell}" if cell[:1].isdigit() else one_line(cell)
            for index, (column, cell) in enumerate(zip(columns, row, strict=True))
            if index not in (lead, wide) and cell
        ]
        made.add_row(Text(one_line(row[lead])), Text(one_line(row[wide])))
        made.add_row("", Text(clean("  ".join(rest)), style="dim"))
    return made
