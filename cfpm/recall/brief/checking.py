"""Whether what a brief would tell is still there in the project's folder.

Asked are names and times alone: no file is read, no link is followed, and nothing outside of the folder is looked at.
What cannot be told, such as a path that leads elsewhere, stays as it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from cfpm.model import Action, Category, Status
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.paths.grammar import MAX_PATH, canonical, has_known_extension, is_absolute
from cfpm.recall.brief.records import base

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from cfpm.model import Fact
    from cfpm.recall.brief.records import FileRecord, Records
    from cfpm.store.store import Store

MOST = 200
"""Paths that are looked at for a brief: some hundred lines, of which each names one or two."""

DEEPEST = 60
"""Folders above a file; deeper ones are not looked for."""

OF_CITATIONS, OF_COMMANDS = 40, 60
"""Of these, how many at most for lines that facts cite, and for files that commands need; files have the rest."""

_CITES = lazy_pattern(r":\d|#L\d|\blines? \d|第\s?\d")
_PATH = r"(?P<path>/?[\w@.+-]+(?:/[\w@.+-]+)*\.[A-Za-z]\w{0,9})"
_WORD = lazy_pattern(r"\"[^\"]*\"|'[^']*'|&&|\|\||[<>]+&?\d?|[;|&()]|[^\s\"';|&()<>]+")
_VARIABLE = lazy_pattern(r"\w+=")
_OPERATORS = frozenset({"&&", "||", ";", "|", "&", "(", ")"})
_ELSEWHERE = frozenset("\0\\")
"""What stands in no path of this machine, but in one of another."""
_UNCLEAR = frozenset("*?[]{}$`!~\\\"'^")
"""What a shell would put something else in place of."""
_REPARSE_POINT = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)
"""What Windows marks its junctions with, which lead elsewhere as links do."""


class _Unknown(Enum):
    """What was not looked at, or leads elsewhere."""

    UNKNOWN = "unknown"


UNKNOWN = _Unknown.UNKNOWN
Seen = os.stat_result | _Unknown | None
"""What is known of a path: its state, nothing, or None where there is no such thing."""


@dataclass(slots=True)
class ProjectFolder:
    """A folder in which paths are looked for; `left` is how many more are."""

    root: str
    names: tuple[str, ...]
    """How paths in it may begin: as the folder was named, and as it is named without links."""
    left: int = MOST
    _seen: dict[str, Seen] = field(default_factory=dict)

    @classmethod
    def at(cls, root: str) -> ProjectFolder | None:
        """The folder, or None where it is none on this machine."""
        if not root or not is_absolute(root):
            return None
        real = os.path.realpath(root)
        try:
            if not stat.S_ISDIR(os.lstat(real).st_mode):
                return None
        except (OSError, ValueError):
            return None
        names = dict.fromkeys(_slashes(name).rstrip("/") for name in (root, os.path.normpath(root), real))
        return cls(real.rstrip("/\\"), tuple(names))

    def inside(self, path: str, folder: str = "") -> str | None:
        """The path from the root, with slashes; `folder` is where a relative one stands. None for one that is not in
        the root, or of which that cannot be told."""
        text = _slashes(path)
        if not text or len(text) > MAX_PATH or not _ELSEWHERE.isdisjoint(text):
            return None
        if text[0] == "/" or text[1:2] == ":":
            below = next((text[len(name) + 1 :] for name in self.names if _is_under(text, name)), None)
        elif folder in ("", "."):
            below = text if text[0] not in "~$%" else None
        else:
            at = self.inside(folder)
            below = f"{at}/{text}" if at is not None else None
        if below is None or ":" in below or below.count("/") > DEEPEST:
            return None
        if not (below.startswith(".") or below.endswith("/") or "/." in below or "//" in below):
            return below
        parts = [part for part in below.split("/") if part not in ("", ".")]
        return "/".join(parts) if ".." not in parts else None

    def look(self, below: str | None) -> Seen:
        """What is known of a path from the root, as `inside` gives it."""
        if not below:
            return UNKNOWN
        if below not in self._seen:
            if self.left <= 0:
                return UNKNOWN
            self.left -= 1
            self._seen[below] = self._look(below)
        return self._seen[below]

    def has_folder_of(self, below: str) -> bool:
        """Whether the folder is there in which a path stands, below the root."""
        folder, slash, _ = below.rpartition("/")
        return bool(slash) and isinstance(self._look(folder), os.stat_result)

    def _look(self, below: str) -> Seen:
        """The folder above first, so that no link is followed on the way; each folder once."""
        folder, slash, _ = below.rpartition("/")
        if slash:
            if folder not in self._seen:
                self._seen[folder] = self._look(folder)
            above = self._seen[folder]
            if not isinstance(above, os.stat_result):
                return above
            if not stat.S_ISDIR(above.st_mode):
                return None
        return _state(f"{self.root}/{below}")


def _state(path: str) -> Seen:
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return UNKNOWN
    leads_elsewhere = stat.S_ISLNK(found.st_mode) or getattr(found, "st_file_attributes", 0) & _REPARSE_POINT
    return UNKNOWN if leads_elsewhere else found


@dataclass(frozen=True, slots=True)
class Checked:
    """What the folder says: remarks on facts by their ids, and the ids of artifacts that are not there any more."""

    remarks: dict[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


def check(store: Store, namespace: str, root: str, records: Records, facts: Iterable[Fact]) -> Checked:
    """Marks files that are gone in the records, takes commands out that need one, and looks at lines that facts cite.

    `namespace` is that of the artifacts that are looked for. Where the root is no folder of this machine, nothing is
    checked.
    """
    folder = ProjectFolder.at(root)
    if folder is None:
        return Checked()
    by_name: dict[str, list[FileRecord]] = defaultdict(list)
    for record in records.files.values():
        by_name[base(record.path)].append(record)
    remarks = _remarks(folder, facts, by_name)
    _check_commands(folder, records, by_name)
    lost = _check_files(folder, records)
    return Checked(remarks, tuple(_artifacts(store, namespace, folder, lost)))


def let_go(store: Store, namespace: str, names: Sequence[str], at: datetime | None) -> None:
    """Lets the artifacts with these ids go stale, since their paths are not there; their history says so."""
    from cfpm.pruner.candidates import fact_keys
    from cfpm.pruner.retention import to_stale

    with store.writing():
        found = store.facts.by_id(namespace, names).values()
        changes = [
            to_stale(fact, Action.STALE, "brief: it is not in the project's folder", at)
            for fact in found
            if _may_go(fact)
        ]
        store.fact_writer.apply(namespace, changes, block_keys=fact_keys)


def _may_go(fact: Fact) -> bool:
    return fact.status is Status.ACTIVE and not fact.pinned


def _check_files(folder: ProjectFolder, records: Records) -> list[str]:
    """Marks the files that are gone, the most used first; returns them as paths from the root."""
    lost = []
    for record in sorted(records.files.values(), key=lambda one: (-one.weight, one.path)):
        if folder.left <= 0:
            break
        if not record.gone and (below := folder.inside(record.path)) and folder.look(below) is None:
            record.gone = True
            lost.append(below)
    return lost


def _artifacts(store: Store, namespace: str, folder: ProjectFolder, lost: Iterable[str]) -> Iterator[str]:
    """The ids of artifacts whose path is gone: of the files that are, and of others while paths are left to look at.

    One that is known by a relative path alone may stand elsewhere, unless the folder that it names is there.
    """
    keys = dict.fromkeys(canonical(f"{name}/{below}") for below in lost for name in folder.names)
    keys |= dict.fromkeys(canonical(below) for below in lost if folder.has_folder_of(below))
    found = {fact.id: fact for fact in store.facts.by_keys(namespace, [(Category.ARTIFACT, key) for key in keys])}
    yield from (name for name, fact in found.items() if _may_go(fact))
    if folder.left <= 0:
        return
    for fact in store.facts.find(namespace, category=Category.ARTIFACT, status=Status.ACTIVE, limit=folder.left):
        below = folder.inside(fact.content) if fact.id not in found and _may_go(fact) else None
        if below and folder.look(below) is None and (is_absolute(fact.content) or folder.has_folder_of(below)):
            yield fact.id


def _check_commands(folder: ProjectFolder, records: Records, by_name: dict[str, list[FileRecord]]) -> None:
    """Takes out the commands, and the failures of commands, that need a file which is gone."""
    least = max(folder.left - OF_COMMANDS, 0)

    def needs_lost(command: str, where: str) -> bool:
        return folder.left > least and any(_is_lost(folder, needed, where, by_name) for needed in needed_files(command))

    for beginning, one in sorted(records.commands.items(), key=lambda pair: (-pair[1].weight, pair[0])):
        for way in sorted(one.ways, key=lambda way: (-one.ways[way], way)):
            if needs_lost(way, one.folder):
                del one.ways[way]
        if not one.ways:
            del records.commands[beginning]
    records.failures[:] = [
        one
        for one in records.failures
        if not needs_lost(one.command, "") and not (one.remedy and needs_lost(one.remedy, ""))
    ]


def _is_lost(folder: ProjectFolder, path: str, where: str, by_name: dict[str, list[FileRecord]]) -> bool:
    if folder.look(folder.inside(path, where)) is not None:
        return False
    # Of a command whose folder is not known, the file may stand in any.
    known = where not in ("", ".")
    alike = [] if known else [one.path for one in by_name.get(base(path), ()) if one.path.endswith(f"/{path}")]
    return not any(isinstance(folder.look(folder.inside(other)), os.stat_result) for other in alike)


def needed_files(command: str) -> list[str]:
    """The files without which a command cannot run as it did, as far as its words tell: scripts, and arguments with the
    ending of a file. What follows a change of folder is not read."""
    if "/" not in command and "." not in command:
        return []
    needed: list[str] = []
    for words in _programs(command):
        program = base(words[0]) or words[0]
        if program in _table()["moves"]:
            break
        if "/" in words[0] and _is_plain(words[0]):
            needed.append(words[0])
        if program not in _table()["unchecked"]:
            needed += _arguments(words[1:])
    return needed


def _programs(command: str) -> Iterator[list[str]]:
    """Each program of a command with its words, without variables before it and files that it is redirected to."""
    words: list[str] = []
    redirected = False
    for found in _WORD.finditer(command):
        word = found[0]
        if word in _OPERATORS:
            if words:
                yield words
            words = []
        elif word[0] in "<>":
            redirected = "&" not in word
        elif redirected:
            redirected = False
        elif words or not _VARIABLE.match(word):
            words.append(_unquoted(word))
    if words:
        yield words


def _arguments(words: Sequence[str]) -> Iterator[str]:
    """The files among the arguments of a program, but for values of options that name none or what it makes."""
    is_value = False
    for word in words:
        if word.startswith("-"):
            is_value = word in _table()["valued"]
            continue
        path = word.partition("::")[0]
        if not is_value and _is_plain(path) and has_known_extension(base(path)):
            yield path
        is_value = False


def _unquoted(word: str) -> str:
    return word[1:-1] if word[0] in "\"'" and word[-1] == word[0] and len(word) > 1 else word


def _is_plain(word: str) -> bool:
    """Whether a word is a path as it stands: no pattern, no variable, no address."""
    return bool(word) and _UNCLEAR.isdisjoint(word) and " " not in word and "://" not in word and "=" not in word


def _remarks(folder: ProjectFolder, facts: Iterable[Fact], by_name: dict[str, list[FileRecord]]) -> dict[str, str]:
    """By the ids of facts that cite lines of a file, that it was changed since, or is gone."""
    least = max(folder.left - OF_CITATIONS, 0)
    remarks: dict[str, str] = {}
    for fact in facts:
        if folder.left <= least:
            break
        since = fact.updated_at or fact.created_at
        for path in cited_files(fact.content):
            found = folder.look(_located(folder, path, by_name))
            if found is None:
                remarks[fact.id] = f"check: {base(path)} is gone"
            elif isinstance(found, os.stat_result) and since is not None and found.st_mtime > since.timestamp():
                remarks[fact.id] = f"check: {base(path)} changed since"
            else:
                continue
            break
    return remarks


def cited_files(text: str) -> list[str]:
    """The files of which a text cites lines: `src/cart.py:12`, `line 12 of cart.py`."""
    if not _CITES.search(text):
        return []
    found = (match["path"] for sign, pattern in _citations() if sign in text for match in pattern.finditer(text))
    return list(dict.fromkeys(path for path in found if has_known_extension(base(path))))


def _located(folder: ProjectFolder, path: str, by_name: dict[str, list[FileRecord]]) -> str | None:
    """A cited path from the root: as it is, or as the one file that was used and ends so."""
    if is_absolute(path):
        return folder.inside(path)
    places = [one.path for one in by_name.get(base(path), ()) if one.path == path or one.path.endswith(f"/{path}")]
    if path in places or (not places and "/" in path):
        return folder.inside(path)
    if not places:
        # A bare name that nobody used may stand in any folder: it is looked for where it would be nearest.
        below = folder.inside(path)
        return below if isinstance(folder.look(below), os.stat_result) else None
    return folder.inside(places[0]) if len(places) == 1 else None


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" else path


def _is_under(path: str, folder: str) -> bool:
    if os.sep == "\\":
        path, folder = path.lower(), folder.lower()
    return path.startswith(f"{folder}/")


@cache
def _table() -> dict[str, Any]:
    table = toml_table("cfpm.recall.brief", "checking")
    return {name: frozenset(values) if name != "citations" else values for name, values in table.items()}


@cache
def _citations() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = _table()["citations"]
    return tuple((row["sign"], compiled(row["pattern"].replace("{path}", _PATH))) for row in rows)
