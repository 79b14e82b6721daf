"""A file as bounded lines or one JSON document.

Says what is wrong with a file as a whole; knows no transcript format.
"""

from __future__ import annotations

import codecs
import io
import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from cfpm.errors import InputError
from cfpm.transcript.fields import clean
from cfpm.transcript.records import NotATranscript, Problem

MAX_LINE = 64 * 1024 * 1024
"""Bytes of one line. The longest real line of JSON Lines had 0.11 MB; one above this is no message but a dump."""

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of one JSON document, which is parsed whole: about eight times as much memory."""

HEAD = 16 * 1024
"""Bytes looked at to tell text from binary."""

BLOCK = 1024 * 1024
"""Bytes read at once, and so between two calls of a progress callback."""

Shape = Literal["rows", "document", "text", "database"]
Progress = Callable[[int], None]

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Longest first: the UTF-32 mark begins with the UTF-16 one."""

_DATABASE = b"SQLite format 3\0"

_MIN_NULLS = 4
_MAX_CONTROL_SHARE = 0.01
_MAX_DAMAGED_SHARE = 0.1


@dataclass(slots=True)
class Source:
    """A readable, non-empty file. `problems` gathers what was wrong with single lines, for whoever reads them. A
    database has no encoding.
    """

    path: Path
    encoding: str
    max_line: int = MAX_LINE
    max_document: int = MAX_DOCUMENT
    progress: Progress | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """How errors call the file."""
        return clean(str(self.path))

    @property
    def stem(self) -> str:
        """The file's name without suffix and folder: the part of a session id that does not depend on the machine."""
        return clean(self.path.stem)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers from 1 and lines without their end; one over `max_line` bytes is a problem, and left out."""
        number = 1
        for block in self._blocks():
            try:
                lines = block.decode().split("\n")
            except UnicodeDecodeError:
                lines = [self._repaired(raw, number + n) for n, raw in enumerate(block.split(b"\n"))]
            if b"\r" in block:
                lines = [line.removesuffix("\r") for line in lines]
            yield from enumerate(lines, start=number)
            number += len(lines)

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines, about a megabyte of them at a time, without the line end of the last."""
        size, number, consumed, rest, skipping = min(BLOCK, self.max_line), 1, 0, b"", False
        with self._stream() as stream:
            while chunk := stream.read(size):
                if not consumed:
                    chunk = chunk.removeprefix(codecs.BOM_UTF8)
                consumed += len(chunk)
                first, end = chunk.find(b"\n"), chunk.rfind(b"\n")
                if skipping or len(rest) + (first if first >= 0 else len(chunk)) > self.max_line:
                    if not skipping:
                        self.problems.append(Problem.of(self._too_long(number)))
                    # The line is left out, its end stays, so that the numbers of the lines behind it hold.
                    rest, chunk, skipping = b"", chunk[first:] if first >= 0 else b"", first < 0
                    end = chunk.rfind(b"\n")
                if end < 0:
                    rest += chunk
                    continue
                yield rest + chunk[:end]
                number += chunk.count(b"\n")
                rest = chunk[end + 1 :]
                if self.progress:
                    self.progress(consumed)
        if rest:
            yield rest
        if self.progress:
            self.progress(consumed)

    def _repaired(self, raw: bytes, number: int) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.problems.append(self._damaged(number))
            return raw.decode(errors="replace")

    def document(self) -> object:
        """The file as one JSON value. Raises InputError when it is too large, torn or nested too deep."""
        size = self.path.stat().st_size
        if size > self.max_document:
            limit = self.max_document // (1024 * 1024)
            remedy = "Split it, or convert it to JSON Lines with one message a line"
            raise InputError(self.name, f"a JSON document of {size} bytes, more than {limit} MB", remedy)
        with self._stream() as stream:
            raw = stream.read().removeprefix(codecs.BOM_UTF8)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            text = raw.decode(errors="replace")
            damaged = self._damaged(raw.count(b"\n", 0, error.start) + 1)
            # A document is read once to recognise its format, and once for its messages.
            self.problems += [] if damaged in self.problems else [damaged]
        try:
            value: object = json.loads(text)
        except RecursionError as error:
            raise InputError(self.name, "JSON nested too deep", "Check that this is the file you mean") from error
        except ValueError as error:
            place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            remedy = "The file may be cut off or not finished: write it again, or repair it at this place"
            raise InputError(self.name, f"not valid JSON ({_reason(error)})", remedy, place=place) from error
        if self.progress:
            self.progress(size)
        return value

    def shape(self) -> Shape:
        """Whether the file is JSON Lines, one JSON document, other text, or a SQLite database: decided by its first
        lines.
        """
        if self.encoding == "":
            return "database"
        with self._stream() as stream:
            first = _next_line(stream, self.max_line)
            mark = first.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
            if mark not in (b"{", b"["):
                return "rows" if first and _is_object(_next_line(stream, self.max_line)) else "text"
            if len(first) > self.max_line:
                if mark == b"{":
                    raise self._too_long(1)
                return "document"
            second = _next_line(stream, self.max_line)
            if not second:
                return "document"
            if _is_json(first):
                return "rows"
            return "rows" if mark == b"{" and _is_object(second) else "document"

    def _stream(self) -> BinaryIO:
        if self.encoding == "utf-8":
            return self.path.open("rb", buffering=1024 * 1024)
        if self.path.stat().st_size > self.max_document:
            raise InputError(self.name, f"too large for {self.encoding.upper()}", "Convert the file to UTF-8")
        return io.BytesIO(self.path.read_bytes().decode(self.encoding, errors="replace").encode(errors="replace"))

    def _too_long(self, number: int) -> InputError:
        megabytes = self.max_line // (1024 * 1024)
        limit = f"{megabytes} MB" if megabytes else f"{self.max_line} bytes"
        return InputError(self.name, f"a line of more than {limit}", "Split it or remove it", place=f"line {number}")

    def _damaged(self, number: int) -> Problem:
        return Problem(
            self.name,
            f"line {number}",
            "bytes that are no UTF-8",
            "Write the file as UTF-8; where it is read nevertheless, U+FFFD stands for them",
        )


def open_source(
    path: Path, *, max_line: int = MAX_LINE, max_document: int = MAX_DOCUMENT, progress: Progress | None = None
) -> Source:
    """The file at `path`, checked.

    Raises InputError for what is missing or no file, NotATranscript for empty and binary files, and for what is no
    regular file: a FIFO, a device, a socket.
    """
    name = clean(str(path))
    try:
        if path.is_dir():
            raise InputError(name, "is a directory", "Name a file in it")
        if not stat.S_ISREG(path.stat().st_mode):
            # To open a FIFO waits for a writer, and a device may never end.
            raise NotATranscript(name, "is no regular file", "Pipe it in: cfpm observe - < PATH")
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except FileNotFoundError as error:
        raise InputError(name, "does not exist", "Check the path") from error
    except (OSError, ValueError) as error:
        raise InputError(name, f"cannot be read ({_reason(error)})", "Check the path and its permissions") from error
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise NotATranscript(name, "is empty", "Name a file with at least one message")
    return Source(path, _encoding(head, name), max_line, max_document, progress)


def _encoding(head: bytes, name: str) -> str:
    if head.startswith(_DATABASE):
        return ""
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    nulls = head.count(0)
    if nulls >= _MIN_NULLS and max(head[::2].count(0), head[1::2].count(0)) > 0.6 * len(head) / 2:
        raise NotATranscript(name, "looks like UTF-16 without a byte order mark", "Convert the file to UTF-8")
    controls = sum(head.count(code) for code in (*range(1, 7), *range(14, 27)))
    damaged = head.decode(errors="replace").count("\ufffd") - head.count("\ufffd".encode())
    if nulls + controls > _MAX_CONTROL_SHARE * len(head) + 1 or damaged > _MAX_DAMAGED_SHARE * len(head) + 1:
        raise NotATranscript(name, "is binary", "Name a text file; unpack archives first")
    return "utf-8"


def _next_line(stream: BinaryIO, limit: int) -> bytes:
    while raw := stream.readline(limit + 1):
        if raw.strip():
            return raw
    return b""


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw.removeprefix(codecs.BOM_UTF8).decode(errors="replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _is_object(raw: bytes) -> bool:
    return raw.startswith(b"{") and _is_json(raw)


def _reason(error: Exception) -> str:
    return clean(str(getattr(error, "msg", None) or getattr(error, "strerror", None) or error))
