"""Checks of values that are given to a name: whether the name holds a secret, and whether the value can be one."""

from __future__ import annotations

import re

from cfpm.secrets.logins import scrambled
from cfpm.secrets.spans import Span, before
from cfpm.secrets.values import (
    is_expression,
    is_harmless_name,
    is_mixed,
    is_placeholder,
    is_scrambled,
    is_strong,
    is_uuid,
)

_VALUE_CHARS = 400
"""The longest value that the table looks at; a longer one is replaced to its end all the same."""
_TOKEN_END = re.compile(r"[^\s\"'`<>]*")
_NEXT_PARAMETER = re.compile(r"&(?:lt\b|[A-Za-z_.\-]{1,40}=)")
_SHORT_NAMES = ("pass", "pw", "pwd", "psw")
_FLAG = re.compile(r"(?:^|[\s\"'])--?[A-Za-z\-]*\Z")
_LOGIN_BEFORE = re.compile(
    r"(?:user|login|account|mail|\bid\b|@|ssh|ftp|-pass(?:in|out)?\s)[^\n]{0,60}\Z", re.IGNORECASE
)
_OWN_BEFORE = re.compile(
    r"(?:my|our|his|her|their|root|admin|sudo|db|database|wi-?fi|login|default|temporary|initial|new|old|current|the|user)"
    r"\s(?:\w{1,16}\s)?\Z",
    re.IGNORECASE,
)
_KEY_BEFORE = re.compile(
    r"(?:api|access|secret|private|auth|crypt|encryption|signing|account|master|licen[sc]e|activation|product|storage"
    r"|shared|hmac|deploy|webhook|session|service|client|[ar]es|app|subscription|functions?|host|team|user|wpa2?|wi-?fi|network|security|pre-?shared)[_\-. ]?\Z"
    r"|[?&]\Z|(?<![a-z])p\Z",
    re.IGNORECASE,
)
_ASSIGNED_BEFORE = re.compile(
    r"(?<![a-z])(?:auth|api|bearer|jwt|pat|hmac|sas|psk|webhook|salt|cookie|sid|otp)"
    r"[\"'\])]{0,3}[ ]?(?:=>|[:=]{1,2})[ ]?[\"'`]?\Z",
    re.IGNORECASE,
)


def _value(match: re.Match[str]) -> Span | None:
    if is_harmless_name(match["tail"]):
        return None
    span = _quoted(match) if match["quote"] else _unquoted(match)
    return None if span is None or is_placeholder(match.string[slice(*span)]) else span


def _unquoted(match: re.Match[str]) -> Span | None:
    """The value without the punctuation of the sentence; None for a call, an index, a dotted name."""
    start, end = match.span("secret")
    if match.string[end : end + 1] in ("(", "[", "{"):
        return None
    value = _NEXT_PARAMETER.split(match["secret"], maxsplit=1)[0].rstrip(".:?*_")
    return None if not value or is_expression(value) else (start, _stretched(match, start + len(value)))


def _quoted(match: re.Match[str]) -> Span | None:
    """The value up to its quotation mark; of several words only when one of them can be nothing but a password."""
    start, end = match.span("secret")
    end = _stretched(match, end)
    open_ended = match.string[end : end + 1] in ("", "\n", "\r")
    words = match["secret"].split()
    if not words or not (open_ended or match.string.startswith(match["quote"], end)):
        return None
    return (start, end) if len(words) == 1 or (len(words) <= 6 and any(map(is_strong, words))) else None


def _stretched(match: re.Match[str], end: int) -> int:
    """`end`, or the end of the word when the value was cut off by the bound of the regex."""
    rest = _TOKEN_END.match(match.string, end) if end - match.start("secret") >= _VALUE_CHARS else None
    return rest.end() if rest else end


def _name(match: re.Match[str]) -> str:
    return match.string[match.start() : match.start("tail")]


def _is_part_of_word(match: re.Match[str]) -> bool:
    """`bypass`, `passing`: a short name counts only where a word begins and ends with it."""
    return _name(match).lower() in _SHORT_NAMES and (before(match, 1).islower() or match["tail"][:1].islower())


def _is_flag(match: re.Match[str]) -> bool:
    """The name belongs to an option such as `--db-password`."""
    return _FLAG.search(before(match, 24)) is not None


def password(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a password."""
    span = _value(match)
    value = match.string[slice(*span)] if span else ""
    if span is None or (_is_part_of_word(match) and not is_strong(value)):
        return None
    if _name(match).lower() == "pass":
        return span if _fits_pass(match, value) else None
    if not match["op"].strip():
        return span if is_strong(value) else None
    return span if is_mixed(value) or is_scrambled(value) or _is_word_of_password(match, value) else None


def _fits_pass(match: re.Match[str], value: str) -> bool:
    """`pass` is a verb and a test result too: the value has to look it, or an account has to stand before."""
    if is_strong(value) or not match["op"].strip():
        return is_strong(value)
    return is_mixed(value) and (match["op"] == "=" or _LOGIN_BEFORE.search(before(match, 80)) is not None)


def _is_word_of_password(match: re.Match[str], value: str) -> bool:
    """A plain word counts after `my password is`, and after `DB_PASSWORD=` in capitals."""
    if len(value) < 5 or not value.isalpha() or value.lower().endswith(("ed", "ing", "ly", "able")):
        return False
    if match["op"].strip() in ("is", "was"):
        return _OWN_BEFORE.search(before(match, 40)) is not None and _ends_clause(match)
    return match["op"] == "=" and _name(match).isupper() and value.islower()


def _ends_clause(match: re.Match[str]) -> bool:
    end = match.end("secret")
    return match.string[end : end + 1] in ("", *"\n\r,;)\"'。，；！")  or match["secret"].endswith((".", "!"))


def spaced_password(match: re.Match[str]) -> Span | None:
    """A value after nothing but a space: of an option, or one that cannot be a word."""
    span = _value(match)
    value = match.string[slice(*span)] if span else ""
    return span if is_strong(value) or (is_mixed(value) and _is_flag(match)) else None


def named(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a secret or a token."""
    span = _value(match)
    if span is None:
        return None
    value = match.string[slice(*span)]
    if len(value) < 8 or not (match["op"].strip() or _is_flag(match)):
        return span if is_strong(value) else None
    return span if is_scrambled(value) or is_uuid(value) else None


def named_key(match: re.Match[str]) -> Span | None:
    """A value given to a key that opens something. A key of no kind has to be quoted, long and of both cases."""
    span = named(match)
    if span is None or _KEY_BEFORE.search(before(match, 16)):
        return span
    value = match.string[slice(*span)]
    long = len(value) >= 24 and value.lower() != value and value.upper() != value
    return span if match["quote"] and long and " " not in value else None


def assigned(match: re.Match[str]) -> Span | None:
    """A long value after a name that is too short to be looked for in every text."""
    return scrambled(match) if _ASSIGNED_BEFORE.search(before(match, 40)) else None


def default(match: re.Match[str]) -> Span | None:
    """The second argument of a look-up in the environment."""
    span = _quoted(match)
    value = match.string[slice(*span)] if span else ""
    return span if is_mixed(value) and not is_placeholder(value) else None


def foreign(match: re.Match[str]) -> Span | None:
    """A value of ASCII characters in a sentence of another script."""
    start = match.start("secret")
    value = match["secret"].rstrip(".,;:!?\"'`)>]")
    refused = is_placeholder(value) or is_expression(value) or "(" in value
    likely = is_mixed(value) or value.isalpha() if match["op"] else is_strong(value)
    return (start, start + len(value)) if likely and not refused else None


def foreign_secret(match: re.Match[str]) -> Span | None:
    span = foreign(match)
    return span if span and is_scrambled(match.string[slice(*span)]) else None
