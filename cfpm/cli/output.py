"""What reaches the terminal: JSON documents and lines of text. Nothing stored can steer the terminal from here."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Control characters could move the cursor or rewrite the screen, bidirectional marks could show text in another order.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_STEERING_IN_JSON = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
PIPED_WIDTH = 160
"""Columns of a table that goes into a file or pipe: wide enough for whole sentences."""


def prepare_streams() -> None:
    """Text that the terminal's encoding cannot show is escaped, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def clean(text: str) -> str:
    """The text with every character that could steer a terminal written as a visible escape."""
    return _STEERING.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`clean`, with line breaks and runs of spaces as one space."""
    return " ".join(clean(text).split())


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say(text: str) -> None:
    """A line for people, on standard error."""
    print(clean(text), file=sys.stderr)


def show(text: str = "") -> None:
    """A line for people, on standard output."""
    print(clean(text))


def show_json(value: object) -> None:
    """The one JSON document on standard output."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=2 if sys.stdout.isatty() else None)
    print(_STEERING_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def console(*, stderr: bool = False) -> Console:
    """A rich console as wide as the terminal, or PIPED_WIDTH when there is none; markup is off."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else shutil.get_terminal_size((PIPED_WIDTH, 25)).columns
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)
