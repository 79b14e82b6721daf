"""Erasing: rows lose their words, and the file loses every byte of them. Leaves a record without words.

The rows and the record are one transaction. Cleaning the file comes after it, can be stopped at any moment and goes on
when the memory is opened next; until it is done the record is not `finished`. Providers beside the store are cleaned by
their adapters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.model import Fact
from cfpm.model.clock import from_text, to_text
from cfpm.model.erasures import ErasurePlan, ErasureRecord, Selector
from cfpm.model.ids import fact_id, line_hash
from cfpm.store.candidates import recount
from cfpm.store.fact_writer import count_change
from cfpm.store.namespace_index import LAST_ERASURE
from cfpm.store.rows import encode_json
from cfpm.store.schema import insert_into
from cfpm.store.search import NOT_SEARCHED, index_text
from cfpm.store.selection import Selection, select
from cfpm.store.traces import ERASED
from cfpm.store.trail import CHANGED
from cfpm.store.trail import ERASED as ROWS_ERASED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sized
    from datetime import datetime

    from cfpm.model import LoggedMessage
    from cfpm.store.call_index import CallIndex
    from cfpm.store.connection import Connection
    from cfpm.store.deeds import DeedTable
    from cfpm.store.documents import DocumentTable
    from cfpm.store.fact_writer import BlockKeys, FactWriter
    from cfpm.store.keys import KeyedHashes
    from cfpm.store.namespace_index import NamespaceIndex
    from cfpm.store.selection import CandidateRow
    from cfpm.store.sentence_vectors import SentenceVectors
    from cfpm.store.sessions import SessionTable
    from cfpm.store.tombstones import Tombstones
    from cfpm.store.traces import Traces
    from cfpm.store.trail import Trail

_RECORD = insert_into("erasures")
_RECORDS = "SELECT seq, namespace, selector, erased_by, at, counts, finished FROM erasures ORDER BY seq"
_FINISHED = "UPDATE erasures SET finished = 1 WHERE finished = 0"

BLANK_CANDIDATE = (
    "UPDATE memory_candidates SET content = '', line = '', detail = '', validation_command = NULL, speaker = '',"
    " shares = '', event_time = NULL, span_start = 0, span_end = 0, message_id = '', marks = ?, fact_id = ?"
    " WHERE seq = ?"
)
"""The one way in which a candidate loses its words: the id, the verdict, the rule and the numbers stay."""

BLANK_DETAIL = "UPDATE memory_candidates SET detail = '' WHERE seq = ?"
"""A candidate that stays and only quoted what goes."""

BLANK_QUOTING_EVENT = "UPDATE memory_events SET before = '{}', after = '{}' WHERE seq = ?"
"""An event of a fact that stays, which only quoted what goes."""

BLANK_EVENT = "UPDATE memory_events SET before = '{}', after = '{}', fact_id = ? WHERE seq = ?"
"""The one way in which an event loses its words: number, action, cause and time stay."""

_OF_NAMESPACE = (
    *("seen_lines", "fact_counts", "candidate_counts", "memory_calls", "memory_deeds", "fact_blocks"),
    *("sessions", "message_details", "memory_approvals", "memory_state"),
)
"""Tables of which nothing is left where all of a namespace goes."""

_MARKS = encode_json([ERASED])
_TABLES = ("turns", "facts", "documents")


@dataclass(frozen=True, slots=True)
class Erasure:
    """Erases, remembers what was erased without words, and cleans the file."""

    db: Connection
    hashes: KeyedHashes
    tombstones: Tombstones
    traces: Traces
    fact_writer: FactWriter
    index: NamespaceIndex
    sentence_vectors: SentenceVectors
    call_index: CallIndex
    deeds: DeedTable
    documents: DocumentTable
    sessions: SessionTable
    trail: Trail

    def plan(self, namespace: str, selector: Selector) -> ErasurePlan:
        """What `erase` would take along. Changes nothing."""
        with self.db.reading():
            found = select(self.db, namespace, selector)
            found.documents = self.documents.chosen(namespace, selector)
        kept = tuple(fact for fact, _ in found.kept.values())
        names = tuple(one.name for one in self.documents.of([namespace]) if one.id in found.documents)
        return ErasurePlan(
            tuple(found.turns.values()), tuple(found.facts.values()), kept, _counts(found), found.orphans, names
        )

    def erase(
        self,
        namespace: str,
        selector: Selector,
        *,
        by: str,
        at: datetime | None,
        block_keys: BlockKeys,
        and_forget: bool = False,
    ) -> ErasureRecord:
        """Blanks or removes all rows in one transaction with the record; call `finish` after it.

        `and_forget` leaves tombstones, by which the same things are not learnt again.
        """
        with self.trail.on_record(ROWS_ERASED):
            found = select(self.db, namespace, selector)
            found.documents = self.documents.chosen(namespace, selector)
            number = self.db.number(LAST_ERASURE) + 1
            name = f"{ERASED}_{number}" if selector.everything else namespace
            counts = _counts(found)
            if found.empty and not selector.everything:
                return ErasureRecord(0, namespace, selector.kind, by, at, counts, True)
            last_turn = self.db.number("SELECT max(seq) FROM memory_turns")
            self.db.run(_RECORD, (name, selector.kind, by, to_text(at), encode_json(counts), last_turn, False))
            _Rows(self, namespace, number, found, block_keys, and_forget).erase()
            if selector.everything:
                self._rename_namespace(namespace, name)
            return ErasureRecord(number, name, selector.kind, by, at, counts, False)

    def finish(self) -> bool:
        """Rewrites the file without what is free in it; True when no byte of an erased row is left.

        False while another process reads: it is done when the memory is opened next, or by `purge`. Not inside a
        transaction.
        """
        self.index.known.clear()
        self.sentence_vectors.catch_up()
        if not self.traces.unfinished():
            return True
        last = self.db.number(LAST_ERASURE)
        try:
            with self.db.writing():
                for kind in _TABLES:
                    # Merges all parts of the index into one, from which deleted words are left out.
                    self.db.run(f"INSERT INTO {kind}_text ({kind}_text) VALUES ('optimize')")
            self.db.run("VACUUM")
            if not self._checkpointed():
                return False
            with self.db.writing(), self.trail.on_record(CHANGED):
                self.db.run(f"{_FINISHED} AND seq <= ?", (last,))
        except StoreError:
            return False
        return True

    def records(self) -> list[ErasureRecord]:
        """All records, oldest first."""
        return [
            ErasureRecord(number, namespace, kind, by, from_text(at), json.loads(counts), bool(finished))
            for number, namespace, kind, by, at, counts, finished in self.db.rows(_RECORDS)
        ]

    def _checkpointed(self) -> bool:
        """Whether the file has taken over all of its log of changes, and that is empty."""
        row = self.db.row("PRAGMA wal_checkpoint(TRUNCATE)")
        return row is None or row[0] == 0

    def _rename_namespace(self, namespace: str, name: str) -> None:
        """What is left of a namespace is under a name that is no word."""
        for table in ("memory_candidates", "memory_events"):
            self.db.run(f"UPDATE {table} SET namespace = ? WHERE namespace = ?", (name, namespace))
        for table in _OF_NAMESPACE:
            self.db.run(f"DELETE FROM {table} WHERE namespace = ?", (namespace,))
        recount(self.db)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one erasure, inside its transaction."""

    of: Erasure
    namespace: str
    number: int
    found: Selection
    block_keys: BlockKeys
    and_forget: bool

    def erase(self) -> None:
        self._lines()
        for seq, fact in self.found.facts.items():
            self._fact(seq, fact)
        self._references()
        for seq, (fact, row) in self.found.kept.items():
            self._keep(seq, fact, row)
        for seq, lost in self.found.weakened.items():
            self.db.run(
                "UPDATE memory_facts SET evidence_count = max(1, evidence_count - ?) WHERE seq = ?", (lost, seq)
            )
        for seq, row in self.found.candidates.items():
            self._candidate(seq, row)
        self.db.many(BLANK_DETAIL, ((seq,) for seq in self.found.details))
        self.db.many(BLANK_QUOTING_EVENT, ((seq,) for seq in self.found.events))
        self._messages()
        for table, rows in self.found.beside.items():
            self.db.many(f"DELETE FROM {table} WHERE seq = ?", ((seq,) for seq in rows))
        self._sessions()
        self.of.documents.drop(self.found.documents)

    @property
    def db(self) -> Connection:
        return self.of.db

    def _pseudonym(self, kind: str, name: str) -> str:
        return f"{ERASED}_{self.of.hashes.name(kind, self.namespace, name)[:20]}" if name else ""

    def _lines(self) -> None:
        """What was noted of lines that a block showed."""
        from cfpm.text.sentences import sentences

        texts = [message.message.text for message in self.found.turns.values()]
        texts += [text for fact in self.found.facts.values() for text in (fact.content, fact.attributed)]
        parts = (part for text in texts for part in (*(one.text for one in sentences(text)), *text.splitlines()))
        hashes = dict.fromkeys(name for part in parts if (name := line_hash(part)))
        self.db.many(
            "DELETE FROM seen_lines WHERE namespace = ? AND line_hash = ? AND kind <> 'boilerplate'",
            ((self.namespace, name) for name in hashes),
        )

    def _fact(self, seq: int, fact: Fact) -> None:
        if self.and_forget:
            self.of.tombstones.add(self.namespace, fact.category, fact.content, speaker=fact.speaker)
        self.of.tombstones.disown(fact.id)
        self._unindex(seq, fact)
        self.db.run("DELETE FROM memory_facts WHERE seq = ?", (seq,))
        self.db.run("DELETE FROM fact_vectors WHERE seq = ?", (seq,))
        self.of.fact_writer.add_counts([_less(fact)])
        name = self._pseudonym("fact", fact.id)
        events = self.db.rows(
            "SELECT seq FROM memory_events WHERE namespace = ? AND fact_id = ?", (self.namespace, fact.id)
        )
        self.db.many(BLANK_EVENT, ((name, number) for (number,) in events))

    def _unindex(self, seq: int, fact: Fact) -> None:
        self.db.run(
            "INSERT INTO facts_text (facts_text, rowid, text) VALUES ('delete', ?, ?)",
            (seq, index_text(fact.attributed)),
        )
        self.db.run(
            "DELETE FROM fact_blocks WHERE namespace = ? AND category = ? AND fact = ?",
            (self.namespace, fact.category.value, seq),
        )

    def _references(self) -> None:
        """No fact names one that is gone."""
        gone = {fact.id for fact in self.found.facts.values()}
        if not gone:
            return
        self.db.many(
            "UPDATE memory_facts SET superseded_by = '' WHERE namespace = ? AND superseded_by = ?",
            ((self.namespace, name) for name in gone),
        )
        naming = "SELECT seq, contradicts FROM memory_facts WHERE namespace = ? AND contradicts <> ''"
        for seq, names in self.db.rows(naming, (self.namespace,)):
            kept = " ".join(name for name in names.split() if name not in gone)
            if kept != names:
                self.db.run("UPDATE memory_facts SET contradicts = ? WHERE seq = ?", (kept, seq))

    def _keep(self, seq: int, fact: Fact, row: CandidateRow) -> None:
        """A fact whose message goes stands by another one that said it, in that one's words."""
        from cfpm.text.canonical import canonical_key

        content = " ".join(row.content.split())
        key = canonical_key(fact.category, content, row.speaker)
        name = fact_id(self.namespace, fact.category, key)
        if name != fact.id and self.db.row("SELECT 1 FROM memory_facts WHERE id = ?", (name,)):
            # The other words are a fact of their own already.
            self._fact(seq, fact)
            return
        after = replace(
            fact,
            id=name,
            key=key,
            content=content,
            speaker=row.speaker,
            session=row.session,
            message_id=row.message_id,
            created_at=from_text(row.at) or fact.created_at,
            evidence_count=max(1, fact.evidence_count - 1),
            span_start=0,
            span_end=0,
            topic=fact.topic if content == fact.content else "",
            value=fact.value if content == fact.content else "",
            validation_command=row.command or None,
        )
        self._unindex(seq, fact)
        self.of.fact_writer.rewrite(seq, after, self.block_keys)
        self.db.run(
            "UPDATE memory_candidates SET fact_id = ? WHERE namespace = ? AND fact_id = ?",
            (name, self.namespace, fact.id),
        )
        self.db.run(
            "UPDATE memory_facts SET superseded_by = ? WHERE namespace = ? AND superseded_by = ?",
            (name, self.namespace, fact.id),
        )
        events = "UPDATE memory_events SET before = '{}', after = '{}', fact_id = ? WHERE namespace = ? AND fact_id = ?"
        self.db.run(events, (name, self.namespace, fact.id))

    def _candidate(self, seq: int, row: CandidateRow) -> None:
        known = self.db.row("SELECT 1 FROM memory_facts WHERE id = ?", (row.fact_id,)) if row.fact_id else None
        self.db.run(BLANK_CANDIDATE, (_MARKS, row.fact_id if known else self._pseudonym("fact", row.fact_id), seq))

    def _messages(self) -> None:
        turns = self.found.turns
        self.db.many(
            "INSERT INTO turns_text (turns_text, rowid, text) VALUES ('delete', ?, ?)",
            (
                (seq, index_text(message.message.text))
                for seq, message in turns.items()
                if message.message.origin not in NOT_SEARCHED
            ),
        )
        self.of.call_index.remove((seq, message.message) for seq, message in turns.items())
        self.of.deeds.remove(turns)
        self.of.sentence_vectors.remove(turns)
        for table in ("memory_turns", "turn_vectors"):
            self.db.many(f"DELETE FROM {table} WHERE seq = ?", ((seq,) for seq in turns))
        self.db.many(
            "DELETE FROM message_details WHERE namespace = ? AND session = ? AND message_id = ?",
            ((self.namespace, message.session, message.message.id) for message in turns.values()),
        )
        # Calls are found by their session; no index leads to their message.
        self.db.many(
            "DELETE FROM memory_calls WHERE namespace = ? AND session = ? AND call_id = ?",
            (
                (self.namespace, message.session, call.id)
                for message in turns.values()
                for call in message.message.tool_calls
            ),
        )
        for session, ids in _by_session(turns.values()).items():
            self.of.traces.keep_out(self.namespace, session, ids)

    def _sessions(self) -> None:
        """A session of which nothing is left has no name either."""
        sessions = {message.session for message in self.found.turns.values()}
        sessions |= {row.session for row in self.found.candidates.values()}
        sessions |= {fact.session for fact in self.found.facts.values()}
        left = "SELECT 1 FROM memory_turns WHERE namespace = ? AND session = ? LIMIT 1"
        for session in sorted(sessions - {""}):
            if self.db.row(left, (self.namespace, session)):
                self.of.sessions.recount(self.namespace, session)
                continue
            if session.startswith(f"{ERASED}_"):
                continue
            self.of.sessions.remove(self.namespace, session)
            name = self._pseudonym("session", session)
            for table in ("memory_candidates", "memory_facts"):
                self.db.run(
                    f"UPDATE {table} SET session = ? WHERE namespace = ? AND session = ?",
                    (name, self.namespace, session),
                )
            for table in ("recall_events", "gate_events", "memory_calls", "memory_approvals", "memory_state"):
                self.db.run(f"DELETE FROM {table} WHERE namespace = ? AND session = ?", (self.namespace, session))


def _by_session(messages: Iterable[LoggedMessage]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for message in messages:
        found.setdefault(message.session, []).append(message.message.id)
    return found


def _less(fact: Fact) -> tuple[str, str, int, int]:
    """One fact less, as `count_change` counts."""
    namespace, category, active, learnt = count_change(None, fact)
    return namespace, category, -active, -learnt


def _counts(found: Selection) -> dict[str, int]:
    rows: dict[str, Sized] = {
        "memory_turns": found.turns,
        "memory_facts": found.facts,
        "memory_candidates": found.candidates,
        "memory_events": found.events,
        "recall_events": found.beside["recall_events"],
        "gate_events": found.beside["gate_events"],
        "documents": found.documents,
        **found.beside,
    }
    return {table: len(of) for table, of in rows.items() if of}
