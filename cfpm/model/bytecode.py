"""Compiled patterns and parsed tables of the package, kept beside Python's own byte code.

Of the processor time of a process that observes its first turn two fifths went into compiling 270 regular expressions,
a tenth into reading TOML, the same ones every time. Each entry is found by a digest of what it was made from; the file
by the version of Python. It is written where Python may write byte code, whole or not at all, and can be deleted at any
time. Not for patterns or tables that a user brings.
"""

from __future__ import annotations

import marshal
import re
import sys
from functools import cache
from hashlib import blake2b
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any, AnyStr

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 4_000
"""Entries of a file: about twice what the package has. A file of more holds those of earlier versions, and is begun
anew."""

_UNSEEN = (3, 15)
"""The first Python whose matcher was not looked at."""


class _File:
    """The entries, read when one is first asked for, and written at the end of a process that made new ones."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[bytes, bytes] = {}
        self._kept = self._read()

    def entry(self, kind: str, source: str, make: Callable[[], Any]) -> Any:
        """What `make` makes of the source, of types that `marshal` writes."""
        key = blake2b(f"{kind}\0{source}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._kept.get(key)
        if found is not None:
            return marshal.loads(found)
        made = make()
        if not self._new and not sys.dont_write_bytecode:
            import atexit

            atexit.register(self._write)
        self._new[key] = marshal.dumps(made)
        return made

    def _read(self) -> dict[bytes, bytes]:
        try:
            version, entries = marshal.loads(self._path.read_bytes())
        except (OSError, EOFError, ValueError, TypeError):
            return {}
        return entries if version == sys.version else {}

    def _write(self) -> None:
        """With what other processes wrote since; what one of two at the same moment adds is made again some day."""
        import os
        from contextlib import suppress

        kept = {**self._read(), **self._new}
        if len(kept) > _MOST:
            kept = self._new
        with suppress(OSError):  # as Python leaves byte code unwritten where it may not write
            beside = self._path.with_suffix(f".{os.getpid()}")
            with beside.open("xb") as file:
                marshal.dump((sys.version, kept), file)
            beside.replace(self._path)


@cache
def _file() -> _File:
    return _File(Path(cache_from_source(__file__)).with_suffix(".kept"))


def kept(kind: str, source: str, make: Callable[[], Any]) -> Any:
    """What `make` makes of a source that ships with the package, from the file if it was made before."""
    return _file().entry(kind, source, make)


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, for patterns that ship with the package."""
    if sys.implementation.name != "cpython" or sys.version_info >= _UNSEEN:
        return re.compile(pattern, flags)
    import _sre  # type: ignore[import-not-found]  # the matcher of `re`, to which it hands what it compiled

    source = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    kind = f"{type(pattern).__name__} {int(flags)}"
    found, code, groups, names, places = kept(kind, source, lambda: _parts(pattern, int(flags)))
    made: re.Pattern[AnyStr] = _sre.compile(pattern, found, memoryview(code).cast("I").tolist(), groups, names, places)
    return made


def _parts(pattern: str | bytes, flags: int) -> tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]:
    """What `re.compile` hands to the matcher."""
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, flags)
    names = parsed.state.groupdict
    places: list[str | None] = [None] * parsed.state.groups
    for name, place in names.items():
        places[place] = name
    code = array("I", _compiler._code(parsed, flags)).tobytes()
    return flags | parsed.state.flags, code, parsed.state.groups - 1, names, tuple(places)
