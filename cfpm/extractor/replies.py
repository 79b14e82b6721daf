"""What a user answers to an agent's question, with the question: "yes, penicillin." says nothing without it."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model import Category, Draft, Origin, Role, Span
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text import Kind, content_words, has_cjk, is_question
from cfpm.text.dates import event_time
from cfpm.text.heads import replies
from cfpm.text.segments import segments
from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfpm.model import Message
    from cfpm.text.segments import Segment

RULE, LATER = 500, 400
"""Thousandths from which an answer makes a rule, and from which it is worth knowing later: of five authors, each
judged by what is learnt from the others, 89 in 100 rules are found and 90 in 100 so taken are one, and 93 in 100 facts
at 85."""

_TAIL = 600
"""Characters at the end of an agent's message in which its question is looked for."""
_LETTER = 2_000
"""Characters at its end in which it tells that it wrote something for somebody else."""
_LONGEST = 240
"""Characters of a question."""
_BEHIND = 1
"""Sentences that may stand behind the question: "Just say so.\""""
_FEW, _BARE = 5, 2
"""Words of the first sentence of an answer up to which the next one belongs to it ("Yes, two of them. Penicillin and
nuts."); the second for one that does not begin as answers do."""
_WORDS, _LEANING_WORDS = 12, 20
"""Words up to which an answer is told with its question; the second for one that begins as answers do ("yes, but only
...")."""
_GOING_ON = 8
"""Words up to which a second sentence belongs to the answer."""
_SIGNS = 2
"""Chinese characters for a word."""
_ASCII_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9'’_-]*")
_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_TOLD = (Category.NOTE, Category.PROFILE, Category.PREFERENCE, Category.DECISION)


class Answer(NamedTuple):
    """What was asked, the answer with its place in the message, and what the agent offers to do, if it does."""

    asked: str
    text: str
    start: int
    end: int
    order: str


def speaks(message: Message) -> bool:
    """Whether the user or the agent says something in it."""
    return bool(message.text) and message.role is not Role.TOOL and message.origin is Origin.SAID


def question_in(said: str) -> str:
    """The question with which an agent's message ends, with the sentence that it points at; empty if there is none, or
    if it stands in what the agent wrote for somebody else."""
    if "?" not in said[-_TAIL:] and "？" not in said[-_TAIL:]:
        return ""
    told = [one for one in sentences(said[-_TAIL:]) if one.kind in _SPOKEN]
    for place in range(len(told) - 1, max(-1, len(told) - 2 - _BEHIND), -1):
        text = told[place].text
        if not text.rstrip("*_\"'”’) ").endswith(("?", "？")):
            continue
        if _written_for_others().search(said[-_LETTER:]) and not _offered(text):
            return ""
        if place and _points_back(text) and len(told[place - 1].text) + len(text) < _LONGEST:
            text = f"{told[place - 1].text} {text}"
        return " ".join(text.split()) if len(text) <= _LONGEST else ""
    return ""


def given(message: Message, said: str) -> Answer | None:
    """The first sentences of a user's message as an answer to what an agent said last; None for what asks itself, is
    pasted, or is long enough to be understood alone, and where the agent only asked to be told something."""
    asked = question_in(said)
    if not asked:
        return None
    parts = list(islice(segments(message), 2))
    if not parts or not _answers(parts[0]):
        return None
    first = parts[0]
    leans = _leaning().match(first.text.lower()) is not None
    if _length(first.text) > (_LEANING_WORDS if leans else _WORDS) or (not leans and _only_opens(asked)):
        return None
    end = first.start + len(first.text)
    if len(parts) > 1 and _length(first.text) <= (_FEW if leans else _BARE) and _goes_on(first, parts[1], message.text):
        end = parts[1].start + len(parts[1].text)
    return Answer(asked, " ".join(message.text[first.start : end].split()), first.start, end, _offered(asked))


def drafted(message: Message, found: Answer, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The drafts of a message; where the answer is worth knowing later, it stands with its question in place of those
    that are cut from it."""
    kept = _kept(message, found)
    if kept is not None:
        yield kept
    for draft in drafts:
        if kept is None or not (found.start <= draft.span.start and draft.span.end <= found.end):
            yield draft


def _kept(message: Message, found: Answer) -> Draft | None:
    told = replies.told(found.asked, found.text, found.order)
    if told.rule >= RULE:
        category = Category.INSTRUCTION
    elif told.later >= LATER:
        category = max(_TOLD, key=lambda one: told.heads.kind.get(one.value, 0))
    else:
        return None
    content = f"{found.asked} {found.text}"
    return Draft(
        category,
        content,
        Span(message.id, found.start, found.end),
        message.role,
        "answer.rule" if category is Category.INSTRUCTION else "answer.told",
        line=content,
        event_time=event_time(content, message.created_at, ""),
        speaker=message.name,
        asked=found.asked,
    )


def _answers(part: Segment) -> bool:
    return part.kind is Kind.PLAIN and not (part.pasted or part.asks or is_question(part.text.lower()))


def _goes_on(first: Segment, second: Segment, text: str) -> bool:
    """ "Yes. Penicillin and nuts.": whether more of the answer stands behind its first words."""
    if _length(second.text) > _GOING_ON or not _answers(second):
        return False
    return "\n\n" not in text[first.start : second.start]


def _points_back(asked: str) -> bool:
    """Whether a question needs the sentence before it: "Want that?", "All right with you?"; not "Poll interval?"."""
    return not content_words(asked) or _pointing().search(_offered(asked) or asked) is not None


def _only_opens(asked: str) -> bool:
    """Whether a question names nothing that an answer would need: "What's up first?"."""
    if has_cjk(asked):
        return not _opening_zh().sub("", asked)
    named = set(content_words(asked))
    return bool(named) and named <= set(_words()["opening"])


def _offered(asked: str) -> str:
    """What an agent asks whether to do, as its user would order it; empty for another question."""
    bare = asked.rstrip("?？*_\"'”’) ")
    for offer in _offers():
        if match := offer.search(bare):
            order = match["order"].strip(" ,，")
            return _turned().sub(lambda word: _words()["turned"][word[0].lower()], order)
    return ""


def _length(text: str) -> int:
    """Words; of Chinese text two characters count as one."""
    if not has_cjk(text):
        return len(text.split())
    return (sum(not sign.isascii() for sign in text) + 1) // _SIGNS + len(_ASCII_WORD.findall(text))


@cache
def _words() -> dict[str, dict[str, str]]:
    return toml_table("cfpm.extractor", "replies")


@cache
def _leaning() -> re.Pattern[str]:
    words = sorted(_words()["leaning"], key=len, reverse=True)
    ends = [word + (r"\b" if word.isascii() else "") for word in words]
    return compiled(rf"\W*(?:{'|'.join(ends)})")


@cache
def _written_for_others() -> re.Pattern[str]:
    words = "|".join(_words()["written"])
    return compiled(
        rf"(?:^|[.!?。！？\n])[^.!?。！？\n:：]{{0,60}}(?:{words})[^.!?。！？\n:：]{{0,24}}[:：]\s*\S", re.IGNORECASE
    )


@cache
def _opening_zh() -> re.Pattern[str]:
    return compiled("|".join(map(re.escape, sorted(_words()["opening_zh"], key=len, reverse=True))))


@cache
def _pointing() -> re.Pattern[str]:
    words = _words()["pointing"]
    ascii_words = "|".join(word for word in words if word.isascii())
    return compiled(rf"\b(?:{ascii_words})\b|{'|'.join(word for word in words if not word.isascii())}", re.IGNORECASE)


@cache
def _offers() -> tuple[re.Pattern[str], ...]:
    return tuple(compiled(rf"{pattern}$", re.IGNORECASE) for pattern in _words()["offers"])


@cache
def _turned() -> re.Pattern[str]:
    words = sorted(_words()["turned"], key=len, reverse=True)
    return compiled(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
