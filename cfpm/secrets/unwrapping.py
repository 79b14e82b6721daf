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
from typing import Literal
from urllib.parse import unquote_to_bytes

from cfpm.model.patterns import lazy_bytes, lazy_pattern

Span = tuple[int, int]
Kind = Literal["percent", "code", "html", "mail", "continued", "strings"]
_Piece = tuple[int, int, str]
"""Where an escape starts and ends, and what it stands for."""

# Over the text as Latin-1, tried where one of the marks stands.
_PERCENT = lazy_bytes(rb"%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){0,2000}")
_CODE = lazy_bytes(rb"\\{1,3}(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|U[0-9A-Fa-f]{8})")
_HTML = lazy_bytes(rb"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});")
_OCTETS = lazy_bytes(rb"=(?:[0-9A-F]{2}(?:=[0-9A-F]{2}){0,2000}|\r?\n)")
_CONTINUED = lazy_bytes(rb"(?:\\|[ ][\^`])\r?\n[ \t]{0,40}")
"""A line that goes on in the next one: in a shell, in cmd, in PowerShell."""
_STRINGS = lazy_bytes(
    rb"""
    (?P<quote>["'`])[ \t]{0,8}
    (?: (?: [+&.~] | \.\. | \|\| | \+\+ | <> | << )[ \t]{0,8}\\?(?:\r?\n[ \t]{0,60})?
      | \\?\r?\n[ \t]{0,60}(?: [+&.~] | \.\. | \|\| )?[ \t]{0,8} )
    [bfruL@$]{0,2}(?P=quote)
    """,
    re.VERBOSE,
)
"""Two strings that are one: with an operator or a line break between their quotes."""

_JOINERS = ("+", "&", ".", "~", "..", "||", "++", "<>", "<<")


def _string_marks() -> Iterator[str]:
    for quote in "\"'`":
        for joiner in _JOINERS:
            for before in ("", " "):
                yield from (f"{quote}{before}{joiner}{after}" for after in (quote, f" {quote}", "\n", " \\\n", "\r\n"))
        yield from (f"{quote}{end}" for end in ("\n", "\r\n", " \n", "\\\n", " \\\n"))


MARKS: dict[str, Kind] = {
    "%": "percent",
    "\\u": "code",
    "\\x": "code",
    "&#": "html",
    **dict.fromkeys(("&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;"), "html"),
    **dict.fromkeys(("=3d", "uoted-printable"), "mail"),
    **dict.fromkeys(("\\\n", "\\\r\n", " ^\n", " ^\r\n", " `\n", " `\r\n"), "continued"),
    **dict.fromkeys(_string_marks(), "strings"),
}
"""What has to stand where an escape begins, in small letters, and of which kind it is."""

Marks = list[tuple[int, Kind]]
"""Where in a text marks stand."""

_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff"
_FORMS = "\uff01-\uff5e\U0001d400-\U0001d7ff"
_SPECIAL = lazy_pattern(f"[{_UNSEEN}{_FORMS}]")
_SPECIAL_BYTES = (
    *(b"\xc2\xad", b"\xce", b"\xcf", b"\xd0", b"\xd1", b"\xd4", b"\xe2\x81", b"\xef\xbb", b"\xef\xbc", b"\xef\xbd"),
    *(b"\xf0\x9d", b"\xf3\xa0"),
)
_SPACES_BYTES = lazy_bytes(rb"\xe2\x80[\x8b-\x8f\xaa-\xae]")
"""The same in UTF-8, roughly: a look at bytes takes a tenth of one at wide characters."""
_IS_UNSEEN = lazy_pattern(f"[{_UNSEEN}]")
_MIXED = lazy_pattern(
    r"(?<=[A-Za-z0-9_])[\u0391-\u0458\u0501-\u051d]{1,8}|[\u0391-\u0458\u0501-\u051d]{1,8}(?=[A-Za-z0-9_])"
)
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυ", "ABESIJKMHOPCTYXaeijopcyxsdqwhABEZHIKMNOPTYXovu"
)
"""Cyrillic and Greek letters that are drawn like Latin ones (Unicode's confusables), for words that mix both."""

_BREAK = lazy_bytes(rb"(?:\r?\n|\\n)[ \t]{0,40}(?:[>|+#*][ ]?)?(?!--)(?=[A-Za-z0-9+/_=\-.]{4})")
_BREAK_BEFORE = lazy_bytes(rb"(?<=[A-Za-z0-9+/_=\-]{4})(?<!--)(?:\r?\n|\\n)[ \t]{0,40}(?:[>|+#*][ ]?)?\Z")
_INDENT = 48
"""Characters of a line break with its indentation."""


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


def without_escapes(text: str, raw: bytes, marks: Marks) -> View | None:
    """The text with percent, character and HTML escapes, quoted-printable, look-alikes of ASCII, invisible characters
    and the seams of joined strings undone; None when it holds none of them. `raw` is the text as Latin-1."""
    pieces: list[_Piece] = []
    free = 0
    for at, kind in sorted(marks):
        # An escape runs over the marks inside of it.
        if at >= free and (piece := _escape(raw, at, kind)):
            pieces.append(piece)
            free = piece[1]
    if any(kind == "mail" for _, kind in marks):
        pieces += [
            (*found.span(), plain)
            for found in _OCTETS.finditer(raw)
            if (plain := _utf8(binascii.a2b_qp(found[0]))) is not None
        ]
    if not text.isascii():
        pieces += _specials(text)
    return _view(text, sorted(pieces)) if pieces else None


def _escape(raw: bytes, at: int, kind: Kind) -> _Piece | None:
    """The escape that begins at a mark; None for what only looks like one."""
    plain: str | None = ""
    match kind:
        case "percent":
            found = _PERCENT.match(raw, at)
            plain = _utf8(unquote_to_bytes(found[0])) if found else None
        case "code":
            found = _CODE.match(raw, at)
            plain = _char(found[0]) if found else None
        case "html":
            found = _HTML.match(raw, at)
            plain = _html(found[0]) if found else None
        case "continued":
            found = _CONTINUED.match(raw, at)
        case "strings":
            found = _STRINGS.match(raw, at)
        case "mail":
            return None
    return (*found.span(), plain) if found and plain is not None else None


def _html(written: bytes) -> str | None:
    plain = html.unescape(written.decode("ascii"))
    return None if plain.startswith("&") and len(plain) > 1 else plain


def _specials(text: str) -> Iterator[_Piece]:
    """Characters that are not seen, or that look like ASCII; letters of other scripts only in a word with ASCII."""
    written = text.encode("utf-8", "replace")
    if not any(mark in written for mark in _SPECIAL_BYTES) and not _SPACES_BYTES.search(written):
        return
    for found in _SPECIAL.finditer(text):
        char = found[0]
        if _IS_UNSEEN.match(char):
            yield (*found.span(), "")
        elif (plain := unicodedata.normalize("NFKC", char)).isascii():
            yield (*found.span(), plain)
    for found in _MIXED.finditer(text):
        if (plain := found[0].translate(_LOOKALIKES)).isascii():
            yield (*found.span(), plain)


def with_lines_joined(text: str, raw: bytes, stretches: Stretches) -> View | None:
    """The text without the line breaks at the ends of long stretches of letters and digits; None without one."""
    breaks: set[Span] = set()
    for start, body in stretches.found:
        if found := _BREAK.match(raw, start + len(body)):
            breaks.add(found.span())
        before = max(0, start - _INDENT)
        ends_a_line = raw[before:start].rstrip(b" \t>|+#*")[-1:] in (b"\n", b"n")
        if ends_a_line and (found := _BREAK_BEFORE.search(raw, before, start)):
            breaks.add(found.span())
    return _view(text, [(*span, "") for span in sorted(breaks)]) if breaks else None


def without_spacing(text: str, raw: bytes) -> View | None:
    """The text without what stands between letters that are written one by one (`s e c r e t`); None without such."""
    pieces: list[_Piece] = []
    for shape, mark, spaced in (
        (_SPACED_SHAPE, _SPACED_MARK, _SPACED_LETTERS),
        (_DOTTED_SHAPE, _SPACED_MARK, _DOTTED_LETTERS),
    ):
        classes = raw.translate(shape)
        at = classes.find(mark)
        while at >= 0:
            found = spaced.match(raw, at)
            if found and sum(char in _LETTERS for char in found[0][::2]) >= _LEAST_LETTERS:
                pieces += [(sign, sign + 1, "") for sign in range(at + 1, found.end(), 2)]
            at = classes.find(mark, found.end() if found else at + 1)
    return _view(text, sorted(pieces)) if pieces else None


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


def _char(written: bytes) -> str | None:
    code = int(written.lstrip(b"\\")[1:].strip(b"{}"), 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else None


_SPEAKING = lazy_bytes(
    rb"""
    ^(?: (?P<hex>(?:0x)?(?:[2-7][0-9A-Fa-f]){10})
      | (?P<base64>(?:[A-Za-f][A-HQ-Xg-nw-z0-3][AEIMQUYcgkosw048BFJNRVZdhlptx159][A-Za-z0-9+/_\-]){3})
      | (?P<wide>(?:[A-Za-z0-9+/][gwAQ]B[0-9A-Za-z+/]A[C-H][0-9A-Za-z+/]A){2})
      | (?P<base32>[A-Z2-7]{24,1000}$) )
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Beginnings of stretches whose first bytes are ASCII: of those that encode nothing, one in five hundred looks so."""
_BASE64_TAIL = lazy_pattern(r"[A-Za-z0-9+/_\-]{0,200000}={0,2}")
_SPACED_HEX = lazy_pattern(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}(?:[ :,\-]{1,2}(?:0x)?[0-9A-Fa-f]{2}){11,4000}")
_HEX_SHAPE = b"".join(
    b"h" if code in b"0123456789abcdefABCDEF" else b"-" if code in b" :,-" else b" " for code in range(256)
)
_SPACED_BYTES = b"-hh-hh-hh-hh-hh-"
_SPACED_CHARS = 35
_SPACED_SHAPE = b"".join(b" " if code in b" \t\n" else b"x" if 32 < code < 127 else b"." for code in range(256))
_DOTTED_SHAPE = b"".join(
    b" " if code in b"-.,|" else b"x" if bytes([code]).isalnum() or code == 95 else b"." for code in range(256)
)
_SPACED_MARK = b"x x x x x x x x"
_SPACED_LETTERS = lazy_bytes(rb"(?<![!-~])[!-~](?:[ \t\n][!-~](?![!-~])){7,1000}")
_DOTTED_LETTERS = lazy_bytes(
    rb"(?<![A-Za-z0-9_])[A-Za-z0-9_](?P<sign>[\-.,|])[A-Za-z0-9_](?:(?P=sign)[A-Za-z0-9_](?![A-Za-z0-9_])){6,1000}"
)
_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_LEAST_LETTERS = 4
"""Letters of those that are written one by one: rows of digits are tables."""
_SEPARATORS = lazy_pattern(r"0x|[ :,\-]")
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
    for speaking in _SPEAKING.finditer(joined):
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
    if len(raw) < _SPACED_CHARS:
        return
    for where, mark in ((raw.translate(_HEX_SHAPE), _SPACED_BYTES), (raw, b", 0x")):
        at = where.find(mark)
        while at >= 0:
            # The first byte stands before the mark.
            found = _SPACED_HEX.match(text, max(0, at - 2)) or _SPACED_HEX.match(text, max(0, at - 4))
            if found:
                if (plain := _printable(bytes.fromhex, _SEPARATORS.sub("", found[0]))) is not None:
                    yield found.span(), plain
                at = found.end() - 1
            at = where.find(mark, at + 1)


def _base64(text: str) -> bytes:
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _base32(text: str) -> bytes:
    return base64.b32decode(text + "=" * (-len(text) % 8))


def _printable(decode: Callable[[str], bytes], text: str) -> str | None:
    """The text that bytes stand for, when they stand for one."""
    try:
        raw = decode(text)
        # PowerShell takes commands in UTF-16.
        plain = raw.decode("utf-16-le" if raw[1:8:2] == b"\0\0\0\0" else "utf-8")
    except ValueError:
        return None
    return plain if plain and plain.translate(_LINE_ENDS).isprintable() else None
