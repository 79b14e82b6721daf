"""Finds the value that a clause gives to something that it calls a password, a recovery key or a code of a door.

Words of names, links and rules stand in `statements.toml`. The nearer a value is linked to its name, the less it has to
look like a secret. Not for assignments of programs, which `assignments.py` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.secrets.assignments import is_measure
from cfpm.secrets.checks import Span, codes_end
from cfpm.secrets.values import (
    is_chosen,
    is_expression,
    is_harmless_name,
    is_invented,
    is_mixed,
    is_placeholder,
    is_scrambled,
    is_strong,
    is_typed,
    is_words,
    is_words_of_secrets,
    word_list,
)

_CLAUSE_CHARS = 200
"""Characters behind a name in which its value is looked for."""
_CLAUSE_WORDS = 16
_DIRECT, _LINKED, _LOOSE = 1, 2, 0
"""How a word hangs on the name: over words that say nothing, by a word such as `is`, or somewhere behind it."""

_WORD = lazy_pattern(
    r"(?P<open>[\"'`“”„«»‹›「『《(\[{*]{0,4})"
    r"(?P<word>[^\s\x00-\x1f\"`“”„«»‹›「」『』《》，。；！？、：（）\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,80})"
)
_IDEOGRAPHS = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOPS = lazy_pattern(r"[.!?;…]\Z|\A[.!?;…]")
_WIDE_STOP = lazy_pattern(r"[。；！？\n]")
_LINK_SIGNS = lazy_pattern(r"[:=：＝→>–—「『«“„\"`]")
_TRAILING = ".,;:)]}>'’*_…"
_SHORT_NAME = 5
"""Characters up to which a name is a word of its own: `pin`, `clave`, `hasło`."""
_JOINED_BEFORE = lazy_pattern(r"\$\Z|(?<!\[[0-9])(?<![\[;][0-9]{2})(?:[^\W\d_\u3000-\ud7ff]|[_.-])\Z")
_SYNTAX = lazy_pattern(r"[{}]|[\"'],|[\"']\s{0,2}:\s{0,2}[^\s]|\)[.;]|[\w\"'\])]\s{0,2}=\s{0,2}[\w\"'\[(]")
"""What programs and their data have between a name and a value, and sentences do not."""
_GOES_ON = lazy_pattern(r"[A-Za-z0-9_/]|[-.][A-Za-z0-9]|`/")
_TAIL = lazy_pattern(r"[^\W\d_\u3000-\ud7ff]{0,12}(?:[_-][A-Za-z]{1,12})?")
_ADDRESS = lazy_pattern(r"[^\s@]+@[\w\-]+(?:\.[\w\-]+)+|@.*|.*(?:://|\\\\|/.*/).*")
_HOST = lazy_pattern(r"(?:[\w-]+\.){1,4}(?P<domain>[a-z]{2,8})(?:/.*)?")
_PROGRAM = lazy_pattern(
    r"[()\[\]{}<>|\\]|[A-Za-z_\-]=|\A[$%]?[A-Za-z_]+['\"]|\$[0-9{(]|\A\$[A-Za-z_]|[\"'/]\$|\A-{1,2}[a-z]"
)
_FILE = lazy_pattern(
    r".*\.(?:[a-z]{1,2}|py|js|ts|tsx|md|txt|json|toml|ya?ml|go|rs|java|sh|sql|html?|css|log|csv|pdf|png|cfg|conf|ini|env|zip|gz|xml)",
    re.IGNORECASE,
)
_SIGN_INSIDE = lazy_pattern(r"[A-Za-z0-9][!@#$%^&*~+?][A-Za-z0-9]|[!#$%&*~?]\Z")
_TURNS = lazy_pattern(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_SEPARATOR = lazy_pattern(r"[-_.]")
_AROUND_NUMBER = lazy_pattern(r"[^\W\d_]{4,20}[-_.+][0-9]{2,4}[-_.+][^\W\d_]{3,20}")
"""Words around a number, as people put a password together."""
_JOINED = lazy_pattern(r"[^\W\d_]{3,}.*[._\-].*|.*[._\-].*[^\W\d_]{3,}")


@cache
def _table() -> dict[str, Any]:
    return toml_table(__package__, "statements")


@cache
def _words(of: str) -> frozenset[str]:
    return frozenset(str(_table()["words"][of]).split())


def names(of: str) -> tuple[str, ...]:
    """What a kind of secret is called: `password`, `recovery` or `code`."""
    return tuple(_table()["names"][of])


@dataclass(frozen=True, slots=True)
class _Said:
    """A word of a clause, without what encloses it, and how it hangs on the name."""

    start: int
    text: str
    nearness: int

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)


def _clause(text: str, start: int, name: str) -> Iterator[_Said]:
    """The words from `start` to the end of the clause."""
    owned = _IS.match(text, start)
    nearness, cursor = (_LINKED, owned.end()) if owned else (_DIRECT, start)
    limit = min(len(text), start + _CLAUSE_CHARS)
    # Where the name stands again, its own clause begins: a text of nothing but names is read once.
    again = text.find(name, start, limit)
    limit = again if again >= 0 else limit
    for _ in range(_CLAUSE_WORDS):
        found = _WORD.search(text, cursor, limit)
        if found is None:
            return
        gap = text[cursor : found.start("word")]
        if _WIDE_STOP.search(gap.lstrip(": \t\r") if not gap.count("\n\n") and gap[:1] == ":" else gap):
            return
        if _LINK_SIGNS.search(gap) or _links(gap):
            nearness = _LINKED
        word = found["word"]
        bare = word.rstrip(_TRAILING)
        if bare:
            yield _Said(found.start("word"), bare, nearness)
        nearness = _after(word, bare or word, nearness)
        cursor = found.end()
        if word.endswith((":", "=")) and text[cursor : cursor + 1] == "\n":
            cursor += 1
        elif _STOPS.search(word) and len(bare) > 1 and not text[cursor : cursor + 1].isalnum():
            return


_IS = lazy_pattern(r"['’]s(?=[ ])")


def _links(gap: str) -> bool:
    """Up to eight ideographs stand between: a particle, a verb."""
    return 0 < len(_IDEOGRAPHS.findall(gap)) <= 8


def _after(word: str, bare: str, nearness: int) -> int:
    """How the word after this one hangs on the name."""
    low = bare.lower()
    if low in _words("linking") or word[-1:] in ":=→>" or word in _words("linking"):
        return _LINKED
    if low in _words("between"):
        return nearness
    return _DIRECT if nearness == _LINKED and bare.isalpha() else _LOOSE


_PLURALS = ("", "s", "n", "t", "en", "es", "e")


def _named(match: re.Match[str]) -> int | None:
    """Where the name ends; None when a longer word begins with it, or it is about a secret only."""
    text = match.string
    if text.endswith("[redacted:", 0, match.start()):
        return None
    if len(match[0]) <= _SHORT_NAME and _JOINED_BEFORE.search(text, max(0, match.start() - 4), match.start()):
        return None
    tail = _TAIL.match(text, match.end())
    rest = tail[0] if tail else ""
    end = match.end() + len(rest)
    if (rest[:1].isupper() and match[0][-1:].islower()) or (match[0].isascii() and _GOES_ON.match(text, end)):
        return None
    if rest not in _PLURALS and (is_harmless_name(rest) or (len(match[0]) <= _SHORT_NAME and rest[0].isalpha())):
        return None
    return end


def stated(match: re.Match[str]) -> Span | None:
    """What a clause says a password to be, behind its name; else a value in front of it, as in `X is my password`."""
    end = _named(match)
    if end is None:
        return None
    english = match[0].lower() in _words("english")
    for said in _clause(match.string, end, match[0]):
        low = said.text.lower()
        if low in _words("rules") or _SYNTAX.search(match.string, end, said.start):
            break
        if _is_password(said) or (english and _is_word_alone(match.string, end, said)):
            return said.span
    return _in_front(match, end) or _answered(match.string, end)


_SAYS = lazy_pattern(
    r"[\"'`*)\]]{0,4}(?:['’]s)?[ ]?(?:(?:[:=→–—]|->|=>)|(?:(?:is|was|now|still|it['’]s|just|use)[ ]){1,3})"
    r"[ :]{0,2}[\"'`“„*]{0,3}"
)
_CLAUSE_END = lazy_pattern(r"[\"'`”*]{0,3}(?:[.,;!)]|[ ]\(|\s{0,4}\Z|[ ]{0,4}\r?\n|[ ](?:btw|please|for now|thanks)\b)")


def _is_word_alone(text: str, end: int, said: _Said) -> bool:
    """Letters that are no word, right behind the name and what says its value, at the end of the clause."""
    return (
        is_invented(said.text)
        and _SAYS.fullmatch(text, end, said.start) is not None
        and _CLAUSE_END.match(text, said.span[1]) is not None
    )


_ANSWER = lazy_pattern(
    r"[^\n]{0,120}\?[ \t]{0,4}\r?\n{1,2}(?:[^\n:]{1,30}:[ ]{1,2}|[>\-*•][ ])?[\"'`]?(?P<secret>[^\s\"'`]{6,64})"
    r"[\"'`]?[.!]?[ \t]{0,4}(?:\r?\n|\Z)"
)


def _answered(text: str, end: int) -> Span | None:
    """The only word of the line that answers a question about a password."""
    found = _ANSWER.match(text, end)
    if found is None:
        return None
    said = _Said(found.start("secret"), found["secret"].rstrip(_TRAILING), _DIRECT)
    return said.span if _is_password(said) else None


def _is_password(said: _Said) -> bool:
    value = said.text
    if len(value) < _SHORTEST or not _is_likely(value) or _is_other(value, said.nearness):
        return False
    match said.nearness:
        case 2:
            return is_strong(value) or is_typed(value) or not is_measure(value)
        case 1:
            return is_strong(value) or is_typed(value) or (len(value) >= _LONG and _JOINED.fullmatch(value) is not None)
        case _:
            return (is_strong(value) and _is_typed(value)) or _AROUND_NUMBER.fullmatch(value) is not None


_SHORTEST = 6
_LONG = 10


def _is_likely(value: str) -> bool:
    """A digit among letters or signs, or two signs: one sign alone is in names of products and in abbreviations."""
    return is_mixed(value) and (_DIGIT.search(value) is not None or is_strong(value))


_DIGIT = lazy_pattern(r"[0-9]")


def _is_other(value: str, nearness: int) -> bool:
    """An address, a file, a part of a program, a placeholder: what sentences about secrets also name."""
    if _PROGRAM.search(value) or _ADDRESS.fullmatch(value) or _FILE.fullmatch(value):
        return True
    host = _HOST.fullmatch(value)
    if (host and host["domain"] in _words("domains")) or _is_algorithm(value):
        return True
    if is_expression(value) and not is_chosen(value) and (nearness == _LOOSE or not is_mixed(value)):
        return True
    return is_placeholder(value) or (is_words_of_secrets(value) and is_words(value))


def _is_algorithm(value: str) -> bool:
    """`PBKDF2-HMAC-SHA256`: a part of it is a word that stands for no secret, and has a digit."""
    parts = re.split(r"[-_./+]", value.lower())
    return any(any(map(str.isdigit, part)) for part in parts if part in word_list("values"))


def _is_typed(value: str) -> bool:
    """What only a password looks like: a sign amid letters and digits, or letters and digits in turn."""
    return _SIGN_INSIDE.search(value) is not None or len(_TURNS.findall(_SEPARATOR.sub("", value))) >= _MANY_TURNS


_MANY_TURNS = 2
_BEFORE = 80
_BEFORE_WORDS = 5
_NEXT_WORD = lazy_pattern(r"[ ]([A-Za-z]{1,20})")
_PIECE = lazy_pattern(
    r"(?<=\[[0-9]m)[!-~]{1,80}|(?<=[\[;][0-9]{2}m)[!-~]{1,80}|(?<!\x1b)[!-~\u00a1-\u1fff]{1,80}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8}"
)


def _in_front(match: re.Match[str], end: int) -> Span | None:
    """A value with only words such as `is the` between it and the name."""
    floor = max(0, match.start() - _BEFORE)
    # A compound such as WLAN-Passwort begins before its name.
    pieces = list(_PIECE.finditer(match.string, floor, match.start()))
    if pieces and pieces[-1].end() == match.start() and pieces[-1][0].isascii():
        pieces.pop()
    following = _NEXT_WORD.match(match.string, end)
    if following and following[1].lower() in word_list("names"):
        return None
    linked = False
    for piece in reversed(pieces[-_BEFORE_WORDS:]):
        if "\n" in match.string[piece.end() : match.start()]:
            return None
        word = piece[0].strip("\"'`,:([*")
        if word.lower() in _words("behind"):
            linked = True
            continue
        if not linked or (piece.start() == floor > 0):
            return None
        said = _Said(piece.start() + piece[0].find(word), word, _DIRECT)
        return said.span if word and _is_password(said) else None
    return None


_GROUPED = lazy_pattern(
    r"(?P<secret>[0-9]{4}[ -][0-9]{4}(?![ -]?[0-9])|[0-9]{3,8}(?:[ -][0-9]{3,8}){2,15}"
    r"|[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){2,15}"
    r"|[A-Za-z0-9]{4}(?:[ ][A-Za-z0-9]{4}){3,15}|[A-Za-z0-9]{5}(?:[ ][A-Za-z0-9]{5}){3,11}"
    r"|[A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8})(?![A-Za-z0-9_-])"
)
_VOWEL = lazy_pattern(r"[aeiouyAEIOUY]")
_ODD_PAIR = lazy_pattern(
    r"q[^u]|[jvwxz][bcdfghjklmnpqrstvwxz]|[bcdfghjklmnpqrstvwxz][jqxz]|[a-z]jx|uu|ii|aa|hh|kk|ww|yy|xx|vv|iy|uw|yq"
)


def recovered(match: re.Match[str]) -> Span | None:
    """Groups of digits or letters, or one scrambled word, behind the name of a key that brings something back."""
    end = _named(match)
    if end is None:
        return None
    for said in _clause(match.string, end, match[0]):
        if said.text.lower() in _words("rules") or _SYNTAX.search(match.string, end, said.start):
            return None
        grouped = _GROUPED.match(match.string, said.start)
        if grouped and _is_key_in_groups(grouped["secret"], said.nearness):
            return grouped.start("secret"), codes_end(match.string, grouped.end("secret"))
        if _is_key(said, match[0].lower()):
            return said.start, codes_end(match.string, said.span[1])
    return None


def _is_key_in_groups(value: str, nearness: int) -> bool:
    groups = re.split(r"[ -]", value)
    if value.replace(" ", "").replace("-", "").isdigit():
        if len(groups) == 2:
            return nearness == _LINKED
        return len({len(group) for group in groups}) == 1 and sum(map(len, groups)) >= _KEY_DIGITS
    with_digit = sum(any(map(str.isdigit, group)) for group in groups)
    if with_digit:
        return with_digit > 1 or (nearness == _LINKED and len(groups) > 1 and is_scrambled(value))
    odd = [group for group in groups if not _VOWEL.search(group) or _ODD_PAIR.search(group.lower())]
    return nearness != _LOOSE and len(groups) > 2 and len(odd) * 2 >= len(groups)


_KEY_DIGITS = 12
_KEY_CHARS = 8


def _is_key(said: _Said, name: str) -> bool:
    value = said.text
    if said.nearness and "code" in name and _CODE.fullmatch(value) and len(value) >= _SHORTEST:
        return True
    if len(value) < _KEY_CHARS or _DIGIT.search(value) is None or _is_other(value, said.nearness):
        return False
    if value.isdigit():
        return said.nearness == _LINKED
    if said.nearness == _LOOSE:
        return len(value) >= _LONG and is_strong(value) and is_scrambled(value) and _is_typed(value)
    return is_scrambled(value) and (is_strong(value) or len(value) >= _LONG) and not is_measure(value)


_CODE = lazy_pattern(r"[#*]?(?=[0-9A-Z]{0,8}[0-9][0-9A-Z]{0,8}[0-9])[0-9A-Z]{4,10}[#*]?|[0-9]{1,2}(?:-[0-9]{1,2}){2,5}")
_SPACED_CODE = lazy_pattern(r"[0-9](?: [0-9]){3,7}(?![0-9])")
_YEAR = lazy_pattern(r"(?:19|20)[0-9]{2}")


def coded(match: re.Match[str]) -> Span | None:
    """A few digits that are called the code of a door, of an alarm, of a card."""
    end = _named(match)
    if end is None:
        return None
    for said in _clause(match.string, end, match[0]):
        if said.text.lower() in _words("rules"):
            return None
        spaced = _SPACED_CODE.match(match.string, said.start)
        if spaced and said.nearness == _LINKED:
            return spaced.span()
        if said.nearness and _CODE.fullmatch(said.text) and not _YEAR.fullmatch(said.text):
            return said.span
        if said.nearness == _LINKED and _is_password(said):
            return said.span
    return None
