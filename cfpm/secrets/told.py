"""Finds the secret that somebody tells in passing ("the wifi up there is Tannenzapfen-2019", "punch in 8063 for the
gate") by what was learnt of such sentences. Names, links and shapes that say by themselves what follows stand in
`statements.toml` and `patterns.toml`.

The weights are made by `python -m benchmarks train told`, from texts that tell a secret, others that look like them,
and talk and code in which nobody wrote one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources
from itertools import groupby

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.assignments import is_measure
from cfpm.secrets.checks import Span
from cfpm.secrets.values import is_placeholder, is_scrambled, is_strong, is_words

LONGEST = 4_000
"""Characters of a text in which somebody tells something; longer ones are files and outputs."""

AROUND = 160
"""Characters before and behind a value that tell what it is."""

_VALUE = lazy_pattern(
    r"(?<![0-9A-Za-z&%\\@$#._+/=-])(?<![0-9],)[0-9]{1,4}(?:(?P<gap>[ -])[0-9]{1,4})(?:(?P=gap)[0-9]{1,4}){0,3}"
    r"(?![0-9A-Za-z@%=+/-])"
    r"|(?<![A-Za-z0-9À-ÿ&%\\@$.+/])(?<![0-9],)[A-Za-z0-9À-ÿ#*@!$%&+=~^?._/\-]{3,40}(?![A-Za-z0-9À-ÿ@\\%=&+/])"
)
_ENDS = ".,?!:;=-_/*&"
_GLUED = lazy_pattern(r"\S*[^\s0-9A-Za-zÀ-ÿ.,\'’-]\S*")
"""Characters without a space among which are signs that part a value from what it is glued to."""
_PART = lazy_pattern(
    r"(?:\\(?:[nrt]|u[0-9A-Fa-f]{4})|(?<![0-9A-Za-zÀ-ÿ\\]))(?P<value>[0-9A-Za-zÀ-ÿ#*!$%&+~^?._-]{3,40})(?![0-9A-Za-zÀ-ÿ])"
)
_ENTITY = "&#"
"""Opens a character of HTML, which is read before its parts are."""
_LONGEST_GLUED = 200
_CONSTANT = lazy_pattern(r"[A-Z]+[0-9]{0,2}(?:_[A-Z]+[0-9]{0,2})+")
"""The name of a constant or a marker, `CFPM_CHECKPOINT_V1`."""
_IN_A_NAME = lazy_pattern(r"(?:[A-Za-z_]\.|[/\\])\Z")
"""What stands before the last part of a name in code, or a part of a path: their surroundings tell nothing."""
_KEY = lazy_pattern(r"[0-9a-f]{16,39}")
_SEGMENT = lazy_pattern(r"[0-9A-Za-zÀ-ÿ!$&+~]{4,}")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[0-9]+|[^\w\s]")
_IDEOGRAPH = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NOT_ONE = lazy_pattern(
    r"""
      [0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})? | (?:19|20)[0-9]{2}(?:[-/.][0-9]{1,2}){0,2}
    | [0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4}
    | v?[0-9]+(?:\.[0-9]+)+ | [0-9]{1,3}(?:,[0-9]{3})+ | [0-9]+(?:st|nd|rd|th|s|ms|k|m|h|kb|mb|gb|px|%|km|kg|cm|mm)
    | 0x[0-9a-f]+ | [NS][0-9]{1,3}[EW] | [0-9]{9,} | [a-z]{2,12}_[0-9a-f]{6,}
    | [a-z][0-9]{1,2}[a-z] | [a-z]{0,6}[-_]?(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[-_][0-9]+)?
    | (?=[0-9]*[a-f])[0-9a-f]{7,} | [0-9a-f]{6,}(?:-[0-9a-f]{4,}){2,} | .*=.*
    | [^@\s]+@[^@\s]+ | .*:// .* | /.* | \.{1,2}/.* | .*\.[a-z]{2,4}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PUBLIC_NUMBER = lazy_pattern(
    r"(?:(?:登记|注册|备案|受理|证书|批准|许可证?|订单|运单|快递单?|发票|合同|工单|航班|车次|专利|商标|批文)(?:编|单)?号码?"
    r"|\b(?:registration|application|docket|permit|patent|trademark|tracking|flight|invoice|order|certificate)"
    r" (?:no\.?|number|nr\.?))\s{0,3}(?:is|was|[:：=是为])?\s{0,3}\Z",
    re.IGNORECASE,
)
"""What names the value behind it as one that offices and shops give out."""
_LONGEST_NAME = 36
"""Characters of such a name, with what stands between it and the value."""

_SPOKEN = lazy_pattern(
    r"(?<![^\s(])[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]{3,}(?=[\s,.;:!?)\"']|\Z)|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}"
)
_FEW_WORDS = 3
"""Words from which a text is talk; of less, how many it has tells of a value."""
_LETTERS = lazy_pattern(r"[^\W\d_]{2,}")
_SHORTEST = 3
_BEFORE, _BEHIND = 12, 8
"""Words on each side that tell of a value."""
_CLOSE = 3
"""Words on each side of which it also counts how far away they stand."""


ASKED = -3.5
"""Log odds by single words from which a value is read in its surroundings: in 1.7 million words of talk, commands and
sessions 200 values; from -7 on 2,250, and no other is found."""

TOLD = 1.5
"""Log odds by both together from which it is a secret."""

DENIED = -5.0
"""Log odds by its surroundings below which a value is none though single words say so. Of 128 values with a digit by an
author who had seen nothing, most told in words that name no secret, 114 are found so, by single words 90; of 141 that
look like them 18 and 13 are taken, and of 1.7 million words of talk, commands and sessions one and four."""


def told(text: str) -> list[Span]:
    """The secrets that a text tells, as far as their words show it. A twentieth of a millisecond a number, some
    milliseconds for one in doubt."""
    if len(text) > LONGEST:
        return []
    scored = {
        span: own
        for span in values(text)
        if (own := score(text, *span)) >= (0 if in_a_name(text, span[0]) else ASKED) and not _is_public(text, span[0])
    }
    if not scored:
        return []
    from cfpm.secrets.telling import NEVER, telling  # an encoder, which most texts do not need

    read = telling(text, [*scored])
    return [
        span
        for (span, own), more in zip(scored.items(), read, strict=True)
        if own + more >= TOLD or (own >= 0 and (more >= DENIED or more == NEVER))
    ]


def _is_public(text: str, start: int) -> bool:
    return _PUBLIC_NUMBER.search(text, max(0, start - _LONGEST_NAME), start) is not None


def in_a_name(text: str, start: int) -> bool:
    """Whether a value is a part of a name in code or of a path, which is read by its words alone."""
    return _IN_A_NAME.search(text, max(0, start - 2), start) is not None


def values(text: str) -> Iterator[Span]:
    """What may be a secret by its looks: digits, also in groups, and a digit among other characters, by itself or
    glued to something else by a sign."""
    found: dict[Span, None] = {}
    for one in _VALUE.finditer(text) if _talk(text) else ():
        found |= dict.fromkeys(_value(one[0], one.start()))
    for glued in _GLUED.finditer(text):
        whole = glued[0]
        if len(whole) <= _LONGEST_GLUED and _ENTITY not in whole and any(map(str.isdigit, whole)):
            for part in _PART.finditer(whole):
                found |= dict.fromkeys(_parts(part["value"], glued.start() + part.start("value")))
    yield from sorted(found)


def _parts(glued: str, start: int) -> Iterator[Span]:
    """Between two signs: all of it, or where that is a name with a part like a value, that part."""
    whole = list(_value(glued, start))
    if whole or _KEY.fullmatch(glued):
        yield from whole or [(start, start + len(glued))]
        return
    for one in _SEGMENT.finditer(glued):
        yield from _value(one[0], start + one.start())


def _value(told: str, start: int) -> Iterator[Span]:
    value = told.rstrip(_ENDS).lstrip("._/-=")
    if len(value) < _SHORTEST or not any(map(str.isdigit, value)):
        return
    if _NOT_ONE.fullmatch(value) or _CONSTANT.fullmatch(value):
        return
    if value.isdigit() or not is_placeholder(value):
        begin = start + told.find(value)
        yield begin, begin + len(value)


def score(text: str, start: int, end: int) -> float:
    """Log odds that this is a secret, beyond those from which it is taken for one."""
    weights = _weights()
    return round(weights[""] + sum(weights.get(name, 0.0) for name in signs(text, start, end)), 3)


def signs(text: str, start: int, end: int) -> list[str]:
    """What speaks for a secret or against it: its looks, and the words around it."""
    before, value, behind = text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND]
    found = [f"shape {shape(value)}", f"long {min(len(value), 24) // 2}"]
    kinds = {
        "digits": value.isdigit(),
        "strong": is_strong(value),
        "scrambled": is_scrambled(value),
        "measure": is_measure(value),
        "words": is_words(value),
    }
    found += [name for name, holds in kinds.items() if holds]
    found += [f"in {word.lower()}" for word in dict.fromkeys(_LETTERS.findall(value))]
    found += [f"few words {_talk(text)}"]
    found += [f"digits {len(value)}"] if value.isdigit() else []
    line, _, earlier = before[::-1].partition("\n")
    own = words(line[::-1])[-_BEFORE:]
    later, _, after = behind.partition("\n")
    following = words(later)[:_BEHIND]
    found += [f"touches {before[-1:].strip()}", f"touched {behind[:1].strip()}"]
    found += [f"-{place} {word}" for place, word in enumerate(reversed(own[-_CLOSE:]), 1)]
    found += [f"+{place} {word}" for place, word in enumerate(following[:_CLOSE], 1)]
    found += [f"< {word}" for word in dict.fromkeys(own)] + [f"> {word}" for word in dict.fromkeys(following)]
    if len(own) < _CLOSE:
        found += [f"^ {word}" for word in dict.fromkeys(words(earlier[::-1])[-_BEFORE:])]
    found += [f"~ {word}" for word in dict.fromkeys((*own, *following, *words(after)[:_BEHIND]))]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=64)
def _talk(text: str) -> int:
    """How many words of talk a text has, up to `_FEW_WORDS`."""
    return sum(1 for _ in zip(_SPOKEN.finditer(text), range(_FEW_WORDS), strict=False))


def shape(value: str) -> str:
    """Which kinds of characters a value has, in their order."""
    turns = "".join(kind for kind, _ in groupby(map(_kind, value)))
    return turns if len(turns) <= 5 else f"many {min(len(turns) // 3, 5)}"


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "a" if char.islower() else "A" if char.isupper() else char


def words(text: str) -> list[str]:
    """Words, numbers by their length, signs; ideographs in pairs."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if _IDEOGRAPH.search(word):
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        elif word.isdigit():
            found.append("0" * min(len(word), 6))
        else:
            found.append(word.lower())
    return found


@cache
def _weights() -> dict[str, float]:
    told = resources.files(__package__).joinpath("told.tsv").read_text(encoding="utf-8")
    rows = (line.rpartition("\t") for line in told.splitlines()[1:])
    return {name: float(weight) for name, _, weight in rows}
