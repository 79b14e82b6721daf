"""The natural language of a checkout, piece by piece: comments and strings of Python files, entries of data files."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDERS = ("cfpm", "adapters", "tests")
DATA_FILES = (".toml", ".txt", ".jsonl", ".sql")

_ESCAPE = re.compile(r"\\[A-Za-z]")
"""An escape of a pattern or of a string, such as that of a word boundary; its letter is no word."""
_BETWEEN_ENTRIES = re.compile(r'"""|[\'"]{1}\s*,\s*[\'"]{1}|(?<!\w)"|"(?!\w)')
"""Where an entry of a data file ends and the next begins."""


class Piece(NamedTuple):
    """A run of text that people read as one; `line` is the one on which it begins."""

    file: str
    line: int
    text: str


def code_texts(checkout: Path) -> Iterator[Piece]:
    """All pieces of the code, its rule files and its tests."""
    for folder in FOLDERS:
        for path in sorted((checkout / folder).rglob("*")):
            name = path.relative_to(checkout).as_posix()
            if path.suffix == ".py":
                yield from python_texts(name, path.read_text(encoding="utf-8"))
            elif path.suffix in DATA_FILES:
                yield from entries(name, path.read_text(encoding="utf-8"))


def python_texts(file: str, source: str) -> Iterator[Piece]:
    """The comments (those of adjacent lines as one piece) and the string constants, docstrings included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Piece(file, node.lineno, _ESCAPE.sub(" ", node.value))
    start, end, words = 0, 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line = token.start[0]
        if words and line == end + 1:
            words += "\n" + token.string
        else:
            if words:
                yield Piece(file, start, words)
            start, words = line, token.string
        end = line
    if words:
        yield Piece(file, start, words)


def entries(file: str, text: str) -> Iterator[Piece]:
    """The lines of a data file, cut where one string of it ends and another begins."""
    for number, line in enumerate(text.splitlines(), 1):
        for entry in _BETWEEN_ENTRIES.split(_ESCAPE.sub(" ", line)):
            if entry.strip():
                yield Piece(file, number, entry)
