"""Whether a line says something to a reader who has nothing but that line. Knows English; what it does not know stays.

Judges neither truth nor kind: what was believed or reported has passed the auditor or is told as a report.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text import is_question
from cfpm.text.lexicon import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 4
"""Words of a statement."""

_MARKS = lazy_pattern(r"\*\*|__|(?<!\S)#{1,6}\s|^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_TICKS = lazy_pattern(r"\s*[✓✔✅]\ufe0f?\s*$")
_STRAY = lazy_pattern(r"^[\s,;:.—–-]+")
_RATED = lazy_pattern(r"^(?:[^\w\s\"'`({</.~$@#-]|\(\d+\)|\d+\s[—–-]\s|-)")
"""What is no word: a check mark, a warning, the prompt of a shell, a number in a list."""

_LABEL = lazy_pattern(r"^(?:`[^`]{1,120}`|[^`.:;!?—–]{1,60}?)(?:\s[-—–]\s|:\s)")
"""What stands before the statement itself: a file, a name, and a sign."""

_LINES = lazy_pattern(r"\blines? ~?\d")
"""A place in a file, which the next edit makes wrong."""

_LINE_NUMBERS = lazy_pattern(
    r"\s*\((?:at |on )?lines? ~?\d[\d\s,–-]*(?: (?:of|in) [\w./-]+)?\)"
    r"|(?:(?<=\.\w)|(?<=\.\w\w)|(?<=\.\w{3})|(?<=\.\w{4})):\d[\d,–-]*"
)

_GERUND = lazy_pattern(
    r"(?!(?:\w*thing|string|bring|ring|king|being|during)\b)[a-z]{2,}ing\s(?!(?:is|are|was|were|must|should|needs?|has|does|works?|fails?)\b)"
)
_PART = lazy_pattern(r"(?:in|at|on|for|with|to|from|by|into|of|like|via)\s")
"""A small letter and a preposition at the beginning: the end of a sentence."""

_VERB_FIRST = lazy_pattern(
    r"(?:is|are|was|were|has|have|had|will|would|can|cannot|does|did|isn|aren|wasn|doesn|didn|cause)\b"
)
"""A small letter and a verb at the beginning, also behind "and": a statement without its subject."""

_UNTIL = lazy_pattern(r"(?:\.\.\.|…|[:,;(\[—–-])$")
_ASKED_FIRST = lazy_pattern(r"[?？]\s+\S")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))


def plainly(text: str) -> str:
    """A sentence without the marks of a list, of a heading and of bold letters, on one line."""
    return " ".join(_TICKS.sub("", _MARKS.sub("", text)).split())


def without_lines(text: str) -> str:
    """A statement without the numbers of lines that stand in brackets or behind a file."""
    return _LINE_NUMBERS.sub("", text)


def opened(text: str) -> str:
    """A sentence without the connecting word that it begins with."""
    begins = _beginning("connecting").match(text.lower())
    return _STRAY.sub("", text[begins.end() :]) if begins else text


@lru_cache(4_096)
def points_back(text: str) -> bool:
    """Whether it begins with a word that stands for something said before it, as it may be composed with."""
    return _beginning("pointing").match(opened(text).lower()) is not None


def is_part(text: str) -> bool:
    """Whether it begins as the end of a sentence does: "in the cart only"."""
    return _PART.match(text) is not None


@lru_cache(4_096)
def is_whole(text: str) -> bool:
    """Whether it is a statement with an end, without a reference to a list or a place that is not in it."""
    lower = text.lower()
    if (
        len(text.split()) < FEWEST
        or is_part(text)
        or _VERB_FIRST.match(opened(text))
        or _UNTIL.search(text)
        or _RATED.match(text)
        or text.count("`") % 2
    ):
        return False
    if any(text.count(one) != text.count(other) for one, other in _PAIRS):
        return False
    if _anywhere("elsewhere").search(lower) or points_at_a_list(lower) or is_question(lower):
        return False
    # Behind a question stands what depends on its answer.
    return _ASKED_FIRST.search(text) is None


def is_sentence(text: str) -> bool:
    """Whether it begins like words of a person, and has some."""
    return len(text.split()) >= FEWEST and _RATED.match(text) is None


@lru_cache(4_096)
def is_known(text: str, *, by_agent: bool) -> bool:
    """Whether it tells what is so, or was done: no guess, no step of a plan, nothing about the moment."""
    lower = opened(text).lower()
    if _GERUND.match(lower):
        return False
    if _LINES.search(lower):
        return False
    if not by_agent:
        return _beginning("momentary").match(lower) is None
    if _beginning("progress").match(lower) or any(_anywhere(one).search(lower) for one in ("guessing", "talking")):
        return False
    # A step of a plan says nothing of whether it was taken, also behind the file that it is about.
    steps = lexicon("en")["verb.imperative"]
    return not any(steps.starts(part) for part in (lower, unlabelled(lower)))


def unlabelled(text: str) -> str:
    """A statement without the file or the name that stands before it: "`cart.py`: Added a discount"."""
    return _LABEL.sub("", text)


def points_at_a_list(text: str) -> bool:
    """Whether it names an item of a list by its number: "Option B", "observation 12"."""
    return _numbered().search(text.lower()) is not None


def stands_alone(text: str, *, by_agent: bool) -> bool:
    """Whether it is a whole statement, of what is known, that does not point back."""
    return is_whole(text) and not points_back(text) and is_known(text, by_agent=by_agent)


def begins(text: str, *lists: str) -> bool:
    """Whether it begins with a word of one of these lists."""
    lower = text.lower()
    return any(_beginning(name).match(lower) for name in lists)


def holds(text: str, name: str) -> bool:
    """Whether a word of this list stands in it."""
    return _anywhere(name).search(text.lower()) is not None


@cache
def word_list(name: str) -> Sequence[str]:
    """A list of `telling.toml`."""
    found: Sequence[str] = toml_table("cfpm.recall.brief", "telling")[name]
    return found


@cache
def _beginning(name: str) -> re.Pattern[str]:
    return compiled(rf"[\"'(`]?(?:{_one_of(name)})(?![\w'’/.-]*[\w])")


@cache
def _anywhere(name: str) -> re.Pattern[str]:
    return compiled(rf"(?<![\w./-])(?:{_one_of(name)})(?![\w/-])")


@cache
def _numbered() -> re.Pattern[str]:
    return compiled(rf"(?<![\w./-])(?:{_one_of('numbered')})s?\s+#?(?:\d{{1,3}}|[a-d])(?![\w.%])")


def _one_of(name: str) -> str:
    # The longest first, so that "this plan" is not read as "this".
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s+") for word in sorted(word_list(name), key=lambda one: (-len(one), one))
    )
