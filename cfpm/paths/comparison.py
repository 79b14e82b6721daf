"""When two paths are the same and when one holds the other: by flavour, lexically, without asking any file system."""

from __future__ import annotations

import re
from functools import lru_cache

from cfpm.paths.grammar import Flavour, flavour_of

_ESCAPED = re.compile(r"(?<!\\)\\++([ '\"()&])")
_DEVICE = re.compile(r"(?:(?:\\\\){1,2}[?.][\\/]{1,2}(UNC[\\/]{1,2})?\s*)+", re.IGNORECASE)
_FILE_URL = re.compile(r"file://(?:localhost)?(?=/)", re.IGNORECASE)
_URL_DRIVE = re.compile(r"/[A-Za-z]:[\\/]")


@lru_cache(maxsize=2_048)
def canonical(path: str) -> str:
    """The form in which equal paths are equal: Windows in lower case with `\\`, POSIX with its case. Never raises."""
    text = path.strip()
    if url := _FILE_URL.match(text):
        text = text[url.end() :]
        if _URL_DRIVE.match(text):
            text = text[1:]
    if device := _DEVICE.match(text):
        text = ("\\\\" if device[1] else "") + text[device.end() :]
    match flavour_of(text):
        case Flavour.WINDOWS:
            return "\\".join(_resolved(re.split(r"[\\/]+", text.lower()), floor=1)) or text
        case Flavour.UNC:
            parts = _resolved(re.split(r"[\\/]+", text.lower()), floor=2)
            return "\\\\" + "\\".join(parts) if parts else "/"
        case Flavour.POSIX:
            plain = _ESCAPED.sub(r"\1", text)
            if plain.startswith("/"):
                return "/" + "/".join(_resolved(plain.split("/"), floor=0))
            return "/".join(_resolved(plain.split("/"), floor=1))
        case Flavour.RELATIVE:
            return _relative(text)


def contains(parent: str, child: str) -> bool:
    """True when child is parent or lies below it, at a segment boundary."""
    above, below = canonical(parent), canonical(child)
    if above == below:
        return bool(above)
    separator = "\\" if flavour_of(above) in (Flavour.WINDOWS, Flavour.UNC) else "/"
    return bool(above) and below.startswith(above if above.endswith(separator) else above + separator)


def _relative(text: str) -> str:
    plain = _ESCAPED.sub(r"\1", text).replace("\\", "/")
    if plain.startswith("/"):
        return "/" + "/".join(_resolved(plain.split("/"), floor=0))
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
