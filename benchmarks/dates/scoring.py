"""Sentences with the day on which they were written and the time that they mean; what memory shows for them, scored."""

from __future__ import annotations

import json
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from cfpm.text.dates import event_span

if TYPE_CHECKING:
    from pathlib import Path

Days = tuple[date, date]
"""The first and the last day."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A right answer: the days meant, None for none. Of a vague one any days within it are right, and none."""

    days: Days | None
    vague: bool = False

    @classmethod
    def read(cls, written: str | None) -> Answer:
        """`2026-11-20`, `2026-11`, `2026`, two of these joined by `/`, any of them after `~`; nothing for no time.

        Raises ValueError for anything else.
        """
        if not written:
            return cls(None)
        first, _, last = written.removeprefix("~").partition("/")
        return cls((_days(first)[0], _days(last or first)[1]), written.startswith("~"))

    def accepts(self, shown: Days | None) -> bool:
        """Whether what is shown is right."""
        if self.days is None or shown is None:
            return self.days == shown or (self.vague and shown is None)
        if self.vague:
            return self.days[0] <= shown[0] and shown[1] <= self.days[1]
        return self.days == shown

    def shares_month(self, shown: Days) -> bool:
        """Whether what is shown touches a month of the answer."""
        if self.days is None:
            return False
        return _month(self.days[0]) <= _month(shown[1]) and _month(shown[0]) <= _month(self.days[1])


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, when it was said, and what is right to show."""

    id: str
    language: str
    kind: str
    said: datetime
    text: str
    right: tuple[Answer, ...]


def read(path: Path) -> list[Sentence]:
    """The sentences of a file, one JSON object a line. Raises ValueError that names the line."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_sentence(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: {error!r}; see benchmarks/dates/README.md") from error
    return found


def _sentence(row: dict[str, Any]) -> Sentence:
    right = row["right"] if isinstance(row["right"], list) else [row["right"]]
    said = datetime.fromisoformat(str(row["said"]))
    if "T" not in str(row["said"]):
        said = said.replace(hour=12)
    answers = tuple(Answer.read(answer) for answer in right)
    names = [str(row[key]) for key in ("id", "language", "kind")]
    return Sentence(names[0], names[1], names[2], said.replace(tzinfo=UTC), str(row["text"]), answers)


def shown(sentence: Sentence) -> Days | None:
    """The days that memory gives to the sentence; None where it leaves the words as they were said."""
    span = event_span(sentence.text, sentence.said)
    return span.days if span else None


@dataclass(slots=True)
class Score:
    """Counts by language and kind; `misses` in words."""

    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    right: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong_month: int = 0
    misses: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Score:
        """Asks for each sentence once."""
        score = cls()
        for sentence in sentences:
            score.add(sentence, shown(sentence))
        return score

    def add(self, sentence: Sentence, days: Days | None) -> None:
        """Counts a sentence for which these days are shown."""
        place = (sentence.language, sentence.kind)
        self.asked[place] += 1
        if any(answer.accepts(days) for answer in sentence.right):
            self.right[place] += 1
            return
        elsewhere = days is not None and any(answer.days for answer in sentence.right)
        far = elsewhere and days is not None and not any(answer.shares_month(days) for answer in sentence.right)
        self.wrong_month += far
        wanted = " or ".join(_written(answer.days) for answer in sentence.right)
        month = ", wrong month" if far else ""
        self.misses.append(
            f"{sentence.id} {sentence.kind}, said {sentence.said:%a %Y-%m-%d}: {sentence.text} "
            f"| shown {_written(days)}, right {wanted}{month}"
        )


def _days(written: str) -> Days:
    year, month, day = (*(int(part) for part in written.split("-")), None, None)[:3]
    assert year is not None
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    return date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1])


def _month(day: date) -> tuple[int, int]:
    return day.year, day.month


def _written(days: Days | None) -> str:
    if days is None:
        return "nothing"
    return f"{days[0]}" if days[0] == days[1] else f"{days[0]} to {days[1]}"
