"""Finds all rows that hold what is to be erased: what was chosen, what was learnt from it, what repeats it. Reads only.

A message goes as a whole. A fact goes unless another message says it too. What the agent, or a recalled block that came
back, repeats of a fact that goes, goes as well.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cfpm.model import PATH_CATEGORIES, Fact, LoggedMessage, Origin, Role
from cfpm.model.clock import to_text
from cfpm.model.patterns import lazy_pattern
from cfpm.store.rows import fact_from, message_from
from cfpm.store.schema import FACT_COLUMNS, MESSAGE_COLUMNS, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfpm.model.erasures import Selector
    from cfpm.store.connection import Connection, Row
    from cfpm.text.gist import Gist

_MESSAGES = f"SELECT seq, {listed(MESSAGE_COLUMNS)} FROM memory_turns WHERE namespace = ? ORDER BY seq"
_FACTS = f"SELECT seq, {listed(FACT_COLUMNS)} FROM memory_facts WHERE namespace = ? ORDER BY seq"
_CANDIDATES = (
    "SELECT seq, id, session, message_id, fact_id, decision = 'rejected', content, line, speaker, detail, created_at,"
    " coalesce(validation_command, '')"
    " FROM memory_candidates WHERE namespace = ? ORDER BY seq"
)
_TAKEN_BACK = "SELECT session, rewound FROM sessions WHERE namespace = ? AND rewound <> ''"
_BESIDE = {
    "recall_events": "query, ''",
    "gate_events": "id || ' ' || agent || ' ' || tool || ' ' || command || ' ' || rewritten || ' ' || changes, ''",
    "memory_approvals": "id || ' ' || agent || ' ' || subject || ' ' || answer || ' ' || \"by\", message_id",
    "memory_state": "agent || ' ' || \"key\" || ' ' || text || ' ' || status, message_id",
}
"""What stands beside the words of a session: by table, the words of a row and the message that it was read from."""
_OF_MESSAGES = ("memory_approvals", "memory_state")
_EVENTS = "SELECT seq, fact_id, before || ' ' || after || ' ' || cause FROM memory_events WHERE namespace = ?"

_TOKEN = lazy_pattern(r"[^\W_]{3,}")
_NEEDLE = 5
"""Characters of a word by which a text is looked through before its sentences are read."""
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """What selecting needs of a candidate."""

    seq: int
    id: str
    session: str
    message_id: str
    fact_id: str
    rejected: bool
    content: str
    line: str
    speaker: str
    detail: str
    at: str | None
    command: str

    @property
    def place(self) -> tuple[str, str]:
        """Session and id of its message."""
        return self.session, self.message_id

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join((self.content, self.line, self.speaker, self.detail, self.command))


@dataclass(slots=True)
class Selection:
    """The rows that go, by `seq`. `kept` are facts that lose their message, each with the candidate that it stays by;
    `details` are candidates that stay and only quote what goes; `orphans` are words that would stand nowhere else."""

    turns: dict[int, LoggedMessage] = field(default_factory=dict)
    facts: dict[int, Fact] = field(default_factory=dict)
    kept: dict[int, tuple[Fact, CandidateRow]] = field(default_factory=dict)
    weakened: dict[int, int] = field(default_factory=dict)
    """Facts that stay with so many sightings less."""
    candidates: dict[int, CandidateRow] = field(default_factory=dict)
    details: set[int] = field(default_factory=set)
    beside: dict[str, set[int]] = field(default_factory=lambda: {table: set() for table in _BESIDE})
    """By table."""
    events: set[int] = field(default_factory=set)
    """Events of other facts that quote what goes."""
    orphans: frozenset[str] = frozenset()
    documents: list[str] = field(default_factory=list)
    """Documents by their ids."""

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not any((self.turns, self.facts, self.candidates, self.documents, *self.beside.values()))


def folded(text: str) -> str:
    """As a query is looked for: whatever the case and the spacing."""
    return " ".join(text.casefold().split())


def tokens(text: str) -> set[str]:
    """The words of a text that could be told from others: runs of letters and digits, in small letters."""
    # In JSON a line break stands before a word as `\\n`, which would be taken for a letter of it.
    return set(_TOKEN.findall(text.casefold().replace("\\n", " ").replace("\\t", " ")))


def text_of(message: LoggedMessage) -> str:
    """All words of a message: what was said, by whom, what was called with which arguments."""
    said = message.message
    calls = [part for call in said.tool_calls for part in (call.id, call.name, *_values(call.arguments))]
    answered = said.tool_result.call_id if said.tool_result else ""
    return "\n".join((said.text, said.name, said.id, answered, *calls))


def select(db: Connection, namespace: str, selector: Selector) -> Selection:
    """All rows of the namespace that hold what is chosen. Takes as long as reading the namespace some times."""
    return _Search(db, namespace, selector).run()


@dataclass(slots=True)
class _Search:
    db: Connection
    namespace: str
    selector: Selector
    found: Selection = field(default_factory=Selection)
    rows: list[CandidateRow] = field(default_factory=list)
    facts: dict[int, Fact] = field(default_factory=dict)
    chosen: set[int] = field(default_factory=set)
    """Facts that were chosen themselves, whatever else says them."""
    taken_back: dict[str, str] = field(default_factory=dict)
    """By the sessions that hold turns which were taken back, those out of which these were: verdicts stay there."""

    def run(self) -> Selection:
        if not self.selector.kind:
            return self.found
        self.taken_back = dict(self.db.rows(_TAKEN_BACK, (self.namespace,)))
        self.rows = [CandidateRow(*row) for row in self.db.rows(_CANDIDATES, (self.namespace,))]
        self.facts = {row[0]: fact_from(row[1:]) for row in self.db.rows(_FACTS, (self.namespace,))}
        self._choose()
        self._learnt()
        self._repeated()
        self._candidates()
        self._beside()
        if not self.selector.everything:
            self._quoted()
        return self.found

    def _messages(self) -> Iterator[tuple[int, LoggedMessage]]:
        for row in self.db.each(_MESSAGES, (self.namespace,)):
            yield row[0], message_from(row[1:])

    # --- what was chosen ---

    def _choose(self) -> None:
        wanted = self.selector
        ids = set(wanted.ids)
        places = self._evidence_of(ids)
        for seq, message in self._messages():
            said = message.message
            base = self.taken_back.get(message.session, message.session)
            named = not ids or said.id in ids or not places.isdisjoint({(message.session, said.id), (base, said.id)})
            if named and self._fits(message.session, said.name, to_text(said.created_at), lambda m=message: text_of(m)):
                self.found.turns[seq] = message
        for seq, fact in self.facts.items():
            named = fact.id in ids if ids else not fact.message_id or bool(wanted.query) or wanted.everything
            when = to_text(fact.created_at)
            if named and self._fits(fact.session, fact.speaker, when, lambda f=fact: _fact_text(f)):
                self.chosen.add(seq)

    def _evidence_of(self, ids: set[str]) -> set[tuple[str, str]]:
        """The messages behind facts and candidates with these ids."""
        places = {row.place for row in self.rows if row.id in ids or (row.fact_id in ids and not row.rejected)}
        places |= {(fact.session, fact.message_id) for fact in self.facts.values() if fact.id in ids}
        return {place for place in places if place[1]}

    def _fits(self, session: str, speaker: str, at: str | None, text: Any) -> bool:
        wanted = self.selector
        since, until = to_text(wanted.since), to_text(wanted.until)
        return (
            (wanted.session is None or wanted.session in (session, self.taken_back.get(session)))
            and (wanted.speaker is None or folded(speaker) == folded(wanted.speaker))
            and (since is None or (at is not None and at >= since))
            and (until is None or (at is not None and at < until))
            and (not wanted.query or folded(wanted.query) in folded(text()))
        )

    def _places(self) -> set[tuple[str, str]]:
        """Session and id of the messages that go, as verdicts and facts name them."""
        found = [(message.session, message.message.id) for message in self.found.turns.values()]
        return {*found, *((self.taken_back[session], name) for session, name in found if session in self.taken_back)}

    # --- what was learnt from it ---

    def _learnt(self) -> None:
        """Facts whose evidence goes: with it, or by another message that says the same."""
        gone = self._places()
        evidence: dict[str, list[CandidateRow]] = {}
        for row in self.rows:
            if not row.rejected and row.message_id and row.content:
                evidence.setdefault(row.fact_id, []).append(row)
        for seq, fact in self.facts.items():
            told = evidence.get(fact.id, [])
            others = [row for row in told if row.place not in gone]
            lost = len(told) - len(others)
            own = (fact.session, fact.message_id) in gone
            if seq in self.chosen or ((lost or own) and not others and (own or not _dictated(fact))):
                self.found.facts[seq] = fact
            elif own:
                self.found.kept[seq] = fact, others[0]
            elif lost:
                self.found.weakened[seq] = lost
        for seq in self.found.facts:
            self.found.kept.pop(seq, None)
            self.found.weakened.pop(seq, None)

    # --- what repeats it ---

    def _repeated(self) -> None:
        """Messages, and facts without one, that say what goes; again for what was learnt from those."""
        statements = [_Statement.of(fact) for fact in self.found.facts.values()]
        anybody = bool(self.selector.ids or self.selector.query)
        if not statements or self.selector.everything:
            return
        more = {
            seq: message
            for seq, message in self._messages()
            if seq not in self.found.turns and _may_repeat(message, anybody=anybody)
            if any(one.is_said_in(message) for one in statements)
        }
        if anybody:
            repeating = (
                seq
                for seq, fact in self.facts.items()
                if seq not in self.found.facts and any(one.is_said_by(fact) for one in statements)
            )
            self.chosen.update(repeating)
        self.found.turns.update(more)
        if more or self.chosen - self.found.facts.keys():
            self.found.kept.clear()
            self.found.weakened.clear()
            self._learnt()

    # --- the trail, recalls, commands ---

    def _candidates(self) -> None:
        gone = self._places()
        facts = {fact.id for fact in self.found.facts.values()}
        ids = set(self.selector.ids)
        for row in self.rows:
            if not row.text.strip() and not self.selector.everything:
                # It has lost its words already.
                continue
            by_itself = (not ids and (not row.message_id or self.selector.query)) or row.id in ids
            if (
                row.place in gone
                or (row.fact_id in facts and not row.rejected)
                or self.selector.everything
                or (by_itself and self._fits(row.session, row.speaker, row.at, lambda r=row: r.text))
            ):
                self.found.candidates[row.seq] = row

    def _beside(self) -> None:
        """What was read from messages that go, and what happened or was told that is chosen itself."""
        wanted = self.selector
        gone = {(message.session, message.message.id) for message in self.found.turns.values()}
        ids = set(wanted.ids)
        by_itself = not ids and wanted.speaker is None
        for table, chosen in self.found.beside.items():
            for seq, session, at, text, message_id in self._rows_beside(table):
                of_message = table in _OF_MESSAGES
                named = of_message and ((session, message_id) in gone or text.partition(" ")[0] in ids)
                if named or (by_itself and self._fits(session, "", at, lambda t=text: t)):
                    chosen.add(seq)

    def _rows_beside(self, table: str) -> Iterator[Row]:
        sql = f"SELECT seq, session, at, {_BESIDE[table]} FROM {table} WHERE namespace = ? ORDER BY seq"
        return self.db.each(sql, (self.namespace,))

    def _quoted(self) -> None:
        """Queries, commands, answers, state, details and events that hold a word which stands in nothing that stays."""
        found = self.found
        words = found.orphans = frozenset(self._orphans())
        if not words:
            return
        for table, chosen in found.beside.items():
            rows = self._rows_beside(table)
            chosen.update(seq for seq, _, _, text, _ in rows if not words.isdisjoint(tokens(text)))
        staying = (row for row in self.rows if row.seq not in found.candidates)
        found.details = {row.seq for row in staying if not words.isdisjoint(tokens(row.text))}
        gone = {fact.id for fact in found.facts.values()}
        found.events = {
            seq
            for seq, fact_id, text in self.db.each(_EVENTS, (self.namespace,))
            if fact_id not in gone and not words.isdisjoint(tokens(text))
        }

    def _orphans(self) -> set[str]:
        """The words of what goes that stand in no message and no fact that stays."""
        found = self.found
        words: set[str] = set()
        for message in found.turns.values():
            words |= tokens(text_of(message))
        for fact in [*found.facts.values(), *(fact for fact, _ in found.kept.values())]:
            words |= tokens(_fact_text(fact))
        for row in found.candidates.values():
            words |= tokens(row.text)
        for seq, message in self._messages() if words else ():
            if seq not in found.turns:
                words -= tokens(text_of(message)) | tokens(message.session)
        for seq, fact in self.facts.items():
            if seq not in found.facts and seq not in found.kept:
                words -= tokens(_fact_text(fact))
        return words


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a fact says, to be found in other texts."""

    whole: str
    gist: Gist | None
    needles: tuple[str, ...]

    @classmethod
    def of(cls, fact: Fact) -> _Statement:
        from cfpm.text.gist import gist

        whole = folded(fact.content).strip(" .!?。！？")
        if fact.category in PATH_CATEGORIES:
            return cls(whole, None, (whole,))
        words = sorted(_TOKEN.findall(whole), key=len, reverse=True)
        needles = tuple(word[:_NEEDLE] for word in words) or (whole,)
        return cls(whole, gist(fact.content), needles)

    def is_said_in(self, message: LoggedMessage) -> bool:
        from cfpm.text.gist import said_in

        text = folded(text_of(message))
        if len(self.whole) >= _SHORTEST and self.whole in text:
            return True
        # A tool does not repeat what was said, unless it prints the very words.
        if self.gist is None or message.message.role is Role.TOOL or not any(needle in text for needle in self.needles):
            return False
        return said_in(message.message.text, self.gist)

    def is_said_by(self, fact: Fact) -> bool:
        from cfpm.text.gist import said_in

        if fact.category in PATH_CATEGORIES or self.gist is None:
            return folded(fact.content) == self.whole
        return said_in(fact.content, self.gist)


def _may_repeat(message: LoggedMessage, *, anybody: bool) -> bool:
    """What a user says is a source of its own, unless the very statement was chosen."""
    said = message.message
    return anybody or said.role is not Role.USER or said.origin is Origin.MEMORY_BLOCK


def _dictated(fact: Fact) -> bool:
    return not fact.message_id


def _fact_text(fact: Fact) -> str:
    """All words of a fact."""
    return "\n".join((fact.attributed, fact.topic, fact.value, fact.validation_command or "", fact.message_id))


def _values(value: object) -> Iterable[str]:
    """All texts in a JSON value, the names of fields too."""
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                yield str(name)
                yield from _values(inner)
        case list() | tuple():
            for inner in value:
                yield from _values(inner)
        case None | bool():
            return
        case _:
            yield json.dumps(value, default=str)
