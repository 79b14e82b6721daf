"""A file as the parts of its text, whatever kind of document it is; checked before anything of it is parsed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cfpm.documents.parts import Part
from cfpm.documents.text import decoded
from cfpm.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SIZE = 64 * 1024 * 1024
"""Bytes of a file: more than the largest manuals; what is above it is data for a program of its own."""

MAX_CHARACTERS = 32_000_000
"""Characters of the text of a document, of which a gigabyte of memory is needed."""

_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
_NAMED = {".pdf": "pdf", ".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".pptm": "pptx", ".xlsx": "xlsx",
          ".xlsm": "xlsx"}  # fmt: skip
"""What the ending of a name says that a file is; any other may be text."""


class Read(NamedTuple):
    """What was read: its kind (text, pdf, docx, pptx, xlsx), the parts in order, the bytes of the file."""

    kind: str
    parts: list[Part]
    size: int


def read_file(path: Path, progress: Callable[[int, int], None], encoding: str | None = None) -> Read:
    """Reads a document. `progress` gets how much is done, and of how much.

    Raises InputError naming the file for what is no regular file, is too large, torn, encrypted or no document, or is
    of another kind than its name says; MissingExtraError.
    """
    name = str(path)
    raw = _bytes(path, name)
    kind = _kind(raw, name)
    wanted = _NAMED.get(path.suffix.lower(), "text")
    if kind != wanted:
        is_one = "text" if kind == "text" else f"a {kind.upper()} file"
        remedy = "Rename it to what it is, or get it again" if wanted == "text" else f"Check that it is a {wanted} file"
        raise InputError(name, f"is {is_one}, which its name does not say", remedy)
    parts: list[Part] = []
    characters = 0
    for part in _parts(raw, name, kind, progress, encoding):
        characters += len(part.text)
        if characters > MAX_CHARACTERS:
            raise InputError(name, f"has more than {MAX_CHARACTERS:,} characters of text", "Split it")
        parts.append(part)
    if not any(part.text.strip() for part in parts):
        raise InputError(name, "holds no text", "Check that this is the file you mean")
    return Read(kind, parts, len(raw))


def _bytes(path: Path, name: str) -> bytes:
    if path.is_dir():
        raise InputError(name, "is a folder", "Name a file in it")
    try:
        # Not to wait for the other end of a pipe.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise InputError(name, "does not exist", "Check the path") from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise InputError(name, "is a link that leads back to itself", "Name the file that is meant") from error
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(name, f"cannot be read ({reason})", "Check the path and its permissions") from error
    with os.fdopen(descriptor, "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError(name, "is no regular file", "Write it to a file first")
        if about.st_size > MAX_SIZE:
            problem = f"has {about.st_size // 1024**2} MB, more than {MAX_SIZE // 1024**2} MB"
            raise InputError(name, problem, "Split it, or add the part that is needed")
        # It may grow while it is read.
        raw = stream.read(MAX_SIZE + 1)
    if not raw.strip():
        raise InputError(name, "is empty", "Check that this is the file you mean")
    return raw[:MAX_SIZE]


def _kind(raw: bytes, name: str) -> str:
    """What the bytes say that a file is. Raises InputError for an archive and for old or locked Office files."""
    if raw[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if raw.startswith(_OLD_OFFICE):
        raise InputError(
            name, "is an Office file of the old kind, or one with a password", "Save it as DOCX, PPTX or XLSX"
        )
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        from cfpm.documents.office import kind_of

        return kind_of(raw, name)
    return "text"


def _parts(raw: bytes, name: str, kind: str, progress: Callable[[int, int], None], encoding: str | None) -> list[Part]:
    if kind == "text":
        return [Part("", decoded(raw, name, encoding))]
    if kind == "pdf":
        from cfpm.documents.pdf import pages

        return list(pages(raw, name, progress))
    from cfpm.documents.office import office

    return list(office(raw, name, kind))
