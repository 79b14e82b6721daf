"""What a project's deeds come to: a record of each file, of each command, and of each session.

Read from the newest deeds of the store whenever a brief is made, so that nothing is kept twice: what is erased or
forgotten is gone from here, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.extractor.tools import steps_of
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.grammar import is_absolute
from cfpm.recall.brief.telling import begins, holds, is_known

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfpm.store.deeds import DeedRow

BEGINNING = 3
"""Words of a command by which those that are the same in the end are put together."""

HALF_LIFE = 4
"""Sessions after which what was done counts half as much. Of the names of earlier sessions that the next ones of a
project used, a brief of 800 tokens held 46 in 100, 43 with 8 and 44 with 2 sessions."""

READ = 0.4
"""What it counts that a file was read, beside an edit."""

OF_THE_PROJECT = 0.8
"""Share of the uses of files that lie under a folder, from which it is the project's."""

A_COPY = 0.2
"""Share of the votes for the likeliest root that another folder needs, to be a copy of the project."""

_NAMED = 3
"""Files of a fact to which its identifiers are put down."""

_WORDS = lazy_pattern(r"[A-Za-z_][\w./-]*\w")
_IDENTIFIER = lazy_pattern(r"\w*(?:[a-zA-Z0-9]_+[a-zA-Z0-9]|[a-z0-9][A-Z])\w*")
"""Several words in one."""

_LEAST = 5
"""Characters of an identifier; shorter ones are no names to look for."""

CHECKS = frozenset(
    {
        "run the tests",
        "run the linter, check the style",
        "check the types, type checker",
        "run all checks",
        "build, compile",
    }
)
"""Purposes of `extractor/calls.toml` whose commands also fail where they do what they are for."""

_TRIES = 12
"""Deeds behind a failure among which what worked instead is looked for."""

_SHORTENS = r"\|\s*(?:tail|head|grep|wc|less|cat|tee)\b"

_OUTPUT = lazy_pattern(rf"\s*(?:2>&1|{_SHORTENS}[^|&;]*|[12]?>\s*/dev/null)\s*(?=$|[|&;])")
"""What only shortens what is printed."""

_SET = lazy_pattern(r"^(?:[A-Za-z_]\w*=\S*\s+)+")
"""Variables that are set for one command."""
_CUT = lazy_pattern(rf"\s*{_SHORTENS}(?:(?!&&|;|\|\|).)*$")
_REDIRECTED = lazy_pattern(r"\s*(?:2>&1|[12]?>\s*/dev/null)(?=\s*(?:$|[|&;]))")
_QUOTED = lazy_pattern(r"(?:\"[^\"]{20,}\"|'[^']{20,}')")

_PURPOSE = lazy_pattern(
    r"^(?:[Tt]he )?`?[\w./-]+\.\w{1,5}`?(?:\s[—–-]\s|:\s| is (?=an? |the )| (?=contains |holds |defines |handles ))"
    r"([^.;:()`]{12,70}?)(?=[.;:(]|$)"
)
"""A file at the beginning of a statement, and what is said of it."""

_FOLDER = lazy_pattern(r"^cd\s+(\S+|\"[^\"]*\"|'[^']*')\s*(?:&&|;)\s*")


_WITHOUT_ENDING = frozenset({"Makefile", "Dockerfile", "Justfile", "Procfile", "Gemfile", "Rakefile", "LICENSE"})


_Session = tuple[str, str]
"""Namespace and name: each namespace may have a session of the same name."""


@dataclass(slots=True)
class FileRecord:
    """A file of the project; `path` is as it was named, `weight` how much it is used, recent sessions counting most."""

    path: str
    weight: float = 0.0
    edits: int = 0
    reads: int = 0
    turn: int = 0
    """`memory_turns.seq` of the message that touched it last; an edit, if there was one."""
    at: str | None = None
    gone: bool = False
    purpose: str = ""
    """What it is for, in the words of the newest statement that says so."""
    names: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Weight of each identifier that edits of it defined or changed, or that was told of together with it."""
    sessions: Counter[_Session] = field(default_factory=Counter)


@dataclass(slots=True)
class CommandRecord:
    """Commands with the same first words; `weight` as for a file."""

    purpose: str
    folder: str
    ways: dict[str, Counter[int | None]] = field(default_factory=lambda: defaultdict(Counter))
    """How each ended how often, as it was written: 1 well, 0 failed, None unknown."""
    weight: float = 0.0
    turn: int = 0
    at: str | None = None

    @property
    def command(self) -> str:
        """The way that worked most, of these the one that failed least, then the shortest."""
        return min(self.ways, key=lambda way: (-self.ways[way][1], self.ways[way][0], len(way), way))

    @property
    def worked(self) -> int:
        """How often they ended well."""
        return sum(ends[1] for ends in self.ways.values())

    @property
    def failed(self) -> int:
        """How often the ways failed that worked at other times."""
        return sum(ends[0] for ends in self.ways.values() if ends[1])


@dataclass(slots=True)
class Failure:
    """A command that failed, and what worked instead in the same session, if anything did."""

    command: str
    purpose: str
    turn: int
    at: str | None
    count: int = 1
    weight: float = 0.0
    remedy: str = ""
    result: int | None = None
    """`memory_turns.seq` of the newest message that says how it failed."""


@dataclass(slots=True)
class SessionRecord:
    """What was done in a session."""

    name: str
    namespace: str
    turn: int
    at: str | None
    edits: list[tuple[int, str]] = field(default_factory=list)
    """`memory_turns.seq` and the path of each edit, the newest first."""
    taken: set[str] = field(default_factory=set)
    """Paths that were moved or removed."""
    ran: Counter[str] = field(default_factory=Counter)
    tests: list[tuple[int, bool]] = field(default_factory=list)
    """`memory_turns.seq` of each run of tests that ended, and whether it ended well."""

    @property
    def edited(self) -> Counter[str]:
        """How often each path was edited."""
        return Counter(path for _, path in self.edits)

    def between(self, first: int, last: int) -> SessionRecord:
        """What was edited and tested in these messages of it."""
        edits = [(seq, path) for seq, path in self.edits if first <= seq <= last]
        tests = [(seq, ended) for seq, ended in self.tests if first <= seq <= last]
        return replace(self, turn=last, edits=edits, tests=tests)


@dataclass(frozen=True, slots=True)
class Records:
    """All records, those of sessions the newest first."""

    roots: tuple[str, ...]
    """The folders from which paths are told: the project's, and those of other copies of it."""
    files: dict[str, FileRecord]
    commands: dict[str, CommandRecord]
    failures: list[Failure]
    sessions: list[SessionRecord]
    _paths: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """How paths are told that were asked for, and whether they are files of the project: it has some hundred, and each
    is touched again and again."""

    @classmethod
    def of(cls, deeds: Sequence[DeedRow], root: str = "") -> Records:
        """From the deeds, the newest first; paths are told from `root`, or from the folders that they show."""
        age: dict[_Session, int] = {}
        for deed in deeds:
            age.setdefault(_session_of(deed), len(age))
        weights = {whose: 0.5 ** (place / HALF_LIFE) for whose, place in age.items()}
        records = cls((root.rstrip("/\\"),) if root else roots_of(deeds), {}, {}, [], [])
        sessions: dict[_Session, SessionRecord] = {}
        for deed in deeds:
            whose = _session_of(deed)
            if whose not in sessions:
                sessions[whose] = SessionRecord(deed.session, deed.namespace, deed.turn, deed.at)
            records._add(deed, weights[whose], sessions[whose])
        records._join_copies()
        records.sessions.extend(sessions.values())
        records.failures.extend(_failures(deeds, weights))
        return records

    def _add(self, deed: DeedRow, weight: float, session: SessionRecord) -> None:
        if deed.verb == "ran":
            self._ran(deed, weight, session)
            return
        path, ours = self._placed(deed.what)
        if not ours or deed.outcome == 0:
            return
        if deed.verb in ("removed", "moved"):
            session.taken.add(path)
        known = self.files.get(path)
        if known is None:
            known = self.files[path] = FileRecord(path, gone=deed.verb in ("removed", "moved"))
        changed = deed.verb in ("edited", "wrote")
        whose = _session_of(deed)
        known.sessions[whose] += 1
        # The more often in one session, the less each time adds.
        known.weight += weight * (1.0 if changed else READ) / known.sessions[whose]
        known.reads += not changed
        if changed:
            session.edits.append((deed.turn, path))
            for name in deed.names.split():
                known.names[name] += weight
        if not known.turn or (changed and not known.edits):
            known.turn, known.at = deed.turn, deed.at
        known.edits += changed
        if deed.destination:
            self.files.setdefault(self.told(deed.destination), FileRecord(self.told(deed.destination))).weight += weight

    def _join_copies(self) -> None:
        """A file that was named from the folder above the root, `shop/cart.py`, is the same as `cart.py`."""
        for folder in {base(root) for root in self.roots}:
            for path in [
                one for one in self.files if one.startswith(f"{folder}/") and one[len(folder) + 1 :] in self.files
            ]:
                one, copy = self.files[path[len(folder) + 1 :]], self.files.pop(path)
                one.weight += copy.weight
                one.edits += copy.edits
                one.reads += copy.reads
                if (bool(copy.edits), copy.turn) > (bool(one.edits), one.turn) or not one.turn:
                    one.turn, one.at = copy.turn, copy.at
                for name, weight in copy.names.items():
                    one.names[name] += weight

    def _ran(self, deed: DeedRow, weight: float, session: SessionRecord) -> None:
        command, folder = plain_command(deed.what)
        if deed.purpose == "run the tests" and deed.outcome is not None:
            session.tests.append((deed.turn, bool(deed.outcome)))
        if not command:
            return
        beginning = beginning_of(command)
        known = self.commands.get(beginning)
        if known is None:
            known = self.commands[beginning] = CommandRecord(deed.purpose, self.told(deed.folder or folder))
        known.ways[as_written(deed.what)][deed.outcome] += 1
        session.ran[beginning] += 1
        known.weight += weight / session.ran[beginning]
        if not known.turn:
            known.turn, known.at = deed.turn, deed.at

    def tell(self, statements: Iterable[str]) -> None:
        """Adds to the files the identifiers that statements tell of together with them, and what they are for."""
        by_base: dict[str, list[FileRecord]] = defaultdict(list)
        for record in self.files.values():
            by_base[base(record.path)].append(record)
        for text in statements:
            words = _WORDS.findall(text)
            named = [meant for word in dict.fromkeys(words) if "." in word and (meant := _meant(word, by_base))]
            if not named:
                continue
            names = [word for word in dict.fromkeys(words) if is_identifier(word)]
            for record in named[:_NAMED]:
                for name in names:
                    record.names[name] += 1 / len(named)
            if (purpose := purpose_in(text)) and not named[0].purpose:
                named[0].purpose = purpose

    def told(self, path: str) -> str:
        """A path from the root, if it lies under one."""
        return self._placed(path)[0]

    def _placed(self, path: str) -> tuple[str, bool]:
        if (found := self._paths.get(path)) is None:
            told = self._from_root(path)
            found = self._paths[path] = told, is_file(told) and not (self.roots and is_absolute(told))
        return found

    def _from_root(self, path: str) -> str:
        for root in self.roots:
            if path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/", "\\"):
                return path[len(root) + 1 :] or "."
        return path.removeprefix("./") or "."


def _meant(path: str, by_base: Mapping[str, Sequence[FileRecord]]) -> FileRecord | None:
    """The one file that a statement names; None where several of the name are meant as well."""
    found = [one for one in by_base.get(base(path), ()) if f"/{one.path}".endswith(f"/{path.removeprefix('./')}")]
    return found[0] if len(found) == 1 else None


def is_identifier(word: str) -> bool:
    """Whether it is several words in one: `run_tests`, `createCommand`."""
    return len(word) >= _LEAST and _IDENTIFIER.fullmatch(word) is not None


def is_file(path: str) -> bool:
    """Whether a path looks like that of a file: its last part has an ending, or is a name that files have without."""
    name = base(path)
    return ("." in name.strip(".") and not path.endswith(("/", "\\"))) or name in _WITHOUT_ENDING


@lru_cache(4_096)
def purpose_in(statement: str) -> str:
    """What a statement that begins with a file says that it is for: a noun phrase of a few words, else nothing."""
    found = _PURPOSE.match(statement)
    if not found or not holds(found[1], "file_kinds") or begins(found[1], "done", "progress"):
        return ""
    return found[1] if is_known(found[1], by_agent=True) else ""


def base(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("\\/").rpartition("/")[2].rpartition("\\")[2]


def beginning_of(command: str) -> str:
    """The first words of a command without what is not its own."""
    return " ".join(command.split()[:BEGINNING])


@lru_cache(4_096)
def as_written(command: str) -> str:
    """A command without a change of folder before it, without what only cuts or joins its output, and with long
    quotations left out: messages of commits, texts that are searched for."""
    command = _FOLDER.sub("", command, count=1)
    while (shorter := _REDIRECTED.sub("", _CUT.sub("", command))) != command:
        command = shorter
    return _QUOTED.sub('"…"', command.strip())


@lru_cache(4_096)
def plain_command(command: str) -> tuple[str, str]:
    """A command without what only shortens its output and without a change of folder before it, and that folder."""
    folder = ""
    if found := _FOLDER.match(command):
        folder, command = found[1].strip("\"'"), command[found.end() :]
    while (shorter := _OUTPUT.sub("", command)) != command:
        command = shorter
    return command.strip(), folder


def roots_of(deeds: Iterable[DeedRow]) -> tuple[str, ...]:
    """The folders of the project, the longest first: those that stand before relative paths where the same files are
    named from the top; without such, the deepest under which most of the files lie that were touched."""
    uses = Counter(deed.what.replace("\\", "/") for deed in deeds if deed.verb != "ran")
    relative = {path.removeprefix("./") for path in uses if not is_absolute(path)}
    votes: Counter[str] = Counter()
    folders: Counter[str] = Counter()
    for path, count in uses.items():
        if not is_absolute(path):
            continue
        folder, _, rest = path.rpartition("/")
        while folder:
            folders[folder] += count
            if "/" in rest and rest in relative:
                votes[folder] += count
            folder, _, last = folder.rpartition("/")
            rest = f"{last}/{rest}"
    if votes:
        least = max(2.0, A_COPY * max(votes.values()))
        return tuple(sorted((one for one, count in votes.items() if count >= least), key=lambda one: (-len(one), one)))
    total = sum(count for path, count in uses.items() if is_absolute(path))
    fitting = [folder for folder, count in folders.items() if count >= OF_THE_PROJECT * total]
    return tuple(sorted(fitting, key=lambda folder: (-folder.count("/"), folder))[:1])


def _session_of(deed: DeedRow) -> _Session:
    return deed.namespace, deed.session


def _failures(deeds: Sequence[DeedRow], weights: dict[_Session, float]) -> list[Failure]:
    """Commands that failed, by what they are; with a remedy where one of the deeds behind was alike and went well."""
    by_session: dict[_Session, list[DeedRow]] = defaultdict(list)
    for deed in reversed(deeds):
        if deed.verb == "ran":
            by_session[_session_of(deed)].append(deed)
    found: dict[str, Failure] = {}
    for session, ran in by_session.items():
        for place, deed in enumerate(ran):
            if deed.outcome != 0:
                continue
            command, _ = plain_command(deed.what)
            known = found.setdefault(command, Failure(command, deed.purpose, deed.turn, deed.at, count=0))
            known.count += 1
            known.weight += weights[session]
            known.turn, known.at, known.result = deed.turn, deed.at, deed.result
            for later in ran[place + 1 : place + 1 + _TRIES]:
                if later.outcome == 1 and _alike(deed, later):
                    known.remedy = plain_command(later.what)[0]
                    break
    return list(found.values())


def _alike(one: DeedRow, other: DeedRow) -> bool:
    """Whether the second did what the first was for, in another way."""
    first, second = (plain_command(deed.what)[0].split() for deed in (one, other))
    if first == second:
        return False
    if one.purpose in CHECKS:
        # They fail where something is wrong with the code: only another program is another way, and the same one behind
        # something else only shows that the code was mended.
        programs = {_SET.sub("", step.strip()).partition(" ")[0] for step in steps_of(" ".join(second))}
        return one.purpose == other.purpose and _SET.sub("", " ".join(first)).partition(" ")[0] not in programs
    # Behind an option and its value stands what the program is to do.
    told = 4 if first[1:2] and first[1].startswith("-") else 2
    return (one.purpose == other.purpose) if one.purpose else first[:told] == second[:told]
