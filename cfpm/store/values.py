"""Single values as columns hold them: moments, JSON, members of enumerations, rounded numbers. Knows no row."""

from __future__ import annotations

import json
from functools import lru_cache

from cfpm.model import Category, Role
from cfpm.model.clock import from_text, to_text

# The facts of one turn share their moments, so each is written and read once.
moment_text = lru_cache(maxsize=4_096)(to_text)
moment = lru_cache(maxsize=4_096)(from_text)

# A look-up in a dict costs a fifth of calling the enumeration.
ROLE_NAMED = {member.value: member for member in Role}
CATEGORY_NAMED = {member.value: member for member in Category}

encode_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode
"""Canonical: the same value gives the same text."""


def rounded(value: float) -> float:
    """Four decimals, so that exports of different machines agree byte by byte."""
    return round(float(value), 4)
