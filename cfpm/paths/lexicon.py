"""The word lists of this room, read once from its data files; each language has its own. No rules here."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def names(key: str) -> frozenset[str]:
    """One list of `names.toml`, as written."""
    return frozenset(strings(toml_table("cfpm.paths", "data/names"), key))


@cache
def longest_first(key: str) -> str:
    """A list of `names.toml` as the inside of a regex alternation, where `*` stands for one word."""
    ordered = sorted(names(key), key=lambda name: (-len(name), name))
    return "|".join(re.escape(name).replace(r"\*", r"[\w.&-]+") for name in ordered)


@cache
def prose(key: str) -> frozenset[str]:
    """One list of the prose files of all languages."""
    return frozenset(word for table in language_tables("prose") for word in strings(table, key))


@cache
def language_tables(folder: str) -> tuple[Mapping[str, object], ...]:
    """The data files of a folder, one a language, in the order of their names: adding a language is adding a file."""
    found = sorted(file.name for file in files("cfpm.paths").joinpath("data", folder).iterdir())
    return tuple(
        toml_table("cfpm.paths", f"data/{folder}/{name.removesuffix('.toml')}")
        for name in found
        if name.endswith(".toml")
    )


def strings(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    """A list of strings in a table; empty when it is not there."""
    value = table.get(key, ())
    return tuple(map(str, value)) if isinstance(value, list) else ()
