"""Files into records: finds the format, reads, names sessions, marks origins. Each format's rules are in `formats`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, groupby, islice
from pathlib import Path

from cfpm.errors import InputError, UsageError
from cfpm.transcript.boot_files import BootFileReads
from cfpm.transcript.fields import clean
from cfpm.transcript.formats import FORMATS
from cfpm.transcript.formats.format import Format, Line, Row
from cfpm.transcript.origins import mark_origins
from cfpm.transcript.records import Entries, NotATranscript, Problem, Record
from cfpm.transcript.sessions import name_sessions
from cfpm.transcript.source import MAX_DOCUMENT, MAX_LINE, Source, open_source

SUFFIXES = frozenset({".db", ".json", ".jsonl", ".ndjson", ".md", ".markdown", ".traj", ".txt"})
"""Files that are looked at when a directory is walked."""

_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
_SAMPLE = 50
"""Rows or lines by which a file's format is recognised."""
_LOOKED_AT = 50
"""Messages among which the first with a time is looked for."""


def read(
    path: Path,
    *,
    format: str = "auto",  # noqa: A002 (the name of the command line's option)
    session: str | None = None,
    progress: Callable[[int], None] | None = None,
    max_line: int = MAX_LINE,
    max_document: int = MAX_DOCUMENT,
) -> Iterator[Record | Problem]:
    """The messages of a transcript in their order, streamed, each marked with its origin.

    `format` is a name of FORMATS (dashes are fine) or `auto`; `session` replaces the derived session id, or prefixes
    those of the sessions inside; `progress` gets the bytes consumed so far. A line that cannot be used becomes a
    Problem, and reading goes on. Raises UsageError for an unknown format, NotATranscript for a file that is none,
    InputError for one that cannot be read.
    """
    source = open_source(path, max_line=max_line, max_document=max_document, progress=progress)
    _, entries = _opened(source, _chosen(format))
    return _records(source, entries, session)


def detect(path: Path) -> str:
    """The name of the file's format, from the head of the file or, for a JSON document, from its structure.

    Raises like `read`.
    """
    return _opened(open_source(path), None)[0].name


def expand(paths: Sequence[Path]) -> list[Path]:
    """Files as given, directories as the transcripts that may be below them, in sorted order, none twice.

    Raises InputError for a path that does not exist and a directory that cannot be listed. What a walk finds may turn
    out to be no transcript: `read` raises NotATranscript then, which is a failure only for a file that was named.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(_walk(path)))
        elif _exists(path):
            found[path] = None
        else:
            raise InputError(clean(str(path)), "does not exist", "Check the path")
    return list(found)


def begins(path: Path, *, format: str = "auto") -> datetime | None:  # noqa: A002 (as in `read`)
    """The first time among the first messages of a transcript; None for what has none, or cannot be read."""
    try:
        records = islice(read(path, format=format), _LOOKED_AT)
        times = (one.message.created_at for one in records if not isinstance(one, Problem))
        return next((at for at in times if at is not None), None)
    except InputError:
        return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        raise InputError(clean(str(path)), f"cannot be looked at ({error})", "Check the path") from error


def _walk(directory: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(
            clean(str(error.filename)), f"cannot be listed ({error.strerror})", "Check its permissions"
        ) from error

    for folder, folders, names in os.walk(directory, onerror=refuse):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            if Path(name).suffix.lower() in SUFFIXES:
                yield Path(folder, name)


def _chosen(name: str) -> Format | None:
    known = name.replace("-", "_").lower()
    if known == "auto":
        return None
    if known not in FORMATS:
        raise UsageError("--format", f"unknown format {name!r}", f"Use auto or one of {', '.join(FORMATS)}")
    return FORMATS[known]


def _records(source: Source, entries: Entries, session: str | None) -> Iterator[Record | Problem]:
    reads: dict[str, BootFileReads] = {}
    for named in name_sessions(entries, stem=source.stem, session=session):
        if source.problems:
            yield from source.problems
            source.problems.clear()
        if isinstance(named, Problem):
            yield named
            continue
        name, entry = named
        boot = reads.get(name) or reads.setdefault(name, BootFileReads())
        for message in mark_origins(entry.message):
            yield Record(name, boot.mark(message), entry.place)
    yield from source.problems


def _opened(source: Source, chosen: Format | None) -> tuple[Format, Entries]:
    """The format of the file and its entries, read on demand. Raises NotATranscript.

    Rows are each read by the first format that recognises them, unless one is chosen: files may be mixed.
    """
    shape = source.shape()
    if shape == "database":
        found = chosen or next(known for known in FORMATS.values() if known.database)
        if found.database:
            return found, found.database(source.path, source.name, source.progress)
    elif shape == "document":
        value = source.document()
        found = chosen or _of_document(value, source)
        if found.document:
            return found, found.document(value, source.name)
        if found.rows:
            return found, found.rows(iter([(1, value)]), source.name)
    elif shape == "rows" and chosen is None:
        rows = _rows(source)
        sample = list(islice(rows, _SAMPLE))
        found = _of_rows(sample, source)
        return found, _mixed(chain(sample, rows), source.name, found)
    elif shape == "rows" and chosen and chosen.rows:
        return chosen, chosen.rows(_rows(source), source.name)
    else:
        lines = ((number, clean(line)) for number, line in source.lines())
        head = list(islice(lines, _SAMPLE))
        found = chosen or _of_text(head, source)
        if found.lines:
            return found, found.lines(chain(head, lines), source.name)
    raise _unfit(source, f"is not written in the format {found.name}")


def _mixed(rows: Iterator[Row], name: str, usual: Format) -> Entries:
    for known, group in groupby(rows, key=lambda row: _format_of(row[1], usual)):
        if known.rows:
            yield from known.rows(group, name)


def _format_of(value: object, usual: Format) -> Format:
    """The format of a row in a file that may be mixed. Chats recognise too much to be found among other rows."""
    if not isinstance(value, Mapping) or usual.fits_row(value):
        return usual
    particular = (known for known in FORMATS.values() if known.rows and known.name != "chat")
    return next((known for known in particular if known.fits_row(value)), usual)


def _rows(source: Source) -> Iterator[Row]:
    """The lines that are JSON; what is wrong with the others is left with the source's problems."""
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except RecursionError:
            source.problems.append(Problem(source.name, f"line {number}", "JSON nested too deep", "Remove the line"))
        except ValueError as error:
            told = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            remedy = "The line may be cut off: complete it or remove it"
            source.problems.append(Problem(source.name, f"line {number}", f"not valid JSON ({told})", remedy))


def _of_document(value: object, source: Source) -> Format:
    def fits(known: Format) -> bool:
        is_row = isinstance(value, Mapping) and known.rows is not None and known.fits_row(value)
        return is_row or known.fits_document(value)

    return _recognised(fits, source, "is JSON, but no transcript of a known format")


def _of_rows(sample: list[Row], source: Source) -> Format:
    objects = [value for _, value in sample if isinstance(value, Mapping)]

    def fits(known: Format) -> bool:
        return known.rows is not None and any(map(known.fits_row, objects))

    return _recognised(fits, source, "is JSON Lines, but no transcript of a known format")


def _of_text(head: list[Line], source: Source) -> Format:
    texts = [line for _, line in head]
    return _recognised(lambda known: known.fits_head(texts), source, "is no transcript of a known format")


def _recognised(fits: Callable[[Format], bool], source: Source, problem: str) -> Format:
    """The first format that fits, since they stand in the order in which they are to be tried."""
    for known in FORMATS.values():
        if fits(known):
            return known
    raise _unfit(source, problem)


def _unfit(source: Source, problem: str) -> NotATranscript:
    return NotATranscript(source.name, problem, f"Pass --format with one of {', '.join(FORMATS)}, or convert the file")
