"""Counts what redaction takes out of texts in which nobody wrote a secret, and lists it, to be read by people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.secrets.corpora import INNOCENT, innocent_texts
from cfpm.secrets import redact
from cfpm.secrets.matching import claims
from cfpm.secrets.spoken import spoken
from cfpm.secrets.told import told

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = 60
"""Characters shown in front of what was taken."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Characters that were replaced, with what stands before them, and how often."""

    kind: str
    before: str
    value: str
    times: int


@dataclass(frozen=True, slots=True)
class FalseRate:
    corpus: str
    texts: int
    words: int
    redactions: int
    per_10_000_words: float
    taken: tuple[Taken, ...]


def measure(data: Path) -> tuple[FalseRate, ...]:
    return tuple(_measure(data, corpus) for corpus in INNOCENT)


def _measure(data: Path, corpus: str) -> FalseRate:
    texts = words = redactions = 0
    seen: Counter[tuple[str, str, str]] = Counter()
    for text in innocent_texts(data, corpus):
        texts += 1
        words += len(text.split())
        found = len(redact(text).findings)
        redactions += found
        if found:
            seen.update((claim.kind, *_shown(text, claim.start, claim.end)) for claim in claims(text))
            seen.update(("told-secret", *_shown(text, *span)) for span in (*told(text), *spoken(text)))
    taken = tuple(Taken(*what, times) for what, times in seen.most_common())
    return FalseRate(corpus, texts, words, redactions, round(10_000 * redactions / max(words, 1), 4), taken)


def _shown(text: str, start: int, end: int) -> tuple[str, str]:
    return " ".join(text[max(0, start - BEFORE) : start].split()), " ".join(text[start:end].split())[:BEFORE]
