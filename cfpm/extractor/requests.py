"""What a user asks of the memory itself in a turn: to forget something, to keep something off the record.

Only what a user says, in a sentence of their own: never a tool, a page, a quotation or a paste. 'Don't forget that ...'
is the opposite and 'forget it' an idiom; neither asks for anything here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.extractor.utterance import Utterance, utterance
from cfpm.model import Mark, Message, Origin, Role
from cfpm.text import Kind, lexicon, lexicons_for, marks_around, plain_words
from cfpm.text.gist import gist
from cfpm.text.segments import segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cfpm.text import Lexicon

_SECTIONS = ("forget.that", "forget.about", "forget.said", "record.off", "record.off_opening", "record.on")
_REFUSED = frozenset({Mark.NEGATED, Mark.QUOTED, Mark.HYPOTHETICAL})
_OPENING_QUOTES = "\"'“‘「『«"
_SPOKEN = (Kind.PLAIN, Kind.BULLET)


class Asked(Enum):
    """What is asked for."""

    FORGET = "forget"
    """A statement, or all about a thing."""
    FORGET_SAID = "forget_said"
    """What was learnt from the user's message before this one."""
    UNRECORDED = "unrecorded"
    """This message, and what is answered to it, is not stored in words."""
    UNRECORDED_SAID = "unrecorded_said"
    """Nor is the user's message before it."""
    UNRECORDED_SESSION = "unrecorded_session"
    """Nor anything of this session."""
    RECORDED_AGAIN = "recorded_again"


@dataclass(frozen=True, slots=True)
class Request:
    """One request: the sentence it stands in, and what is to be forgotten. `whole` is true for a statement, false for
    all that is known about a thing."""

    asked: Asked
    start: int
    end: int
    about: str = ""
    whole: bool = False


def requests(message: Message) -> tuple[Request, ...]:
    """The requests of a message; none of one that no user said."""
    if message.role is not Role.USER or message.origin is not Origin.SAID or not message.text:
        return ()
    return _requests(message) if _may_ask(message.text) else ()


def ask_for_silence(found: Sequence[Request]) -> bool:
    """Whether any of them keeps this message off the record."""
    return any(one.asked in (Asked.UNRECORDED, Asked.UNRECORDED_SAID, Asked.UNRECORDED_SESSION) for one in found)


def on_record(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages of a session, in order, without those that the user keeps off the record and what answers them."""
    session_is_silent = turn_is_silent = False
    for message in messages:
        found = requests(message)
        if message.role is Role.USER and message.origin is Origin.SAID:
            turn_is_silent = ask_for_silence(found)
        for request in found:
            if request.asked in (Asked.UNRECORDED_SESSION, Asked.RECORDED_AGAIN):
                session_is_silent = request.asked is Asked.UNRECORDED_SESSION
        if not (session_is_silent or turn_is_silent):
            yield message


@lru_cache(maxsize=64)
def _may_ask(text: str) -> bool:
    """False for nearly every message, and soon."""
    lower = text.lower()
    words = frozenset(plain_words(lower))
    return any(_may_ask_in(known, lower, words) for known in lexicons_for(lower))


def _may_ask_in(known: Lexicon, lower: str, words: frozenset[str]) -> bool:
    triggers, wordless = _asking(known.language)
    if any(known[section].regex.search(lower) for section in wordless):
        return True
    return not triggers.isdisjoint(words) and any(known[one].may_stand_in(words) for one in _SECTIONS)


@cache
def _asking(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of which one stands in every request of a language, and the sections whose phrases need no word."""
    known = lexicon(language)
    triggers = frozenset[str]().union(*(known[section].triggers for section in _SECTIONS))
    return triggers, tuple(section for section in _SECTIONS if not known[section].triggers)


def _requests(message: Message) -> tuple[Request, ...]:
    found = []
    for part in segments(message):
        if part.pasted or part.kind not in _SPOKEN or part.text.lstrip()[:1] in _OPENING_QUOTES:
            continue
        unit = utterance(message, part.text, part.start, part.kind, first=False, opening=False, pasted=False)
        request = _to_forget(unit) or _of_record(unit)
        if request is not None:
            found.append(request)
    return tuple(found)


def _to_forget(unit: Utterance) -> Request | None:
    if cue := unit.starts("forget.about"):
        return _about(unit, cue.end, whole=False)
    if cue := unit.starts("forget.said"):
        # 'Forget what I said, use the other one': what follows is another order.
        return Request(Asked.FORGET_SAID, unit.start, unit.end)
    if cue := unit.starts("forget.that"):
        rest = unit.lower[cue.end :].lstrip()
        subject = any(lexicon["forget.subject"].starts(rest) for lexicon in unit.lexicons)
        return _about(unit, cue.end, whole=True) if subject else None
    return None


def _about(unit: Utterance, start: int, *, whole: bool) -> Request | None:
    about = unit.text[start:].strip(" \t,.:;!?。，：；！？")
    return Request(Asked.FORGET, unit.start, unit.end, about, whole) if gist(about).words else None


def _of_record(unit: Utterance) -> Request | None:
    cue = unit.find("record.on")
    if cue and not _refused(unit, cue.start, cue.end):
        return Request(Asked.RECORDED_AGAIN, unit.start, unit.end)
    cue = unit.starts("record.off_opening")
    if cue is None and ((cue := unit.find("record.off")) is None or _refused(unit, cue.start, cue.end)):
        return None
    asked = Asked.UNRECORDED
    if unit.find("record.session"):
        asked = Asked.UNRECORDED_SESSION
    elif unit.find("record.earlier"):
        asked = Asked.UNRECORDED_SAID
    return Request(asked, unit.start, unit.end)


def _refused(unit: Utterance, start: int, end: int) -> bool:
    marks = marks_around(unit.lower, start, end)
    # 'This is not to be recorded' denies nothing: the cue itself holds the word.
    return not _REFUSED.isdisjoint(marks) or Mark.QUESTION in marks
