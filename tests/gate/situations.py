"""Short ways to write down what memory knows and what a machine has; no rule is tested here."""

from __future__ import annotations

from dataclasses import replace

from cfpm.gate.host import Host
from cfpm.model import Category, Fact, Role, Source
from cfpm.model.known_folders import BY_SYSTEM, Folder
from cfpm.paths.grammar import canonical

HOME = "/home/ida"
WINDOWS_HOME = "C:\\Users\\ida"


def machine(*folders: str, home: str = HOME, located: dict[Folder, str] | None = None, **variables: str) -> Host:
    """A POSIX machine with these folders, none of them a link."""
    there = set(folders)
    environment = {"HOME": home, **variables} if home else variables
    found = located or {}
    return Host(False, home, there.__contains__, str, environment, found.get, there.__contains__)


def windows(*folders: str, home: str = WINDOWS_HOME, **variables: str) -> Host:
    """A Windows machine with these folders, none of them a link."""
    there = {folder.lower() for folder in folders}
    environment = {"UserProfile": home, "HOMEDRIVE": home[:2], "HOMEPATH": home[2:], **variables}
    return Host(True, home, lambda path: path.replace("/", "\\").lower() in there, str, environment)


def seen(path: str, folder: Folder = Folder.DESKTOP, **changes: object) -> Fact:
    """A folder that a tool listed or wrote into."""
    fact = Fact(
        f"fact_{path}",
        "default",
        Category.ARTIFACT,
        canonical(path),
        path,
        topic=f"folder:{folder}",
        role=Role.TOOL,
        validation_command=f"ls {path}",
    )
    return replace(fact, **changes)  # type: ignore[arg-type]


def answered(path: str, folder: Folder = Folder.DESKTOP, **changes: object) -> Fact:
    """A folder that the system named when it was asked."""
    return seen(path, folder, **{"value": BY_SYSTEM, "validation_command": "xdg-user-dir DESKTOP", **changes})


def told(text: str, category: Category = Category.NOTE, **changes: object) -> Fact:
    """What the user wrote into the memory."""
    fact = Fact(f"fact_{text}", "default", category, canonical(text), text, source=Source.USER, confidence=1.0)
    return replace(fact, **changes)  # type: ignore[arg-type]


def broken(path: str, **changes: object) -> Fact:
    """A path that was reported as missing."""
    fact = Fact(f"broken_{path}", "default", Category.INVALID_PATH, canonical(path), path, role=Role.TOOL)
    return replace(fact, **changes)  # type: ignore[arg-type]
