"""By which words a statement shows that something said before holds no longer; knows nothing of what that was."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Mapping


def signs_of_change(text: str) -> dict[str, float]:
    """1 for each sign that stands in it, by name."""
    lower = text.lower()
    return {name: float(sign.search(lower) is not None) for name, sign in _signs().items()}


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in toml_table("cfpm.text.heads", "data/change").items()}
