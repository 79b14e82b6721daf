"""The word lists of this benchmark, as patterns."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def word_list(name: str) -> tuple[str, ...]:
    """A list of `words.toml`."""
    file = resources.files("benchmarks.carryover").joinpath("words.toml")
    words: dict[str, list[str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(words[name])


@cache
def any_of(name: str) -> re.Pattern[str]:
    """Finds a word of the list, in any case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, word_list(name)))})(?!\w)", re.IGNORECASE)
