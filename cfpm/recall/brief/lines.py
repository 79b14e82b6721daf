"""The lines that a brief may hold: of what is believed and of what was done, each with its evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from math import log1p, log2
from typing import TYPE_CHECKING

from cfpm.model import OF_A_TASK, Category, Role
from cfpm.model.clock import from_text
from cfpm.model.ids import short_id
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.block import dated, safe
from cfpm.recall.brief.brief import BriefLine, Offer, Section
from cfpm.recall.brief.records import base
from cfpm.store.search import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.model import Fact
    from cfpm.recall.brief.records import CommandRecord, FileRecord, Records, SessionRecord

LONGEST = 240
"""Characters of a fact in a line; its id opens the rest."""

WARNING = "do not use: "
"""Stands before a path that does not work."""

LONGEST_COMMAND = 110
LONGEST_REQUEST = 110

NAMES_OF_A_FILE = 4
"""Identifiers that are named of a file: with its own name and a neighbour's as many as a reader takes in."""

FILES_OF_A_SESSION = 3

MOST = 150
"""Lines of a section that are looked at, the best."""

NEAR = 4.0
"""How much more a line is worth for a word of the query that no other line has."""

_STEM = 4

ALIKE = 0.6
"""Share of the content words of two lines that are the same, from which the second is left out."""

FADES = 45
"""Days after which a fact that nobody said again counts half."""

_SAID_TWICE = lazy_pattern(r"(?:\"[^\"]{20,}\"|'[^']{20,}')")
_WORDS = lazy_pattern(r"[A-Za-z_][\w.-]*\w")
_CAMEL = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

_PLACES: dict[Category, Section] = {
    Category.INSTRUCTION: Section.RULES,
    Category.PREFERENCE: Section.RULES,
    Category.PROFILE: Section.PROJECT,
    Category.NOTE: Section.PROJECT,
    Category.EVENT: Section.PROJECT,
    Category.DECISION: Section.DECISIONS,
    Category.INVALID_PATH: Section.PITFALLS,
    Category.OPEN_ITEM: Section.OPEN,
    Category.GOAL: Section.OPEN,
}
"""Where a fact of each kind stands; artifacts and verified actions are told by the records of files and sessions."""

KINDS = tuple(_PLACES)

_FROM = {Role.ASSISTANT: ("from agent",), Role.TOOL: ("from tool",)}


@dataclass(slots=True)
class Writer:
    """Writes the lines of one brief. `message_ids` has the ids of messages by their `seq`, `remarks` what is to be said
    of facts, by their ids."""

    records: Records
    now: datetime | None
    message_ids: dict[int, str]
    remarks: Mapping[str, str] = field(default_factory=dict)
    _used: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self._used = Counter()
        for path, record in self.records.files.items():
            self._used[base(path)] += record.weight
            self._used.update(record.names)

    def facts(self, facts: Iterable[Fact]) -> dict[Section, list[Offer]]:
        """The lines of what is believed."""
        found: dict[Section, list[Offer]] = {}
        for fact in facts:
            # What an agent found out for a task is told while it is near; what it asked itself, never.
            if fact.category is Category.GOAL and (fact.confidence <= OF_A_TASK or fact.role is not Role.USER):
                continue
            found.setdefault(_PLACES[fact.category], []).append(self._fact(fact))
        return {section: _different(offers) for section, offers in found.items()}

    def _fact(self, fact: Fact) -> Offer:
        text = safe(dated(fact.content, fact.created_at, fact.event_time), LONGEST)
        if fact.category is Category.INVALID_PATH:
            text = f"{WARNING}{text}"
        if fact.id in self.remarks:
            text = f"{text} ({self.remarks[fact.id]})"
        again = (f"said {fact.evidence_count}×",) if fact.evidence_count > 1 else ()
        notes = [short_id(fact.id), *self._day(fact.created_at), *_FROM.get(fact.role, ()), *again]
        worth = fact.confidence + 0.3 * log2(max(1, fact.evidence_count)) + 2 * fact.pinned
        if fact.role is Role.USER:
            worth += 0.3
        # A finding is worth what it tells of, as long as it has not faded.
        used = sum(min(1.0, self._used[name]) for name in set(_WORDS.findall(text)) if name in self._used)
        worth += min(1.5, 0.5 * used)
        if self.now is not None and fact.updated_at is not None and not fact.pinned:
            worth *= 0.5 + 0.5 ** (1 + max(0, (self.now - fact.updated_at).days) / FADES)
        if fact.confidence <= OF_A_TASK:
            worth *= 0.6
        return self._offer(_PLACES[fact.category], f"{text} ({', '.join(notes)})", fact.id, worth, fact.content)

    def commands(self) -> list[Offer]:
        """The runbook: the commands that worked, by what they are for."""
        by_purpose: dict[str, list[CommandRecord]] = {}
        for command in _merged(self.records.commands.values()):
            if command.worked and (command.purpose or command.worked > 1):
                by_purpose.setdefault(command.purpose, []).append(command)
        found = []
        for purpose, ways in by_purpose.items():
            total = sum(way.weight for way in ways)
            for rank, way in enumerate(sorted(ways, key=lambda one: (-one.weight, one.command))):
                worth = (total if rank == 0 and purpose else way.weight) / (1 + rank)
                found.append(self._offer(Section.COMMANDS, self._command(way), self._id(way.turn), worth))
        return found

    def _command(self, record: CommandRecord) -> str:
        what = f"{record.purpose}: " if record.purpose else ""
        where = f" in {record.folder}" if record.folder not in ("", ".") else ""
        failed = f", failed {record.failed}×" if record.failed else ""
        ends = f"ran ok {record.worked}×{failed}"
        note = self._note(record.turn, record.at)
        return f"{what}`{safe(record.command, LONGEST_COMMAND)}`{where} {ends} ({note})"

    def places(self) -> list[Offer]:
        """The files that are used most: what was done to them, what they define, what changes with them."""
        there = [one for one in self.records.files.values() if not one.gone and one.turn]
        return [
            self._offer(Section.PLACES, self._file(one), self._id(one.turn), 0.3 + log1p(one.weight))
            for one in sorted(there, key=lambda one: (-one.weight, one.path))[:200]
        ]

    def _file(self, record: FileRecord) -> str:
        done = f"edited {record.edits}×" if record.edits else f"read {record.reads}×"
        ranked = sorted(record.names, key=lambda name: (-record.names[name], name))
        defines = f", about {', '.join(ranked[:NAMES_OF_A_FILE])}" if ranked else ""
        beside = self._changes_with(record)
        return f"{record.path}: {done}{defines}{beside} ({self._note(record.turn, record.at)})"

    def _changes_with(self, record: FileRecord) -> str:
        """The file that was edited in most of the same sessions."""
        shared: Counter[str] = Counter()
        for session in self.records.sessions:
            if record.path in session.edited:
                shared.update(path for path in session.edited if path != record.path)
        best = min(shared, key=lambda path: (-shared[path], path), default="")
        return f", changes with {base(best)}" if best and shared[best] > 1 else ""

    def pitfalls(self) -> list[Offer]:
        """Commands that failed, with what worked instead."""
        found = []
        for one in self.records.failures:
            if not one.remedy and one.count < 2:
                continue
            if one.remedy and _quoted_short(one.remedy) == _quoted_short(one.command):
                continue
            remedy = f"; worked instead: `{safe(_quoted_short(one.remedy), LONGEST_COMMAND)}`" if one.remedy else ""
            text = f"`{safe(_quoted_short(one.command), LONGEST_COMMAND)}` failed {one.count}×{remedy}"
            text = f"{text} ({self._note(one.turn, one.at)})"
            found.append(self._offer(Section.PITFALLS, text, self._id(one.turn), one.weight * one.count))
        return found

    def sessions(self, request: Callable[[str, str], str], count: int) -> list[Offer]:
        """The last sessions: what was asked for, which files were edited, how the tests ended."""
        found = []
        for place, one in enumerate(self.records.sessions[:count]):
            asked = safe(request(one.namespace, one.name), LONGEST_REQUEST)
            if text := self._session(one, asked):
                found.append(self._offer(Section.SESSIONS, text, self._id(one.turn), 1 / (1 + place)))
        return found

    def _session(self, record: SessionRecord, asked: str) -> str:
        parts = [f'asked "{asked}"'] if asked else []
        files = [base(path) for path, _ in record.edited.most_common()]
        if files:
            more = f" and {len(files) - FILES_OF_A_SESSION} more" if len(files) > FILES_OF_A_SESSION else ""
            parts.append(f"edited {', '.join(files[:FILES_OF_A_SESSION])}{more}")
        passed, failed = record.tests
        if passed or failed:
            parts.append(f"tests ok {passed}×" + (f", failed {failed}×" if failed else ""))
        return f"{'; '.join(parts)} ({self._note(record.turn, record.at)})" if parts else ""

    def _offer(self, section: Section, text: str, ident: str, worth: float, content: str = "") -> Offer:
        return Offer(BriefLine(section, text, ident, content), worth)

    def _id(self, seq: int) -> str:
        return self.message_ids.get(seq, "")

    def _note(self, seq: int, at: str | None) -> str:
        ident = self._id(seq)
        return ", ".join([*([short_id(ident)] if ident else []), *self._day(from_text(at))])

    def _day(self, at: datetime | None) -> list[str]:
        """`Mar 2`, with the year for what is older than most of one."""
        if at is None:
            return []
        old = self.now is not None and (self.now - at).days > 300
        return [f"{_MONTHS[at.month - 1]} {at.day}{f' {at.year}' if old else ''}"]


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moved_up(offers: Sequence[Offer], query: str) -> list[Offer]:
    """The lines of a section, those worth more that hold words of the query; rare words tell most."""
    asked = sorted(_parts(content_words(query)))
    if not asked:
        return list(offers)
    holding = [{word for word in asked if _holds(parts, word)} for parts in map(_words_of, offers)]
    rarity = {word: 1 / (1 + log2(1 + sum(word in held for held in holding))) for word in asked}
    return [
        replace(offer, worth=offer.worth * (1 + NEAR * sum(rarity[word] for word in sorted(held))))
        for offer, held in zip(offers, holding, strict=True)
    ]


def _words_of(offer: Offer) -> frozenset[str]:
    return _parts(_WORDS.findall(offer.line.text))


def _holds(parts: frozenset[str], word: str) -> bool:
    """Whether a line has the word, or one that begins with it: `droidcli` is about droid."""
    return word in parts or (len(word) >= _STEM and any(part.startswith(word) for part in parts))


def _parts(words: Iterable[str]) -> frozenset[str]:
    """The words in names: `createRunCommand` has create, run and command."""
    return frozenset(part.lower() for word in words for part in (word, *_CAMEL.findall(word)) if len(part) > 2)


def _quoted_short(command: str) -> str:
    """A command whose long quotations are left out: messages of commits, texts that are searched for."""
    return _SAID_TWICE.sub('"…"', command)


def _merged(commands: Iterable[CommandRecord]) -> Iterator[CommandRecord]:
    """Those that differ only in a long quotation as one."""
    found: dict[str, CommandRecord] = {}
    for one in commands:
        name = _quoted_short(one.command)
        known = found.get(name)
        if known is None:
            one.command = name
            found[name] = one
        else:
            known.weight += one.weight
            known.worked += one.worked
            known.failed += one.failed
    yield from found.values()


def _different(offers: Sequence[Offer]) -> list[Offer]:
    """The best first, without those that nearly repeat a better one."""
    kept: list[Offer] = []
    sizes: list[int] = []
    having: dict[str, list[int]] = {}
    for offer in sorted(offers, key=lambda one: -one.worth)[:MOST]:
        words = set(content_words(offer.line.text.rpartition(" (")[0]))
        shared = Counter(place for word in words for place in having.get(word, ()))
        if any(count > ALIKE * min(len(words), sizes[place]) for place, count in shared.items()):
            continue
        for word in words:
            having.setdefault(word, []).append(len(kept))
        kept.append(offer)
        sizes.append(len(words))
    return kept
