"""Measures which numbers of people and of their money are taken out of sentences that hold them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.secrets.corpora import personal_sentences
from cfpm.secrets import redact

if TYPE_CHECKING:
    from pathlib import Path

TAKEN = ("CREDIT_CARD", "IBAN_CODE", "US_SSN")
"""Types that are secrets for us."""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """Of one type of personal data: how many there are, how many are gone, and whether they should be."""

    type: str
    secret: bool
    values: int
    taken: int


def measure(data: Path) -> tuple[TypeRow, ...]:
    values: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for sentence in personal_sentences(data):
        left = redact(sentence.text).text
        for kind, value in sentence.numbers:
            values[kind] += 1
            taken[kind] += value not in left
    kinds = sorted(values.keys() | set(TAKEN), key=lambda kind: (kind not in TAKEN, kind))
    return tuple(TypeRow(kind, kind in TAKEN, values[kind], taken[kind]) for kind in kinds)
