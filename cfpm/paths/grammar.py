"""What a path is made of, by flavour: roots, segments, extensions; and when two paths are the same.

Lexical only: no file system is asked, and where a path stands in a text is the business of `finder`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.paths.lexicon import names

MAX_PATH = 1024
"""Characters. PATH_MAX of Linux is 4,096 bytes, but what is longer than this in a transcript is a blob, not a path."""


class Flavour(StrEnum):
    """Whose rules a path follows."""

    POSIX = "posix"
    WINDOWS = "windows"
    UNC = "unc"
    RELATIVE = "relative"


_ESCAPED = lazy_pattern(r"\\([ '\"()&])")
_DRIVE = lazy_pattern(r"[A-Za-z]:(?:[\\/]|$)")
_UNC = lazy_pattern(r"\\\\(?:\\\\)?[^\s\\/]")
_WINDOWS_SYMBOL = lazy_pattern(r"~\\|%[^%/\\]+%|\$env:", re.IGNORECASE)
_EXTENSION = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9_]{0,9}|7z|3gp)~?$")
_SYMBOLIC = lazy_pattern(
    r"\$(?:env:)?\{?\w+\}?(?=$|[\\/])|~\w*(?=$|[\\/])|%\w+%|.{0,64}\[(?:system\.)?environment\]::getfolderpath",
    re.I | re.S,
)
_DATE_PARTS = lazy_pattern(r"(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})")
_ESCAPES = lazy_pattern(r"(?<!\\)\\++([ '\"()&])")
_DEVICE = lazy_pattern(r"(?:(?:\\\\){1,2}[?.][\\/]{1,2}(UNC[\\/]{1,2})?\s*)+", re.IGNORECASE)
_FILE_URL = lazy_pattern(r"file://(?:localhost)?(?=/)(?:/(?=[A-Za-z]:[\\/]))?", re.IGNORECASE)


def flavour_of(path: str) -> Flavour:
    """The flavour by the root; what has none is relative. `~/x` and `$HOME/x` are POSIX, `%VAR%\\x` Windows."""
    if path.startswith(("/", "~/", "$HOME", "${")) or path == "~":
        return Flavour.POSIX
    if _DRIVE.match(path) or _WINDOWS_SYMBOL.match(path) or path.startswith(("\\\\?\\", "\\\\.\\")):
        return Flavour.WINDOWS
    if _UNC.match(path):
        return Flavour.UNC
    return Flavour.RELATIVE


def segments(path: str) -> list[str]:
    """The parts between separators, without empty ones; a drive is a part. A POSIX backslash escape is no separator."""
    if "\\" not in path:
        return [part for part in path.split("/") if part]
    unescaped = _ESCAPED.sub(r"\1", path) if "/" in path else path
    parts = re.split(r"[\\/]+", unescaped)
    return [part for part in parts if part]


def name(path: str) -> str:
    """The last segment, or the text itself when it has none."""
    parts = segments(path)
    return parts[-1] if parts else path


def extension(segment: str) -> str:
    """The file name ending in lower case without its dot, or "" (`.gitignore` and `v2.0` have none)."""
    if "." not in segment or (found := _EXTENSION.search(segment)) is None or found.start() == 0:
        return ""
    return found[1].lower()


def has_known_extension(segment: str) -> bool:
    """True for `main.rs`, false for `json.Marshal` and `v2.0`."""
    return extension(segment) in names("extensions")


def is_absolute(path: str) -> bool:
    """True for a drive, a UNC share or a leading slash. `~/x` is symbolic, not absolute."""
    return path.startswith(("/", "\\\\?\\")) or bool(_DRIVE.match(path)) or flavour_of(path) is Flavour.UNC


def is_symbolic(path: str) -> bool:
    """True when only a shell knows what it means: `~/x`, `$HOME/x`, `$env:X\\y`, `%USERPROFILE%\\x`, GetFolderPath."""
    return bool(_SYMBOLIC.match(path.strip("\"'` ")))


def is_date(text: str) -> bool:
    """True for `2024/7/19`, `2026-1-3`, `19.7.2024` and `7/19/2024`: year, month and day in a plausible order."""
    if (found := _DATE_PARTS.fullmatch(text.strip())) is None:
        return False
    first, middle, last = int(found[1]), int(found[3]), int(found[4])
    if len(found[1]) == 4:
        return 1900 <= first <= 2200 and 1 <= middle <= 12 and 1 <= last <= 31
    if len(found[4]) not in (2, 4) or (len(found[4]) == 4 and not 1900 <= last <= 2200):
        return False
    return 1 <= min(first, middle) <= 12 and 1 <= max(first, middle) <= 31


@lru_cache(maxsize=2_048)
def canonical(path: str) -> str:
    """The form in which equal paths are equal: Windows in lower case with `\\`, POSIX with its case. Never raises."""
    text = path.strip()
    if url := _FILE_URL.match(text):
        text = text[url.end() :]
    if device := _DEVICE.match(text):
        text = ("\\\\" if device[1] else "") + text[device.end() :]
    match flavour_of(text):
        case Flavour.WINDOWS:
            return "\\".join(_resolved(re.split(r"[\\/]+", text.lower()), floor=1)) or text
        case Flavour.UNC:
            parts = _resolved(re.split(r"[\\/]+", text.lower()), floor=2)
            return "\\\\" + "\\".join(parts) if parts else "/"
        case flavour:
            return _with_slashes(text, flavour)


def contains(parent: str, child: str) -> bool:
    """True when child is parent or lies below it, at a segment boundary."""
    above, below = canonical(parent), canonical(child)
    if above == below:
        return bool(above)
    separator = "\\" if flavour_of(above) in (Flavour.WINDOWS, Flavour.UNC) else "/"
    return bool(above) and below.startswith(above if above.endswith(separator) else above + separator)


def _with_slashes(text: str, flavour: Flavour) -> str:
    plain = _ESCAPES.sub(r"\1", text)
    if flavour is Flavour.RELATIVE:
        plain = plain.replace("\\", "/")
    if plain.startswith("/"):
        return "/" + "/".join(_resolved(plain.split("/"), floor=0))
    if flavour is Flavour.POSIX:
        return "/".join(_resolved(plain.split("/"), floor=1))
    resolved = "/".join(_resolved(plain.split("/"), floor=0, climbing=True)) or text
    return resolved if flavour_of(resolved) is Flavour.RELATIVE else "./" + resolved


def _resolved(parts: list[str], *, floor: int, climbing: bool = False) -> list[str]:
    """Drops empty parts and `.`; `..` takes the part before it, never one of the first `floor` (drive, share, `~`)."""
    kept: list[str] = []
    for part in parts:
        step = part.strip()
        if step in ("", "."):
            continue
        if step != "..":
            kept.append(part)
        elif len(kept) > floor and kept[-1] != "..":
            kept.pop()
        elif climbing:
            kept.append(step)
    if kept:
        kept[0] = kept[0].lstrip()
        kept[-1] = kept[-1].rstrip()
    return kept
