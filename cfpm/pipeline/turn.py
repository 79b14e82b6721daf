"""The way of one turn: redact, log, extract, audit, place, write, prune. One transaction, or nothing happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from cfpm.auditor import AuditContext, audit
from cfpm.auditor.lines import lines_to_remember
from cfpm.extractor import Earlier, extract, working_paths
from cfpm.model import (
    Action,
    Candidate,
    Category,
    Decision,
    Draft,
    FactChange,
    LoggedMessage,
    Mark,
    Message,
    Role,
    Scope,
    Span,
    ToolCall,
    Turn,
    Verdict,
)
from cfpm.model.clock import Clock, to_text
from cfpm.model.ids import candidate_ids, line_hash
from cfpm.model.known_folders import TOPIC
from cfpm.paths.grammar import canonical
from cfpm.pipeline.audit_trail import candidate
from cfpm.pipeline.placement import Place
from cfpm.pipeline.redaction import capped, redacted_draft
from cfpm.pruner.candidates import fact_keys
from cfpm.pruner.resolve import ConflictResolver
from cfpm.pruner.retention import retire
from cfpm.settings import Settings
from cfpm.store.store import Store

Extractor = Callable[[Turn], Iterable[Draft]]
"""An extra source of drafts, such as a model. Its drafts pass the same auditor as all others."""

_LONGEST_LINE = 1_000
"""Characters before and behind a span in which its line is looked for; a recalled line has at most about 800."""

_EARLIER = 60
"""Messages of the same turn that a part of it leans on, its own among them: a host that passes them one by one pays for
each only once."""

_LONG = 20_000
"""Characters of a turn that is read before it locks the store: some 20 ms, in which others may write. To look twice
where a turn goes takes 0.3 ms, which a short one would notice."""

_EXPIRED_AT_ONCE = 500
"""Facts that one turn's automatic prune lets go stale; the next turn goes on."""


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """What one turn brought."""

    messages: int = 0
    decisions: Counter[Decision] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    pruned: int = 0
    new_turn: bool = False


@dataclass(frozen=True, slots=True)
class _Begun:
    """The messages of a turn that are new, in their place, with what they lean on."""

    known: set[str]
    place: Place
    logged: list[LoggedMessage]
    turn: Turn
    earlier: Earlier


@dataclass(frozen=True, slots=True)
class _Read:
    """A turn as it began, and the drafts that were found in it; of no use when it begins otherwise."""

    begun: _Begun
    drafts: list[Draft]


@dataclass(slots=True)
class TurnPipeline:
    """Takes the turns of one session in order. `extractors` add drafts to the built-in rules."""

    store: Store
    scope: Scope
    settings: Settings
    clock: Clock | None = None
    extractors: Sequence[Extractor] = ()
    first: bool = False
    """Whether the next turn may be the first of its process, which loads lexicons and vectors: half a second in which
    nobody else should have to wait."""

    def observe(self, messages: Sequence[Message]) -> TurnCounts:
        """Takes one turn, or a part of one. Messages already known by their ids are left alone.

        Returns when everything is durably stored; after an error nothing of the turn is.
        """
        ahead = self._read_ahead(messages) if self._takes_long(messages) else None
        with self.store.writing():
            known = self._known(messages)
            if len(known) == len(messages):
                return TurnCounts()
            return self._take(self._begun(messages, known, ahead), ahead)

    def _takes_long(self, messages: Sequence[Message]) -> bool:
        if self.first or self.extractors:
            return True
        return sum(len(message.text) for message in messages) > _LONG

    def _read_ahead(self, messages: Sequence[Message]) -> _Read | None:
        """The drafts of a long turn, found while others may write; None when it is known already."""
        self.first = False
        _ = self.store.vectors.embedder  # loaded now, and not while others wait
        with self.store.reading():
            known = self._known(messages)
            if len(known) == len(messages):
                return None
            begun = self._begun(messages, known, None)
        return _Read(begun, self._drafts(begun))

    def _known(self, messages: Sequence[Message]) -> set[str]:
        return self.store.log.known_ids(self.scope.namespace, self.scope.session, [message.id for message in messages])

    def _begun(self, messages: Sequence[Message], known: set[str], ahead: _Read | None) -> _Begun:
        """The unknown messages in their place, as they were read ahead if nobody has written to the session since."""
        place = Place.find(self.store, self.scope, messages, known)
        if ahead is not None and (known, place) == (ahead.begun.known, ahead.begun.place):
            logged = ahead.begun.logged
        else:
            logged = self._logged([m for m in messages if m.id not in known], place)
        fresh = tuple(row.message for row in logged)
        return _Begun(known, place, logged, Turn(self.scope.session, place.turn, fresh), self._earlier(fresh, place))

    def _drafts(self, begun: _Begun) -> list[Draft]:
        drafts = extract(begun.turn, begun.earlier)
        for extra in self.extractors:
            drafts.extend(_from_outside(draft) for draft in extra(begun.turn))
        return drafts

    def _take(self, begun: _Begun, ahead: _Read | None) -> TurnCounts:
        namespace, place, turn, earlier = self.scope.namespace, begun.place, begun.turn, begun.earlier
        self.store.log.append(begun.logged)
        drafts = ahead.drafts if ahead is not None and ahead.begun == begun else self._drafts(begun)
        at = _latest(turn.messages) or place.at or (self.clock() if self.clock else None)
        calls = {call.id: call for call in (*earlier.calls, *_calls_of((*earlier.messages, *turn.messages)))}
        lines = lines_to_remember(turn.messages, calls)
        self.store.log.add_lines(namespace, lines)
        decided, changes = self._decide(drafts, turn, at, lines, calls)
        self.store.fact_writer.apply(namespace, changes, block_keys=fact_keys)
        pruned = self._prune(changes, at)
        decisions = Counter([row.decision for row in decided])
        reasons = Counter([row.reason for row in decided if row.decision is Decision.REJECTED])
        return TurnCounts(len(turn.messages), decisions, reasons, pruned, place.new_turn)

    def _logged(self, messages: Sequence[Message], place: Place) -> list[LoggedMessage]:
        cap = None if self.settings.log_mode == "full" else self.settings.log_cap
        scope, clock, turn = self.scope, self.clock, place.turn
        rows = []
        for position, message in enumerate(messages, place.position):
            kept, cut = message, 0
            if cap is not None and message.role is Role.TOOL and len(message.text) > cap:
                text, cut = capped(message.text, cap)
                kept = replace(message, text=text)
            if kept.created_at is None and clock is not None:
                kept = replace(kept, created_at=clock())
            rows.append(LoggedMessage(scope.namespace, scope.session, turn, position, kept, cut, scope.agent))
        return rows

    def _earlier(self, fresh: tuple[Message, ...], place: Place) -> Earlier:
        """What the new messages lean on: the turn's earlier messages, and calls that they answer."""
        before: tuple[Message, ...] = ()
        if not place.new_turn:
            last = max(0, _EARLIER - len(fresh))
            rows = self.store.log.messages(self.scope.namespace, session=self.scope.session, turn=place.turn, last=last)
            before = tuple(row.message for row in rows)
        asked = {call.id for call in _calls_of((*before, *fresh))}
        wanted = [m.tool_result.call_id for m in fresh if m.tool_result and m.tool_result.call_id not in asked]
        calls = self.store.log.calls(self.scope.namespace, self.scope.session, wanted) if wanted else {}
        return Earlier(before, tuple(calls.values()), opening=place.turn == 0 and place.opening)

    def _decide(
        self,
        drafts: Sequence[Draft],
        turn: Turn,
        at: datetime | None,
        lines: dict[str, str],
        calls: dict[str, ToolCall],
    ) -> tuple[list[Candidate], list[FactChange]]:
        refusals = audit(drafts, self._view(drafts, turn, lines, calls))
        names = candidate_ids(self.scope.namespace, self.scope.session, drafts)
        resolver = ConflictResolver(self.store.facts, self.scope, self.settings, at)
        resolver.expect([draft for draft, refusal in zip(drafts, refusals, strict=True) if refusal is None])
        verdicts: list[Verdict] = []
        changes: list[FactChange] = []
        for name, draft, refusal in zip(names, drafts, refusals, strict=True):
            if refusal is not None:
                verdicts.append(refusal)
                continue
            placed = resolver.place(draft, name)
            verdicts.append(placed.verdict)
            changes.extend(placed.changes)
        # A quoted or conditional failure is no report; one that was said twice is.
        reports = [d for d, r in zip(drafts, refusals, strict=True) if r is None or r.reason == "duplicate"]
        changes.extend(resolver.retract(working_paths(turn.messages, calls), reports, [m.id for m in turn.messages]))
        decided = [
            candidate(name, self.scope, turn.index, draft, verdict, at)
            for name, draft, verdict in zip(names, drafts, verdicts, strict=True)
        ]
        self.store.candidates.add(decided)
        return decided, changes

    def _view(
        self, drafts: Sequence[Draft], turn: Turn, lines: dict[str, str], calls: dict[str, ToolCall]
    ) -> AuditContext:
        messages = {message.id: message for message in turn.messages}
        around = {
            draft.span: line_hash(_line_around(messages.get(draft.span.message_id), draft.span)) for draft in drafts
        }
        hashes = {line_hash(text) for draft in drafts for text in (draft.line, draft.content)} | set(around.values())
        known = self.store.log.known_lines(self.scope.namespace, sorted(hashes - {""})) if hashes else {}

        def quote(span: Span) -> str | None:
            message = messages.get(span.message_id)
            if message is None:
                return None
            if span.end > span.start:
                return message.text[span.start : span.end]
            # A span without width cites the call that this result answers.
            call = calls.get(message.tool_result.call_id) if message.tool_result else None
            return " ".join(str(value) for value in call.arguments.values()) if call else None

        proven = frozenset(
            canonical(draft.content)
            for draft in drafts
            if draft.category is Category.ARTIFACT
            and draft.role is Role.TOOL
            and draft.marks.isdisjoint({Mark.CONTRADICTED, Mark.QUOTED})
        )
        return AuditContext(
            known_lines={**known, **lines},
            around=around,
            quote=quote,
            folder_exists=_is_folder if self.settings.check_filesystem else None,
            proven_folders=proven,
            max_chars=self.settings.max_draft_chars,
            max_drafts=self.settings.max_drafts_per_turn,
        )

    def _prune(self, changes: Sequence[FactChange], at: datetime | None) -> int:
        """Runs in every turn, whether it brought a draft or not."""
        namespace = self.scope.namespace
        if at is not None and self.clock is not None:
            # A message that says it comes from the future lets nothing go stale before its time.
            at = min(at, self.clock())
        expired = self.store.facts.expired(namespace, to_text(at) or "", _EXPIRED_AT_ONCE) if at else []
        crowded = {}
        for category in sorted({change.after.category for change in changes if change.action is not Action.REINFORCE}):
            surplus = self.store.facts.active_learnt(namespace, category) - self.settings.capacity
            if surplus > 0:
                crowded[category] = self.store.facts.least_useful(namespace, category, surplus)
        retired = retire(expired, crowded, at)
        if retired:
            self.store.fact_writer.apply(namespace, retired, block_keys=fact_keys)
        return len(retired)


def _line_around(message: Message | None, span: Span) -> str:
    """The whole line in which a span stands: a line of a recalled block has several sentences."""
    if message is None:
        return ""
    text = message.text
    start = text.rfind("\n", max(0, span.start - _LONGEST_LINE), span.start) + 1
    end = text.find("\n", span.end, span.end + _LONGEST_LINE)
    return text[max(start, span.start - _LONGEST_LINE) : end if end >= 0 else span.end + _LONGEST_LINE]


def _calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    return [call for message in messages for call in message.tool_calls]


def _latest(messages: Iterable[Message]) -> datetime | None:
    return max((m.created_at for m in messages if m.created_at is not None), default=None)


def _from_outside(draft: Draft) -> Draft:
    """A draft of an extra extractor: without secrets, and never evidence of where a known folder is, which steers
    commands."""
    draft = redacted_draft(draft)
    return replace(draft, topic="", value="") if draft.topic.startswith(TOPIC) else draft


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()
