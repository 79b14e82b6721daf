"""The word lists of this room, read once from the data files. No rules here."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "zh")


@cache
def _table(name: str) -> dict[str, object]:
    return tomllib.loads(files("cfpm.paths").joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def names(key: str) -> frozenset[str]:
    """One list of `names.toml`, as written."""
    return frozenset(_strings(_table("names")[key]))


@cache
def words(key: str) -> tuple[str, ...]:
    """One list of every language file, in the order of the languages."""
    return tuple(word for language in LANGUAGES for word in _strings(_table(language)[key]))


@cache
def language_words(language: str, key: str) -> frozenset[str]:
    """One list of one language file."""
    return frozenset(_strings(_table(language)[key]))


@cache
def longest_first(key: str) -> str:
    """A list of `names.toml` as the inside of a regex alternation, where `*` stands for one word."""
    ordered = sorted(names(key), key=lambda name: (-len(name), name))
    return "|".join(re.escape(name).replace(r"\*", r"[\w.&-]+") for name in ordered)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
