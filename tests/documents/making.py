"""Small documents of each kind, made on the spot."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

import docx
import openpyxl
import pptx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def pdf(*pages: str, forms: Mapping[str, bytes] | None = None, content: bytes | None = None) -> bytes:
    """A PDF with a page of text for each given, or whose pages draw `content`, which may draw `forms` by their names;
    a form may draw the others."""
    named = dict(forms or {})
    first_form = 4 + 2 * len(pages)
    resources = b"<< /Font << /F1 3 0 R >> /XObject << " + b" ".join(
        b"/%s %d 0 R" % (name.encode(), first_form + at) for at, name in enumerate(named)
    )
    resources += b" >> >>"
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        drawn = content if content is not None else _drawn(text)
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources %s >>"
        objects += [page % (5 + 2 * at, resources), _stream(drawn)]
    objects += [_stream(data, b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources " + resources)
                for data in named.values()]  # fmt: skip
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return out.getvalue()


def _drawn(text: str) -> bytes:
    lines = [f"({line}) Tj 0 -14 Td" for line in text.split("\n")]
    return f"BT /F1 12 Tf 50 750 Td {' '.join(lines)} ET".encode("latin-1")


def _stream(data: bytes, more: bytes = b"") -> bytes:
    packed = zlib.compress(data)
    return b"<< %s /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (more, len(packed), packed)


def word(*paragraphs: str, heading: str = "", rows: Sequence[Sequence[str]] = ()) -> bytes:
    document = docx.Document()
    if heading:
        document.add_heading(heading, 2)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if rows:
        table = document.add_table(len(rows), len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    return _saved(document)


def slides(*texts: str, notes: str = "") -> bytes:
    show = pptx.Presentation()
    for text in texts:
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    return _saved(show)


def workbook(**sheets: Sequence[Sequence[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def bomb(megabytes: int) -> bytes:
    """A file with the parts of a DOCX, one of which unpacks to so much."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(megabytes):
                part.write(b" " * 1024 * 1024)
    return out.getvalue()


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()
