"""Second looks at a match that a regular expression cannot take: check digits, encoded parts, likely values.

Each check takes a match and gives the span to replace, or None to refuse. None of them measures entropy.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable

from cfpm.secrets.values import (
    is_expression,
    is_harmless_name,
    is_mixed,
    is_placeholder,
    is_scrambled,
    is_strong,
    is_uuid,
)

Span = tuple[int, int]
Check = Callable[[re.Match[str]], Span | None]


def whole(match: re.Match[str]) -> Span:
    """The group `secret`, or all of the match when the pattern has no such group."""
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


def _kept(match: re.Match[str], accepted: bool) -> Span | None:
    return whole(match) if accepted else None


def _text(match: re.Match[str]) -> str:
    start, end = whole(match)
    return match.string[start:end]


_FILLER = re.compile(r"([xX0*])\1{7}")


def token(match: re.Match[str]) -> Span | None:
    """The prefix of a vendor and the right characters: refused only when they are filler (`ghp_xxxxxxxx`)."""
    return _kept(match, _FILLER.search(_text(match)) is None)


def luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1). `digits` holds digits only."""
    total = 0
    for index, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if index % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


_ISSUER = re.compile(
    r"""
      4[0-9]{12}(?:[0-9]{3}){0,2}                                              # Visa
    | 5[1-5][0-9]{14} | 2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}   # Mastercard
    | 3[47][0-9]{13}                                                           # American Express
    | 3(?:0[0-5]|[689][0-9])[0-9]{11}                                          # Diners Club
    | 6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}                                  # Discover
    | 35(?:2[89]|[3-8][0-9])[0-9]{12} | (?:2131|1800)[0-9]{11}                 # JCB
    | 62[0-9]{14,17}                                                           # UnionPay
    | (?:5018|5020|5038|5[6-8][0-9]{2}|6304|6390|67[0-9]{2}|0604)[0-9]{8,15}   # Maestro
    """,
    re.VERBOSE,
)


def card(match: re.Match[str]) -> Span | None:
    digits = re.sub(r"[^0-9]", "", _text(match))
    return _kept(match, _ISSUER.fullmatch(digits) is not None and luhn(digits))


def iban(match: re.Match[str]) -> Span | None:
    """ISO 13616: country and check digits moved to the end, letters as 10 to 35, remainder 1 modulo 97."""
    compact = _text(match).replace(" ", "")
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return _kept(match, 15 <= len(compact) <= 34 and number % 97 == 1)


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except (binascii.Error, ValueError):
        return b""


def jwt(match: re.Match[str]) -> Span | None:
    """The first part of a JSON Web Token is a JSON object in URL-safe base64."""
    try:
        return _kept(match, isinstance(json.loads(_decoded(match["head"])), dict))
    except ValueError:
        return None


def encoded_login(match: re.Match[str]) -> Span | None:
    """Base64 of printable characters with a colon between two parts."""
    login = _decoded(_text(match).replace("+", "-").replace("/", "_"))
    return _kept(match, login.isascii() and b":" in login[1:-1] and login.decode("ascii").isprintable())


_OPENING = re.compile(r"-{4,5} ?(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}\Z")
_MARK = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{1,60}-{4,5}")
_BODY = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_REST = re.compile(r"[A-Za-z0-9+/=]*")
_LAST_LINE = re.compile(r"[\s\\nr]{1,4}[A-Za-z0-9+/]{1,64}={1,2}(?![A-Za-z0-9+/=])")
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_PEM_CHARS = 60_000
"""The longest private key that is looked at as one: an ML-DSA key in a log with a time before each line has 15,000."""
_GAP = 160
"""Characters without base64 that may stand inside a key: armour headers, the time of a log line, string syntax."""


def pem(match: re.Match[str]) -> Span | None:
    """From the BEGIN line to the END line; a torn block goes as far as lines of base64 do."""
    text, after = match.string, match.end()
    opening = _OPENING.search(text, max(0, match.start() - 64), match.start())
    if opening is None:
        return None
    if opening["edge"] == "END":
        first = _body_start(text, opening.start())
        return (first, after) if first < opening.start() else None
    closing = _MARK.search(text, after, after + _PEM_CHARS)
    body = _body_end(text, after, closing.start() if closing else len(text))
    if body == after:
        return None
    return opening.start(), closing.end() if closing and closing[1] == "END" else body


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
    first = end
    for line in reversed(text[dashes + 5 if dashes >= 0 else floor : end].splitlines(keepends=True)):
        if line.strip() and not _BODY.search(line) and first != end:
            break
        first -= len(line)
    return first


def base64_around(match: re.Match[str]) -> Span | None:
    """All of the base64 in which the match stands, over line ends and string syntax."""
    text, start = match.string, match.start()
    head = text[max(0, start - _PEM_CHARS) : start]
    end = _body_end(text, start, len(text))
    if end == start:
        return None
    return start - (len(head) - len(head.rstrip(_BASE64))), end


def scrambled(match: re.Match[str]) -> Span | None:
    value = _text(match).rstrip(".=")
    return _kept(match, is_scrambled(value) and not is_placeholder(value))


def cookie(match: re.Match[str]) -> Span | None:
    """A cookie header is replaced as a whole when one of its values is scrambled."""
    values = [pair.partition("=")[2].strip() for pair in _text(match).split(";")]
    return _kept(match, any(len(value) >= 12 and is_scrambled(value) for value in values))


def login(match: re.Match[str]) -> Span | None:
    """Whatever stands where a password has to stand, unless it stands for one."""
    return _kept(match, not is_placeholder(_text(match)))


def strong(match: re.Match[str]) -> Span | None:
    return _kept(match, is_strong(_text(match)))


def _unquoted(match: re.Match[str]) -> Span | None:
    """The value without the punctuation of the sentence; None for a call, an index, a dotted name."""
    start, end = match.span("secret")
    if match.string[end : end + 1] in ("(", "[", "{"):
        return None
    value = match["secret"].rstrip(".:?*_")
    return None if is_expression(value) else (start, start + len(value))


def _quoted(match: re.Match[str]) -> Span | None:
    """The value up to its quotation mark; None when it has several words."""
    start, end = match.span("secret")
    open_ended = match.string[end : end + 1] in ("", "\n", "\r")
    return (start, end) if open_ended or match.string.startswith(match["quote"], end) else None


def _value(match: re.Match[str]) -> Span | None:
    if is_harmless_name(match["tail"]):
        return None
    span = _quoted(match) if match["quote"] else _unquoted(match)
    return None if span is None or is_placeholder(match.string[slice(*span)]) else span


_SHORT_NAMES = ("pass", "pw", "pwd", "psw")


def _is_short_name_inside_word(match: re.Match[str]) -> bool:
    name = match.string[match.start() : match.start("tail")].lower()
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    return name in _SHORT_NAMES and (before.islower() or match["tail"][:1].islower())


def password(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a password."""
    span = _value(match)
    if span is None or _is_short_name_inside_word(match):
        return None
    value = match.string[slice(*span)]
    if match.string[match.start() : match.start("tail")].lower() == "pass" or not match["op"].strip():
        return span if is_strong(value) else None
    return span if is_mixed(value) or is_scrambled(value) else None


def default(match: re.Match[str]) -> Span | None:
    """The second argument of a look-up in the environment."""
    span = _quoted(match)
    value = match.string[slice(*span)] if span else ""
    return span if is_mixed(value) and not is_placeholder(value) else None


def _is_flag(match: re.Match[str]) -> bool:
    """The name belongs to an option such as `--db-password`."""
    before = match.string[max(0, match.start() - 24) : match.start()]
    return re.search(r"(?:^|[\s\"'])--?[A-Za-z\-]*\Z", before) is not None


def spaced_password(match: re.Match[str]) -> Span | None:
    """A value after nothing but a space: of an option, or one that cannot be a word."""
    span = _value(match)
    if span is None or _is_short_name_inside_word(match):
        return None
    value = match.string[slice(*span)]
    return span if (is_mixed(value) if _is_flag(match) else is_strong(value)) else None


def named(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a secret, a token or a key of some sort."""
    span = _value(match)
    if span is None or (not match["op"].strip() and not _is_flag(match)):
        return None
    value = match.string[slice(*span)]
    return span if len(value) >= 8 and (is_scrambled(value) or is_uuid(value)) else None


def long_named(match: re.Match[str]) -> Span | None:
    """A value given to something that is only called a key: it has to be long and of letters of both cases."""
    span = named(match)
    value = match.string[slice(*span)] if span else ""
    return span if len(value) >= 24 and value.lower() != value and value.upper() != value else None


def foreign(match: re.Match[str]) -> Span | None:
    start, end = match.span("secret")
    value = match["secret"].rstrip(".,;:!?\"'`)>]")
    refused = is_placeholder(value) or is_expression(value) or "(" in value
    return (start, start + len(value)) if not refused and (is_mixed(value) or value.isalpha()) else None


def foreign_secret(match: re.Match[str]) -> Span | None:
    span = foreign(match)
    return span if span and is_scrambled(match.string[slice(*span)]) else None



def _before(match: re.Match[str], chars: int) -> str:
    return match.string[max(0, match.start() - chars) : match.start()]


_NETRC_LOGIN = re.compile(r"login\s{1,8}[^\s]{1,100}\s{1,8}\Z", re.IGNORECASE)
_LOGIN_NAME = re.compile(r"(?:id|user|username|login)[ ]?[/:&]?[ ]?\(?\Z", re.IGNORECASE)
_KEY_NAME = re.compile(r"(?:keys?|licen[sc]e|serial)(?:[ ](?:is|number|code|no\.?))?[ ]{0,3}[:=]?[ ]{0,3}[\"'`]?\Z", re.IGNORECASE)
_SSN_NAME = re.compile(r"(?:ssn|social[ \-]security)[^0-9\n]{0,40}\Z", re.IGNORECASE)
_JOINED = re.compile(r"(?<!name )(?<!package )(?:mysql|mariadb)[a-z\-]*(?: [^\s|;&]+)*\Z")
_SPACED = re.compile(r"(?:sshpass|(?:docker|podman|registry) login|mongo(?:sh|dump|restore|export|import)?)(?: [^\s|;&]+)*\Z")
_CAPITAL = re.compile(r"(?:un)?zip(?: [^\s|;&]+)*\Z")
_CURL = re.compile(r"(?:curl|wget|https?)(?:\s[^|;]*)?\Z")


_SQL = re.compile(r"\b(?:user|role|login|grant|alter|create)\b", re.IGNORECASE)


def sql(match: re.Match[str]) -> Span | None:
    return login(match) if _SQL.search(_before(match, 160)) else None


def netrc(match: re.Match[str]) -> Span | None:
    return login(match) if _NETRC_LOGIN.search(_before(match, 120)) else None


def pair(match: re.Match[str]) -> Span | None:
    """Name and password after their names, as in `ID/PW: ada/secret`."""
    return strong(match) if _LOGIN_NAME.search(_before(match, 16)) else None


def product_key(match: re.Match[str]) -> Span | None:
    return _kept(match, _KEY_NAME.search(_before(match, 40)) is not None)


def ssn(match: re.Match[str]) -> Span | None:
    return _kept(match, _SSN_NAME.search(_before(match, 64)) is not None)


def jwk(match: re.Match[str]) -> Span | None:
    """The key stands in an object that has a `kty`."""
    around = match.string[max(0, match.start() - 4000) : match.end() + 4000]
    return _kept(match, '"kty' in around or '\\"kty' in around)


def command_password(match: re.Match[str]) -> Span | None:
    """`-p` belongs to a command that takes a password there, in the way in which it is written."""
    command = _before(match, 240).rpartition("\n")[2]
    if match["option"] == "P":
        return login(match) if _CAPITAL.search(command) else None
    known = _SPACED if match["gap"] else _JOINED
    return login(match) if known.search(command) and not match["secret"].replace(":", "").isdigit() else None


def curl_password(match: re.Match[str]) -> Span | None:
    return login(match) if _CURL.search(_before(match, 300)) else None


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        base64_around, card, command_password, cookie, curl_password, default, encoded_login, foreign, foreign_secret,
        iban, jwk, jwt, login, long_named, named, netrc, pair, password, pem, product_key, scrambled, spaced_password,
        sql, ssn, strong, token,
    )
}  # fmt: skip
