"""What a path must be to be written into a command of any shell."""

from __future__ import annotations

import unicodedata

_UNWRITABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: control, format (bidi marks), surrogate, line and paragraph separators."""


def is_plain_text(path: str) -> bool:
    """Whether a path reads the same to a person and to a shell."""
    return not any(unicodedata.category(character) in _UNWRITABLE for character in path)
