"""The way of one turn: redact, log, extract, audit, place, write, prune. One transaction, or nothing happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from cfpm.auditor.auditor import audit
from cfpm.auditor.context import AuditContext
from cfpm.auditor.lines import lines_to_remember
from cfpm.auditor.rules import SPOKEN
from cfpm.extractor.authorities import Authorities
from cfpm.extractor.calls import made
from cfpm.extractor.evidence import Removal, removals, working_paths
from cfpm.extractor.extractor import Earlier, extract
from cfpm.extractor.outside import marked, marked_import
from cfpm.model import (
    PATH_CATEGORIES,
    Action,
    Candidate,
    Category,
    Decision,
    Draft,
    FactChange,
    LoggedMessage,
    Mark,
    Message,
    Rejected,
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
from cfpm.model.messages import tool_name
from cfpm.model.trust import Trust, TrustTable, speaks_for_user
from cfpm.paths.grammar import canonical, is_absolute, is_symbolic
from cfpm.pipeline.audit_trail import candidate
from cfpm.pipeline.obeying import Obedience, Obeyed
from cfpm.pipeline.placement import Place
from cfpm.pipeline.recheck import rechecked
from cfpm.pipeline.redaction import capped, redacted_draft
from cfpm.pipeline.state_keeping import keep_state
from cfpm.pruner.candidates import fact_keys
from cfpm.pruner.changes import Resolution, buried_as
from cfpm.pruner.resolve import ConflictResolver
from cfpm.pruner.retention import retire
from cfpm.settings import Settings
from cfpm.store.store import Store
from cfpm.text.foreign import orders_in

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

_NO_TURN_YET = 2**62
"""Behind all turns of a session."""

_NAMED = 50
"""Artifacts with a word of a removed relative path that are looked through for the folder it lies in."""

_CONFIRMING = frozenset({Action.CREATE, Action.REINFORCE, Action.REVIVE})
"""What a fork may do to facts of other sessions."""

_EXPIRED_AT_ONCE = 500
"""Facts that one turn's automatic prune lets go stale; the next turn goes on."""

_RECHECKED_AT_ONCE = 200
"""Rows of facts that one turn looks through for paths that today's rules refuse: a tenth of a millisecond, and nothing
once a process has seen all."""


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """What one turn brought."""

    messages: int = 0
    decisions: Counter[Decision] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    pruned: int = 0
    new_turn: bool = False
    forgotten: int = 0
    unrecorded: int = 0


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
    imports: Extractor | None = None
    """The only source of drafts where another memory is imported: what it holds was said to nobody here."""

    def said_last(self) -> str:
        """What the agent said last in the session; empty when the user spoke last, or nobody."""
        return self.store.log.said_before(self.scope.namespace, self.scope.session, _NO_TURN_YET)

    def observe(self, messages: Sequence[Message]) -> TurnCounts:
        """Takes one turn, or a part of one. Messages already known by their ids are left alone.

        Returns when everything is durably stored; after an error nothing of the turn is.
        """
        ahead = self._read_ahead(messages) if self._takes_long(messages) else None
        with self.store.writing():
            traces = self.store.traces.exist()
            known = self._known(messages, traces)
            if len(known) == len(messages):
                return TurnCounts()
            place = Place.find(self.store, self.scope, messages, known)
            obedience = Obedience(self.store, self.scope, traces)
            new, obeyed = obedience.off_record([m for m in messages if m.id not in known], place)
            if obeyed.unrecorded:
                ahead = None
            begun = self._begun(new, known, place, obeyed.unrecorded, ahead)
            counts = self._take(begun, ahead, obeyed)
        obedience.clean(obeyed)
        # Behind the turn, which is stored whatever becomes of this: nobody waits for what can be derived again.
        ids = [row.message.id for row in begun.logged]
        self.store.sentence_vectors.read(self.scope.namespace, self.scope.session, ids)
        return counts

    def _takes_long(self, messages: Sequence[Message]) -> bool:
        if self.first or self.extractors:
            return True
        return sum(len(message.text) for message in messages) > _LONG

    def _read_ahead(self, messages: Sequence[Message]) -> _Read | None:
        """The drafts of a long turn, found while others may write; None when it is known already."""
        self.first = False
        _ = self.store.vectors.embedder  # loaded now, and not while others wait
        with self.store.reading():
            known = self._known(messages, self.store.traces.exist())
            if len(known) == len(messages):
                return None
            place = Place.find(self.store, self.scope, messages, known)
            begun = self._begun([m for m in messages if m.id not in known], known, place, {}, None)
        return _Read(begun, self._drafts(begun))

    def _known(self, messages: Sequence[Message], traces: bool) -> set[str]:
        namespace, session, ids = self.scope.namespace, self.scope.session, [message.id for message in messages]
        known = self.store.log.known_ids(namespace, session, ids)
        if len(known) < len(ids):
            # A fork is often handed its whole history, of which it shares the beginning with its origin.
            known |= self.store.sessions.inherited(namespace, session, ids)
        return known | self.store.traces.kept_out(namespace, session, ids) if traces else known

    def _begun(
        self,
        messages: Sequence[Message],
        known: set[str],
        place: Place,
        unrecorded: Mapping[str, int],
        ahead: _Read | None,
    ) -> _Begun:
        """The new messages in their place, as they were read ahead if nobody has written to the session since."""
        if ahead is not None and (known, place) == (ahead.begun.known, ahead.begun.place):
            logged = ahead.begun.logged
        else:
            logged = self._logged(messages, place, unrecorded)
        fresh = tuple(row.message for row in logged)
        return _Begun(known, place, logged, Turn(self.scope.session, place.turn, fresh), self._earlier(fresh, place))

    def _drafts(self, begun: _Begun) -> list[Draft]:
        if self.imports is not None:
            return [_from_outside(marked_import(draft)) for draft in self.imports(begun.turn)]
        drafts = extract(begun.turn, begun.earlier, self._authorities())
        messages = {message.id: message for message in begun.turn.messages} if self.extractors else {}
        for extra in self.extractors:
            drafts.extend(
                _from_outside(marked(draft, messages.get(draft.span.message_id))) for draft in extra(begun.turn)
            )
        return drafts

    def _take(self, begun: _Begun, ahead: _Read | None, obeyed: Obeyed) -> TurnCounts:
        namespace, place, turn, earlier = self.scope.namespace, begun.place, begun.turn, begun.earlier
        self.store.log.append(begun.logged)
        drafts = ahead.drafts if ahead is not None and ahead.begun == begun else self._drafts(begun)
        at = _latest(turn.messages) or place.at or (self.clock() if self.clock else None)
        calls = {call.id: call for call in (*earlier.calls, *_calls_of((*earlier.messages, *turn.messages)))}
        Obedience(self.store, self.scope).forget(obeyed, place, at)
        trust = TrustTable.of(self.settings.trust)
        keep_state(self.store, self.scope, turn.index, turn.messages, earlier.messages, calls, trust)
        drafts = self._weighed(drafts, begun.logged, calls)
        lines = lines_to_remember(turn.messages, calls)
        self.store.log.add_lines(namespace, lines)
        decided, changes = self._decide(drafts, turn, at, lines, calls, obeyed)
        self.store.fact_writer.apply(namespace, changes, block_keys=fact_keys)
        pruned = self._prune(changes, at)
        decisions = Counter([row.decision for row in decided])
        reasons = Counter([row.reason for row in decided if row.decision is Decision.REJECTED])
        told = obeyed.forgotten, len(obeyed.unrecorded)
        return TurnCounts(len(turn.messages), decisions, reasons, pruned, place.new_turn, *told)

    def _authorities(self) -> Authorities:
        """Whoever may say where a known folder is. A namespace such as `user:ida` names the user."""
        return _authorities(self.scope.namespace.rpartition(":")[2], self.settings.shell_tools)

    def _logged(self, messages: Sequence[Message], place: Place, unrecorded: Mapping[str, int]) -> list[LoggedMessage]:
        cap = None if self.settings.log_mode == "full" else self.settings.log_cap
        scope, clock, turn = self.scope, self.clock, place.turn
        rows = []
        for position, message in enumerate(messages, place.position):
            kept, cut = message, unrecorded.get(message.id, 0)
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
        by_user = any(message.role is Role.USER for message in fresh)
        said = self.store.log.said_before(self.scope.namespace, self.scope.session, place.turn) if by_user else ""
        return Earlier(before, tuple(calls.values()), place.turn == 0 and place.opening, said)

    def _weighed(
        self, drafts: list[Draft], logged: Sequence[LoggedMessage], calls: Mapping[str, ToolCall]
    ) -> list[Draft]:
        """The drafts, marked where the settings do not trust their tool or their speaker to say this."""
        said = {row.message.id: row.message for row in logged}
        drafted = {draft.span.message_id for draft in drafts if draft.role is Role.USER}
        speakers = {row.message.id: self.store.log.speaker(row) for row in logged if row.message.id in drafted}
        if not self.settings.trust and not any(speakers.values()):
            return drafts
        table = TrustTable.of(self.settings.trust)
        principal = self.store.log.principal(self.scope.namespace, self.scope.session)

        def weighed(draft: Draft) -> Draft:
            message = said.get(draft.span.message_id)
            if message is None:
                return draft
            if message.role is Role.TOOL:
                trust = table.of_tool(tool_name(message, calls))
            elif message.role is Role.USER:
                trust = speaks_for_user(speakers.get(message.id, message.name), principal, table)
            else:
                return draft
            refused = trust is Trust.UNTRUSTED or (
                trust is Trust.DATA
                and message.role is Role.USER
                and (draft.category in SPOKEN or next(orders_in(draft.content, thorough=True), None) is not None)
            )
            return replace(draft, marks=draft.marks | {Mark.UNTRUSTED}) if refused else draft

        return [weighed(draft) for draft in drafts]

    def _decide(
        self,
        drafts: Sequence[Draft],
        turn: Turn,
        at: datetime | None,
        lines: dict[str, str],
        calls: dict[str, ToolCall],
        obeyed: Obeyed,
    ) -> tuple[list[Candidate], list[FactChange]]:
        refusals = audit(drafts, self._view(drafts, turn, lines, calls))
        names = candidate_ids(self.scope.namespace, self.scope.session, drafts)
        resolver = ConflictResolver(self.store.facts, self.scope, self.settings, at, self.store.neighbours)
        resolver.expect([draft for draft, refusal in zip(drafts, refusals, strict=True) if refusal is None])
        verdicts: list[Verdict] = []
        changes: list[FactChange] = []
        # Of a turn from which nothing is kept, nothing is looked up.
        buried = None in refusals and self.store.tombstones.exist()
        for name, draft, refusal in zip(names, drafts, refusals, strict=True):
            if refusal is not None:
                verdicts.append(refusal)
                continue
            if obeyed.is_asked(draft.span.message_id, draft.span.start, draft.span.end):
                verdicts.append(Rejected("transient", "asked_of_memory", "it is asked of the memory itself"))
                continue
            placed = self._forgotten(draft) if buried else None
            placed = placed or resolver.place(draft, name)
            verdicts.append(placed.verdict)
            changes.extend(placed.changes)
        # A quoted or conditional failure is no report; one that was said twice is.
        reports = [d for d, r in zip(drafts, refusals, strict=True) if r is None or r.reason == "duplicate"]
        changes.extend(resolver.retract(working_paths(turn.messages, calls), reports, [m.id for m in turn.messages]))
        changes.extend(self._removed(resolver, drafts, turn, calls))
        decided = [
            candidate(name, self.scope, turn.index, draft, verdict, at)
            for name, draft, verdict in zip(names, drafts, verdicts, strict=True)
        ]
        self.store.candidates.add(decided)
        return decided, self._own(changes)

    def _own(self, changes: list[FactChange]) -> list[FactChange]:
        """The changes that a session may make: a fork tries something else, and takes the place of nothing that others
        said; both stand."""
        session = self.scope.session
        if not changes or self.store.sessions.parent_turn(self.scope.namespace, session) is None:
            return changes
        return [
            change
            for change in changes
            if change.before is None or change.before.session == session or change.action in _CONFIRMING
        ]

    def _removed(
        self, resolver: ConflictResolver, drafts: Sequence[Draft], turn: Turn, calls: Mapping[str, ToolCall]
    ) -> list[FactChange]:
        """What a tool of this turn removed or moved is no artifact any more."""
        gone = removals(turn.messages, calls)
        if not gone:
            return []
        namespace, facts = self.scope.namespace, self.store.facts
        gone += [found for removal in gone for found in self._placed(removal)]
        named = [fact for removal in gone for fact in facts.artifacts_at(namespace, removal.path)]
        return resolver.remove(gone, named, drafts, [message.id for message in turn.messages])

    def _placed(self, removal: Removal) -> Iterator[Removal]:
        """A relative path under the one folder in which this session's artifacts have it."""
        if is_absolute(removal.path) or is_symbolic(removal.path):
            return
        facts = self.store.search.artifacts_named(self.scope.namespace, removal.path, _NAMED)
        roots = {
            fact.key[: at + 1]
            for fact in facts
            if fact.session == self.scope.session and is_absolute(fact.key)
            if (at := f"{fact.key}/".find(f"/{removal.path}/")) >= 0
        }
        if len(roots) == 1:
            yield replace(removal, path=f"{roots.pop()}{removal.path}")

    def _forgotten(self, draft: Draft) -> Resolution | None:
        """The refusal of what was forgotten or erased for good, in these words or nearly so."""
        found = self.store.tombstones.over(self.scope.namespace, draft.category, draft.content, draft.speaker)
        # Of a path that is only forgotten, the evidence decides.
        found = [one for one in found if draft.category not in PATH_CATEGORIES or not one.fact_id]
        return buried_as(found[0].fact_id) if found else None

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
            # So may its paths, under the folder that it names.
            return " ".join([*map(str, call.arguments.values()), *made(call)]) if call else None

        proven = frozenset(
            canonical(draft.content)
            for draft in drafts
            if draft.category is Category.ARTIFACT
            and draft.role is Role.TOOL
            and draft.marks.isdisjoint({Mark.CONTRADICTED, Mark.QUOTED})
        )
        return AuditContext(
            # A prompt that shows our block again does not make it anybody's words.
            known_lines={**lines, **known},
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
        gone = {change.after.id for change in (*changes, *retired)}
        retired += [
            change
            for change in rechecked(self.store.path_walk.next(namespace, _RECHECKED_AT_ONCE), at)
            if change.after.id not in gone
        ]
        if retired:
            self.store.fact_writer.apply(namespace, retired, block_keys=fact_keys)
        return len(retired)


@lru_cache(maxsize=64)
def _authorities(user: str, shell_tools: tuple[str, ...] | None) -> Authorities:
    return Authorities(user=user) if shell_tools is None else Authorities(frozenset(shell_tools), user=user)


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
    draft = replace(redacted_draft(draft), asked="")
    return replace(draft, topic="", value="") if draft.topic.startswith(TOPIC) else draft


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()
