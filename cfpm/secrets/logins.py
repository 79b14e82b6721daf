"""Checks of logins: what stands where a command, a file, a header or an address has its password."""

from __future__ import annotations

import re

from cfpm.secrets.spans import Span, before, kept, text_of, whole
from cfpm.secrets.values import is_placeholder, is_scrambled, is_strong

_FILLER = re.compile(r"([xX0*])\1{7}")
_LINE_END = re.compile(r"[^\n\"'`\\]*")
_SQL = re.compile(r"\b(?:user|role|login|grant|alter|create)\b", re.IGNORECASE)
_NETRC_LOGIN = re.compile(r"login\s{1,8}[^\s]{1,100}\s{1,8}\Z", re.IGNORECASE)
_LOGIN_NAME = re.compile(r"(?:id|user|username|login|account)[ ]?[/:&]?[ ]?\(?\Z", re.IGNORECASE)
_KEY_NAME = re.compile(
    r"(?:keys?|licen[sc]e|serial)(?:[ ](?:is|number|code|no\.?))?[ ]{0,3}[:=]?[ ]{0,3}[\"'`]?\Z", re.IGNORECASE
)
_WORDS = r"(?: [^\s|;&]+)*\Z"
_JOINED = re.compile(r"(?:(?<!name )(?<!package )(?:mysql|mariadb)[a-z\-]*|\b(?:7z[ar]?|rar|unrar))" + _WORDS)
_SPACED = re.compile(
    r"(?:sshpass|(?:docker|podman|registry|az|oc|cf|crane|skopeo|argocd) login|psexec"
    r"|mongo(?:sh|dump|restore|export|import)?)" + _WORDS
)
_CAPITAL = re.compile(r"(?:(?:un)?zip|sqlcmd|bcp)" + _WORDS)

_CURL = re.compile(
    r"curl(?:\\\n|[^\n|]){0,400}?\s(?:-u|-U|--user|--proxy-user)[ =]?(?:\\{0,3}[\"'])?"
    r"[^\s:\"'$<{(\\]{1,64}:([^\s\"'\\]{1,128})"
)
_COMMAND_CHARS = 400
"""How far from its address an option of a command may stand."""


def token(match: re.Match[str]) -> Span | None:
    """The prefix of a vendor and the right characters: refused only when they are filler (`ghp_xxxxxxxx`)."""
    return kept(match, _FILLER.search(text_of(match)) is None)


def login(match: re.Match[str]) -> Span | None:
    """Whatever stands where a password has to stand, unless it stands for one."""
    return kept(match, not is_placeholder(text_of(match)))


def scrambled(match: re.Match[str]) -> Span | None:
    value = text_of(match).rstrip(".=")
    return kept(match, is_scrambled(value) and not is_placeholder(value))


def cookie(match: re.Match[str]) -> Span | None:
    """A cookie header is replaced to its end when one of its first values is scrambled."""
    values = [pair.partition("=")[2].strip() for pair in text_of(match).split(";")]
    if not any(len(value) >= 12 and " " not in value and is_scrambled(value) for value in values):
        return None
    start, end = whole(match)
    rest = _LINE_END.match(match.string, end)
    return start, rest.end() if rest else end


def sql(match: re.Match[str]) -> Span | None:
    """`IDENTIFIED BY` of a statement about a user: a bare value only in the same line."""
    head = before(match, 160)
    quoted = match.string[match.start("secret") - 1] in "\"'`"
    near = _SQL.search(head if quoted else head.rpartition("\n")[2])
    return login(match) if near or is_strong(text_of(match)) else None


def netrc(match: re.Match[str]) -> Span | None:
    return login(match) if _NETRC_LOGIN.search(before(match, 120)) else None


def pair(match: re.Match[str]) -> Span | None:
    """Name and password after their names, as in `ID/PW: ada/secret`."""
    return kept(match, _LOGIN_NAME.search(before(match, 16)) is not None and is_strong(text_of(match)))


def product_key(match: re.Match[str]) -> Span | None:
    return kept(match, _KEY_NAME.search(before(match, 40)) is not None)


def command_password(match: re.Match[str]) -> Span | None:
    """`-p` belongs to a command that takes a password there, in the way in which it is written."""
    command = before(match, 240).rpartition("\n")[2]
    if match["option"] == "P":
        return login(match) if _CAPITAL.search(command) else None
    known = _SPACED if match["gap"] else _JOINED
    return login(match) if known.search(command) and not match["secret"].replace(":", "").isdigit() else None


def curl_login(match: re.Match[str]) -> Span | None:
    """The password in the option `-u` of the curl command to which the address belongs."""
    text, at = match.string, match.start()
    start = text.rfind("curl", max(0, at - _COMMAND_CHARS), at)
    if start < 0:
        return None
    found = _CURL.match(text, start, at + _COMMAND_CHARS)
    return found.span(1) if found and not is_placeholder(found[1]) else None
