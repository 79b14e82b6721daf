"""Shows what a text says once its escapes, encodings and split lines are undone, and where each character came from.

Not for finding secrets. Linear in the text: each pass reads it once, and what was decoded is not decoded again.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import unquote_to_bytes

from cfpm.model.patterns import lazy_pattern

Span = tuple[int, int]
_Piece = tuple[int, int, str]
"""Where an escape starts and ends, and what it stands for."""

# Every branch begins with a character, so that the engine skips to where one can match; `lastgroup` names it.
_ESCAPES = lazy_pattern(
    r"""
    %(?P<percent>[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){0,2000})
    | \\(?P<code>\\{0,2}(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|U[0-9A-Fa-f]{8}))
    | \\(?P<continued>\r?\n[ \t]{0,40})
    | &(?P<html>(?:\#[0-9]{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});)
    | =(?P<soft>\r?\n)
    | =(?P<octets>[0-9A-F]{2}(?:=[0-9A-F]{2}){0,2000})
    | "(?P<strings>[ \t]{0,8}(?:(?:[+&.~]|\.\.|\|\||\+\+|<>|<<)[ \t]{0,8}\\?(?:\r?\n[ \t]{0,60})?
        |\\?\r?\n[ \t]{0,60}(?:[+&.~]|\.\.|\|\|)?[ \t]{0,8})[bfruL@$]{0,2}")
    | '(?P<quoted>[ \t]{0,8}(?:(?:[+&.~]|\.\.|\|\||\+\+|<>|<<)[ \t]{0,8}\\?(?:\r?\n[ \t]{0,60})?
        |\\?\r?\n[ \t]{0,60}(?:[+&.~]|\.\.|\|\|)?[ \t]{0,8})[bfruL@$]{0,2}')
    | `(?P<ticked>[ \t]{0,8}\+[ \t]{0,8}(?:\r?\n[ \t]{0,60})?`|\r?\n[ \t]{0,40})
    | \^(?P<caret>\r?\n[ \t]{0,40})
    """.encode(),  # type: ignore[arg-type]
    re.VERBOSE,
)
_MAIL = (b"=3D", b"=\n", b"=\r\n")
"""Text is quoted-printable only where one of these stands."""
_SPECIAL = lazy_pattern(
    "(?P<unseen>[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff])"
    "|(?P<form>[\u2102-\u2149\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff])"
    "|(?P<lookalike>[\u0391-\u0458\u0501-\u051d](?:(?<=[A-Za-z0-9_].)|(?=[A-Za-z0-9_])))"
)
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυ", "ABESIJKMHOPCTYXaeijopcyxsdqwhABEZHIKMNOPTYXovu"
)
"""Cyrillic and Greek letters that are drawn like Latin ones (Unicode's confusables), for words that mix both."""

_LINE_BREAK = lazy_pattern(
    r"""
    (?: \n(?<=[A-Za-z0-9+/_=\-.]{12}\n) | \r\n(?<=[A-Za-z0-9+/_=\-.]{12}\r\n) | \\n(?<=[A-Za-z0-9+/_=\-.]{12}\\n) )
    [ \t]{0,40}(?:[>|+#*][ ]?)?(?=[A-Za-z0-9+/_=\-.]{4})
    """.encode(),  # type: ignore[arg-type]
    re.VERBOSE,
)
_BEFORE_BREAK = 12
_PLAIN = b"abcdefghijklmnopqrstuvwxyz_-./=+"
"""A line that ends in these alone ends in words; a token that goes on in the next line has capitals or digits."""


_AROUND = 300
"""Characters before and behind what was undone that a view shows: a name with its value is shorter."""
_GAP = "\n\x00\n"
"""Stands in a view for text in which nothing was undone; in the log no message holds such a character."""


@dataclass(frozen=True, slots=True)
class View:
    """The parts of a text where an escape was undone, without it.

    Piece `i` begins at `starts[i]` and comes from `sources[i]`: a copy of that, or what it stands for.
    """

    text: str
    starts: list[int]
    sources: list[Span]
    seams: list[int]
    """Where in the view something was undone, in order."""

    def span(self, start: int, end: int) -> Span | None:
        """The characters of the original that these of the view stand for, escapes as a whole; None over a gap."""
        if self.text.find("\x00", start, end) >= 0:
            return None
        return self._source(start)[0], self._source(end - 1)[1]

    def crosses(self, start: int, end: int) -> bool:
        """Whether something was undone between these characters."""
        at = bisect_right(self.seams, start)
        return at < len(self.seams) and self.seams[at] < end

    def _source(self, at: int) -> Span:
        piece = bisect_right(self.starts, at) - 1
        start, end = self.sources[piece]
        length = (self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)) - self.starts[piece]
        if length == end - start:
            at += start - self.starts[piece]
            return at, at + 1
        return start, end


def without_escapes(text: str, raw: bytes) -> View | None:
    """The text with percent, character and HTML escapes, quoted-printable, look-alikes of ASCII, invisible characters
    and the seams of joined strings undone; None when it holds none of them. `raw` is the text as Latin-1."""
    pieces: list[_Piece] = []
    is_mail = any(mark in raw for mark in _MAIL)
    for found in _ESCAPES.finditer(raw):  # type: ignore[call-overload]
        if (plain := _plain(found, is_mail)) is not None:
            pieces.append((*found.span(), plain))
    if not text.isascii():
        for special in _SPECIAL.finditer(text):
            if (plain := _unspecial(special)) is not None:
                pieces.append((*special.span(), plain))
        pieces.sort()
    return _view(text, pieces) if pieces else None


def _plain(found: re.Match[bytes], is_mail: bool) -> str | None:
    """What an escape stands for; None for what only looks like one."""
    written = found[0]
    match found.lastgroup:
        case "percent":
            return _utf8(unquote_to_bytes(written))
        case "octets":
            return _utf8(binascii.a2b_qp(written)) if is_mail else None
        case "soft":
            return "" if is_mail else None
        case "code":
            return _char(int(written.lstrip(b"\\")[1:].strip(b"{}"), 16))
        case "html":
            plain = html.unescape(written.decode("ascii"))
            return None if plain.startswith("&") and len(plain) > 1 else plain
        case _:
            return ""


def _unspecial(found: re.Match[str]) -> str | None:
    char = found[0]
    match found.lastgroup:
        case "form":
            plain = unicodedata.normalize("NFKC", char)
            return plain if plain.isascii() else None
        case "lookalike":
            plain = char.translate(_LOOKALIKES)
            return plain if plain != char else None
        case _:
            return ""


def with_lines_joined(text: str, raw: bytes) -> View | None:
    """The text without the line breaks in the middle of long stretches of letters and digits; None without one."""
    pieces = [
        (*found.span(), "")
        for found in _LINE_BREAK.finditer(raw)  # type: ignore[call-overload]
        if raw[found.start() - _BEFORE_BREAK : found.start()].strip(_PLAIN)
    ]
    return _view(text, pieces) if pieces else None


def _view(text: str, pieces: Iterable[_Piece]) -> View:
    parts: list[str] = []
    starts: list[int] = []
    sources: list[Span] = []
    seams: list[int] = []
    length = cursor = 0

    def add(part: str, source: Span) -> None:
        nonlocal length
        if part:
            parts.append(part)
            starts.append(length)
            sources.append(source)
            length += len(part)

    def copy_to(end: int, *, last: bool = False) -> None:
        first = cursor == 0
        if end - cursor <= (2 - first - last) * _AROUND + len(_GAP):
            add(text[cursor:end], (cursor, end))
            return
        until = cursor if first else cursor + _AROUND
        since = end if last else end - _AROUND
        add(text[cursor:until], (cursor, until))
        add(_GAP, (until, since))
        add(text[since:end], (since, end))

    for start, end, plain in pieces:
        if start < cursor:
            continue
        copy_to(start)
        seams.append(length)
        add(plain, (start, end))
        cursor = end
    copy_to(len(text), last=True)
    return View("".join(parts), starts, sources, seams)


def _utf8(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _char(code: int) -> str | None:
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else None


_SPEAKING = lazy_pattern(
    r"""
    ^(?: (?P<hex>(?:0x)?(?:[2-7][0-9A-Fa-f]){10})
      | (?P<base64>(?:[A-Za-f][A-HQ-Xg-nw-z0-3][AEIMQUYcgkosw048BFJNRVZdhlptx159][A-Za-z0-9+/_\-]){3})
      | (?P<base32>[A-Z2-7]{24,1000}$) )
    """.encode(),  # type: ignore[arg-type]
    re.VERBOSE | re.MULTILINE,
)
"""Beginnings of stretches whose first bytes are ASCII: of those that encode nothing, one in five hundred looks so."""
_BASE64_TAIL = lazy_pattern(r"[A-Za-z0-9+/_\-]{0,200000}={0,2}")
_SPACED_HEX = lazy_pattern(
    r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}(?:[ :,\-]{1,2}(?:0x)?[0-9A-Fa-f]{2}){11,4000}(?![0-9A-Za-z])"
)
_HEX_SHAPE = b"".join(
    b"h" if code in b"0123456789abcdefABCDEF" else b"-" if code in b" :,-" else b" " for code in range(256)
)
_SPACED_BYTES = b"hh-" * 11 + b"hh"
_LINE_ENDS = str.maketrans("", "", "\n\r\t")


@dataclass(frozen=True, slots=True)
class Stretches:
    """The long stretches of letters, digits, `_` and `-` of a text: where each begins, and its characters."""

    found: list[tuple[int, bytes]]

    @property
    def joined(self) -> bytes:
        """All of them, a line each."""
        return b"\n".join([body for _, body in self.found])

    def place(self, at: int, firsts: list[int]) -> tuple[int, int]:
        """Which stretch a place of the joined ones is in, and where in the text."""
        number = bisect_right(firsts, at) - 1
        return number, self.found[number][0] + at - firsts[number]

    def firsts(self) -> list[int]:
        """Where each begins in the joined ones."""
        return [0, *accumulate(len(body) + 1 for _, body in self.found)]


def decoded_stretches(text: str, stretches: Stretches, joined: bytes) -> Iterator[tuple[Span, str]]:
    """What long stretches of letters and digits say in base64, base32 or hexadecimal, and where each ends."""
    firsts: list[int] = []
    for speaking in _SPEAKING.finditer(joined):  # type: ignore[call-overload]
        firsts = firsts or stretches.firsts()
        start, body = stretches.found[stretches.place(speaking.start(), firsts)[0]]
        end = start + len(body)
        bare = body.decode("latin-1")
        match speaking.lastgroup:
            case "hex":
                digits = bare.removeprefix("0x")
                yield from _said((start, end), _printable(bytes.fromhex, digits[: len(digits) // 2 * 2]))
            case "base32":
                yield from _said((start, end), _printable(_base32, bare))
            case _:
                tail = _BASE64_TAIL.match(text, start)
                longer = tail.end() if tail else end
                whole = _printable(_base64, text[start:longer])
                yield from _said((start, longer), whole)
                if whole is None:
                    yield from _said((start, end), _printable(_base64, bare))


def _said(span: Span, plain: str | None) -> Iterator[tuple[Span, str]]:
    if plain is not None:
        yield span, plain


def spaced_bytes(text: str, raw: bytes) -> Iterator[tuple[Span, str]]:
    """What twelve and more bytes say that are written one by one in hexadecimal; `raw` is the text as Latin-1."""
    if _SPACED_BYTES in raw.translate(_HEX_SHAPE) or raw.count(b"0x") > 11:
        for found in _SPACED_HEX.finditer(text):
            if (plain := _printable(bytes.fromhex, re.sub(r"0x|[ :,\-]", "", found[0]))) is not None:
                yield found.span(), plain


def _base64(text: str) -> bytes:
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _base32(text: str) -> bytes:
    return base64.b32decode(text + "=" * (-len(text) % 8))


def _printable(decode: Callable[[str], bytes], text: str) -> str | None:
    """The text that bytes stand for, when they stand for one."""
    try:
        plain = decode(text).decode("utf-8")
    except ValueError:
        return None
    return plain if plain and plain.translate(_LINE_ENDS).isprintable() else None
