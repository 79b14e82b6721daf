"""The text of PDF files, page by page. Refuses what would take very long to read, by counts of bytes and pages."""

from __future__ import annotations

import io
import zlib
from struct import error as struct_error
from typing import TYPE_CHECKING, Any

from cfpm.documents.parts import Part
from cfpm.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_PAGES = 5_000
"""Twice a large standard; a page takes some 20 ms."""

MAX_DRAWN = 4 * 1024 * 1024
"""Bytes of drawing of one page, forms counted as often as they are drawn: about four seconds. Pages of text have some
ten thousand."""

MAX_DRAWN_IN_ALL = 64 * 1024 * 1024
"""The same of a whole document: about a minute."""

UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    struct_error,
    zlib.error,
)
"""What libraries raise at torn files, beside errors of their own."""


def pages(raw: bytes, name: str, progress: Callable[[int, int], None]) -> Iterator[Part]:
    """A part for each page with text. `progress` gets the pages read and all pages. Raises InputError for a torn or
    encrypted file, for one without text and for one beyond the limits; MissingExtraError."""
    try:
        import pypdf
        from pypdf.errors import DependencyError, PyPdfError
    except ModuleNotFoundError as error:
        raise MissingExtraError("Reading PDF files", "documents") from error
    found = False
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(name, "is encrypted", "Save it without a password: qpdf --decrypt IN OUT")
        total = len(reader.pages)
        if total > MAX_PAGES:
            raise InputError(name, f"has {total} pages, more than {MAX_PAGES}", "Split it")
        drawn = 0
        for number, page in enumerate(reader.pages, 1):
            drawn += _drawn(page, name, number)
            if drawn > MAX_DRAWN_IN_ALL:
                limit = MAX_DRAWN_IN_ALL // 1024**2
                raise InputError(name, f"draws more than {limit} MB", "Split it", place=f"page {number}")
            text = page.extract_text().strip("\n")
            if text.strip():
                found = True
                yield Part(f"page {number}", text)
            progress(number, total)
    except DependencyError as error:
        raise InputError(name, "is encrypted", "Save it without a password: qpdf --decrypt IN OUT") from error
    except (PyPdfError, *UNREADABLE) as error:
        raise InputError(
            name, f"cannot be read as PDF ({type(error).__name__})", "It may be cut off or damaged: get it again"
        ) from error
    if not found:
        raise InputError(name, "holds no text, only pictures", "Run a text recognition over it first: ocrmypdf IN OUT")


def _drawn(page: Any, name: str, number: int) -> int:
    """Bytes that are drawn for a page. Raises InputError above the limit, and for forms that draw themselves."""
    problem, remedy = f"draws more than {MAX_DRAWN // 1024**2} MB", "Print it to a new PDF, or leave out that page"
    content = page.get_contents()
    data = content.get_data() if content is not None else b""
    sizes: dict[int, int] = {}

    def size(data: bytes, resources: Any, depth: int) -> int:
        forms = _forms(resources)
        total = len(data)
        for key, form in forms.items():
            times = data.count(key.encode("latin-1", "replace") + b" Do")
            if not times or total > MAX_DRAWN:
                continue
            if depth > _DEEPEST:
                raise InputError(name, "holds forms that draw themselves", remedy, place=f"page {number}")
            if id(form) not in sizes:
                sizes[id(form)] = size(form.get_data(), form.get("/Resources", resources), depth + 1)
            total += times * sizes[id(form)]
        return total

    if (whole := size(data, page.get("/Resources"), 0)) > MAX_DRAWN:
        raise InputError(name, problem, remedy, place=f"page {number}")
    return whole


_DEEPEST = 16
"""Forms within forms; programs write two or three."""


def _forms(resources: Any) -> dict[str, Any]:
    """The forms that may be drawn, by their names."""
    from pypdf.generic import DictionaryObject, StreamObject

    known = resources.get_object() if resources is not None else None
    objects = known.get("/XObject") if isinstance(known, DictionaryObject) else None
    named = objects.get_object() if objects is not None else None
    if not isinstance(named, DictionaryObject):
        return {}
    every = {str(key): value.get_object() for key, value in named.items()}
    return {
        key: form for key, form in every.items() if isinstance(form, StreamObject) and form.get("/Subtype") == "/Form"
    }
