"""Regular expressions that are compiled when they are first used, since one turn needs few of those that a room has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from cfpm.model.bytecode import compiled

if TYPE_CHECKING:
    import re


class _LazyPattern:
    """Becomes the pattern that it stands for: what it was asked for once is then an attribute of its own."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._source: tuple[Any, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern = self.__dict__.get("_compiled") or self.__dict__.setdefault("_compiled", compiled(*self._source))
        found = getattr(pattern, name)
        setattr(self, name, found)
        return found


def lazy_pattern(pattern: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
    """As `re.compile`, at the first use: an error in the pattern shows there. For constants of modules."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, int(flags)))


def lazy_bytes(pattern: bytes, flags: re.RegexFlag | int = 0) -> re.Pattern[bytes]:
    """As `lazy_pattern`, for bytes."""
    return cast("re.Pattern[bytes]", _LazyPattern(pattern, int(flags)))
