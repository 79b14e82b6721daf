"""Statements that a reader of the sessions would keep, and whether a line of the memory says each."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compaction.requests import content_words
from cfpm.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

SAID = 0.5
"""Share of a statement's content words that must stand in one line."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is worth keeping of a session, named by its file; `kind` as its labeller called it."""

    session: str
    kind: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """How many statements there are and how many some line says, by kind."""

    there: Counter[str]
    said: Counter[str]

    @property
    def share(self) -> float:
        """Over all kinds."""
        return self.said.total() / self.there.total() if self.there else 0.0


def both(one: Known | None, other: Known) -> Known:
    """What two counts have together."""
    return Known(one.there + other.there, one.said + other.said) if one else other


def statements(path: Path, files: Collection[str]) -> list[Statement]:
    """The rows of a file of labels whose sessions are among `files`: `session`, `kind` and `statement` are read.

    Raises InputError for a line that is none.
    """
    found: list[Statement] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            one = Statement(row["session"], row["kind"], content_words(row["statement"]))
        except (ValueError, KeyError, TypeError) as error:
            remedy = "Each line is an object with session, kind and statement"
            raise InputError(str(path), f"is no label ({error})", remedy, place=f"line {number}") from error
        if one.session in files:
            found.append(one)
    return found


def known(wanted: Iterable[Statement], lines: Iterable[str]) -> Known:
    """Which statements one of the lines says."""
    told = [content_words(line) for line in dict.fromkeys(lines)]
    out = Known(Counter(), Counter())
    for statement in wanted:
        least = SAID * len(statement.words)
        out.there[statement.kind] += 1
        out.said[statement.kind] += any(len(statement.words & words) >= least for words in told)
    return out
