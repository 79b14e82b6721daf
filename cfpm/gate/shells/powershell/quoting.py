"""How a path is written in a PowerShell command, for the place it stands in. Knows nothing of grammar or of probes."""

from __future__ import annotations

from cfpm.gate.shells.quoting import is_plain_text
from cfpm.model.patterns import lazy_pattern

_ABSOLUTE = lazy_pattern(r"[A-Za-z]:[\\/](?![\\/])|/(?!/)")
_MISREAD = frozenset('"*?[]<>|`')
"""A path with one of these is right as a value, but cmdlets take brackets and backticks for patterns, and programs of
Windows get quotes wrong before PowerShell 7.3."""
_REPARSED = frozenset("&^%!;,=()")
"""What a batch file reads anew in its arguments when PowerShell puts no quotes around them."""
_SINGLE = lazy_pattern("['‘’‚‛]")
_DOUBLE = lazy_pattern('[`$"“”„]')
_PLAIN = lazy_pattern(r"[A-Za-z0-9_ .:\\/-]+")


def writable(path: str) -> bool:
    """Whether this is an absolute path of a drive or of POSIX that means itself to cmdlets and to programs.

    One that ends in a separator is refused: before a closing quote programs of Windows read it as an escape.
    """
    return bool(
        _ABSOLUTE.match(path)
        and not path.endswith(("\\", "/", " ", "."))
        and _MISREAD.isdisjoint(path)
        and is_plain_text(path)
    )


def is_posix(path: str) -> bool:
    """Whether a writable path is one of a POSIX system."""
    return path.startswith("/")


def safe_for_batch(path: str) -> bool:
    """Whether a batch file that gets this as an argument reads it as one and runs nothing else."""
    return is_posix(path) or _REPARSED.isdisjoint(path)


def single_quoted(text: str) -> str:
    """`text` as a string of its own, quotes included. PowerShell takes four curly quotes for single ones."""
    return "'" + _SINGLE.sub(r"\g<0>\g<0>", text) + "'"


def inside_single(text: str) -> str:
    """`text` as part of a single-quoted string."""
    return _SINGLE.sub(r"\g<0>\g<0>", text)


def inside_double(text: str) -> str:
    """`text` as part of an expandable string. PowerShell takes three curly quotes for double ones."""
    return _DOUBLE.sub(r"`\g<0>", text)


def plain(path: str) -> bool:
    """Whether a path has nothing that any quoting or nesting could change."""
    return _PLAIN.fullmatch(path) is not None
