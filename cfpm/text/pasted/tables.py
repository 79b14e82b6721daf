"""Which lines of a message are rows of a table: neighbours with as many cells. Their content is not looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cfpm.model.patterns import lazy_pattern
from cfpm.text.words import low_words

_ENDS = tuple(".!?;:。！？；：")
_ALIGNED = lazy_pattern(r"\S {2,}\S")
_COLUMNS = lazy_pattern(r" {2,}")
_DASHES = (" - ", " / ", " – ")
_BORDER = lazy_pattern(r"[-+= ]{3,400}")
_PAIR = lazy_pattern(r"\s{0,8}(?:- )?[a-z][\w.-]{0,24}: \S[^\n]{0,60}")
_LABEL = lazy_pattern(r"(?:^|[\s,;|，；])[\w-]{1,20}(?:: |：)(?=\S)")
_WORDS = lazy_pattern(r"[\w\u3400-\u9fff]")
_MIN_CELLS = 3
_MAX_CELL = 40
_MAX_WORDS = 16
"""Words of a row of figures; a longer line is more likely prose without stop words."""
_MIN_FIGURES = 2
"""Figures of such a row: a line with one, such as "budget 500 euros", may be what somebody says."""
_TWO_DIGITS = lazy_pattern(r"\d\D*\d")
"""Without which a line of ASCII has no two figures."""
_BULLETS = ("- ", "* ", "• ")
_MIN_ROWS = 3
"""Of shapes that two lines may have by chance."""


def table_lines(text: str, *, pairs: bool = True) -> frozenset[int]:
    """Numbers of the lines that are rows, the first line being 0; without `pairs` no labels with one value each, as
    people write them, too."""
    lines = text.split("\n")
    rows: set[int] = set()
    for shape, least, marks in _SHAPES:
        if len(lines) < least or not any(mark in text for mark in marks) or (shape is _pair and not pairs):
            continue
        for begun, end in runs(lines, shape, least):
            headed = shape is _figures and begun > 0 and is_heading(lines[begun - 1])
            rows.update(range(begun - headed, end))
    return frozenset(rows)


def runs(lines: list[str], shape: Callable[[str], int], least: int) -> Iterator[tuple[int, int]]:
    """The slices of so many neighbours, or more, with as many cells."""
    probe = least - 1
    while probe < len(lines):
        # A run that is long enough holds one of these lines, so that the lines between them are mostly not counted.
        line = lines[probe]
        cells = shape(line) if line else 0
        if not cells:
            probe += least
            continue
        begun, end = probe, probe + 1
        while begun and (before := lines[begun - 1]) and shape(before) == cells:
            begun -= 1
        while end < len(lines) and (after := lines[end]) and shape(after) == cells:
            end += 1
        if end - begun >= least:
            yield begun, end
        probe = end + least - 1


def _comma(line: str) -> int:
    if "," not in line and "，" not in line:
        return 0
    return _short(line.replace("，", ",").split(",")) if not line.rstrip().endswith(_ENDS) else 0


def _semicolon(line: str) -> int:
    return _short(line.split(";")) if ";" in line else 0


def _tab(line: str) -> int:
    return len(line.strip("\t").split("\t")) if "\t" in line.strip() else 0


def _bar(line: str) -> int:
    return line.count("|") or (line.count("+") if _BORDER.fullmatch(line) else 0)


def _columns(line: str) -> int:
    return _short(_COLUMNS.split(line.strip())) if _ALIGNED.search(line) else 0


def _spaced(line: str) -> int:
    """Values with single spaces between them: no word of a sentence is among them."""
    if line.rstrip().endswith(_ENDS) or " " not in line or line.startswith(("- ", "* ")):
        return 0
    return _short(line.split()) if low_words().isdisjoint(line.lower().split()) else 0


def _dashed(line: str) -> int:
    return max(_short(line.split(mark)) if mark in line else 0 for mark in _DASHES)


def _tight(line: str) -> int:
    commas = line.count(",") + line.count("，")
    return commas + 1 if commas and " " not in line and not line.endswith((",", "，", *_ENDS)) else 0


def _pair(line: str) -> int:
    return 1 if _PAIR.fullmatch(line) and not line.endswith(_ENDS) else 0


def _labelled(line: str) -> int:
    """Several labels with their values on one line: 'Country: Peru - Capital: Lima'."""
    labels = len(_LABEL.findall(line)) if ": " in line or "：" in line else 0
    return labels if labels > 1 and not line.endswith(_ENDS) else 0


def _figures(line: str) -> int:
    """Names with figures and nothing that makes a sentence of them: '/dev/sda1 50G 42G 8G 84% /'."""
    if line.isascii() and _TWO_DIGITS.search(line) is None:
        return 0
    words = line.split()
    if not _MIN_CELLS <= len(words) <= _MAX_WORDS or line.endswith(_ENDS) or line.lstrip().startswith(_BULLETS):
        return 0
    if sum(any(sign.isdigit() for sign in word) for word in words) < _MIN_FIGURES:
        return 0
    return int(low_words().isdisjoint(line.lower().split()))


def is_heading(line: str) -> bool:
    """A line of names above figures: 'Filesystem Size Used Avail Use% Mounted on'."""
    words = line.split()
    return (
        len(words) >= _MIN_CELLS
        and not line.endswith(_ENDS)
        and sum(word[0].isupper() for word in words) * 2 > len(words)
    )


def _short(cells: list[str]) -> int:
    """The number of cells, 0 when they are too few, or too long to be cells."""
    if len(cells) < _MIN_CELLS or any(len(cell) > _MAX_CELL for cell in cells):
        return 0
    return len(cells) if _WORDS.search(cells[0]) else 0


_SHAPES: tuple[tuple[Callable[[str], int], int, tuple[str, ...]], ...] = (
    (_comma, 2, (",", "，")),
    (_semicolon, 2, (";",)),
    (_tab, 2, ("\t",)),
    (_bar, 2, ("|", "+")),
    (_columns, 2, ("  ",)),
    (_dashed, 2, _DASHES),
    (_spaced, _MIN_ROWS, (" ",)),
    (_tight, _MIN_ROWS, (",", "，")),
    (_pair, _MIN_ROWS, (": ",)),
    (_labelled, 2, (": ", "：")),
    (_figures, 2, (" ",)),
)
"""What counts the cells of a line, the rows that make a table, and the marks without which it counts none."""
