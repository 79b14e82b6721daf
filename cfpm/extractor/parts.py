"""The sentences of a message, cut where a question follows a statement and where somebody else's words begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cfpm.extractor.documents import Stretch, quoted_stretches
from cfpm.language import Kind, Sentence, sentences
from cfpm.models import Message

_ASKING = r"(?:can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|am|might)(?:n['’]t)?"
_ASKED = r"(?:i|you|we|it|they|he|she|there|this|that|these|those|the|a|an|my|our|his|her|your|any\w*|some\w*|\w+ing)\b"
_TRAILING_QUESTION = re.compile(
    r"(?:[,;.]\s*|\s[-–—]+\s|\s(?=(?:and|so|but)\s))(?:and|so|but|or)?\s*"
    rf"(?=(?:{_ASKING}\s+{_ASKED}|"
    rf"(?:what|which|how|why|where|when|who)(?:['’]s|['’]re|(?:\s[\w'’-]+){{0,3}}?\s{_ASKING})\s+{_ASKED}|"
    r"(?:what|how|where|when|which \w+) to\b|any\b|how about|what about|what if|got any|have you|you know|right\?|"
    r"(?:now )?i(?:['’]m| am| was|['’]ve been)(?: \w+)? (?:wondering|curious)|"
    r"i(?: also| just)? (?:wonder|want to know)|i['’]d (?:like|love) to know)"
    r"[^?]*\?+[\"'”’)\s]*$)|"
    r",\s*so\s+(?=(?:what|which|how|why|where|when|who)\b[^?]*\?+\s*$)|"
    r"[，；]\s*(?=[^，；？?]*(?:吗|呢|什么|哪|怎么|怎样|如何|多少|几|谁|可以|能|可否|是否|(?P<verb>.)不(?P=verb)|有没有|合适|好|行)"
    r"[^，；？?]*[？?]+\s*$)",
    re.IGNORECASE,
)
_MIN_SAID = 4
_MIN_CHARACTERS = 3
"""Words, and Chinese characters, of a statement before a question."""
_ASKS = ("?", '?"', "? ", "？")
_NEAR = 3
"""Characters, white space above all, between an announcement and what it announces."""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence or a part of one, from `start` in the message. `asks` is true for a question that was cut off."""

    text: str
    start: int
    kind: Kind
    pasted: bool
    asks: bool = False


def parts(message: Message) -> Iterator[Part]:
    """All parts in order, code left out."""
    stretches = quoted_stretches(message.text, message.role)
    for sentence in sentences(message.text):
        if sentence.kind is Kind.CODE:
            continue
        if not stretches:
            yield from _asked_apart(sentence.text, sentence.start, sentence.kind, False)
            continue
        for text, start, pasted in _quoted_apart(sentence, stretches):
            yield from _asked_apart(text, start, sentence.kind, pasted)


def _quoted_apart(sentence: Sentence, stretches: tuple[Stretch, ...]) -> Iterator[tuple[str, int, bool]]:
    """The sentence before, inside and after the stretches that it meets."""
    inside = [item for item in stretches if item.start <= sentence.start < item.end]
    if inside:
        end = max(item.end for item in inside)
        if end >= sentence.end:
            yield sentence.text, sentence.start, True
            return
        cut = end - sentence.start
        yield from _stripped(sentence.text[:cut], sentence.start, True)
        yield from _stripped(sentence.text[cut:], end, False)
        return
    begins = [item for item in stretches if sentence.start < item.start <= sentence.end + _NEAR and item.voiced]
    if not begins:
        yield sentence.text, sentence.start, False
        return
    cut = min(item.start for item in begins) - sentence.start
    # 'Proofread this:' is understood without the text, which is somebody's own.
    yield from _stripped(sentence.text[:cut].rstrip(" :：\n"), sentence.start, False)
    yield from _stripped(sentence.text[cut:], sentence.start + cut, True)


def _stripped(text: str, start: int, pasted: bool) -> Iterator[tuple[str, int, bool]]:
    bare = text.strip()
    if bare:
        yield bare, start + text.index(bare[0]), pasted


def _asked_apart(text: str, start: int, kind: Kind, pasted: bool) -> Iterator[Part]:
    cut = _TRAILING_QUESTION.search(text) if text.endswith(_ASKS) else None
    if cut is None or not _says_enough(text[: cut.start()]):
        yield Part(text, start, kind, pasted)
        return
    yield Part(text[: cut.start()], start, kind, pasted)
    yield Part(text[cut.end() :], start + cut.end(), kind, pasted, asks=True)


def _says_enough(said: str) -> bool:
    return len(said.split()) >= _MIN_SAID if said.isascii() else len(said) >= _MIN_CHARACTERS
