"""What went wrong in hooks, which never tell their host: a short file beside the database. Standard library only until
something is written down."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from cfpm.cli.location import database_url, default_file, sqlite_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from cfpm.store.doctor import Check

LARGEST = 64 * 1024
"""Bytes of the file: some three hundred failures. Above it the older half goes."""

LONGEST = 300
"""Characters of what one failure says."""


LATE = "no answer in time"
"""What a busy machine brings about, and nobody need mend."""


def log_file(db: str | None) -> Path:
    """Where failures of hooks on this database are kept. Raises UsageError for an empty name."""
    file = sqlite_file(database_url(db)) or default_file()
    return file.with_name(f"{file.name}-hooks.jsonl")


def record(db: str | None, host: str, event: str, problem: str) -> None:
    """Adds a line, without secrets. Fails silently where nothing can be written: nobody is there to be told."""
    from cfpm.model.clock import to_text, utc_now

    try:
        line = {
            "at": to_text(utc_now()),
            "host": host,
            "event": event,
            "problem": problem if problem == LATE else _clean(problem),
        }
        _append(log_file(db), (json.dumps(line) + "\n").encode())
    except Exception:  # noqa: BLE001 (a provider boundary: the host's turn goes on)
        return


def failures(file: Path) -> list[dict[str, Any]]:
    """The failures of a file, oldest first; what is no line of ours is left out."""
    return list(_read(file))


def checks(file: Path, now: datetime) -> list[Check]:
    """One check for `cfpm doctor`: not ok when a hook failed within the last week, other than by being late; none where
    none ever did."""
    from datetime import timedelta

    from cfpm.model.clock import from_text
    from cfpm.store.doctor import Check

    found = failures(file)
    if not found:
        return []
    last = next((one for one in reversed(found) if one.get("problem") != LATE), found[-1])
    at = from_text(str(last.get("at", "")))
    told = f"{len(found)} failures in {file}; the last: {last.get('at')} {last.get('host')} {last.get('event')}:"
    fresh = last.get("problem") != LATE and at is not None and now - at < timedelta(days=7)
    remedy = ". Delete the file once that is mended" if fresh else ""
    return [Check("hooks", not fresh, f"{told} {last.get('problem')}{remedy}")]


def _clean(problem: str) -> str:
    from cfpm.secrets import redact

    return redact(problem).text[:LONGEST]


def _append(file: Path, line: bytes) -> None:
    if not file.parent.is_dir():
        return
    from cfpm.paths.private_files import FILE_MODE, make_file

    if file.is_file() and file.stat().st_size > LARGEST:
        lines = file.read_bytes().splitlines(keepends=True)
        part = file.with_name(f".{file.name}.{os.getpid()}.part")
        make_file(part)
        part.write_bytes(b"".join(lines[len(lines) // 2 :]))
        part.replace(file)
    # One write of one line: those of several processes do not mix.
    handle = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND, FILE_MODE)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def _read(file: Path) -> Iterator[dict[str, Any]]:
    if not file.is_file():
        return
    for line in file.read_bytes().splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found
