"""The front door: one memory of one namespace in one store. Thin: it opens the rooms and hands on what they answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from cfpm.errors import InputError, NotFoundError, UsageError
from cfpm.model import Candidate, Category, Decision, Event, Fact, LoggedMessage, Scope, Status, Turn
from cfpm.model.clock import Clock, to_text
from cfpm.transcript import arguments

if TYPE_CHECKING:
    from cfpm.admin.brief_file import WrittenBrief
    from cfpm.admin.curation import Curator
    from cfpm.admin.foreign.importing import Audited
    from cfpm.admin.report import Explanation, Rollback, Stats
    from cfpm.admin.session_state import SessionKeeper
    from cfpm.admin.sessions import Orphan, Rewound, SessionCurator
    from cfpm.context.agent_view import AgentView
    from cfpm.context.artifacts import Artifacts
    from cfpm.context.assembler import Assembler, SourceLike
    from cfpm.context.assembly import Kept, Prompt
    from cfpm.context.compact import Extra
    from cfpm.context.driver import Driver, MilestoneTest
    from cfpm.context.history import Raw
    from cfpm.context.rehydration import Block
    from cfpm.context.resuming import Resumed
    from cfpm.context.states import State
    from cfpm.context.strategies.types import Compaction, Limits, Summariser
    from cfpm.context.trims import Trim
    from cfpm.documents.library import Documents
    from cfpm.gate.decision import Decision as GateDecision
    from cfpm.gate.host import Host
    from cfpm.model.erasures import ErasurePlan, ErasureRecord, Selector
    from cfpm.model.sessions import LogEntry, Session, UsageReport
    from cfpm.model.state import Approval, Item, StateEntry
    from cfpm.pipeline.report import Report
    from cfpm.pipeline.turn import Extractor, TurnPipeline
    from cfpm.recall import Neighbour, Recall
    from cfpm.recall.brief import Brief
    from cfpm.recall.tokens import Count
    from cfpm.settings import Settings
    from cfpm.store.backup import Manifest, Restored
    from cfpm.store.doctor import Check
    from cfpm.store.seals import Finding
    from cfpm.store.store import Store
    from cfpm.store.transfer import ImportReport
    from cfpm.transcript.records import Problem, Record

# Each verb imports the rooms that it needs: a process that only asks never loads what learns.


@dataclass(slots=True)
class Memory:
    """An agent's memory. One thread at a time; any number of processes may share the store."""

    store: Store
    scope: Scope
    settings: Settings
    clock: Clock | None = None
    extractors: tuple[Extractor, ...] = ()
    notify: Callable[[str], None] | None = None
    _observed: bool = field(default=False, init=False, repr=False)
    _prompts: Assembler | None = field(default=None, init=False, repr=False)

    @classmethod
    def open(
        cls,
        url: str | PathLike[str],
        *,
        namespace: str = "default",
        agent: str = "",
        settings: Settings | None = None,
        clock: Clock | None = None,
        extractors: Sequence[Extractor] = (),
        read_only: bool = False,
        notify: Callable[[str], None] | None = None,
    ) -> Self:
        """Opens or creates a memory: a path, or a url such as `sqlite:///memory.db`.

        Undated messages stay undated unless a `clock` is given, such as `cfpm.utc_now` in a live host: so the same
        transcript gives the same memory on any day. `extractors` are extra sources of drafts; the auditor judges
        theirs like all others. `notify` gets the runtime message `[CFPM_RUNTIME_V1] {...}` of whatever was observed, as
        the setting `visibility` says: it is for the user, and no input of a model. Raises UsageError for an unknown
        kind of url, StoreError for a database that cannot be used.
        """
        from cfpm.settings import Settings
        from cfpm.store.store import Store
        from cfpm.transcript.fields import clean

        url = fspath(url) if isinstance(url, PathLike) else arguments.text("url", url)
        arguments.name_of("agent", agent)
        if not arguments.name_of("namespace", namespace).strip() or namespace != clean(namespace):
            raise UsageError(
                f"namespace {clean(namespace)!r}", "blank, or not plain text", "Use a name like user:alice"
            )
        settings = settings or Settings.load()
        store = Store.open(url, settings, read_only=read_only)
        if not read_only and store.traces.unfinished():
            # A process was killed between an erasure and the cleaning of the file, or others kept it open.
            store.erasure.finish()
        return cls(
            store, Scope(_named(namespace), agent=_named(clean(agent))), settings, clock, tuple(extractors), notify
        )

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def observe(self, messages: Iterable[object], *, session: str = "default") -> Report:
        """Takes in messages, turn by turn, each durably: dicts of OpenAI's or Anthropic's style, Messages or Turns, and
        the objects of OpenAI, Anthropic, LangChain and Pydantic AI as they come, mixed in one list.

        Idempotent by message id: the host's `id`, else one derived from the content, so give ids if the same words
        may come twice in different calls. Raises InputError naming the message that cannot be used, before anything
        is stored.
        """
        from cfpm.pipeline.redaction import told_without_secrets
        from cfpm.transcript.messages import parse_messages
        from cfpm.transcript.records import Record

        name = self._session(session)
        flat: list[Any] = []
        for item in arguments.messages(messages):
            flat.extend(item.messages if isinstance(item, Turn) else (item,))
        try:
            parsed = parse_messages(flat)
        except InputError as error:
            raise told_without_secrets(error) from None
        return self._observe(Record(name, message, "") for message in parsed)

    def observe_file(
        self,
        path: Path,
        *,
        format: str = "auto",  # noqa: A002
        session: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Report:
        """Takes in a transcript of any known format; `progress` gets the bytes read so far.

        What cannot be read is in the report's problems, while the rest is stored. Raises InputError for a file that
        is no transcript at all.
        """
        from cfpm.pipeline.redaction import told_without_secrets
        from cfpm.transcript.reading import read

        if session is not None:
            arguments.name_of("session", session)
        try:
            return self._observe(read(path, format=format, session=session, progress=progress), "transcript")
        except InputError as error:
            raise told_without_secrets(error) from None

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        max_tokens: int = 1200,
        max_chars: int | None = None,
        namespaces: Sequence[str] = (),
        neighbours: Sequence[Neighbour] = (),
        exclude: Collection[str] = (),
        include_quarantined: bool = False,
        agent: str | None = None,
        near: float = 0.0,
    ) -> Recall:
        """The facts and turns that fit, and a block for the prompt of at most `max_tokens`, or of `max_chars`.

        Tokens are counted as the setting `tokenizer` says. With `max_chars` the block names what did not fit. What is
        in it is noted, so that it is not learnt again when it comes back. The budget decides how many items there are;
        `k` limits them further. `exclude` are ids of messages and facts that the prompt holds anyway, such as those of
        the lines of its brief; what only repeats the query is left out by itself, also the message that was said last,
        with what was learnt from it: many hosts save it before they ask. Words that were refused because they are not
        so, and those that something newer took the place of, stay out of the block, or carry a mark. What tools, pastes
        and other participants say to the agent is left out unless `include_quarantined`; then it is labelled with its
        source and trust. `neighbours` are what an index outside of the store found near the query; they take part in
        the ranking. With `agent` only what was observed under its name, or under none. `near`, from 0 to 1,
        is for what is told unasked: the block leaves out what holds less than this share of what the best holds, in the
        prompt or not; where nothing answers, it has facts alone.
        """
        from cfpm.model.trust import TrustTable
        from cfpm.recall import recall
        from cfpm.recall.injection import note

        arguments.text("query", query)
        arguments.optional_whole("k", k)
        arguments.whole("max_tokens", max_tokens)
        arguments.optional_whole("max_chars", max_chars)
        with self.store.reading():
            found = recall(
                self.store,
                [_named(name) for name in arguments.names("namespaces", namespaces)] or [self.scope.namespace],
                query,
                k=k,
                max_tokens=max_tokens,
                max_chars=max_chars,
                count=self._count(),
                neighbours=neighbours,
                exclude=frozenset(arguments.names("exclude", exclude)),
                trust=TrustTable.of(self.settings.trust),
                include_quarantined=include_quarantined,
                agent=None if agent is None else arguments.name_of("agent", agent),
                near=near,
                now=self._now(),
            )
        if not self.store.read_only:
            note(self.store, self.scope, query, found, self._now())
        return found

    def brief(
        self,
        query: str | None = None,
        *,
        max_tokens: int = 1200,
        session: str | None = None,
        root: str | PathLike[str] | None = None,
        namespaces: Sequence[str] = (),
        exclude: Collection[str] = (),
        agent: str | None = None,
    ) -> Brief:
        """What a session should begin with, in at most `max_tokens` with everything in it.

        Rules, what is known of the project, commands that worked, files and what they are about, decisions, what
        failed and what worked instead, open items, the last sessions: always in this order, each line with its age and
        the id that opens its evidence. What is near `query` moves up within its section. What comes from `session`, the
        running one, is left out, and what has an id of `exclude`: what the prompt holds already. Paths are told from
        `root`, the project's folder; without it, from the folder that most files share. With `root`, files and commands
        that are not there any more are left out, their artifacts go stale, and a line that was cited of a file that
        changed since is marked; nothing outside of that folder is looked at. What is in it is noted, so that it is not
        learnt again when it comes back. `agent` is as for `recall`.
        """
        from cfpm.recall.injection import note_brief

        found = self._brief(query, max_tokens, session, root, namespaces, exclude, agent)
        if not self.store.read_only:
            self._let_go(found)
            note_brief(self.store, self.scope, query or "", found, self._now())
        return found

    def write_brief(
        self,
        path: str | PathLike[str],
        query: str | None = None,
        *,
        max_tokens: int = 1200,
        root: str | PathLike[str] | None = None,
        namespaces: Sequence[str] = (),
        forget_removed: bool = False,
    ) -> WrittenBrief:
        """Keeps the brief between two marks of a Markdown file, such as AGENTS.md, which is made if it is not there.

        What people changed between the marks is learnt first, as their word: an edited line takes the place of its
        fact, a new one is an instruction under `Rules` and a note elsewhere, and with `forget_removed` the facts of
        deleted lines are forgotten. Everything outside of the marks stays byte for byte. The block has at most
        `max_tokens`, ids included; the other arguments are as for `brief`. Raises InputError for a file that cannot be
        used, naming the line; then neither the file nor the memory is changed.
        """
        from cfpm.admin.brief_file import write_brief
        from cfpm.recall.injection import note_brief

        file = Path(arguments.text("path", fspath(path) if isinstance(path, PathLike) else path))
        own = self._curator()
        others = dict.fromkeys(_named(name) for name in arguments.names("namespaces", namespaces))
        curators = [
            replace(own, scope=replace(self.scope, namespace=name)) for name in others if name != own.scope.namespace
        ]
        done = write_brief(
            file,
            [own, *curators],
            lambda budget: self._brief(query, budget, None, root, namespaces),
            arguments.whole("max_tokens", max_tokens),
            self._count(),
            forget_removed=forget_removed,
        )
        if not self.store.read_only:
            self._let_go(done.brief)
            written = (*done.block.text.splitlines(), *done.block.shown)
            note_brief(self.store, self.scope, query or "", done.brief, self._now(), written, done.block.words)
        return done

    def gate(
        self,
        dialect: str,
        command: str,
        *,
        cwd: str | None = None,
        session: str = "",
        tool: str = "shell",
        said: str | None = None,
        call_id: str = "",
        host: Host | None = None,
    ) -> GateDecision:
        """Whether a shell command is to be changed before it runs: `decision.command` is what to approve, run and log.

        `dialect` is the shell (bash, sh, dash, zsh, powershell, cmd); relative paths are read from `cwd`. `said` is the
        user's last message (default: the newest one in the log of `session`): if it asks to verify anew, nothing known
        is used. The decision is kept in `gate_events`. Never changes a command that it is not sure about.
        """
        from cfpm.gate.gatekeeper import Gatekeeper
        from cfpm.gate.host import this_host

        for name, value in (("dialect", dialect), ("session", session), ("tool", tool), ("call_id", call_id)):
            arguments.name_of(name, value)
        for name, value in (("command", command), ("cwd", cwd or ""), ("said", said or "")):
            arguments.text(name, value)
        keeper = Gatekeeper(
            self.store, self.scope.namespace, host or this_host(cwd), enabled=self.settings.pre_tool_gate
        )
        if said is None:
            said = self.store.log.last_said(self.scope.namespace, _named(session)) if session else ""
        decision = keeper.decide(dialect, command, said=said)
        if not self.store.read_only:
            keeper.record(decision, session=session, agent=self.scope.agent, tool=tool, call_id=call_id, at=self._now())
        return decision

    def compact(
        self,
        messages: Sequence[object],
        limits: Limits | None = None,
        *,
        session: str = "default",
        strategy: str | None = None,
        summarise: Summariser | None = None,
        observe: bool = True,
        extra: Extra | None = None,
        reattach: bool = True,
    ) -> Compaction:
        """A shorter view of a history for the model, in dicts of the form that came in; the list is not changed. An
        object of a library comes back as the dict that stands for it.

        The messages are observed first, so their facts are merged into the store; a host that hands over each turn
        anyway says `observe=False`. `strategy` is that of the settings unless named; `summarise` is asked for a summary
        by those that want one, `extra` for texts of the host that stand beside the checkpoint. Without `limits` the
        view gets 8,000 tokens, 80,000 with `window`. The log of the session keeps that it was compacted. What the
        session holds (answers of the user, plan, todos, goal and the like) is put before the model again, in up to a
        quarter of the budget; without `reattach` only the first three. Raises UsageError for an unknown strategy,
        InputError naming the message that cannot be used; then nothing is stored.
        """
        from cfpm.context.compact import compact
        from cfpm.context.strategies.registry import canonical_name
        from cfpm.context.views import visible

        arguments.messages(messages)
        arguments.name_of("session", session)
        name = canonical_name(strategy or self.settings.compaction_strategy)
        if observe and not self.store.read_only:
            self.observe(visible(messages), session=session)
        scope = Scope(self.scope.namespace, self._session(session), self.scope.agent)
        run = partial(compact, strategy=name, summarise=summarise, extra=extra, reattach=reattach)
        done = run(self.store, scope, messages, self.settings, limits)
        if done.changed and not self.store.read_only:
            from cfpm.pipeline.boundaries import keep_boundary
            from cfpm.recall.injection import note_checkpoint

            note_checkpoint(self.store, scope, done.checkpoint)
            keep_boundary(
                self.store,
                scope,
                messages,
                done,
                reason=limits.reason if limits else "",
                at=self._now(),
                numbers=self.settings.personal_numbers,
                observe=partial(self.observe, session=session),
            )
        return done

    def driver(
        self,
        *,
        session: str = "default",
        strategy: str | None = None,
        summarise: Summariser | None = None,
        observe: bool = True,
        extra: Extra | None = None,
        keep: Limits | None = None,
        limit: int | None = None,
        overhead: int = 0,
        milestone: MilestoneTest | None = None,
        state: State | None = None,
    ) -> Driver:
        """What decides when a session's history is compacted, and has `compact` do it.

        `strategy`, `summarise`, `observe` and `extra` are as for `compact`, `keep` as for `Rules`, the others as for
        `Driver`: `limit` is the model's window in tokens, that of the settings unless given. Raises UsageError for an
        unknown strategy.
        """
        from cfpm.context.driver import Driver
        from cfpm.context.rules import Rules

        name = strategy or self.settings.compaction_strategy
        return Driver(
            Rules(self.settings, name, keep),
            partial(self.compact, session=session, strategy=name, summarise=summarise, observe=observe, extra=extra),
            count=self._count(),
            overhead=overhead,
            limit=limit,
            clock=self.clock,
            milestone=milestone,
            state=state,
        )

    def view(
        self,
        messages: Sequence[object],
        trims: Sequence[Callable[[Sequence[Raw]], Trim]] | AgentView = (),
        *,
        agent: str = "",
    ) -> Trim:
        """What the model is to see of a log: without what was compacted, and made shorter by these trims in turn, or as
        an `AgentView` says, or what the settings say of `agent` (`[agents.NAME]`).

        A trim is one of `cfpm.context.trims`, with `functools.partial` for its options. What all of them together do
        not save enough by is held back: give each its own `min_saving=0`. The messages are not changed.
        """
        from cfpm.context.agent_view import AgentView, view
        from cfpm.context.trims import together
        from cfpm.context.views import for_agent

        seen = for_agent(messages)
        if agent and not trims:
            from cfpm.context.assembler import AgentTable

            declared = AgentTable.of(arguments.name_of("agent", agent), self.settings.agents).view
            trims = declared if declared is not None else ()
        return view(seen, trims) if isinstance(trims, AgentView) else together(seen, trims)

    def artifacts(self, folder: Path | None = None) -> Artifacts:
        """Where results that are too long for a history are kept, each in a file of this folder, and read again; the
        folder is that of the setting `artifacts_folder`, or beside the database. Raises UsageError for a database
        without a file when no folder is named."""
        from cfpm.context.artifacts import Artifacts, artifacts_folder

        chosen = folder or artifacts_folder(self.store.url, self.settings.artifacts_folder)
        if chosen is None:
            raise UsageError("artifacts", "the database has no file", "Name a folder, or set artifacts_folder")
        return Artifacts(chosen)

    def rehydrate(self, messages: Iterable[object], *, session: str = "default") -> tuple[Item, ...]:
        """What belongs in front of the model again after a compaction: instructions, approvals, plan, artifacts, todos.

        From the whole log, hidden messages included, and the session's facts. Raises InputError for what is no message.
        """
        from cfpm.context.compact import MAX_FACTS
        from cfpm.context.rehydration import rehydrate

        name = self._session(session)
        return rehydrate(messages, self.store.facts.of_session(self.scope.namespace, name, MAX_FACTS))

    def facts(
        self,
        *,
        category: Category | None = None,
        status: Status | None = None,
        limit: int | None = None,
        as_of: datetime | int | None = None,
    ) -> list[Fact]:
        """Facts, pinned first, then newest; `as_of` a moment or an event's number, as they were then."""
        category = arguments.optional_member("category", category, Category)
        status = arguments.optional_member("status", status, Status)
        arguments.optional_whole("limit", limit)
        if as_of is None:
            return self.store.facts.find(self.scope.namespace, category=category, status=status, limit=limit)
        then = self.store.events.as_of(self.scope.namespace, _moment("as_of", as_of))
        fits = [f for f in then if category in (None, f.category) and status in (None, f.status)]
        return fits[:limit]

    def fact(self, fact_id: str) -> Fact:
        """One fact. Raises NotFoundError."""
        name = arguments.name_of("fact_id", fact_id)
        if (found := self.store.facts.get(self.scope.namespace, name)) is None:
            raise NotFoundError(f"No fact {_named(name)} in namespace {self.scope.namespace}. See: cfpm facts")
        return found

    def remember(self, text: str, *, category: Category, pin: bool = False, replaces: str = "") -> Fact:
        """Stores what the user dictates, as certain, in place of the fact with the id or the words `replaces`.

        Raises InputError for an empty text or one with a secret, NotFoundError when there is no such fact to replace.
        """
        known = arguments.member("category", category, Category)
        old = arguments.text("replaces", replaces)
        return self._curator().remember(arguments.text("text", text), known, pin=pin, replaces=old)

    def forget(self, fact_id: str) -> Fact:
        """Forgets a fact for good, with those that say the same: not recalled, not found, not learnt again.

        The log keeps the words: see `erase`. Raises NotFoundError.
        """
        return self._curator().forget(arguments.name_of("fact_id", fact_id))

    def erase(
        self,
        *ids: str,
        query: str = "",
        session: str | None = None,
        speaker: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        everything: bool = False,
        and_forget: bool = False,
        by: str = "",
        artifacts: Path | None = None,
    ) -> ErasureRecord:
        """Erases messages, all that was learnt from them and all that repeats it, until no byte of it is in the file.

        What fits all that is given: ids of facts, messages or candidates, words that stand in it, the session, who said
        it, when; or `everything` of the namespace. `erasure_plan` shows before what goes. A record stays that something
        was erased, `by` whom (default: the agent), without a word of it. With `and_forget` the same is not learnt again
        either: keyed hashes stay then, by which whoever has the file can test a guess. Results and conversations in the
        folder `artifacts` (default: that of `Memory.artifacts`) go too. Raises UsageError when nothing is given.
        """
        from cfpm.context.artifacts import artifacts_folder
        from cfpm.pruner.candidates import fact_keys

        selector = _selector(ids, query, session, speaker, since, until, everything)
        namespace = self.scope.namespace
        artifacts = artifacts or artifacts_folder(self.store.url, self.settings.artifacts_folder)
        if artifacts is not None and artifacts.is_dir():
            from cfpm.admin.erasing import holds_any

            plan = self.store.erasure.plan(namespace, selector)
            self.artifacts(artifacts).erase(holds_any(plan, selector))
        record = self.store.erasure.erase(
            namespace,
            selector,
            by=by or self.scope.agent,
            at=self._now(),
            block_keys=fact_keys,
            and_forget=and_forget,
        )
        return replace(record, finished=self.store.erasure.finish())

    def erasure_plan(
        self,
        *ids: str,
        query: str = "",
        session: str | None = None,
        speaker: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        everything: bool = False,
    ) -> ErasurePlan:
        """What `erase` with the same arguments would take along. Changes nothing."""
        selector = _selector(ids, query, session, speaker, since, until, everything)
        return self.store.erasure.plan(self.scope.namespace, selector)

    def erasures(self) -> list[ErasureRecord]:
        """The records of all erasures in this file, oldest first."""
        return self.store.erasure.records()

    def pin(self, fact_id: str, pinned: bool = True) -> Fact:
        """Pins a fact, or lets it go. Raises NotFoundError, or UsageError for one that is not believed."""
        return self._curator().pin(arguments.name_of("fact_id", fact_id), pinned)

    def accept(self, candidate_id: str) -> Fact:
        """Reverses a rejection, for good. Raises NotFoundError, UsageError."""
        return self._curator().accept(arguments.name_of("candidate_id", candidate_id))

    def reject(self, candidate_id: str) -> Candidate:
        """Reverses an acceptance, for good. Raises NotFoundError, UsageError."""
        return self._curator().reject(arguments.name_of("candidate_id", candidate_id))

    def history(self, fact_id: str) -> list[Event]:
        """All changes of a fact, oldest first. Raises NotFoundError."""
        return self.store.events.find(self.scope.namespace, fact_id=self.fact(fact_id).id)

    def rollback(self, to: datetime | int) -> Rollback:
        """Takes all facts of the namespace back to a moment or an event's number, 0 for the beginning.

        The way back is kept as events too. Raises NotFoundError for an event that there is not.
        """
        from cfpm.admin.report import Rollback

        reverted = self._curator().rollback(_moment("to", to))
        return Rollback(reverted, self.store.facts.active(self.scope.namespace))

    def candidates(
        self,
        *,
        decision: Decision | str | None = None,
        reason: str | None = None,
        session: str | None = None,
        limit: int | None = None,
    ) -> list[Candidate]:
        """Rows of the audit trail, newest first. Raises UsageError for a decision or a reason that does not exist."""
        from cfpm.admin.inspection import decision_named

        for name, value in (("decision", decision), ("reason", reason), ("session", session)):
            arguments.name_of(name, "" if value is None else value)
        arguments.optional_whole("limit", limit)
        wanted = decision_named(decision, reason)
        return self.store.candidates.find(
            self.scope.namespace, decision=wanted, reason=reason, session=session, limit=limit
        )

    def explain(self, candidate_id: str) -> Explanation:
        """The whole story of one candidate, by its id or that of its fact or message. Raises NotFoundError."""
        from cfpm.admin.inspection import explain
        from cfpm.model.trust import TrustTable

        name = arguments.name_of("candidate_id", candidate_id)
        return explain(self.store, self.scope.namespace, name, TrustTable.of(self.settings.trust))

    def stats(self) -> Stats:
        """Counts by decision, reason, category and status."""
        from cfpm.admin.inspection import stats

        return stats(self.store, self.scope.namespace)

    def export(self, out: TextIO) -> int:
        """Writes the whole store as canonical JSON lines; returns how many. The same store gives the same bytes."""
        from cfpm.store.transfer import export_lines

        return export_lines(self.store, out)

    def back_up(self, target: Path) -> Manifest:
        """Writes the whole database to a file that `restore` takes, while others may go on writing. Raises InputError
        for the target, StoreError."""
        from cfpm.store.backup import back_up

        return back_up(self.store.connection, target, self.settings)

    @staticmethod
    def restore(source: Path, url: str, *, as_is: bool = False, settings: Settings | None = None) -> Restored:
        """Puts a backup in the place of the database at `url`, once it is checked; `as_is` takes a plain copy too.

        Raises InputError for what was cut or altered, StoreError when a process has the database open. Then it is as it
        was.
        """
        from cfpm.settings import Settings
        from cfpm.store.backup import restore

        return restore(source, url, settings or Settings.load(), as_is=as_is)

    @staticmethod
    def rewrite(url: str, old: str | None, new: str | None, *, settings: Settings | None = None) -> int:
        """Encrypts, decrypts (`new` is None) or re-encrypts the database at `url`; returns how many rows it has.

        Raises StoreError when a process has it open or `old` is not its key, MissingExtraError without the extra
        `encrypted`. Then it is as it was.
        """
        from cfpm.settings import Settings
        from cfpm.store.encryption import rewrite

        return rewrite(url, old, new, settings or Settings.load())

    def import_lines(self, lines: Iterable[str], source: str, *, trailer: bool = True) -> ImportReport:
        """Reads an export into the store; without `trailer` also one that does not end with one, as older ones do.

        Raises InputError naming the line of what was cut, altered or cannot be; then nothing is imported.
        """
        from cfpm.pipeline.redaction import line_without_secrets, told_without_secrets
        from cfpm.pruner.candidates import fact_keys
        from cfpm.store.transfer import import_lines

        arguments.text("source", source)
        texts = arguments.lines(lines, source)
        try:
            done = import_lines(
                self.store, texts, source, block_keys=fact_keys, trailer=trailer, clean=line_without_secrets
            )
        except InputError as error:
            raise told_without_secrets(error) from None
        self.store.path_walk.restart()
        return done

    def doctor(self) -> list[Check]:
        """Whether the database is sound."""
        from cfpm.store.doctor import diagnose

        return diagnose(self.store)

    def verify(self) -> list[Finding]:
        """What was edited, removed, inserted or cut off since it was sealed; empty if nothing was.

        Raises StoreError when the key is not there."""
        from cfpm.store.seals import verify

        return verify(self.store.connection, self.store.trail)

    def reseal(self) -> int:
        """Begins the audit trail's chain anew over what is there now, after its key was lost; returns the rows."""
        with self.store.writing():
            return self.store.trail.reseal()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Makes the vectors that are missing or of another embedder, indexes the tool calls of an older file and lists
        what they did, of all namespaces; returns how many messages and facts that were.

        Can be stopped at any moment: the next call goes on. `progress` gets the rows done and the rows to do.
        """
        parts = (self.store.vectors, self.store.sentence_vectors, self.store.call_index, self.store.deeds)
        behind = sum(part.behind() for part in parts)
        done = 0
        for part in parts:
            before = done
            done += part.reindex(progress and (lambda more, before=before: progress(before + more, behind)))
        return done

    def purge(self, *, keep_rejected: int | None = None) -> int:
        """Deletes the oldest rejected candidates above `keep_rejected` (default: the setting). Returns how many
        went."""
        wanted = arguments.optional_whole("keep_rejected", keep_rejected)
        keep = self.settings.rejected_kept if wanted is None else wanted
        return self.store.candidates.trim_rejected(self.scope.namespace, keep)

    def expire(self, *, by: str = "") -> list[ErasureRecord]:
        """Erases what has had its time by the settings `keep_days` and `keep_days_by_namespace`.

        Now is what the clock says; without one, the time of the newest message.
        """
        from cfpm.admin.erasing import expired
        from cfpm.pruner.candidates import fact_keys

        namespace = self.scope.namespace
        now = self._now() or self.store.log.newest(namespace)
        if now is None:
            return []
        records = [
            self.store.erasure.erase(namespace, chosen, by=by or self.scope.agent, at=now, block_keys=fact_keys)
            for chosen in list(expired(self.store, namespace, self.settings, now))
        ]
        done = [record for record in records if record.number]
        finished = self.store.erasure.finish() if done else True
        return [replace(record, finished=finished) for record in done]

    def import_memories(self, kind: str, path: str | PathLike[str]) -> Audited:
        """Judges what another program's memory holds: mem0, claude-mem, mempalace, letta, langgraph, basic-memory,
        chatgpt-memories. Each statement gets a verdict; what is accepted is believed as an agent's note.

        Nobody can say who said it, so no rule, preference or order comes from it. A second time changes nothing. To
        judge without storing, open a memory in memory (`sqlite://`). Raises UsageError for an unknown kind, InputError
        for a file that cannot be read; then nothing is stored.
        """
        from cfpm.admin.foreign.formats import read_foreign
        from cfpm.admin.foreign.importing import import_foreign

        statements = list(read_foreign(arguments.text("kind", kind), Path(path)))
        return import_foreign(self.store, self.scope, self.settings, self.clock, kind, statements)

    def export_as(self, format: str, target: str | PathLike[str]) -> int:  # noqa: A002
        """Writes what is believed in a format of others: `okf` (a folder), `mif` or `markdown` (a file); returns how
        many facts. Raises UsageError for an unknown format, InputError for a target that holds something else."""
        from cfpm.admin.foreign.exporting import files_of, write_files

        facts = self.facts(status=None)
        write_files(files_of(arguments.text("format", format), facts), Path(target))
        return len(facts)

    @property
    def documents(self) -> Documents:
        """The documents of this namespace: files to be looked up, from which nothing is learnt."""
        from cfpm.documents.library import Documents

        count = self._count()
        numbers = self.settings.personal_numbers
        return Documents(self.store, self.scope.namespace, count, numbers, self._now(), self.scope.agent)

    def assemble(
        self,
        messages: Sequence[object],
        query: str,
        *,
        session: str = "default",
        agent: str = "",
        policy: str = "",
        developer: str = "",
        role: str = "",
        task: str = "",
        state: str | Iterable[Kept] = (),
        skills: Sequence[str] = (),
        tools: Sequence[str | Raw] = (),
        sources: Sequence[SourceLike] = (),
        reminders: Sequence[str] = (),
        budget: int | None = None,
        root: str | PathLike[str] | None = None,
        environment: bool = True,
        namespaces: Sequence[str] = (),
    ) -> Prompt:
        """The whole prompt in twelve tiers, what never changes first, in at most `budget` tokens (default: the part of
        the model's window below which nothing is compacted).

        `policy`, `developer` (with the system messages of the list), `role`, `task`, `state` and the brief open it;
        then stand what is recalled for `query` and the `sources`, as data; `skills` and `tools`; the messages as
        `agent` sees them by the settings; last `reminders`, the machine with the time, and the `.gitignore` of `root`.
        `state` is a text, or items such as `rehydrate` gives. What has no room is named in `Prompt.problems`. Raises
        UsageError when the fixed parts and what was said last do not fit, InputError for what is no message.
        """
        from cfpm.context.assembler import Assembler, Wanted, budget_of

        arguments.text("query", query)
        name = self._session(session)
        if self._prompts is None:
            count = self._count()
            own = (self.store, self.scope.namespace, self.settings, self.clock)
            self._prompts = Assembler(*own, self.recall, self.brief, count)
        wanted = Wanted(
            query=query,
            agent=arguments.name_of("agent", agent),
            policy=arguments.text("policy", policy),
            developer=arguments.text("developer", developer),
            role=arguments.text("role", role),
            task=arguments.text("task", task),
            state=state,
            skills=skills,
            tools=tools,
            sources=sources,
            reminders=reminders,
            root=None if root is None else Path(root),
            environment=environment,
            namespaces=namespaces,
        )
        scope = Scope(self.scope.namespace, name, self.scope.agent)
        return self._prompts.assemble(arguments.messages(messages), wanted, scope, budget_of(self.settings, budget))

    def handoff(
        self,
        to: str,
        sources: Sequence[SourceLike],
        *,
        session: str = "default",
        messages: Sequence[object] = (),
        root: str | PathLike[str] | None = None,
    ) -> Raw | None:
        """A message that hands the work of a session over to the agent `to`: sections of these sources as data; None
        when no source has a text.

        A source is `session_context`, `changes_recent:N`, `brief_field:SECTION` or `file:PATH`, or a table with
        `source`, `max_chars` and `label`. Raises UsageError for another one and for a file outside of `root`.
        """
        from cfpm.context.sources import Sources, handoff
        from cfpm.context.views import for_agent

        name = self._session(session)
        scope = Scope(self.scope.namespace, name, self.scope.agent)
        folder = Path.cwd() if root is None else Path(root)
        with self.store.reading():
            reading = Sources(self.store, scope, folder, for_agent(messages))
            return handoff(reading, arguments.name_of("to", to), sources)

    def message(self, message_id: str, *, session: str | None = None) -> LoggedMessage:
        """The whole of a logged message, by its id or as a block or a brief cites it (`a1`, `msg_7670d680`, `#412`).

        Without a session, that of the first session (by name) that has it. Raises NotFoundError.
        """
        from cfpm.admin.inspection import message

        name = arguments.name_of("message_id", message_id)
        return message(self.store, self.scope.namespace, name, None if session is None else _named(session))

    def recheck(self) -> list[Fact]:
        """Judges all learnt paths again by the rules of today, and lets those go stale that are none; returns them.

        Observing does the same for a part of them in every turn. What a user wrote or pinned stays.
        """
        from cfpm.pipeline.recheck import rechecked
        from cfpm.pruner.candidates import fact_keys

        namespace = self.scope.namespace
        with self.store.writing():
            changes = rechecked(self.store.path_walk.all(namespace), self._now())
            self.store.fact_writer.apply(namespace, changes, block_keys=fact_keys)
        return [change.after for change in changes]

    def sessions(self, *, rewound: bool = False, limit: int | None = None) -> list[Session]:
        """The sessions of the namespace, the one that went on last first; with `rewound` also turns that were taken
        back, which are kept as sessions of their own."""
        arguments.optional_whole("limit", limit)
        return self.store.sessions.find(self.scope.namespace, rewound=rewound, limit=limit)

    def set_session(
        self,
        session: str,
        *,
        title: str | None = None,
        cwd: str | None = None,
        project: str | None = None,
        model: str | None = None,
        done: bool | None = None,
    ) -> Session:
        """Says what a session is, where its messages do not: what is None stays as it was.

        A session of which nothing was observed yet is made. Secrets are taken out before anything is stored.
        """
        texts = {"title": title, "cwd": cwd, "project": project, "model": model}
        values: dict[str, object] = {
            name: _session_name(arguments.name_of(name, value)) for name, value in texts.items() if value is not None
        }
        if done is not None:
            values["done"] = done
        return self._sessions().change(self._session(session), values)

    def log(self, session: str | None = None, *, kinds: Collection[str] = ()) -> list[LogEntry]:
        """What happened, as one time line: messages, facts, refused drafts, recalls, the gate, compactions.

        Of all sessions, or of one; `kinds` are those that are wanted. Raises NotFoundError, UsageError.
        """
        from cfpm.admin.timeline import timeline

        only = None if session is None else self._sessions().get(self._session(session))
        sessions = self.sessions(rewound=True) if only is None else [only]
        return timeline(self.store, self.scope.namespace, sessions, only, arguments.names("kinds", kinds))

    def resume(self, session: str, *, style: str = "openai", artifacts: Path | None = None) -> Resumed:
        """A session as the history that a host goes on with; see `Resumed`.

        `style` is the form of `Resumed.messages`, openai or anthropic. Results that were offloaded to the folder
        `artifacts` come back whole. It is read in one moment, so that nothing is torn while another process writes.
        Raises NotFoundError, UsageError.
        """
        from cfpm.context.artifacts import Artifacts
        from cfpm.context.resuming import Style, resume

        known = self._sessions().get(self._session(session))
        folder = None if artifacts is None else Artifacts(artifacts)
        return resume(self.store, self.scope.namespace, known, arguments.member("style", style, Style), folder)

    def fork(self, session: str, *, at: int | None = None, name: str = "") -> Session:
        """A new session that begins with the first `at` turns of this one (default: all; negative: without the last).

        Nothing is copied, and the origin does not notice: its history, its facts and its usage stay as they are.
        What is learnt in the fork afterwards is of the fork's session: it takes the place of nothing that others said,
        and goes with the fork when it is deleted or taken back. It belongs to the namespace, as all facts do, so recall
        finds it. Raises NotFoundError, UsageError for a name that is taken.
        """
        arguments.optional_whole("at", at)
        origin = self._session(session)
        return self._sessions().fork(origin, at, _session_name(arguments.name_of("name", name)))

    def rewind(self, session: str, turn: int, *, keep_facts: bool = False) -> Rewound:
        """Takes a session back to its first `turn` turns, or to all but its last where `turn` is negative; clamped.

        What went is kept as a session of its own (`Rewound.kept_in`), which no recall finds; it can be resumed and
        forked. What only those turns taught is not believed any more, and what it took the place of is believed again,
        unless `keep_facts`; each such change is an event of its fact. Raises NotFoundError.
        """
        name = self._session(session)
        return self._sessions().rewind(name, arguments.whole("turn", turn), keep_facts=keep_facts)

    def delete_session(self, session: str, *, with_forks: bool = False, by: str = "") -> list[ErasureRecord]:
        """Erases a session: its messages, what was taken back out of it, and what was learnt from it alone, until no
        byte of it is in the file.

        Raises NotFoundError, UsageError while forks begin with it, unless they go `with_forks`.
        """
        name = self._session(session)
        records = self._sessions().delete(name, with_forks=with_forks, by=by or self.scope.agent)
        finished = self.store.erasure.finish()
        return [replace(record, finished=finished) for record in records]

    def orphaned_sessions(self) -> list[Orphan]:
        """The sessions whose project's folder is gone from this machine, while the folder around it is there."""
        return self._sessions().orphans(Path.is_dir)

    def prune_sessions(self, *, by: str = "") -> list[Session]:
        """Deletes the sessions that `orphaned_sessions` names, with their forks, and returns them."""
        gone = [one.session for one in self.orphaned_sessions()]
        keeper = self._sessions()
        for session in gone:
            if self.store.sessions.get(self.scope.namespace, session.name) is not None:
                keeper.delete(session.name, with_forks=True, by=by or self.scope.agent)
        self.store.erasure.finish()
        return gone

    def transcript(self, session: str, form: str = "markdown") -> str:
        """A session as a document, `markdown` or `json`, without what only the model sees. The JSON can be observed.

        Raises NotFoundError, UsageError.
        """
        from cfpm.admin.transcripts import FORMATS, transcript

        if form not in FORMATS:
            raise UsageError(f"form {arguments.shown(form)}", "no such form", f"Use one of {', '.join(FORMATS)}")
        found = self.resume(session)
        return transcript(found.session, found.log, form)

    def usage(self, session: str | None = None) -> UsageReport:
        """What the providers say that replies took, by turn, agent and model: each reply once, whatever was compacted
        or forked since. Of all sessions, or of one. Raises NotFoundError."""
        name = None if session is None else self._session(session)
        return self._sessions().usage(name)

    def _sessions(self) -> SessionCurator:
        from cfpm.admin.sessions import SessionCurator
        from cfpm.model.trust import TrustTable

        return SessionCurator(self.store, self.scope, self._now(), TrustTable.of(self.settings.trust))

    def approve(
        self, subject: str, *, granted: bool = True, answer: str = "", scope: str = "once", session: str = "default"
    ) -> Approval:
        """Keeps that the user allows something, or with `granted=False` that they refuse it, `answer` in their words.

        `scope` is once, session or always. What was answered in a transcript is found by itself. Raises UsageError.
        """
        from cfpm.model.state import Reach

        reach = arguments.member("scope", scope, Reach)
        asked, said = arguments.text("subject", subject), arguments.text("answer", answer)
        return self._keeper(session).approve(asked, granted=bool(granted), answer=said, reach=reach)

    def approvals(self, session: str | None = None) -> list[Approval]:
        """What the user allowed and refused in a session or in all, oldest first."""
        name = None if session is None else self._session(session)
        return self.store.state.approvals(self.scope.namespace, name)

    def state(self, session: str = "default") -> list[StateEntry]:
        """What a session holds beside facts: plan, todos, goal, skills, resources, workspace, what a host put there."""
        return self.store.state.entries(self.scope.namespace, self._session(session))

    def put_state(self, kind: str, key: str, text: str, *, status: str = "", session: str = "default") -> StateEntry:
        """Keeps an entry of a session's state in place of the one with the same kind and key; an empty text takes it
        away. Kind `host` is a text of the host's own. Raises UsageError."""
        from cfpm.model.state import Held

        name, said = arguments.text("key", key), arguments.text("text", text)
        return self._keeper(session).put(
            arguments.member("kind", kind, Held), name, said, arguments.text("status", status)
        )

    def reattach(self, session: str = "default", max_tokens: int = 2_000) -> Block:
        """What belongs in front of the model again after a compaction, from the store alone: its items, and as `text`
        within so many tokens; answers of the user and unfinished steps are in it whatever the budget."""
        from cfpm.context.compact import MAX_FACTS
        from cfpm.context.reattachment import reattach

        name, room = self._session(session), arguments.whole("max_tokens", max_tokens)
        with self.store.reading():
            facts = self.store.facts.of_session(self.scope.namespace, name, MAX_FACTS)
            count = self._count()
            return reattach(self.store, self.scope.namespace, name, facts, room, count)

    def _keeper(self, session: str) -> SessionKeeper:
        from cfpm.admin.session_state import SessionKeeper

        scope = Scope(self.scope.namespace, self._session(session), self.scope.agent)
        return SessionKeeper(self.store, scope, self._now())

    def _session(self, session: str) -> str:
        return _session_name(arguments.name_of("session", session))

    def _observe(self, records: Iterable[Record | Problem], reason: str = "turn_checkpoint") -> Report:
        from cfpm.pipeline.stream import take_in

        done = take_in(records, self._pipeline, lambda: self.store.facts.active(self.scope.namespace))
        if self.notify is not None:
            from cfpm.recall.runtime import runtime_message

            if text := runtime_message(done, self.settings.visibility, reason):
                self.notify(text)
        return done

    def _pipeline(self, session: str) -> TurnPipeline:
        from cfpm.pipeline.turn import TurnPipeline

        scope = Scope(self.scope.namespace, session, self.scope.agent)
        first, self._observed = not self._observed, True
        return TurnPipeline(self.store, scope, self.settings, self.clock, self.extractors, first)

    def _brief(
        self,
        query: str | None,
        max_tokens: int,
        session: str | None,
        root: str | PathLike[str] | None,
        namespaces: Sequence[str],
        exclude: Collection[str] = (),
        agent: str | None = None,
    ) -> Brief:
        from cfpm.recall.brief import brief

        arguments.text("query", query or "")
        arguments.whole("max_tokens", max_tokens)
        if session is not None:
            arguments.name_of("session", session)
        with self.store.reading():
            return brief(
                self.store,
                [_named(name) for name in arguments.names("namespaces", namespaces)] or [self.scope.namespace],
                query or "",
                max_tokens=max_tokens,
                count=self._count(),
                root="" if root is None else _absolute(fspath(root)),
                running="" if session is None else _named(session),
                exclude=frozenset(arguments.names("exclude", exclude)),
                agent=None if agent is None else arguments.name_of("agent", agent),
            )

    def _let_go(self, found: Brief) -> None:
        if found.gone:
            from cfpm.recall.brief.checking import let_go

            let_go(self.store, self.scope.namespace, found.gone, self._now())

    def _curator(self) -> Curator:
        from cfpm.admin.curation import Curator

        return Curator(self.store, self.scope, self.settings, self._now())

    def _count(self) -> Count:
        """How tokens are counted, by the settings."""
        from cfpm.recall import counter

        return counter(self.settings.tokenizer)

    def _now(self) -> datetime | None:
        return self.clock() if self.clock else None


_UNREDACTED = 16
"""Characters below which a name is not looked at, so that a process that only asks need not load what finds secrets."""


def _named(name: str) -> str:
    """A name that a host gives, without a secret in it."""
    if len(name) < _UNREDACTED:
        return name
    from cfpm.pipeline.redaction import name_without_secrets

    return name_without_secrets(name)


def _session_name(name: str) -> str:
    """The name of a session as it is stored."""
    from cfpm.pipeline.redaction import session_without_secrets

    return session_without_secrets(name)


def _absolute(folder: str) -> str:
    """A folder of this machine from its root; one of another kind of machine as it is."""
    from cfpm.paths.grammar import is_absolute

    return folder if is_absolute(folder) else str(Path.cwd() / folder)


def _selector(
    ids: Sequence[str],
    query: str,
    session: str | None,
    speaker: str | None,
    since: datetime | None,
    until: datetime | None,
    everything: bool,
) -> Selector:
    """Raises UsageError for one that chooses nothing, or everything beside something."""
    from cfpm.model.erasures import Selector

    chosen = Selector(ids=tuple(ids), query=query.strip(), session=session, speaker=speaker, since=since, until=until)
    if bool(chosen.kind) is everything:
        remedy = "Give ids, a query, a session, a speaker or a time; or everything, and nothing else"
        raise UsageError("erase", "it is not clear what is to go", remedy)
    return replace(chosen, everything=everything)


def _moment(name: str, to: datetime | int) -> str | int:
    known = arguments.moment_or_number(name, to)
    return known if isinstance(known, int) else to_text(known) or ""
