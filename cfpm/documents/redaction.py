"""Takes the secrets out of the text of a document before anything of it is stored. Finds none itself: see `secrets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.documents.parts import Part
from cfpm.secrets import redact
from cfpm.secrets.redaction import PLACEHOLDER, REPEATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cfpm.secrets import Numbers

STRETCH = 16_000
"""Characters that are looked through together: a text in which something was found is looked through again as a whole,
so that of 10 MB at once each secret would cost two seconds."""

_LONGEST_KEY = 64_000
"""Characters that a key between its marks may have, so that no stretch ends in it."""

_KEY_OPENS, _KEY_ENDS = "-----BEGIN", "-----END"


def without_secrets(parts: Sequence[Part], numbers: Numbers, progress: Callable[[int, int], None]) -> list[Part]:
    """The parts with placeholders for secrets. What is a secret in one stretch is one in all. `progress` gets the
    characters done and all."""
    total, done = sum(len(part.text) for part in parts), 0
    values: dict[str, str] = {}
    found: list[Part] = []
    for part in parts:
        clean: list[str] = []
        for stretch in stretches(part.text):
            result = redact(stretch, numbers)
            if result.findings:
                values |= _values(stretch, result.text)
            clean.append(result.text)
            done += len(stretch)
            progress(done, total)
        found.append(Part(redact(part.place).text, "".join(clean)))
    for value, placeholder in list(values.items())[:REPEATED]:
        found = [Part(part.place, part.text.replace(value, placeholder)) for part in found]
    return found


def stretches(text: str) -> Iterator[str]:
    """The text in stretches of whole lines; a key between its marks stays in one."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + STRETCH) + 1 if start + STRETCH < len(text) else len(text)
        end = end if end > start else start + STRETCH
        opened = text.rfind(_KEY_OPENS, start, end)
        if opened >= 0 and text.find(_KEY_ENDS, opened, end) < 0:
            closed = text.find(_KEY_ENDS, end, end + _LONGEST_KEY)
            end = (text.find("\n", closed) + 1 or len(text)) if closed >= 0 else end
        yield text[start:end]
        start = end


_SHORTEST = 8
"""Characters of a value from which it is a secret wherever it stands; a shorter one may be a word."""


def _values(before: str, after: str) -> dict[str, str]:
    """What was taken out of a text, with what stands for it, as far as the texts around tell."""
    found: dict[str, str] = {}
    at = read = 0
    marks = list(PLACEHOLDER.finditer(after))
    for number, mark in enumerate(marks):
        at += mark.start() - read
        read = mark.end()
        behind = after[read : marks[number + 1].start() if number + 1 < len(marks) else len(after)]
        # The text up to the next placeholder says where the value ended.
        end = before.find(behind, at) if behind else len(before)
        if end < 0:
            break
        value = before[at:end]
        if len(value) >= _SHORTEST and "\n" not in value and any(map(str.isdigit, value)) and mark[0] != value:
            found[value] = mark[0]
        at = end
    return found
