"""How a path is written in a POSIX shell command, for the place it stands in. Knows nothing of grammar or of probes."""

from __future__ import annotations

from cfpm.gate.shells.quoting import is_plain_text
from cfpm.model.patterns import lazy_pattern

_SAFE = lazy_pattern(r"[A-Za-z0-9_./+-]+")
"""Characters that mean themselves in bash, dash and zsh wherever a word may stand."""
_SPLIT = lazy_pattern(r"[\s*?\[\]\\~^#|]")
"""Characters by which some shell makes several words of a value, or a pattern."""
_DOUBLE_SPECIAL = lazy_pattern(r'[\\$`"]')


def bare(path: str) -> str | None:
    """`path` as one unquoted or single-quoted word, or None when there is no safe way."""
    if not writable(path):
        return None
    if _SAFE.fullmatch(path):
        return path
    return "'" + path.replace("'", "'\\''") + "'"


def double_quoted(path: str) -> str | None:
    """`path` as a part of a double-quoted string, without the quotes, or None when there is no safe way.

    An interactive shell expands `!` there, and no escape removes it without leaving a backslash behind.
    """
    if "!" in path or not writable(path):
        return None
    return _DOUBLE_SPECIAL.sub(r"\\\g<0>", path)


def stays_whole(path: str) -> bool:
    """Whether a shell that puts the path in for an unquoted variable takes it for one word and no pattern."""
    return _SPLIT.search(path) is None


def writable(path: str) -> bool:
    """Whether this is an absolute POSIX path that reads the same to a person and to a shell."""
    return path.startswith("/") and is_plain_text(path)
