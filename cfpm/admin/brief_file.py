"""The brief in a Markdown file that people read and edit, between two marks. What they change there is their word, and
is learnt before the block is written anew; nothing outside of the marks is touched."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.admin.brief_block import ReadLine, Written, block_of, find_block, read_lines, written_id
from cfpm.admin.curation import Curator, dictated
from cfpm.auditor.lines import ECHOES
from cfpm.errors import InputError
from cfpm.model import Category, Status
from cfpm.model.ids import line_hash
from cfpm.recall.block import dated, safe
from cfpm.recall.brief.lines import LONGEST, WARNING
from cfpm.recall.brief.packing import Section
from cfpm.recall.items import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfpm.admin.brief_block import Place
    from cfpm.model import Fact
    from cfpm.recall.brief import Brief
    from cfpm.recall.tokens import Count

LARGEST = 4 * 1024 * 1024
"""Bytes of a file that is read: what agents load at the start of a session has some thousand."""

CAUSE = "brief file"
"""What did it, in the history of a fact that a line of the file changed."""

_TRIES, _CLOSE = 6, 20
"""Briefs that are made to fill a block, and the tokens that may be left: about a line."""

_LONGEST_CHAIN = 100
"""Replacements that are followed from an old fact to the one that stands."""

_REMEDY = "Name a file of Markdown, such as AGENTS.md"


@dataclass(frozen=True, slots=True)
class LearntLine:
    """What a person wrote into the block: the number of the line, and the fact that it is now. `replaced` is the id of
    the fact whose place it took; `shown` whether the new block has room for it."""

    line: int
    fact: Fact
    replaced: str = ""
    shown: bool = True


@dataclass(frozen=True, slots=True)
class WrittenBrief:
    """A brief in a file: whether that changed the file, what was learnt from it before, and which facts were forgotten
    because their lines had been deleted. `tokens` are those of the whole block, marks and ids included."""

    path: Path
    changed: bool
    brief: Brief
    block: Written
    tokens: int
    learnt: tuple[LearntLine, ...]
    forgotten: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """A file as it was read: its bytes, and its mode, both None for one that is not there yet."""

    path: Path
    raw: bytes | None
    mode: int | None

    @classmethod
    def read(cls, path: Path) -> MarkdownFile:
        """Raises InputError for what is no file of its own, is too large, or cannot be read or replaced."""
        folder = path.parent
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            found = None
        except (OSError, ValueError) as error:
            raise InputError(str(path), f"it cannot be read ({_reason(error)})", _REMEDY) from error
        if found is None:
            if not folder.is_dir():
                raise InputError(str(path), f"there is no folder {folder}", "Make it first")
            if not os.access(folder, os.W_OK):
                raise InputError(str(path), "its folder cannot be written to", "Change its permissions")
            return cls(path, None, None)
        if problem := _unfit(found):
            raise InputError(str(path), problem, _REMEDY)
        if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
            raise InputError(str(path), "it cannot be written to", "Change its permissions, or those of its folder")
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise InputError(str(path), f"it cannot be read ({_reason(error)})", _REMEDY) from error
        return cls(path, raw, stat.S_IMODE(found.st_mode))

    @property
    def text(self) -> str:
        """The text with its byte order mark and its ends of lines. Raises InputError if it is no UTF-8."""
        try:
            return (self.raw or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            remedy = "Save it as UTF-8, or name another file"
            raise InputError(str(self.path), f"not UTF-8 (byte {error.start})", remedy) from error

    def with_block(self, place: Place | None, block: str) -> str:
        """The text with the block in its place, or at its end; everything else as it was."""
        text = self.text
        if place is not None:
            return text[: place.start] + block + text[place.end :]
        if not text.strip("\ufeff"):
            return f"{text}{block}\n"
        newline = newline_of(text)
        ended = text.endswith("\n")
        return f"{text}{newline if ended else newline * 2}{block}{newline if ended else ''}"

    def write(self, text: str) -> bool:
        """Puts the text in the place of the file, whole or not at all, with its mode; True if that changed it.

        Raises InputError when the file was changed since it was read; OSError.
        """
        raw = text.encode("utf-8")
        if raw == self.raw:
            return False
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            with part.open("xb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            if self.mode is not None:
                part.chmod(self.mode)
            if MarkdownFile.read(self.path).raw != self.raw:
                raise InputError(str(self.path), "it was changed while the brief was made", "Run the command again")
            part.replace(self.path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return True


def newline_of(text: str) -> str:
    """How the lines of a text end: as the first one does."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def write_brief(
    path: Path,
    curators: Sequence[Curator],
    make: Callable[[int], Brief],
    max_tokens: int,
    count: Count,
    *,
    forget_removed: bool = False,
) -> WrittenBrief:
    """Learns what people changed in the block of a file, and writes it anew, in at most `max_tokens` by `count`.

    `curators` act on the namespaces of the brief, that of the memory first; `make` is asked for a brief of so many
    tokens. Raises InputError for a file that cannot be used, naming the line; then nothing is changed.
    """
    file = MarkdownFile.read(path)
    text = file.text
    place = find_block(text, str(path))
    lines = read_lines(place, str(path)) if place is not None else []
    reader = _Reader(str(path), tuple(curators))
    edits = reader.edits(lines)
    own = curators[0]
    gone = reader.removed(lines, place.id) if place is not None and forget_removed else []
    learnt: list[LearntLine] = []
    if edits or gone:
        with own.store.writing():
            learnt = [edit.learn() for edit in edits]
            gone = [own.bury(fact, CAUSE) for fact in gone]
    newline = place.newline if place is not None else newline_of(text)
    brief, block = _fitted(make, max_tokens, count, newline)
    if place is None and not brief.lines:
        return WrittenBrief(path, False, brief, block, 0, tuple(learnt), tuple(gone))
    changed = file.write(file.with_block(place, block.text))
    shown = {line.id for line in brief.lines}
    learnt = [replace(one, shown=one.fact.id in shown) for one in learnt]
    return WrittenBrief(path, changed, brief, block, count(block.text), tuple(learnt), tuple(gone))


@dataclass(frozen=True, slots=True)
class _Edit:
    """Words that a person wrote, and what they are to be; `old` is the active fact whose place they take."""

    line: int
    words: str
    category: Category
    curator: Curator
    old: Fact | None = None

    def learn(self) -> LearntLine:
        pinned = self.old is not None and self.old.pinned
        fact = self.curator.dictate(self.words, self.category, self.old, pin=pinned, cause=CAUSE)
        return LearntLine(self.line, fact, self.old.id if self.old is not None and self.old.id != fact.id else "")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Tells what the lines of a block teach; changes nothing. The first curator is of the memory's own namespace."""

    source: str
    curators: tuple[Curator, ...]

    def edits(self, lines: Sequence[ReadLine]) -> list[_Edit]:
        """What is to be learnt. Raises InputError, naming the line, for what cannot be."""
        standing = {line.id for line in lines if line.id and not line.is_changed}
        edits: list[_Edit] = []
        for line in lines:
            if not line.words or (line.id and not line.is_changed):
                continue
            found = self._fact(line.id) if line.id not in standing else None
            if found is None:
                edits += self._new(line)
            else:
                # A second line with the same id is a new one.
                standing.add(line.id)
                edits += self._edited(line, *found)
        return edits

    def removed(self, lines: Sequence[ReadLine], block_id: str) -> list[Fact]:
        """The facts of the memory's own namespace that stood in the block when it was written, and whose lines were
        deleted."""
        own = self.curators[0]
        there = {line.id for line in lines if line.words}
        names = own.store.activity.recalled_facts(own.scope.namespace, block_id) if block_id else []
        facts = own.store.facts.by_id(own.scope.namespace, names)
        return [
            facts[name]
            for name in names
            if name in facts and facts[name].status is Status.ACTIVE and written_id(name) not in there
        ]

    def _new(self, line: ReadLine) -> list[_Edit]:
        words = dictated(line.words, self.source, f"line {line.number}")
        own = self.curators[0]
        kinds = own.store.log.known_lines(own.scope.namespace, [line_hash(words)])
        # Words that we wrote ourselves, whose comment was lost, or that somebody copied from an older version.
        if not line.id and set(kinds.values()) & ECHOES:
            return []
        category = Category.INSTRUCTION if line.section == Section.RULES else Category.NOTE
        return [_Edit(line.number, words, category, own)]

    def _edited(self, line: ReadLine, fact: Fact, curator: Curator) -> list[_Edit]:
        words = line.words
        if fact.category is Category.INVALID_PATH:
            words = words.removeprefix(WARNING).strip()
        standing = _standing(curator, fact)
        words = dictated(_whole(words, fact), self.source, f"line {line.number}")
        if standing is not None and words in (standing.content, _told(standing)):
            return []  # learnt before, by a run that could not write the file
        return [_Edit(line.number, words, fact.category, curator, standing)]

    def _fact(self, ident: str) -> tuple[Fact, Curator] | None:
        for curator in self.curators:
            if ident and (fact := curator.store.facts.get(curator.scope.namespace, ident)) is not None:
                return fact, curator
        return None


def _standing(curator: Curator, fact: Fact) -> Fact | None:
    """The fact, or the one that stands in its place by now; None when none is active."""
    for _ in range(_LONGEST_CHAIN):
        if fact.status is not Status.SUPERSEDED or not fact.superseded_by:
            break
        after = curator.store.facts.get(curator.scope.namespace, fact.superseded_by)
        if after is None:
            return None
        fact = after
    return fact if fact.status is Status.ACTIVE else None


def _told(fact: Fact, longest: int | None = None) -> str:
    whole = dated(fact.content, fact.created_at, fact.event_time, standing=fact.category in RULES)
    return safe(whole, longest if longest is not None else len(whole) + 1)


def _whole(words: str, fact: Fact) -> str:
    """Edited words with the rest of a fact that was too long for its line, if they still end where it was cut."""
    shown = _told(fact, LONGEST)
    if not (words.endswith("…") and shown.endswith("…")):
        return words
    rest = _told(fact)[len(shown) - 1 :]
    return words[:-1] + rest


def _fitted(make: Callable[[int], Brief], max_tokens: int, count: Count, newline: str) -> tuple[Brief, Written]:
    """The largest brief whose block fits, about: marks and ids take tokens as well, so several budgets are tried."""
    found: tuple[Brief, Written] | None = None
    least, most = 0, max_tokens
    budget = max_tokens
    for _ in range(_TRIES):
        brief = make(budget)
        block = block_of(brief.lines, line_hash(brief.text), newline)
        over = count(block.text) - max_tokens
        if over <= 0:
            found, least = (brief, block), budget
        else:
            most = budget
        if most - least < _CLOSE:
            break
        # First by what is too much, which is soon near; then half way between what fits and what does not.
        budget = max(least + 1, budget - over) if found is None else (least + most) // 2
    return found or (make(0), block_of((), "", newline))


def _unfit(found: os.stat_result) -> str:
    """Why what was found is not to be replaced; empty when it may be."""
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    if stat.S_ISDIR(found.st_mode):
        return "it is a folder"
    if not stat.S_ISREG(found.st_mode):
        return "it is no file"
    return f"it is larger than {LARGEST:,} bytes" if found.st_size > LARGEST else ""


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
