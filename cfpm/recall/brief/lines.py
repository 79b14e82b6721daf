"""The lines that a brief may hold: of what is believed and of what was done, each with its evidence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import log1p, log2
from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.outcomes import failures
from cfpm.model import OF_A_TASK, Category, Role
from cfpm.model.clock import from_text, short_day
from cfpm.model.ids import cited, number_id
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.block import dated, safe
from cfpm.recall.brief.packing import BriefLine, Offer, Section
from cfpm.recall.brief.records import CHECKS, as_written, base, beginning_of, is_identifier
from cfpm.recall.brief.reports import LONGEST_POINT, PointKind, is_heading, question_left
from cfpm.recall.brief.surroundings import LOOKED_AT, in_context
from cfpm.recall.brief.telling import (
    begins,
    holds,
    is_known,
    is_part,
    is_sentence,
    is_whole,
    plainly,
)
from cfpm.recall.brief.worth import (
    LEAST_LIKE_A_RULE,
    LEAST_REPORTED,
    asks,
    how_lasting,
    how_surely_a_rule,
    is_past,
    lasting,
    lasts,
    says_a_rule,
    told_of,
)
from cfpm.recall.items import RULES
from cfpm.store.search import content_words
from cfpm.text.heads.recap import SURELY, asks_for_sessions
from cfpm.text.machine_lines import by_machine
from cfpm.text.modality import answer_in
from cfpm.text.pasted import foreign_stretches
from cfpm.text.sentences import Kind, sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.model import Fact
    from cfpm.recall.brief.records import CommandRecord, Failure, FileRecord, Records, SessionRecord
    from cfpm.recall.brief.reports import Point, Report
    from cfpm.recall.brief.surroundings import Surroundings

LONGEST = 260
"""Characters of a fact in a line; its id opens the rest."""

AGAINST = "said otherwise later: "
"""Stands before the ids of newer facts that say the opposite."""

WARNING = "do not use: "
"""Stands before a path that does not work."""

LONGEST_PURPOSE = 60
LONGEST_FAILURE = 110
MOST_FAILURES = 40
LONGEST_COMMAND = 110
LONGEST_REQUEST = 150
LONGEST_DONE = 300

NAMES, FILES, NAMES_OF_A_FILE = 6, 4, 2
"""Names in a line of files, as many as a reader takes in; files among them; identifiers that are named of one."""

MOST_OF_A_FOLDER = 12

OFTEN = 3
"""Times that a command worked, for it to stand beside one that is run more."""

WAYS = 3
"""Commands of a purpose in a line."""

LONGEST_CAME = 520
"""Characters of what came of one request."""

OF_A_REQUEST = 3.0
"""What the last request of the last session is worth, twice over, beside its session (3)."""

OF_A_CLEAR_REQUEST = 4
"""Words with content from which a request says by itself what the files were edited for: "address 86" does not."""

FILES_OF_A_SESSION, DONE_OF_A_SESSION = 3, 3

MOST = 400
"""Lines of a section that are looked at, the best."""

NEAR, NEAR_A_RECORD = 4.0, 2.0
"""How much more a line is worth for a word of the query that no other line has; the second for the records of files and
commands, whose names share words by chance."""

_INLINE = ("<<", '"…"')
"""What a command holds that has a text or a program of its own."""

_COUNTED = (Section.COMMANDS, Section.PLACES)

_STEM = 4

ALIKE = 0.6
"""Share of the content words of two lines that are the same, from which the second is left out."""

OPEN_DAYS, SAID_AGAIN = 3, 2
"""Days for which a goal is taken for open, and times that it may have been said: what is said in each session is how
somebody begins it."""

FADES = 45
"""Days after which a fact that nobody said again counts half."""

_STATUS = lazy_pattern(r"\W*(?:\w+ )?(?:exit(?:ed)?|status|code)\b[\w :]*-?\d*\W*", re.IGNORECASE)
_WORDS = lazy_pattern(r"[A-Za-z_][\w.-]*\w")
_PATHS = lazy_pattern(r"[\w.-][\w./\\-]*\w")
_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
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

LASTING = 1.5
"""What it counts that a line is surely worth knowing later, beside the names in it that are used (at most 1.5)."""

PAST = 0.3
"""What is left of a line's worth when what it said was to come is over: it stands last, if there is room. Not
measured."""

SURELY_A_RULE = 1.5
"""What it counts that a line of the rules is surely one."""

_REPORTED = {
    PointKind.KNOWN: Section.PROJECT,
    PointKind.LIMIT: Section.PITFALLS,
    PointKind.DECISION: Section.DECISIONS,
    PointKind.OPEN: Section.OPEN,
}
"""Where a line of a report stands."""

_WORTH = {
    PointKind.KNOWN: 0.4,
    PointKind.LIMIT: 0.6,
    PointKind.DECISION: 0.6,
    PointKind.OPEN: 0.5,
}
"""What a line of a report is worth beside a fact of a task (0.3) and one that lasts (0.5)."""

_FROM = {Role.ASSISTANT: ("from agent",), Role.TOOL: ("from tool",)}


class Told(NamedTuple):
    """What a line of the work log tells in words of the session: of the user, of the agent, and the question of the
    agent that nobody answered."""

    asked: str = ""
    done: str = ""
    found: str = ""
    left: str = ""


@dataclass(slots=True)
class Writer:
    """Writes the lines of one brief. `message_ids` has the ids of messages by their `seq`, `remarks` what is to be said
    of facts, by their ids."""

    records: Records
    reports: Sequence[Report]
    now: datetime | None
    message_ids: dict[int, str]
    remarks: Mapping[str, str] = field(default_factory=dict)
    _used: dict[str, float] = field(init=False)
    _by_id: dict[str, Fact] = field(default_factory=dict, init=False)
    _edited: dict[tuple[str, str], frozenset[str]] = field(init=False)
    """Of each session the names of the files that were edited, moved or removed."""
    _gone: frozenset[str] = field(init=False)
    """The names of files that were removed or moved, and that no file has now."""

    def __post_init__(self) -> None:
        self._edited = {
            (one.namespace, one.name): frozenset(map(base, (*one.edited, *one.taken))) for one in self.records.sessions
        }
        files = self.records.files.items()
        self._gone = frozenset(base(path) for path, one in files if one.gone)
        self._gone -= {base(path) for path, one in files if not one.gone}
        self._used = defaultdict(float)
        for path, record in self.records.files.items():
            self._used[base(path)] += record.weight
            for name, weight in record.names.items():
                self._used[name] += weight

    def said(
        self, facts: Iterable[Fact], around: Callable[[Fact], Surroundings], count: int
    ) -> dict[Section, list[Offer]]:
        """The lines of what is believed, the best `count` of each kind, and of what agents reported; `around` gives
        what stands around a fact in its message."""
        found: dict[Section, list[Offer]] = defaultdict(list)
        told = [(fact, text) for fact in facts if (text := self._told(fact))]
        self._by_id = {fact.id: fact for fact, _ in told}
        rated = [
            (self._worth(fact, text, surely), fact, text)
            for (fact, text), surely in zip(told, how_lasting(told), strict=True)
            if lasts(fact, surely)
        ]
        for worth, fact, text in sorted(rated, key=lambda one: -one[0]):
            offers = found[self._section(fact)]
            if len(offers) < count and (whole := self._whole(fact, text, around)):
                offers.append(self._fact(fact, whole, worth))
        reported = list(self._reported())
        worths = lasting([point.text for _, point in reported], by_agent=True)
        for (report, point), worth in zip(reported, worths, strict=True):
            if worth >= LEAST_REPORTED or point.kind is not PointKind.KNOWN:
                found[_REPORTED[point.kind]].append(self._point(report, point, worth))
        return {section: distinct(offers) for section, offers in found.items()}

    def _told(self, fact: Fact) -> str:
        """What of a fact may be told: what a person wrote down as it is, else what is known and still so."""
        if fact.is_given:
            return fact.content
        if fact.category is Category.INVALID_PATH:
            return "" if fact.is_one_try else fact.content
        if fact.category in (Category.GOAL, Category.OPEN_ITEM) and not self._is_open(fact):
            return ""
        text, by_agent = told_of(fact), fact.role is not Role.USER
        if self._is_rule(fact):
            return fact.content if says_a_rule(text) and not self._is_of_the_task(fact) else ""
        if not by_agent and answer_in(text):
            return text
        if not is_whole(text) or not is_known(text, by_agent=by_agent) or (by_agent and self._is_mended(fact)):
            return ""
        return text

    def _whole(self, fact: Fact, text: str, around: Callable[[Fact], Surroundings]) -> str:
        """A fact as it is told, with what it needs of its message."""
        if fact.is_given or fact.category is Category.INVALID_PATH or self._is_rule(fact):
            return text
        if fact.role is Role.USER and answer_in(text):
            # It has its question.
            return text
        return in_context(text, fact.content, around(fact), by_agent=fact.role is not Role.USER)

    def _is_rule(self, fact: Fact) -> bool:
        return fact.role is Role.USER and _PLACES[fact.category] is Section.RULES

    def _section(self, fact: Fact) -> Section:
        """Where it stands: what was learnt as a rule and hardly sounds like one is told of the project."""
        doubtful = self._is_rule(fact) and how_surely_a_rule(fact) < LEAST_LIKE_A_RULE
        return Section.PROJECT if doubtful else _PLACES[fact.category]

    def _is_of_the_task(self, fact: Fact) -> bool:
        """Whether it was said once, of names on which there was work in that session: it stays with the session."""
        if fact.evidence_count > 1 or holds(fact.content, "standing"):
            return False
        edited = self._edited.get((fact.namespace, fact.session), frozenset())
        return any(is_identifier(word) or word in edited for word in _WORDS.findall(fact.content))

    def _is_mended(self, fact: Fact) -> bool:
        """Whether it tells what was wrong, and work in that session that came after was on what it names."""
        if not holds(fact.content, "defects"):
            return False
        names = {name for name in _WORDS.findall(fact.content) if name in self._used}
        return any(
            point.kind in (PointKind.DONE, PointKind.LIMIT) and not names.isdisjoint(_WORDS.findall(point.text))
            for report in self._reports_after(fact)
            for point in report.points
        )

    def _reports_after(self, fact: Fact) -> Iterator[Report]:
        """The reports of a fact's session that came after it was said last."""
        return (one for one in self.reports if one.session == fact.session and _is_after(one, fact))

    def _is_open(self, fact: Fact) -> bool:
        """Whether what was asked for may still be open: said lately, and no report of work done came after it."""
        if fact.role is not Role.USER:
            return False
        if fact.category is Category.OPEN_ITEM:
            # Said to be open, and not only asked for: work on something else closes nothing.
            return not any(_closes(one, fact.content) for one in self.reports if _is_after(one, fact))
        if fact.confidence <= OF_A_TASK or fact.evidence_count > SAID_AGAIN:
            return False
        said = fact.updated_at
        if self.now is not None and said is not None and (self.now - said).days > OPEN_DAYS:
            return False
        return not any(one.ends_work for one in self._reports_after(fact)) and asks(fact.content)

    def _fact(self, fact: Fact, told: str, worth: float) -> Offer:
        text = safe(dated(told, fact.created_at, fact.event_time, standing=fact.category in RULES), LONGEST)
        if fact.category is Category.INVALID_PATH:
            text = f"{WARNING}{text}"
        if fact.id in self.remarks:
            text = f"{text} ({self.remarks[fact.id]})"
        if otherwise := self._said_otherwise(fact):
            text = f"{text} ({AGAINST}{otherwise})"
        text += self._gone_in(told)
        again = (f"said {fact.evidence_count}×",) if fact.evidence_count > 1 else ()
        notes = [cited(fact.id), *self._day(fact.created_at), *_FROM.get(fact.role, ()), *again]
        line = BriefLine(self._section(fact), f"{text} ({', '.join(notes)})", fact.id, fact.content)
        return Offer(line, worth, None if fact.pinned else fact.updated_at)

    def _worth(self, fact: Fact, told: str, surely: float) -> float:
        """What a fact is worth beside the others of its section; `surely` is how surely it lasts."""
        worth = fact.confidence + 0.3 * log2(max(1, fact.evidence_count)) + 2 * fact.pinned + LASTING * surely
        if fact.role is Role.USER:
            worth += 0.3
        if self._section(fact) is Section.RULES:
            # A rule neither fades nor gains by names: what it says of one file, a task had need of.
            worth += SURELY_A_RULE * how_surely_a_rule(fact)
        else:
            worth = self._faded(worth + self._use(told), None if fact.pinned else fact.updated_at)
        if is_past(fact, self.now):
            worth *= PAST
        return worth * 0.6 if fact.confidence <= OF_A_TASK else worth

    def _said_otherwise(self, fact: Fact) -> str:
        """Later facts that say the opposite, as they are cited, or nothing."""
        said = fact.created_at
        later = (self._by_id[one] for one in fact.contradicts.split() if one in self._by_id)
        return ", ".join(cited(one.id) for one in later if said and one.created_at and one.created_at > said)

    def _reported(self) -> Iterator[tuple[Report, Point]]:
        """The lines of the reports that may be told: of what is open, the last of a session; else about the project."""
        newest: set[tuple[str, str]] = set()
        for report in self.reports:
            last = (report.namespace, report.session) not in newest
            newest.add((report.namespace, report.session))
            for point in report.points:
                if point.kind is PointKind.DONE:
                    # What was done is told by its session.
                    continue
                if point.kind is PointKind.OPEN:
                    if last and not any(report.seq < one.seq and one.ends_work for one in self.reports):
                        yield report, point
                elif self._use(point.text):
                    yield report, point

    def _point(self, report: Report, point: Point, surely: float) -> Offer:
        notes = [number_id(report.seq), *self._day(report.at), *_FROM[Role.ASSISTANT]]
        text = f"{safe(point.text, LONGEST_POINT)}{self._gone_in(point.text)} ({', '.join(notes)})"
        worth = self._faded(_WORTH[point.kind] + LASTING * surely + self._use(point.text), report.at)
        return Offer(BriefLine(_REPORTED[point.kind], text, report.message_id), worth, report.at)

    def _use(self, text: str) -> float:
        """What a finding is worth for what it tells of: names that are used; less where it is about tests."""
        names = {name for name in _WORDS.findall(text) if name in self._used}
        worth = min(1.5, 0.5 * sum(sorted(min(1.0, self._used[name]) for name in names)))
        return 0.5 * worth if holds(text, "about_tests") else worth

    def _faded(self, worth: float, said: datetime | None) -> float:
        if self.now is None or said is None:
            return worth
        left: float = 0.5 ** (1 + max(0, (self.now - said).days) / FADES)
        return worth * (0.5 + left)

    def commands(self) -> list[Offer]:
        """The runbook: the commands that worked, by what they are for, some to a line."""
        by_purpose: dict[str, list[CommandRecord]] = {}
        for command in self.records.commands.values():
            if command.worked and (command.purpose or command.worked > 1):
                by_purpose.setdefault(command.purpose, []).append(command)
        found = []
        for purpose, ways in by_purpose.items():
            ways.sort(key=lambda one: (-one.weight, one.command))
            # The same command may begin differently; what worked once or twice is no way that a project has.
            told = list({as_written(way.command): way for way in reversed(ways)}.values())[::-1]
            told = [way for place, way in enumerate(told) if not place or way.worked >= OFTEN]
            for first in range(0, len(told), WAYS):
                some = told[first : first + WAYS]
                worth = sum(way.weight for way in some) / (1 + first)
                found.append(self._offer(Section.COMMANDS, self._ways(purpose, some), self._id(some[0].turn), worth))
        return found

    def _ways(self, purpose: str, ways: Sequence[CommandRecord]) -> str:
        told = ", ".join(self._way(way) for way in ways)
        note = self._note(ways[0].turn, ways[0].at)
        return f"{purpose}: {told} ({note})" if purpose else f"{told} ({note})"

    def _way(self, record: CommandRecord) -> str:
        where = f" in {record.folder}" if record.folder not in ("", ".") else ""
        failed = f", failed {record.failed}×" if record.failed else ""
        return f"`{safe(record.command, LONGEST_COMMAND)}`{where} ok {record.worked}×{failed}"

    def places(self) -> list[Offer]:
        """The files that are used most, some of a folder to a line: what was done to them and what they are about."""
        by_folder: dict[str, list[FileRecord]] = {}
        for one in sorted(self.records.files.values(), key=lambda one: (-one.weight, one.path)):
            if not one.gone and one.turn:
                by_folder.setdefault(one.path.rpartition("/")[0], []).append(one)
        found = []
        for folder, files in by_folder.items():
            for first in range(0, min(len(files), MOST_OF_A_FOLDER), FILES):
                some = files[first : first + FILES]
                worth = 0.3 + log1p(sum(one.weight for one in some))
                newest = max(some, key=lambda one: one.turn)
                found.append(
                    self._offer(Section.PLACES, self._files(folder, some, first), self._id(newest.turn), worth)
                )
        return found

    def _files(self, folder: str, files: Sequence[FileRecord], first: int) -> str:
        edits, reads = sum(one.edits for one in files), sum(one.reads for one in files)
        done = f"edited {edits}×" if edits else f"read {reads}×"
        newest = max(files, key=lambda one: one.turn)
        room = NAMES - len(files)
        told = []
        for one in files:
            about = sorted(one.names, key=lambda name: (-one.names[name], name))[: min(room, NAMES_OF_A_FILE)]
            room -= len(about)
            if one.purpose:
                about.insert(0, safe(one.purpose, LONGEST_PURPOSE))
            told.append(f"{base(one.path)} ({', '.join(about)})" if about else base(one.path))
        where = f"{folder}/" if folder else "top folder"
        last = first + len(files)
        more = f" (files {first + 1} to {last})" if first and last > first + 1 else f" (file {last})" if first else ""
        return f"{where}{more} {done}: {', '.join(told)} ({self._note(newest.turn, newest.at)})"

    def pitfalls(self, output: Callable[[Sequence[int]], Mapping[int, str]]) -> list[Offer]:
        """Commands that failed, with how they failed and what worked instead. `output` gives the texts of results."""
        told = [one for one in self.records.failures if _may_be_run_again(as_written(one.command))]
        told = [one for one in told if one.remedy or not self._is_of_the_moment(one)]
        told.sort(key=lambda one: (-_warns(one), one.turn))
        told = told[:MOST_FAILURES]
        texts = output([one.result for one in told if one.result is not None and one.purpose not in CHECKS])
        found: dict[tuple[str, str], Offer] = {}
        for one in told:
            text = texts.get(one.result or 0, "")
            how = safe(how_it_failed(text), LONGEST_FAILURE)
            if begins(text.lstrip(), "stopped") or begins(how, "stopped"):
                continue
            if not (how or one.remedy or one.count >= OFTEN - 1):
                continue
            remedy = f"; worked instead: `{safe(as_written(one.remedy), LONGEST_COMMAND)}`" if one.remedy else ""
            reason = f": {how}" if how else ""
            text = f"`{safe(as_written(one.command), LONGEST_COMMAND)}` failed {one.count}×{reason}{remedy}"
            text = f"{text} ({self._note(one.turn, one.at)})"
            # The same program that failed alike is told once, by the command that says most.
            alike = one.command.partition(" ")[0], how or text
            found.setdefault(alike, self._offer(Section.PITFALLS, text, self._id(one.turn), _warns(one)))
        return list(found.values())

    def _is_of_the_moment(self, failure: Failure) -> bool:
        """Whether the command works at other times, so that something else was wrong then."""
        known = self.records.commands.get(beginning_of(failure.command))
        return known is not None and known.worked > 0

    def sessions(self, request: Callable[[str, str], str], count: int) -> list[Offer]:
        """The work log, the last session first: what was asked for, what was done and how the tests ended; then what
        came of each request of it."""
        last = self.records.sessions[:count]
        asked = [opening(request(one.namespace, one.name)[:LOOKED_AT]) for one in last]
        reports: dict[tuple[str, str], list[Report]] = defaultdict(list)
        for report in self.reports:
            reports[report.namespace, report.session].append(report)
        found = []
        for place, (one, words) in enumerate(zip(last, asked, strict=True)):
            of_it = reports[one.namespace, one.name]
            # What is asked in several sessions, or for earlier ones, only begins it: then what was asked next.
            then = (opening(report.asked[:LOOKED_AT]) for report in reversed(of_it))
            only_begins = asked.count(words) > 1 or asks_for_sessions(words) >= SURELY
            own = next((it for it in then if _says_more(it, asked)), "") if only_begins else words
            best = sorted(_done(of_it), key=lambda said: -self._use(said))
            told = Told(
                safe(own, LONGEST_REQUEST),
                safe("; ".join(best[:DONE_OF_A_SESSION]), LONGEST_DONE),
                left=safe(question_left(of_it[0].text), LONGEST) if of_it else "",
            )
            if len(of_it) == 1 and own:
                whole, of_it = _came_of(of_it[0]), []
                begins_so = told.asked.rstrip("…") in whole.asked
                told = whole._replace(asked=whole.asked if begins_so else told.asked, left=told.left)
            if text := self._session(one, told):
                # Which files were edited says little of what a session was for.
                worth = (3 if own or best else 0.3) / (1 + place)
                found.append(self._offer(Section.SESSIONS, text, self._id(one.turn), worth))
            found += self._requests(one, of_it, place)
        return found

    def _requests(self, record: SessionRecord, reports: Sequence[Report], place: int) -> Iterator[Offer]:
        """What came of each request of a session, the last first."""
        for behind, report in enumerate(reports):
            deeds, told = record.between(report.begins, report.seq), _came_of(report)
            if asks_for_sessions(told.asked) >= SURELY:
                continue
            says_what = len(content_words(told.asked)) >= OF_A_CLEAR_REQUEST
            if told.asked and (told.done or told.found or (deeds.edits and says_what)):
                worth = OF_A_REQUEST / (1 + place) / (2 + behind)
                yield self._offer(Section.SESSIONS, self._session(deeds, told), report.message_id, worth)

    def _session(self, record: SessionRecord, told: Told) -> str:
        parts = [f'asked "{told.asked}"'] if told.asked else []
        parts += [f"{label}: {text}" for label, text in (("done", told.done), ("found", told.found)) if text]
        files = list(dict.fromkeys(base(path) for path, _ in record.edited.most_common()))
        files = [name for name in files if name not in self._gone]
        if files:
            more = f" and {len(files) - FILES_OF_A_SESSION} more" if len(files) > FILES_OF_A_SESSION else ""
            parts.append(f"edited {', '.join(files[:FILES_OF_A_SESSION])}{more}")
        passed = sum(ended for _, ended in record.tests)
        counts = (("ok", passed), ("failed", len(record.tests) - passed))
        if record.tests:
            parts.append(f"tests {', '.join(f'{how} {count}×' for how, count in counts if count)}")
        if told.left:
            parts.append(f'ended with the question "{told.left}"')
        text = "; ".join(parts)
        return f"{text}{self._gone_in(text)} ({self._note(record.turn, record.at)})" if parts else ""

    def _gone_in(self, text: str) -> str:
        """Says which of the files that it names are no more; nothing where all are there, or it says so itself."""
        gone = [name for name in dict.fromkeys(map(base, _PATHS.findall(text))) if name in self._gone]
        return f" (gone by now: {', '.join(gone[:NAMES])})" if gone and not holds(text, "gone") else ""

    def _offer(self, section: Section, text: str, ident: str, worth: float) -> Offer:
        return Offer(BriefLine(section, text, ident), worth)

    def _id(self, seq: int) -> str:
        return self.message_ids.get(seq, "")

    def _note(self, seq: int, at: str | None) -> str:
        return ", ".join([number_id(seq), *self._day(from_text(at))])

    def _day(self, at: datetime | None) -> list[str]:
        """`Mar 2`, with the year for what is older than most of one."""
        if at is None:
            return []
        old = self.now is not None and (self.now - at).days > 300
        return [short_day(at, None if old else at.year)]


def _says_more(request: str, than: Sequence[str]) -> bool:
    return len(content_words(request)) >= OF_A_CLEAR_REQUEST and request not in than


def _done(reports: Iterable[Report]) -> Iterator[str]:
    return (point.text for report in reports for point in report.points if point.kind is PointKind.DONE)


def _came_of(report: Report) -> Told:
    """A request as it was said, and what the agent told of it in the end."""
    done = _as_one([point for point in report.points if point.kind is PointKind.DONE], LONGEST_CAME)
    return Told(said_in(report.asked), done, _as_one(report.findings, LONGEST_CAME - len(done)))


def said_in(request: str) -> str:
    """The first sentences of a request that have room, without code, and what somebody else or a machine wrote."""
    text = request[:LOOKED_AT]
    shown = foreign_stretches(text)
    said = [
        plainly(part.text)
        for part in sentences(text)
        if part.kind is not Kind.CODE
        and not by_machine(part.text.strip())
        and not any(start <= part.start < end for start, end in shown)
    ]
    told = _that_fit([part for part in said if part], " ", LONGEST)
    return "" if is_part(told) else told


def _as_one(points: Iterable[Point], room: int) -> str:
    """The points that have room as one line, what several stand under said once."""
    told: list[str] = []
    under = ""
    for point in points:
        above = f"{point.parts[0]}: " if len(point.parts) > 1 else ""
        told.append(point.text.removeprefix(above if above == under else "").rstrip(".;"))
        under = above
    return _that_fit(told, "; ", room)


def _that_fit(parts: Sequence[str], between: str, room: int) -> str:
    """The first parts as one line, whole ones; one that is too long for any line is cut."""
    told = ""
    for part in parts:
        longer = f"{told}{between}{safe(part, LONGEST)}" if told else safe(part, LONGEST)
        if len(longer) > room:
            break
        told = longer
    return told


def _is_after(report: Report, fact: Fact) -> bool:
    """Whether it came after the fact was said last; where a time is missing, it may have."""
    said = fact.updated_at
    return report.namespace == fact.namespace and (said is None or report.at is None or report.at >= said)


def _closes(report: Report, item: str) -> bool:
    """Whether it tells of work done on most of what an open item names."""
    wanted = set(content_words(item))
    done = {word for one in report.points if one.kind is PointKind.DONE for word in content_words(one.text)}
    return bool(wanted) and 2 * len(wanted & done) > len(wanted)


def _may_be_run_again(command: str) -> bool:
    """Whether it is short, and no program was written into it on the spot."""
    return len(command) <= LONGEST_COMMAND and not any(mark in command for mark in _INLINE)


def how_it_failed(output: str) -> str:
    """The line of an output that says how a command failed, and more than its exit code."""
    lines = (" ".join(line.split()) for line in (*failures(output), *output.splitlines()))
    return next((line for line in lines if line and not _STATUS.fullmatch(line)), "")


def _warns(failure: Failure) -> float:
    return failure.weight * failure.count * (2 if failure.remedy else 1)


def opening(request: str) -> str:
    """What a request begins with: all of it, without pastes and code, where that has room, else a sentence."""
    told = said_in(request)
    return told if told and len(request.strip()) <= LONGEST_REQUEST else first_sentence(request)


def first_sentence(request: str) -> str:
    """What a request says first that is a sentence, and no prompt of a shell, path or line of a program; with the title
    of what it announces ("Implement the following plan:"); else all of it."""
    said = [part for part in sentences(request) if part.kind is not Kind.CODE and not by_machine(part.text.strip())]
    for part, behind in zip_longest(said, said[1:]):
        if is_sentence(told := plainly(part.text)):
            title = told.endswith(":") and behind is not None and is_heading(behind)
            return f"{told} {plainly(behind.text)}" if title else told.rstrip(":")
    return request


def moved_up(offers: Sequence[Offer], query: str) -> list[Offer]:
    """The lines of a section, those worth more that hold words of the query; rare words tell most."""
    asked = sorted(_parts(content_words(query)))
    if not asked:
        return list(offers)
    holding = [{word for word in asked if _holds(parts, word)} for parts in map(_words_of, offers)]
    rarity = {word: 1 / (1 + log2(1 + sum(word in held for held in holding))) for word in asked}
    return [
        replace(offer, worth=offer.worth * (1 + _near(offer) * sum(rarity[word] for word in sorted(held))))
        for offer, held in zip(offers, holding, strict=True)
    ]


def _near(offer: Offer) -> float:
    return NEAR_A_RECORD if offer.line.section in _COUNTED else NEAR


def _words_of(offer: Offer) -> frozenset[str]:
    return _parts(_WORDS.findall(offer.line.text))


def _holds(parts: frozenset[str], word: str) -> bool:
    """Whether a line has the word, or one that begins with it: `droidcli` is about droid."""
    return word in parts or (len(word) >= _STEM and any(part.startswith(word) for part in parts))


def _parts(words: Iterable[str]) -> frozenset[str]:
    """The words in names: `createRunCommand` has create, run and command."""
    return frozenset(part.lower() for word in words for part in (word, *_CAMEL.findall(word)) if len(part) > 2)


def distinct(offers: Sequence[Offer]) -> list[Offer]:
    """The best first, without those that nearly repeat a better one; of two with other numbers the newer one."""
    kept: list[Offer] = []
    having: dict[str, list[int]] = {}
    sizes: list[int] = []
    for offer in sorted(offers, key=lambda one: -one.worth)[:MOST]:
        words = set(content_words(_statement(offer)))
        shared = Counter(place for word in words for place in having.get(word, ()))
        alike = [place for place, count in shared.items() if count > ALIKE * min(len(words), sizes[place])]
        if alike:
            first = min(alike)
            if _replaces(offer, kept[first]):
                kept[first] = replace(offer, worth=kept[first].worth)
            continue
        for word in words:
            having.setdefault(word, []).append(len(kept))
        kept.append(offer)
        sizes.append(len(words))
    return kept


def _replaces(offer: Offer, other: Offer) -> bool:
    """Whether it gives another number for the same, and was said later: a limit, a port, a version."""
    numbers, before = (_NUMBER.findall(_statement(one)) for one in (offer, other))
    return bool(numbers and before and numbers != before and offer.said and other.said and offer.said > other.said)


def _statement(offer: Offer) -> str:
    """A line without the notes behind it."""
    return offer.line.text.rpartition(" (")[0]
