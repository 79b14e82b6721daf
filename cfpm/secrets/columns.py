"""Finds the values under a column that is called a password or another secret: tables, CSV, and INSERT statements.

Not for single values beside their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.values import is_invented, is_mixed, is_passphrase, is_placeholder, is_scrambled

Span = tuple[int, int]

_LINE_CHARS = 2_000
"""The longest head of a table that is looked at."""
_ROWS = 200
"""Rows of a table, or of values, that are looked at below its head."""
_STRANGE = 4
"""Rows without a value after which no more are looked at, so that a text of nothing but heads takes no longer."""
_RULE = lazy_pattern(r"[ \t|+:=─━│┃┼╪├┤-]{3,}")
_SQL_HEAD = lazy_pattern(r"\([^()]{0,600}\Z")
_SQL_VALUES = lazy_pattern(r"[^()]{0,600}\)\s{0,40}(?i:values|select)\s{0,40}")
_SQL_ROW = lazy_pattern(
    r"[\s,]{0,40}\(?(?P<cells>(?:'(?:[^'\\]|\\.|''){0,400}'|\"[^\"]{0,400}\"|[^'\"();]){1,2000})\)?"
)
_SQL_CELL = lazy_pattern(
    r"\s*(?P<prefix>[NXBExbn]?)(?:'(?P<single>(?:[^'\\]|\\.|''){0,400})'|\"(?P<double>[^\"]{0,400})\"|(?P<bare>[^,'\"]{0,200}))\s*(?:,|$)"
)
_HEAD = lazy_pattern(r"[^,;\n]{1,60}(?:[,;][ ]?[\"']?[^\W\d][\w .\-/()#]{0,39}[\"']?){1,40}")
"""A head of CSV: names, and none is missing."""
_DECORATION = " \t\"'`*_[]"
_SHORTEST = 4
_NAME_END = lazy_pattern(r"[A-Za-z0-9_\- ]{0,24}[\"'`*\]]{0,3}[ \t]*")


def column(match: re.Match[str]) -> list[Span]:
    """The values below a cell of a head line that names a secret, or those of its place in an INSERT."""
    text, at = match.string, match.start()
    line_start = text.rfind("\n", max(0, at - _LINE_CHARS), at) + 1
    found = text.find("\n", at, at + _LINE_CHARS)
    line_end = found if found >= 0 else min(len(text), at + _LINE_CHARS)
    inserted = list(_inserted(text, at, match.end()))
    if inserted or found < 0:
        return inserted
    line = text[line_start:line_end]
    for delimiter in ("|", "│", "\t", ";", ","):
        if delimiter in line and (spans := list(_below(text, line_start, line_end, at, match.end(), delimiter))):
            return spans
    return []


def _below(text: str, start: int, end: int, at: int, name_end: int, delimiter: str) -> Iterator[Span]:
    """The cells of the lines that follow with the same number of delimiters, in the same column."""
    line = text[start:end]
    if delimiter in ",;" and not _HEAD.fullmatch(line.rstrip("\r")):
        return
    left = line.rfind(delimiter, 0, at - start) + 1
    right = line.find(delimiter, at - start)
    right = len(line) if right < 0 else right
    cell = line[left:right].strip(_DECORATION)
    if len(cell) > 32 or cell.count(" ") > 2 or not _NAME_END.fullmatch(text, name_end, start + right):
        return
    number, cells = line.count(delimiter, 0, left), line.count(delimiter)
    strange = 0
    for first, row in _rows(text, end + 1):
        if row.count(delimiter) != cells or strange > _STRANGE:
            return
        begins, value = _cell(row, number, delimiter)
        if _is_value(value):
            yield first + begins, first + begins + len(value)
        else:
            strange += 1


def _rows(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The lines of a table with where each begins, without those that are only drawn; up to an empty one."""
    for _ in range(_ROWS):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        row = text[start:stop]
        if not row.strip() or len(row) > _LINE_CHARS:
            return
        if not _RULE.fullmatch(row.strip()):
            yield start, row
        start = stop + 1


def _cell(row: str, number: int, delimiter: str) -> tuple[int, str]:
    """Where the cell of a column begins in its row, and what stands there, without quotation marks."""
    first = 0
    for _ in range(number):
        first = row.find(delimiter, first) + 1
    last = row.find(delimiter, first)
    value = row[first : len(row) if last < 0 else last]
    bare = value.strip(_DECORATION + "\r")
    return first + value.find(bare), bare


def _inserted(text: str, at: int, name_end: int) -> Iterator[Span]:
    """The values of a column of `INSERT INTO t (a, password) VALUES (...), (...)`."""
    head = _SQL_HEAD.search(text, max(0, at - 600), at)
    values = _SQL_VALUES.match(text, name_end) if head else None
    if head is None or values is None:
        return
    number = text.count(",", head.start(), at)
    cursor = values.end()
    for _ in range(_ROWS):
        row = _SQL_ROW.match(text, cursor)
        if row is None or row.end() == cursor:
            return
        position = row.start("cells")
        for index in range(number + 1):
            cell = _SQL_CELL.match(text, position, row.end("cells"))
            if cell is None or cell.end() == position:
                break
            if index == number:
                kind = "single" if cell["single"] is not None else "double" if cell["double"] is not None else "bare"
                if kind != "bare" and _is_value(cell[kind]):
                    yield cell.span(kind)
            position = cell.end()
        if not text.startswith(",", row.end()):
            return
        cursor = row.end()


def _is_value(text: str) -> bool:
    """What stands in a column of secrets and is none: nothing, dots, a note, a type."""
    if len(text) < _SHORTEST or " " in text or is_placeholder(text):
        return False
    return is_mixed(text) or is_scrambled(text) or text.isdigit() or is_invented(text) or is_passphrase(text)
