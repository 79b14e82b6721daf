"""Checks of secrets that are encoded: private keys in PEM and base64, JSON Web Tokens and Keys, logins in base64."""

from __future__ import annotations

import base64
import binascii
import re

from cfpm.secrets.spans import Span, before, kept, text_of
from cfpm.secrets.values import is_scrambled

_OPENING = re.compile(r"-{4,5} ?(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}\Z")
_MARK = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{1,60}-{4,5}")
_BODY = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_REST = re.compile(r"[A-Za-z0-9+/=]*")
_LAST_LINE = re.compile(r"[\s\\nr]{1,4}[A-Za-z0-9+/]{1,64}={1,2}(?![A-Za-z0-9+/=])")
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_PUTTY_LINES = re.compile(r"Private-Lines: ?[0-9]{1,4}((?:\s{1,4}[A-Za-z0-9+/=]{1,80}(?![A-Za-z0-9+/=:\-])){1,200})")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NEAR = 200
"""Characters after the id of a key in which its secret is looked for."""
_PEM_CHARS = 60_000
"""The longest private key that is looked at as one: an ML-DSA key in a log with a time before each line has 15,000."""
_GAP = 160
"""Characters without base64 that may stand inside a key: armour headers, the time of a log line, string syntax."""
_JWK_CHARS = 4_000
"""Characters around a member of a JSON Web Key in which its type may stand: an RSA key of 8,192 bits has 3,000."""


def pem(match: re.Match[str]) -> Span | None:
    """From the BEGIN line to the END line; a torn block goes as far as lines of base64 do."""
    text, after = match.string, match.end()
    opening = _OPENING.search(before(match, 64))
    if opening is None:
        return None
    start = match.start() - len(opening[0])
    if opening["edge"] == "END":
        first = _body_start(text, start)
        return (first, after) if first < start else None
    closing = _MARK.search(text, after, after + _PEM_CHARS)
    body = _body_end(text, after, closing.start() if closing else len(text))
    if body == after:
        return None
    return start, closing.end() if closing and closing[1] == "END" else body


def putty(match: re.Match[str]) -> Span | None:
    """The lines that a PuTTY key file announces as private."""
    lines = _PUTTY_LINES.search(match.string, match.end(), match.end() + _PEM_CHARS)
    return lines.span(1) if lines else None


def aws_secret_near(match: re.Match[str]) -> Span | None:
    """Forty characters of base64 within the next two lines, which are no hash."""
    near = _AWS_SECRET.search(match.string, match.end(), match.end() + _NEAR)
    return near.span() if near and is_scrambled(near[0]) and near[0].lower() != near[0] else None


def base64_around(match: re.Match[str]) -> Span | None:
    """All of the base64 in which the match stands, over line ends and string syntax."""
    text, start = match.string, match.start()
    end = _body_end(text, start, len(text))
    head = before(match, _PEM_CHARS)
    return (start - (len(head) - len(head.rstrip(_BASE64))), end) if end > start else None


def _body_end(text: str, start: int, limit: int) -> int:
    """Where the base64 that begins near `start` ends, gaps included; `start` when there is none."""
    end = start
    while run := _BODY.search(text, end, min(limit, end + _GAP)):
        rest = _REST.match(text, run.end(), limit)
        end = rest.end() if rest else run.end()
    last = _LAST_LINE.match(text, end, limit) if end > start else None
    return last.end() if last else end


def _body_start(text: str, end: int) -> int:
    """Where the lines of base64 before `end` begin; not before the last dashes, which belong to another block."""
    floor = max(0, end - _PEM_CHARS)
    dashes = text.rfind("-----", floor, end)
    first, found = end, False
    for line in reversed(text[dashes + 5 if dashes >= 0 else floor : end].splitlines(keepends=True)):
        is_body = _BODY.search(line) is not None
        if not is_body and (first != end and line.strip()):
            break
        found = found or is_body
        first -= len(line)
    return first if found else end


def _decoded(text: str) -> bytes:
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return b""


def jwt(match: re.Match[str]) -> Span | None:
    """The first part of a JSON Web Token is a JSON object in URL-safe base64 (not parsed: it may be nested)."""
    head = _decoded(match["head"]).strip()
    return kept(match, head.startswith(b"{") and head.endswith(b"}") and b'":' in head)


def jwk(match: re.Match[str]) -> Span | None:
    """The member stands in an object that has a `kty`."""
    around = match.string[max(0, match.start() - _JWK_CHARS) : match.end() + _JWK_CHARS]
    return kept(match, '"kty' in around)


def encoded_login(match: re.Match[str]) -> Span | None:
    """Base64 of printable characters with a colon between two parts."""
    login = _decoded(text_of(match))
    return kept(match, login.isascii() and b":" in login[1:-1] and login.decode("ascii").isprintable())
