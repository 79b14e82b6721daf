"""The sessions that the agents of this machine keep: where each has them (hosts.toml), and which files there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_VARIABLE = lazy_pattern(r"\$\{(?P<name>\w+):-(?P<default>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class HostFiles:
    """The files of one host below one folder, sorted."""

    host: str
    root: Path
    files: tuple[Path, ...]


def sessions_of_machine(environment: Mapping[str, str], home: Path, here: Path | None = None) -> list[HostFiles]:
    """What each host has, in the order of the table; hosts without a file are left out.

    `here` is the folder whose own histories are looked for too, where somebody asked for them. A folder that cannot
    be listed counts as empty.
    """
    seen: set[Path] = set()
    found: list[HostFiles] = []
    for entry in toml_table("cfpm.transcript", "hosts")["host"]:
        for root in _roots(entry, environment, home, here):
            files = tuple(path for path in _files(root, entry["files"]) if path not in seen)
            seen.update(files)
            if files:
                found.append(HostFiles(entry["name"], root, files))
    return found


def _roots(entry: Mapping[str, Any], environment: Mapping[str, str], home: Path, here: Path | None) -> Iterator[Path]:
    if entry.get("here"):
        yield from () if here is None else (here,)
        return
    for written in entry["roots"]:
        filled = _VARIABLE.sub(lambda found: environment.get(found["name"]) or found["default"], written)
        yield home / filled.removeprefix("~").lstrip("/") if filled.startswith("~") else Path(filled)


def _files(root: Path, patterns: list[str]) -> Iterator[Path]:
    for pattern in patterns:
        try:
            yield from sorted(path for path in root.glob(pattern) if path.is_file())
        except OSError:
            continue
