"""The sentences of a message, cut where a question follows a statement and where somebody else's words begin."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from cfpm.model import Message
from cfpm.text import Kind, Sentence, sentences
from cfpm.text.pasted.documents import Stretch, quoted_stretches

_CODE = Kind.CODE
"""By names of their own: to ask an enumeration for a member takes ten times as long."""

_ASKING = r"(?:can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|am|might)(?:n['’]t)?"
_ASKED = r"(?:i|you|we|it|they|he|she|there|this|that|these|those|the|a|an|my|our|his|her|your|any\w*|some\w*|\w+ing)\b"
_TRAILING_QUESTION = re.compile(
    r"(?:[,;.]\s*+|\s[-–—]+\s|\s(?=(?:and|so|but)\s))(?:and|so|but|or)?\s*+"
    rf"(?=(?:{_ASKING}\s+{_ASKED}|"
    rf"(?:what|which|how|why|where|when|who)(?:['’]s|['’]re|(?:\s[\w'’-]+){{0,3}}?\s{_ASKING})\s+{_ASKED}|"
    r"(?:what|how|where|when|which \w+) to\b|any\b|how about|what about|what if|got any|have you|you know|"
    r"(?:now )?i(?:['’]m| am| was|['’]ve been)(?: \w+)? (?:wondering|curious)|"
    r"i(?: also| just)? (?:wonder|want to know)|i['’]d (?:like|love) to know)"
    r")|,\s*+so\s++(?=(?:what|which|how|why|where|when|who)\b)",
    re.IGNORECASE,
)
_CHINESE_QUESTION = re.compile(
    r"[，；]\s*+(?=[^，；？?]*(?:吗|呢|什么|哪|怎么|怎样|如何|多少|几|谁|可以|能|可否|是否|(?P<verb>.)不(?P=verb)|有没有|合适|好|行))"
)
_CLOSERS = "\"'”’) \t\n"
_MIN_SAID = 4
_MIN_CHARACTERS = 3
"""Words, and Chinese characters, of a statement before a question."""
_ASKS = ("?", '?"', "? ", "？")
_NEAR = 3
"""Characters, white space above all, between an announcement and what it announces."""


class Part(NamedTuple):
    """A sentence or a part of one, from `start` in the message. `asks` is true for a question that was cut off."""

    text: str
    start: int
    kind: Kind
    pasted: bool
    asks: bool = False


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Stretches by their start, so that a sentence finds those that it meets without a look at the others."""

    starts: list[int]
    furthest: list[int]
    """The greatest end of a stretch and of those before it."""
    voiced: list[int]

    def end_around(self, at: int) -> int | None:
        """Where the stretches that hold this place end; None outside of all."""
        count = bisect_right(self.starts, at)
        return self.furthest[count - 1] if count and self.furthest[count - 1] > at else None

    def voice_after(self, at: int, before: int) -> int | None:
        """Where somebody else's words first begin after a place, at the latest at `before`."""
        number = bisect_right(self.voiced, at)
        return self.voiced[number] if number < len(self.voiced) and self.voiced[number] <= before else None


def parts(message: Message, *, spoken: bool = True) -> Iterator[Part]:
    """All parts in order, code left out. Text that nobody has `spoken`, a host's, is not parted from what it quotes."""
    stretches = quoted_stretches(message.text, message.role) if spoken else ()
    quoted = _quoted(stretches) if stretches else None
    for sentence in sentences(message.text):
        if sentence.kind is _CODE:
            continue
        kind = sentence.kind
        said = _quoted_apart(sentence, quoted) if quoted else ((sentence.text, sentence.start, False),)
        for text, start, pasted in said:
            if text.endswith(_ASKS):
                yield from _asked_apart(text, start, kind, pasted)
            else:
                yield Part(text, start, kind, pasted)


def _quoted(stretches: tuple[Stretch, ...]) -> _Quoted:
    return _Quoted(
        [item.start for item in stretches],
        list(accumulate((item.end for item in stretches), max)),
        [item.start for item in stretches if item.voiced],
    )


def _quoted_apart(sentence: Sentence, quoted: _Quoted) -> Iterator[tuple[str, int, bool]]:
    """The sentence before, inside and after the stretches that it meets."""
    end = quoted.end_around(sentence.start)
    if end is not None:
        if end >= sentence.end:
            yield sentence.text, sentence.start, True
            return
        cut = end - sentence.start
        yield from _stripped(sentence.text[:cut], sentence.start, True)
        yield from _stripped(sentence.text[cut:], end, False)
        return
    begins = quoted.voice_after(sentence.start, sentence.end + _NEAR)
    if begins is None:
        yield sentence.text, sentence.start, False
        return
    cut = begins - sentence.start
    # 'Proofread this:' is understood without the text, which is somebody's own.
    yield from _stripped(sentence.text[:cut].rstrip(" :：\n"), sentence.start, False)
    yield from _stripped(sentence.text[cut:], begins, True)


def _stripped(text: str, start: int, pasted: bool) -> Iterator[tuple[str, int, bool]]:
    bare = text.strip()
    if bare:
        yield bare, start + text.index(bare[0]), pasted


def _asked_apart(text: str, start: int, kind: Kind, pasted: bool) -> Iterator[Part]:
    cut = _trailing_question(text)
    if cut is None or not _says_enough(text[: cut.start()]):
        yield Part(text, start, kind, pasted)
        return
    yield Part(text[: cut.start()], start, kind, pasted)
    yield Part(text[cut.end() :], start + cut.end(), kind, pasted, asks=True)


def _trailing_question(text: str) -> re.Match[str] | None:
    """The cut before the question that ends the text: after the question before it, if there is one."""
    asking = text.rstrip(_CLOSERS)
    said = asking.rstrip("?？")
    english = _TRAILING_QUESTION.search(text, said.rfind("?") + 1, len(said)) if asking.endswith("?") else None
    comma = max(said.rfind("，"), said.rfind("；"))
    if comma < 0 or comma < max(said.rfind("?"), said.rfind("？")) or asking != text.rstrip():
        return english
    chinese = _CHINESE_QUESTION.match(text, comma, len(said))
    return min(filter(None, (english, chinese)), key=lambda match: match.start(), default=None)


def _says_enough(said: str) -> bool:
    return len(said.split()) >= _MIN_SAID if said.isascii() else len(said) >= _MIN_CHARACTERS
