"""Where a database is: from the url to the file, and what can be said about it before it is opened. Opens nothing."""

from __future__ import annotations

import os
from pathlib import Path

from cfpm.errors import StoreError, UsageError
from cfpm.model.patterns import lazy_pattern

MEMORY = ":memory:"

_OPTION = lazy_pattern(r"\?\w+=")
"""An option in an url of SQLite; any other question mark may stand in the name of a file."""

_REMEDY = "Use sqlite:///PATH or the path of a file"


def database_path(url: str) -> str:
    """The file that a url names: `sqlite:///relative`, `sqlite:////absolute` or a plain path; `:memory:` for `sqlite://`.

    Raises UsageError for any other scheme, and for options in the url: SQLite's own urls may name a database that is
    gone when it is closed, or one that nobody locks.
    """
    if "\0" in url or not url.strip():
        raise UsageError(repr(url), "this is no path", _REMEDY)
    if url.startswith(("file:", "sqlite:")) and _OPTION.search(url):
        raise UsageError(url, "a database cannot be given options", _REMEDY)
    if url in ("sqlite://", "sqlite:///", MEMORY, "sqlite:///:memory:"):
        return MEMORY
    if url.startswith("sqlite:///"):
        return url.removeprefix("sqlite:///")
    if "://" in url:
        raise UsageError(url, "only SQLite databases are supported", _REMEDY)
    return url


def database_uri(path: str, *, read_only: bool) -> str:
    """The file as SQLite opens it: for writing it may be created, for reading it must exist."""
    file = Path(path).absolute()
    if not read_only:
        return f"{file.as_uri()}?mode=rwc"
    # A cleanly closed database on a read-only medium has no WAL and can get none: then it cannot change either.
    wal = file.with_name(file.name + "-wal")
    changing = os.access(file.parent, os.W_OK) or wal.exists()
    return f"{file.as_uri()}?mode=ro" + ("" if changing else "&immutable=1")


def check_file(url: str, path: Path, *, read_only: bool) -> None:
    """Raises StoreError for what SQLite only calls `unable to open database file`, naming the reason."""
    try:
        folder, parent, file = path.is_dir(), path.parent.is_dir(), path.exists()
    except OSError as error:
        problem = f"the path cannot be used ({error.strerror})"
        raise StoreError(url, problem, "Check the path and the permissions of its folders") from error
    if folder:
        raise StoreError(url, "this is a folder", "Name a file in it, such as memory.db")
    if not parent:
        raise StoreError(url, f"the folder {path.parent} does not exist", "Create the folder, or choose another path")
    if read_only and not file:
        raise StoreError(url, "there is no such database", "Check the path, or observe something first")
