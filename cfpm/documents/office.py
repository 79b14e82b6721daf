"""The text of Office files: paragraphs and tables of DOCX, slides of PPTX, sheets of XLSX. Nothing is calculated.

Such a file is an archive, and its parts may unpack to any size, so they are counted before anything is unpacked.
"""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from cfpm.documents.parts import Part
from cfpm.documents.pdf import UNREADABLE
from cfpm.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes of all parts of an archive; what is above it is a bomb, or holds films."""

MAX_MARKUP = 64 * 1024 * 1024
"""Bytes of the parts that are parsed, which take about ten times as much memory; a novel has two MB."""

MAX_PARTS = 10_000
"""Parts of an archive; a presentation of 500 slides has some 3,000."""

MAX_CELLS = 2_000_000
"""Cells of all sheets of a file that hold something: some twenty seconds."""

_WORDS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MARKUP = (".xml", ".rels", ".vml")

KINDS = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
"""The part by which each kind of file is known."""


def kind_of(raw: bytes, name: str) -> str:
    """`docx`, `pptx` or `xlsx`. Raises InputError for another or a torn archive, and for one beyond the limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            listed = archive.infolist()
            known = [kind for part, kind in KINDS.items() if part in archive.NameToInfo]
            if not known:
                raise InputError(name, "is an archive that is no Office file", "Unpack it and add what is in it")
            _check_size(listed, name)
            for info in listed:
                if info.filename.endswith(_MARKUP):
                    with archive.open(info) as part:
                        head = part.read(4_096)
                    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                        raise InputError(name, "declares entities, which no Office program writes", _AGAIN)
    except (zipfile.BadZipFile, *UNREADABLE) as error:
        raise _torn(name, error) from error
    return known[0]


_AGAIN = "It may be cut off or damaged: save it again from the program that made it"


def _torn(name: str, error: Exception) -> InputError:
    return InputError(name, f"cannot be read as an Office file ({type(error).__name__})", _AGAIN)


def _check_size(listed: Iterable[zipfile.ZipInfo], name: str) -> None:
    # Nothing more than an archive declares of a part is ever unpacked of it.
    sizes = [(one.filename, one.file_size) for one in listed]
    whole = sum(size for _, size in sizes)
    markup = sum(size for part, size in sizes if part.endswith(_MARKUP))
    for what, size, limit in (("", whole, MAX_UNPACKED), (" of text", markup, MAX_MARKUP)):
        if size > limit:
            problem = f"unpacks to {size // 1024**2} MB{what}, more than {limit // 1024**2} MB"
            raise InputError(name, problem, "Save it without pictures, or split it")
    if len(sizes) > MAX_PARTS:
        raise InputError(name, f"has {len(sizes)} parts, more than {MAX_PARTS}", "Split it")


def office(raw: bytes, name: str, kind: str) -> Iterator[Part]:
    """The parts of a file of this kind that hold text. Raises InputError for a torn one, MissingExtraError."""
    read = {"docx": _docx, "pptx": _pptx, "xlsx": _xlsx}[kind]
    try:
        yield from read(raw, name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"Reading {kind.upper()} files", "documents") from error
    except (zipfile.BadZipFile, *UNREADABLE) as error:
        raise _torn(name, error) from error


def _docx(raw: bytes, name: str) -> Iterator[Part]:
    import docx

    del name
    document = docx.Document(io.BytesIO(raw))
    styles = {style.style_id: style.name or "" for style in document.styles}
    lines: list[str] = []
    # Not by `row.cells`, which makes as many of one as its width says, be it a million.
    for element in document.element.body:
        if element.tag == f"{_WORDS}tbl":
            lines += [_row(_cells(row, _WORDS)) for row in element.iter(f"{_WORDS}tr")]
            lines.append("")
        else:
            lines += [_heading(one, styles) + _said(one, _WORDS) for one in element.iter(f"{_WORDS}p")]
    yield Part("", _tidy(lines))


def _heading(paragraph: Any, styles: dict[str, str]) -> str:
    """`## ` for a heading of the second rank."""
    style = paragraph.find(f"{_WORDS}pPr/{_WORDS}pStyle")
    named = styles.get(style.get(f"{_WORDS}val"), "") if style is not None else ""
    rank = named.rpartition(" ")[2]
    if named == "Title":
        return "# "
    return f"{'#' * int(rank)} " if named.startswith("Heading ") and rank.isdigit() and len(rank) == 1 else ""


def _cells(row: Any, space: str) -> Iterator[str]:
    for cell in row.iter(f"{space}tc"):
        yield " ".join(text for one in cell.iter(f"{space}p") if (text := _said(one, space).strip()))


def _said(paragraph: Any, space: str) -> str:
    """The text of a paragraph, tabs and line breaks in it."""
    signs = {f"{space}tab": "\t", f"{space}br": "\n", f"{space}cr": "\n"}
    return "".join(part.text or "" if part.tag == f"{space}t" else signs.get(part.tag, "") for part in paragraph.iter())


def _pptx(raw: bytes, name: str) -> Iterator[Part]:
    import pptx

    del name
    for number, slide in enumerate(pptx.Presentation(io.BytesIO(raw)).slides, 1):
        tree = slide.shapes.element
        inside = {id(one) for row in tree.iter(f"{_DRAWING}tr") for one in row.iter(f"{_DRAWING}p")}
        lines = [_said(one, _DRAWING) for one in tree.iter(f"{_DRAWING}p") if id(one) not in inside]
        lines += [_row(_cells(row, _DRAWING)) for row in tree.iter(f"{_DRAWING}tr")]
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            lines += ["", "Notes:", notes.text]
        if text := _tidy(lines):
            yield Part(f"slide {number}", text)


def _xlsx(raw: bytes, name: str) -> Iterator[Part]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    cells = 0
    for sheet in book.worksheets:
        # What a sheet says of its size may be anything.
        sheet.reset_dimensions()
        rows = []
        for row in sheet.iter_rows(values_only=True):
            cells += len(row)
            if cells > MAX_CELLS:
                raise InputError(name, f"has more than {MAX_CELLS:,} cells", "Split it", place=f"sheet {sheet.title}")
            if any(value is not None for value in row):
                rows.append(_row(map(_value, row)))
        if rows:
            yield Part(f"sheet {' '.join(sheet.title.split())}", "\n".join(rows))


def _value(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.15g}"
        case datetime():
            return value.isoformat(sep=" ").removesuffix(" 00:00:00")
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _row(cells: Iterable[str]) -> str:
    """`a | b | c`, without what is empty at the end."""
    return " | ".join(" ".join(cell.split()) for cell in cells).rstrip(" |")


def _tidy(lines: Iterable[str]) -> str:
    """The lines, with at most one empty one between two."""
    found: list[str] = []
    for line in "\n".join(lines).split("\n"):
        if line.strip() or (found and found[-1]):
            found.append(line.rstrip())
    return "\n".join(found).strip("\n")
