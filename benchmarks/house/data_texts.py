"""The texts of the data package, each with the document to which it belongs: one conversation, session or record."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = (".json", ".jsonl", ".traj", ".md", ".txt", ".csv")
NOT_TEXTS = ("LICENSE", "PROVENANCE", "README", "NOTICE")
ONE_FOLDER_ONE_DOCUMENT = "chat.json"
"""A folder with this file holds one conversation in several forms."""
IDENTITIES = ("question_id", "question_ID", "task_id", "session")
"""Keys whose value names a record that several files of a set repeat."""


class Text(NamedTuple):
    """A text of the data; `place` is the file that holds it, `document` the same for all copies and forms of it."""

    document: str
    place: str
    text: str


def data_texts(data: Path) -> Iterator[Text]:
    """All texts below a folder. A file that cannot be read as what its name says is read as plain text."""
    for path in sorted(data.rglob("*")):
        if path.suffix not in READ or path.name.startswith(NOT_TEXTS) or not path.is_file():
            continue
        place = path.relative_to(data).as_posix()
        kind = place.split("/", 1)[0]
        text = path.read_text(encoding="utf-8", errors="replace")
        if (folder := _conversation(path.parent, data)) is not None:
            document = folder.relative_to(data).as_posix()
            yield from (Text(document, place, found) for _, found in _records(path.suffix, text))
        else:
            # Without the folders between: the same record may stand in several of them, in another form each.
            one = path.suffix == ".jsonl" and kind == "transcripts"
            yield from (
                Text(f"{kind}/{_document(path.stem, key, one=one)}", place, found)
                for key, found in _records(path.suffix, text)
            )


def _conversation(folder: Path, data: Path) -> Path | None:
    """The folder of the one conversation that a file belongs to, if any."""
    above = [folder, *folder.parents]
    return next((at for at in above[: above.index(data)] if (at / ONE_FOLDER_ONE_DOCUMENT).is_file()), None)


def _document(stem: str, key: str, *, one: bool) -> str:
    """The record: by what it calls itself, else by the file and the number in it, or the file where that is `one`."""
    return key.removeprefix("id ") if key.startswith("id ") else stem if one or not key else f"{stem} {key}"


def _records(suffix: str, text: str) -> Iterator[tuple[str, str]]:
    """The strings of a file, each with a key of the record in which it stands: an index, or the id that it names."""
    try:
        if suffix in (".json", ".traj"):
            document = json.loads(text)
        elif suffix == ".jsonl":
            document = [json.loads(line) for line in text.splitlines() if line.strip()]
        elif suffix == ".csv":
            document = list(csv.reader(text.splitlines()))
        else:
            yield "", text
            return
    except (ValueError, csv.Error):
        yield "", text
        return
    yield from _record_texts(document)


def _record_texts(document: Any) -> Iterator[tuple[str, str]]:
    if isinstance(document, list):
        for number, record in enumerate(document):
            key = _identity(record) or f"#{number}"
            yield from ((key, found) for found in strings(record))
    elif isinstance(document, dict):
        # A record may stand in a list below the top, beside figures about all of them.
        for value in document.values():
            if isinstance(value, list) and value and _identity(value[0]):
                yield from _record_texts(value)
            else:
                yield from (("", found) for found in strings(value))


def _identity(record: Any) -> str:
    if not isinstance(record, dict):
        return ""
    return next((f"id {record[key]}" for key in IDENTITIES if key in record), "")


def strings(value: Any) -> Iterator[str]:
    """The strings within a JSON value, in order; not the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
