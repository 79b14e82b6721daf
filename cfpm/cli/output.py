"""What reaches the terminal: JSON documents, lines of text, and tables that are fitted to it. Nothing stored can steer
the terminal from here."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cfpm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.progress import ProgressColumn
    from rich.table import Table

Row = tuple[str, ...]

# Control characters could move the cursor or rewrite the screen, bidirectional marks could show text in another order.
_STEERING = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
_STEERING_IN_JSON = r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
PIPED_WIDTH = 160
"""Columns of a table that goes into a file or pipe: wide enough for whole sentences."""
READABLE = 40
"""Characters of a line below which sentences are hard to read."""


def prepare_streams() -> None:
    """Text that the terminal's encoding cannot show is escaped, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def clean(text: str) -> str:
    """The text with every character that could steer a terminal written as a visible escape."""
    return re.sub(_STEERING, lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`clean`, with line breaks and runs of spaces as one space."""
    return " ".join(clean(text).split())


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say(text: str) -> None:
    """A line for people, on standard error."""
    print(clean(text), file=sys.stderr)


def confirmed(question: str) -> bool:
    """Asks on standard error until the answer is yes or no; an empty one, or none at all, is no."""
    while True:
        print(f"{clean(question)} [y/N]: ", end="", file=sys.stderr, flush=True)
        match sys.stdin.readline().strip().lower():
            case "y" | "yes":
                return True
            case "" | "n" | "no":
                return False


def confirm(subject: str, question: str, *, remedy: str, refused: str) -> None:
    """Goes on where the answer is yes. Raises UsageError where nobody can be asked, SystemExit where it is no."""
    if not sys.stdin.isatty():
        raise UsageError(subject, "nobody is there to be asked", remedy)
    if not confirmed(question):
        say(f"cfpm: {refused}")
        raise SystemExit(1)


def show(text: str = "") -> None:
    """A line for people, on standard output."""
    print(clean(text))


def show_json(value: object) -> None:
    """The one JSON document on standard output."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=2 if sys.stdout.isatty() else None)
    print(re.sub(_STEERING_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text))


def console(*, stderr: bool = False) -> Console:
    """A rich console as wide as the terminal, or PIPED_WIDTH when there is none; markup is off."""
    from shutil import get_terminal_size

    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else get_terminal_size((PIPED_WIDTH, 25)).columns
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


@contextmanager
def progress_bar(what: str, *, of_bytes: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error that takes what is done and the total, or nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns: tuple[str | ProgressColumn, ...] = Progress.get_default_columns()
    if of_bytes:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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
