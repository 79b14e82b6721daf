"""What SQLite complains of, told as a StoreError with a remedy. Decides nothing about retrying or rolling back."""

from __future__ import annotations

from cfpm.errors import StoreError

_REMEDIES: dict[str, tuple[str, str]] = {
    "SQLITE_FULL": (
        "the disk is full",
        "Free some space and do it again; what was stored is intact, this step was rolled back",
    ),
    "SQLITE_READONLY": (
        "the database or its folder cannot be written",
        "Give this user write permission on the file and its folder, or open it for reading only",
    ),
    "SQLITE_READONLY_ROLLBACK": (
        "a process was killed while it changed the file, and reading alone cannot take that back",
        "Open it once for writing: cfpm reindex",
    ),
    "SQLITE_BUSY": (
        "another process held the database for longer than busy_timeout",
        "Try again, close the other process, or raise CFPM_BUSY_TIMEOUT (seconds)",
    ),
    "SQLITE_LOCKED": (
        "the database is in use by another statement of this process",
        "Finish reading the earlier result before you write",
    ),
    "SQLITE_CORRUPT": (
        "the database file is damaged",
        "Run `cfpm doctor`, keep a copy of the file, and restore a backup or import an export",
    ),
    "SQLITE_NOTADB": (
        "this file is not an SQLite database, or it is encrypted with another key than the one that is configured",
        "Set CFPM_KEY to its key, or choose another path",
    ),
    "SQLITE_CANTOPEN": (
        "the database cannot be opened",
        "Check that the folder exists and that this user may read and write it and the file",
    ),
    "SQLITE_IOERR": (
        "the disk reported an error",
        "Check the disk and the mount; what was stored is intact, this step was rolled back",
    ),
    "SQLITE_PERM": ("access was denied", "Give this user permission on the file and its folder"),
    "SQLITE_TOOBIG": ("a text is longer than SQLite can hold (1 GB)", "Split the message, or use log_mode=capped"),
    "SQLITE_CONSTRAINT": (
        "the change contradicts what is stored",
        "Another process may have written the same thing: read again, then repeat the step",
    ),
}


def primary_code(error: BaseException) -> int:
    """The number of an error of SQLite, without what says more exactly how it came about; 0 for any other."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def is_of_the_file(error: StoreError) -> bool:
    """True for what SQLite itself reported; false for text that is no UTF-8 and the like."""
    return error.__cause__ is None or primary_code(error.__cause__) > 1


def store_error(url: str, error: Exception) -> StoreError:
    """The StoreError for what the driver raised."""
    if isinstance(error, OverflowError):
        return StoreError(url, f"a number does not fit into 64 bits ({error})", "Correct the number in the input")
    # Extended names such as SQLITE_IOERR_WRITE begin with the primary one.
    code = getattr(error, "sqlite_errorname", None) or ""
    primary = "_".join(code.split("_")[:2])
    if known := _REMEDIES.get(code) or _REMEDIES.get(primary):
        problem, remedy = known
        return StoreError(url, f"{problem} ({code}: {error})", remedy)
    return StoreError(url, f"SQLite failed ({code or type(error).__name__}: {error})", "Run `cfpm doctor`")
