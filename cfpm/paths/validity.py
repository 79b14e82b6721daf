"""Whether a text, whatever surrounds it, is a concrete path of its flavour or only looks like one. No searching."""

from __future__ import annotations

import re
from functools import cache

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.grammar import MAX_PATH, Flavour, extension, has_known_extension, is_date, segments
from cfpm.paths.lexicon import longest_first, names

_MAX_SEGMENT = 255
"""Characters. NAME_MAX of the usual file systems; what is longer is encoded data."""

_LETTER = lazy_pattern(r"[^\W\d_]")
_PLACEHOLDER = lazy_pattern(
    r"[$^*?<>|{}\"\x00-\x1f\ufffd]|%[sdvqfwxr](?![A-Za-z])|%[0-9A-F]{2}|path/to\b|YYYY|\.\.\.|…|(?:^|/):\w"
)
_REGEX_FLAGS = lazy_pattern(r"[gi][imsuy]{0,3}")
_SUBSTITUTION = lazy_pattern(r"(?:s|y|tr)/[^/]*/[^/]*/[gimpe0-9]*")
_VERSIONED = lazy_pattern(r"@v?\d|^@|^v?\d+\.\d")
_WORD = lazy_pattern(r"[A-Za-z]+")
_ESCAPE_SEGMENT = lazy_pattern(r"[abfnrtvxu0]")
_WINDOWS_BAD = lazy_pattern(r"[<>|\"*?\x00-\x1f]")
_BARE_ENDING = lazy_pattern(r"\.\w{1,5}")


def has_path_shape(path: str, flavour: Flavour, *, quoted: bool = False) -> bool:
    """True when the text can stand for one place in a file system. Quoting lets a pair of plain words pass."""
    if len(path) > MAX_PATH:
        return False
    match flavour:
        case Flavour.POSIX:
            return _posix(path)
        case Flavour.WINDOWS | Flavour.UNC:
            return _windows(path, flavour)
        case Flavour.RELATIVE:
            return _relative(path, quoted=quoted)


def has_usual_root(path: str) -> bool:
    """True for `/home/x` and `~/x`, false for `/users-list/x`, which could as well be an address on a web server."""
    return _usual_root().match(path) is not None


@cache
def _usual_root() -> re.Pattern[str]:
    return compiled(rf"~/|/(?:{longest_first('posix_roots')})(?=/|$)")


def is_word_pair(parts: list[str]) -> bool:
    """True for `client/server` and `UI/UX`: two plain words, not a folder in a folder."""
    if len(parts) != 2:
        return False
    first, second = parts[0].lower(), parts[1].lower()
    return first in names("word_folders") and second in names("word_partners") and bool(_WORD.fullmatch(first))


def _posix(path: str) -> bool:
    if path.startswith("//") or "://" in path or _PLACEHOLDER.search(path):
        return False
    if len(path) <= _MAX_SEGMENT and has_usual_root(path):
        return _LETTER.search(path, 1) is not None
    parts = segments(path)
    if not parts or _has_blob(parts) or not _LETTER.search(path):
        return False
    if path.startswith("~"):
        return True
    if len(parts) == 1:
        return has_usual_root(path) or has_known_extension(parts[0]) or parts[0] in names("known_files")
    if has_usual_root(path) or has_known_extension(parts[-1]):
        return True
    if parts[0].startswith(".") or parts[0].lower() in names("route_heads"):
        return False
    return not (len(parts) == 2 and _REGEX_FLAGS.fullmatch(parts[1]) and not path.endswith("/"))


def _windows(path: str, flavour: Flavour) -> bool:
    body = path[2:] if flavour is Flavour.WINDOWS else path
    if _WINDOWS_BAD.search(body) or ":" in body or "..." in body or "…" in body or "$" in body[:2] or "{" in body:
        return False
    parts = segments(path)
    return (
        _LETTER.search(path) is not None
        and bool(parts)
        and (flavour is Flavour.WINDOWS or (len(parts) >= 2 and _LETTER.search(parts[0]) is not None))
    )


def _relative(path: str, *, quoted: bool) -> bool:
    if _PLACEHOLDER.search(path) or path.startswith(("-", "@", "//")) or is_date(path) or _SUBSTITUTION.fullmatch(path):
        return False
    parts = segments(path)
    dotted = parts[:1] and parts[0] in (".", "..")
    while parts and parts[0] in (".", ".."):
        parts = parts[1:]
    if not parts or _has_blob(parts) or _VERSIONED.search(parts[0]) or _VERSIONED.search(parts[-1]):
        return False
    if dotted:
        return _LETTER.search("".join(parts)) is not None
    if len(parts) < 2 or _looks_like_host_or_file(parts) or ("\\" in path and not _backslashed(path, parts)):
        return False
    if has_known_extension(parts[-1]) or parts[-1] in names("known_files"):
        return True
    if len(parts) > 2 and (ending := extension(parts[-1])) and len(ending) >= 2 and parts[-1].endswith(ending):
        return True
    return _in_source_folder(path, parts, quoted=quoted)


def _has_blob(parts: list[str]) -> bool:
    return max(map(len, parts)) > _MAX_SEGMENT


def _in_source_folder(path: str, parts: list[str], *, quoted: bool) -> bool:
    """Without an extension only a usual first folder, or a trailing slash after several segments, makes a path."""
    if path.endswith("/") and (parts[0].startswith(".") or len(parts) > 2):
        return True
    if parts[0].startswith(".") and len(parts[0]) > 2 and not _BARE_ENDING.fullmatch(parts[-1]):
        return not has_known_extension("x" + parts[0])
    if parts[0] not in names("source_folders") or extension(parts[-1]):
        return False
    return path.endswith("/") or quoted or not is_word_pair(parts)


def _looks_like_host_or_file(parts: list[str]) -> bool:
    """`github.com/org`, `Node.js/Express.js`, `README.md/CHANGELOG.md`, `.js/.ts`: the first segment is no folder."""
    first = parts[0]
    if _BARE_ENDING.fullmatch(first) and has_known_extension("x" + first):
        return True
    ending = extension(first)
    if not ending or first.startswith(".") or ending in names("folder_endings"):
        return False
    return ending in names("host_endings") or ending in names("extensions")


def _backslashed(path: str, parts: list[str]) -> bool:
    """A relative Windows path, not a text with escapes such as `done\\n` or `a.go\\nb.go`."""
    if "/" in path or any(has_known_extension(part) for part in parts[:-1]):
        return False
    return not any(_ESCAPE_SEGMENT.fullmatch(part) for part in parts[1:])
