"""Who speaks: lines of a chat that somebody pastes, and people other than the user who write under the user's name.

Forms and words only (speakers.toml); whose word counts is decided elsewhere (model/trust.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.pasted.announced import end_of_paste

LOOKED_BACK = 6
"""Messages of the user before one, that say who may write it: somebody who is let to the keyboard asks a few things."""

ANOTHER = "another participant"
"""Whoever writes where no name is told."""

_OPENING = 160
"""Characters in which somebody says who they are."""
_LONGEST_HANDOVER = 400
_REST = r"[\w.'’-]{0,24}(?: [^\W_][\w.'’&-]{0,19}){0,2}"
_NAME = rf"[^\W\d_]{_REST}"
_CLOCK = r"\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\s?[ap]m)?"
_DATE = r"(?:\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?,? ?)?"
_LINES = (
    lazy_pattern(
        rf"^[ \t]*[\[(]?{_DATE}{_CLOCK}[\])]?[ \t]?[-–—]?[ \t]?"
        rf"(?:<(?P<a>{_NAME})>|@?(?P<name>{_NAME})[ \t]?[:：])[ \t]*\S",
        re.MULTILINE | re.IGNORECASE,
    ),
    lazy_pattern(
        rf"^[ \t]*\**@?(?P<name>[A-Z\u00c0-\u00dd]{_REST}),?[ \t]?[\[(]?{_DATE}{_CLOCK}[\])]?\**[ \t]?[:：]?[ \t]+\S",
        re.MULTILINE,
    ),
    lazy_pattern(rf"^[ \t]*@(?P<name>{_NAME})[ \t]?[:：][ \t]*\S", re.MULTILINE),
    lazy_pattern(r"^[ \t]*<(?P<name>[^\W\d_][\w.|^`-]{0,24})>[ \t]+\S", re.MULTILINE),
)
"""Lines of a chat with times or marks, of which two make one: `[10:01] Bo: hi`, `Bo 10:01 hi`, `@bo: hi`, `<bo> hi`."""
_NAMED = lazy_pattern(rf"^[ \t]*\**(?P<name>{_NAME})\**[:：]\**[ \t]*\S", re.MULTILINE)
"""Lines that only begin with a name: a chat where somebody speaks twice, or where the words around say so."""
_UNTIMED = 2
_BRACKETED = lazy_pattern(
    rf"[\[(<](?P<said>(?:from|by|via|von|de|speaker|sender)[:\s]\s*)?(?P<name>{_NAME})"
    r"(?P<role>\s?[,|/·(–-]\s?[^\])>\n]{1,30}\)?)?[\])>][:,]?\s+(?=\S)",
    re.IGNORECASE,
)
_WITH_ROLE = lazy_pattern(rf"[*_]{{0,2}}@?(?P<name>{_NAME})\s?\((?P<role>[^()\n]{{1,30}})\)[*_]{{0,2}}:[*_]{{0,2}}\s")
_BARE = lazy_pattern(rf"[*_]{{0,2}}(?P<at>@?)(?P<name>{_NAME})[*_]{{0,2}}[:：][*_]{{0,2}}\s*")
_GREETING = lazy_pattern(r"^(?:(?:hi|hey|hello|hallo|ok(?:ay)?|so|yo|hola|salut)\b[ ,!.]*)+", re.IGNORECASE)
_HERE = lazy_pattern(
    r"(?:(?:hi|hey|hello|hallo|ok(?:ay)?|so|yo)\b[ ,!.]*)?(?P<name>(?-i:[A-Z\u00c0-\u00dd])[\w'’-]{1,20}|[\w-]{2,16})"
    r"(?: (?:\(?from|vom?|de) [^.,!:;\n]{1,30})? (?:here|speaking|typing|hier)(?=[ ]?(?:[.,!:;–-]|from\b|$))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Words:
    people: re.Pattern[str]
    roles: re.Pattern[str]
    addressed: re.Pattern[str]
    topics: re.Pattern[str]
    not_here: re.Pattern[str]
    introduced: re.Pattern[str]
    handed_over: re.Pattern[str]
    shared: re.Pattern[str]
    back: re.Pattern[str]
    chats: re.Pattern[str]
    relayed: re.Pattern[str]
    adopted: re.Pattern[str]


@cache
def _words() -> _Words:
    data = toml_table("cfpm.text.pasted", "speakers")
    people = data["people"]
    texts = {name: "|".join(value) if isinstance(value, list) else value for name, value in data.items()}
    cased = {"roles"}
    return _Words(
        **{
            name: lazy_pattern(f"(?:{text.replace('{people}', people)})", 0 if name in cased else re.IGNORECASE)
            for name, text in texts.items()
        }
    )


def transcripts(text: str) -> Iterator[tuple[int, int, bool]]:
    """The chats in a message, as [start, end), from the first line with a speaker to where the sender comes back, and
    whether that is sure: names alone, of whom nobody speaks twice, may be labels of the sender's own."""
    for form in (*_LINES, _NAMED):
        found = [match for match in form.finditer(text) if not _is_topic(match)]
        if len(found) < _UNTIMED:
            continue
        names = [_name(match).casefold() for match in found]
        spoken_twice = len(set(names)) < len(names)
        start = found[0].start()
        around = text[:start] + text[_end_of_line(text, found[-1].start()) :]
        certain = form not in (_NAMED, _LINES[1]) or spoken_twice
        if certain or _words().chats.search(around):
            yield start, _end_of_chat(text, found), certain


def _end_of_chat(text: str, found: Sequence[re.Match[str]]) -> int:
    """Behind the last line, where each of the others is one line; else where the sender comes back."""
    last = found[-1].start()
    ends = [_end_of_line(text, match.start()) for match in found]
    gaps = zip(ends, found[1:], strict=False)
    return ends[-1] if all(not text[end : match.start()].strip() for end, match in gaps) else end_of_paste(text, last)


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start + (text[start : start + 1] == "\n"))
    return end if end >= 0 else len(text)


def _name(match: re.Match[str]) -> str:
    return str(next(filter(None, (match.groupdict().get("name"), match.groupdict().get("a"))), ""))


def _is_topic(match: re.Match[str]) -> bool:
    return _words().topics.fullmatch(_name(match)) is not None


def other_speaker(text: str, before: Sequence[str] = ()) -> str:
    """Whose words a message under the user's name is, by a label, an introduction, or because the user handed over.

    Empty for the user. `before` are the messages under the user's name that came before it, the newest last.
    """
    opening = text.lstrip()[:_OPENING]
    words = _words()
    if words.back.match(opening):
        return ""
    if name := _labelled(opening) or _introduced(opening, bool(before)):
        return name
    if (maybe := _BARE.match(opening)) and not _is_topic(maybe) and _chatting(maybe["name"], before):
        return maybe["name"]
    return ANOTHER if _handed_over(before) else ""


def passes_on(sentence: str) -> bool:
    """Whether a sentence only tells what somebody else says or orders: 'My boss says that every report goes to Jo'."""
    words = _words()
    return words.relayed.match(sentence) is not None and words.adopted.search(sentence) is None


def _labelled(opening: str) -> str:
    """The name of a label that can only be that of a speaker."""
    words = _words()
    if (found := _BRACKETED.match(opening)) and not _is_topic(found):
        name, role = found["name"], found["role"]
        if opening[0] == "<":
            return name if f"</{name}" not in opening and name[0].isupper() else ""
        person = words.people.fullmatch(name) or (role and words.roles.fullmatch(role.strip(" ,|/·(–-)")))
        capitals = all(word[0].isupper() and not word.isupper() for word in name.split())
        if found["said"] or person or (opening[0] == "[" and capitals):
            return name
    if (found := _WITH_ROLE.match(opening)) and not _is_topic(found):
        name, role = found["name"], found["role"]
        if words.people.fullmatch(name):
            return f"{name} ({role})"
        if not role[0].isupper() and words.roles.fullmatch(role):
            return name
    if (found := _BARE.match(opening)) and not _is_topic(found):
        name = found["name"]
        if found["at"] or words.people.fullmatch(name) or words.addressed.match(opening, found.end()):
            return name
    return ""


def _introduced(opening: str, later: bool) -> str:
    """Who says to be somebody else; `later` than the first message, a bare name does, since users begin with theirs."""
    words = _words()
    if words.introduced.match(_GREETING.sub("", opening)):
        return ANOTHER
    if not later or (found := _HERE.match(opening)) is None or words.not_here.fullmatch(found["name"]):
        return ""
    name = found["name"]
    return name if name[0].isupper() or words.people.fullmatch(name) else ""


def _chatting(name: str, before: Sequence[str]) -> bool:
    """Whether labels are what people of this chat write before their words."""
    folded = name.casefold()
    for text in before[-LOOKED_BACK:]:
        label = _BARE.match(text.lstrip())
        if (label and label["name"].casefold() == folded) or _words().shared.search(text[:_LONGEST_HANDOVER]):
            return True
    return False


def _handed_over(before: Sequence[str]) -> bool:
    """Whether the user let somebody else write, and has not come back."""
    told = filter(None, map(_changes_hands, reversed(before[-LOOKED_BACK:])))
    return next(told, "") == "to another"


# Each message stands before several.
@lru_cache(maxsize=4_096)
def _changes_hands(text: str) -> str:
    """Whether somebody else writes from here on, "to another", or the user again, "back"; empty for neither."""
    if _words().back.match(text.lstrip()):
        return "back"
    return "to another" if len(text) <= _LONGEST_HANDOVER and _words().handed_over.search(text) else ""
