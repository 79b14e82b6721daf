"""Adds a table to a TOML text, or takes it out; all other characters stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def table_at(text: str, path: tuple[str, ...]) -> object:
    """What stands there; None for nothing. Raises ValueError for what is no TOML."""
    found: object = tomllib.loads(text.removeprefix("\ufeff"))
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def addition(text: str, path: tuple[str, ...], values: Mapping[str, object]) -> str:
    """What is to stand at the end of the text. Raises ValueError where the table cannot be added there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[{'.'.join(path)}]",
        *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()),
    ]
    gap = ["", ""] if text and not text.endswith("\n") else [""] if text else []
    added = newline.join([*gap, *lines, ""])
    if table_at(text + added, path) != dict(values):
        raise ValueError(f"[{'.'.join(path)}] cannot be added at its end")
    return added


def without(text: str, path: tuple[str, ...]) -> str:
    """The text without the table of this header, up to the next one, and without the blank line before it."""
    header = re.compile(rf"^[ \t]*\[{re.escape('.'.join(path))}\][^\n]*\n?", re.MULTILINE)
    if (found := header.search(text)) is None:
        return text
    following = _HEADER.search(text, found.end())
    end = following.start() if following else len(text)
    start = found.start()
    for blank in ("\r\n\r\n", "\n\n"):
        if text[:start].endswith(blank):
            start -= len(blank) // 2
            break
    return text[:start] + text[end:]
