"""Text files: which encoding they are in, and their text. Decides nothing about other kinds of files."""

from __future__ import annotations

import codecs

from cfpm.errors import InputError, UsageError
from cfpm.model.patterns import lazy_pattern

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Longest first: the UTF-32 mark begins with the UTF-16 one."""

_HEAD = 64 * 1024
"""Bytes by which an encoding is told."""

_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b")
_MOST_CONTROLS = 0.01
"""Share of control characters above which bytes are no text."""

_UTF16_NULLS = 0.6
"""Share of zeros at even or at odd places from which bytes are UTF-16 of a Western language."""

_PAIRED = 0.9
"""Share of the bytes above 127 that stand beside another one, from which they are Chinese in two bytes each; in Western
text such a byte mostly stands alone."""

_HIGH = lazy_pattern("[\x80-\xff]+")


def decoded(raw: bytes, name: str, encoding: str | None = None) -> str:
    """The text, with line ends as `\\n`. Raises InputError for what is no text, UsageError for an unknown encoding."""
    try:
        text = raw.decode(encoding or _encoding(raw, name), errors="strict" if encoding else "replace")
    except LookupError as error:
        raise UsageError(f"encoding {encoding}", "there is no such encoding", "Use one like utf-8, cp1252") from error
    except (UnicodeError, ValueError) as error:
        raise InputError(name, f"not {encoding} text", "Name the encoding that it is in, or leave it out") from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def _encoding(raw: bytes, name: str) -> str:
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return encoding
    head = raw[:_HEAD]
    half = max(1, len(head) // 2)
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if head[start::2].count(0) > _UTF16_NULLS * half and head[1 - start :: 2].count(0) == 0:
            return encoding
    if len(head) - len(head.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(head):
        raise InputError(name, "is binary", "Add its text: a text file, PDF, DOCX, PPTX or XLSX")
    # A character may be cut by the end of the head.
    if _fits(raw, "utf-8"):
        return "utf-8"
    runs = [len(found[0]) for found in _HIGH.finditer(head.decode("latin-1"))]
    in_pairs = sum(length for length in runs if length % 2 == 0)
    if in_pairs >= _PAIRED * sum(runs) and _fits(raw, "gb18030"):
        return "gb18030"
    return "utf-8" if _mostly_utf8(head) else "cp1252"


def _fits(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(head: bytes) -> bool:
    """Whether it is UTF-8 in which some bytes are damaged: most characters beyond ASCII can be read."""
    text = head.decode("utf-8", "replace")
    beyond = [sign for sign in text if ord(sign) > 127]
    return bool(beyond) and beyond.count("\ufffd") < 0.5 * len(beyond)
