"""What `install` put where: kept in the user's own data folder, so that it can be taken out to the last character.

A file that is still as it was left gets its old content back exactly; in one that was changed since, our entries are
looked for by what they are.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.cli.location import default_file
from cfpm.errors import InputError
from cfpm.paths.private_files import make_folder

if TYPE_CHECKING:
    from pathlib import Path


class Entry(NamedTuple):
    """What was done to one file: its content then by its checksum, the insertions, whether it and which folders were
    made for it."""

    checksum: str
    inserts: list[tuple[int, str]]
    made: bool
    folders: list[str]


def checksum(text: str) -> str:
    """Of a file's text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def ledger_file() -> Path:
    """Where it is kept."""
    return default_file().with_name("installed.json")


def load() -> dict[str, Entry]:
    """The entries by the files' absolute paths; none where nothing was installed. Raises InputError."""
    file = ledger_file()
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {path: _entry(entry) for path, entry in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = "Delete it; then `cfpm install --remove HOST` finds our entries by what they are"
        raise InputError(str(file), f"not as `cfpm install` wrote it ({error})", remedy) from error


def save(entries: dict[str, Entry]) -> None:
    """Keeps the entries; an empty ledger is no file."""
    file = ledger_file()
    if not entries:
        file.unlink(missing_ok=True)
        return
    make_folder(file.parent)
    part = file.with_name(f".{file.name}.part")
    text = json.dumps({path: entry._asdict() for path, entry in sorted(entries.items())}, indent=1)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(file)


def _entry(found: dict[str, Any]) -> Entry:
    inserts = [(int(place), str(text)) for place, text in found["inserts"]]
    return Entry(str(found["checksum"]), inserts, bool(found["made"]), [str(one) for one in found["folders"]])
