"""Which known paths may steer a command: where memory has a folder, and who says so. Asks no file system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from pathlib import PurePosixPath, PureWindowsPath

from cfpm.model import Category, Fact, Source, Status
from cfpm.model.known_folders import BY_SYSTEM, BY_USER, NAMES, TOPIC, Folder, folder_named
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.grammar import Flavour, contains, flavour_of, is_absolute, is_symbolic

_SUBJECT = lazy_pattern(
    rf"\b({'|'.join(NAMES)})\b(?:\s+(?:folder|directory))?\s+(?:is|lives|sits|lies)\b[\s\w]{{0,20}}[:\s\"'`]*$",
    re.IGNORECASE,
)
"""`my Desktop folder is at` right before a path, which then may have any name."""


class Strength(IntEnum):
    """How much stands behind a path; more wins."""

    SEEN = 1
    """A tool of the host listed the folder or wrote into it, or the user kept a text that mentions it."""
    SYSTEM = 2
    """The system was asked where the folder is, and answered."""
    SAID = 3
    """The user said that this is the folder, or wrote or pinned its path."""


@dataclass(frozen=True, slots=True)
class Known:
    """A path that memory has for a folder. `strength` is None when nothing behind it may steer a command."""

    path: str
    fact_id: str
    strength: Strength | None
    windows: bool
    since: datetime | None
    """When it was last validated; the newer of two answers of the same kind is the one that holds."""


def known_paths(folder: Folder, facts: Sequence[Fact]) -> list[Known]:
    """What the active facts say about where a folder is, trusted or not, each path once with its best support."""
    best: dict[object, Known] = {}
    for fact in facts:
        if fact.status is not Status.ACTIVE or fact.category is Category.INVALID_PATH:
            continue
        for path, meant in _paths_for(folder, fact):
            windows = flavour_of(path) is not Flavour.POSIX
            place = as_place(path, windows=windows)
            since = fact.last_validated_at or fact.updated_at
            known = Known(str(place), fact.id, _strength(fact, meant), windows, since)
            if place not in best or (known.strength or 0) > (best[place].strength or 0):
                best[place] = known
    return list(best.values())


def is_marked_invalid(path: str, facts: Sequence[Fact]) -> Fact | None:
    """The active fact by which the path, or a folder above it, is broken."""
    broken = (fact for fact in facts if fact.category is Category.INVALID_PATH and fact.status is Status.ACTIVE)
    return next((fact for fact in broken if contains(fact.content, path)), None)


def as_place(path: str, *, windows: bool) -> PurePosixPath | PureWindowsPath:
    """A path so that two spellings of the same place are equal, by the rules of its system; `..` is left alone."""
    return PureWindowsPath(path) if windows else PurePosixPath(path)


def is_usual_place(path: str, home: str, *, windows: bool) -> bool:
    """True for a folder in this home, or where OneDrive moves it to; without a home, in the home of anybody."""
    place = as_place(path, windows=windows)
    above = place.parent.parent if place.parent.name.lower().startswith("onedrive") else place.parent
    if home:
        return above == as_place(home, windows=windows)
    if windows:
        return len(above.parts) == 3 and above.parts[1].lower() == "users"
    return str(above) == "/root" or (len(above.parts) == 3 and above.parts[1] in ("home", "Users"))


def _paths_for(folder: Folder, fact: Fact) -> Iterator[tuple[str, bool]]:
    """The paths of a fact that may be the folder, and whether it is what the fact is about rather than mentioned."""
    if fact.topic == TOPIC + folder:
        paths = [(fact.content, True)]
    elif fact.category is Category.ARTIFACT:
        paths = [(fact.content, fact.pinned or fact.source is Source.USER)]
    else:
        paths = _told(folder, fact.content)
    for path, meant in paths:
        if not is_absolute(path) or is_symbolic(path):
            continue
        windows = flavour_of(path) is not Flavour.POSIX
        is_named_so = folder_named(as_place(path, windows=windows).name, windows=windows) is folder
        if is_named_so or (meant and fact.category is not Category.ARTIFACT) or fact.topic == TOPIC + folder:
            yield path, meant


def _told(folder: Folder, text: str) -> list[tuple[str, bool]]:
    """The paths in a sentence, and whether it says of them that they are the folder; none in a line of failure."""
    # Finding paths in text takes longer to load than a hook has time, and most facts about folders are paths.
    from cfpm.paths.failures import may_have_failure
    from cfpm.paths.finder import find_paths

    if may_have_failure(text):
        return []
    return [(found.path, _is_subject(folder, text[: found.start])) for found in find_paths(text)]


def _is_subject(folder: Folder, before: str) -> bool:
    found = _SUBJECT.search(before)
    return found is not None and folder_named(found[1], windows=True) is folder


def _strength(fact: Fact, meant: bool) -> Strength | None:
    if fact.pinned or fact.source is Source.USER:
        # "Copy /mnt/usb/Desktop" names a folder of that name, not where the desktop is.
        return Strength.SAID if meant else Strength.SEEN
    # What a turn taught counts only where the extractor saw that the host's own tool or the user said it.
    if fact.source is not Source.AUTO or not fact.topic.startswith(TOPIC):
        return None
    return {BY_USER: Strength.SAID, BY_SYSTEM: Strength.SYSTEM}.get(fact.value, Strength.SEEN)
