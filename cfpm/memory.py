"""The front door: one memory of one namespace in one store. Thin: it opens the rooms and hands on what they answer.
Looking at what it keeps and changing that by hand are in `kept`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cfpm.clock import Clock
from cfpm.errors import InputError, UsageError
from cfpm.gate import Decision as GateDecision
from cfpm.gate import Host, this_host
from cfpm.gating import Gatekeeper
from cfpm.intake import take_in
from cfpm.kept import Kept
from cfpm.models import Message, Scope, Turn
from cfpm.observing import Extractor, Observer
from cfpm.recall import Neighbour, Recall, counter, recall
from cfpm.recalling import note
from cfpm.redacting import session_without_secrets, told_without_secrets
from cfpm.report import Report
from cfpm.settings import Settings
from cfpm.store import Store
from cfpm.transcript import Problem, Record, clean, parse_messages, read

if TYPE_CHECKING:
    from cfpm.context.compaction.types import Compaction, Limits, Summariser


@dataclass(slots=True)
class Memory(Kept):
    """An agent's memory. One thread at a time; any number of processes may share the store."""

    extractors: tuple[Extractor, ...] = field(default=())

    @classmethod
    def open(
        cls,
        url: str,
        *,
        namespace: str = "default",
        agent: str = "",
        settings: Settings | None = None,
        clock: Clock | None = None,
        extractors: Sequence[Extractor] = (),
        read_only: bool = False,
    ) -> Self:
        """Opens or creates a memory, such as `sqlite:///memory.db`.

        Undated messages stay undated unless a `clock` is given, such as `cfpm.utc_now` in a live host: so the same
        transcript gives the same memory on any day. `extractors` are extra sources of drafts; the auditor judges
        theirs like all others. Raises UsageError for an unknown kind of url, StoreError for a database that cannot be
        used.
        """
        if not namespace.strip() or namespace != clean(namespace):
            raise UsageError(
                f"namespace {clean(namespace)!r}", "blank, or not plain text", "Use a name like user:alice"
            )
        settings = settings or Settings.load()
        store = Store.open(url, settings, read_only=read_only)
        return cls(store, Scope(namespace, agent=agent), settings, clock, tuple(extractors))

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def observe(self, messages: Iterable[Message | Mapping[str, object] | Turn], *, session: str = "default") -> Report:
        """Takes in messages (OpenAI or Anthropic style dicts, Messages or Turns), turn by turn, each durably.

        Idempotent by message id: the host's `id`, else one derived from the content, so give ids if the same words
        may come twice in different calls. Raises InputError naming the message that cannot be used, before anything
        is stored.
        """
        flat: list[Message | Mapping[str, object]] = []
        for item in messages:
            flat.extend(item.messages if isinstance(item, Turn) else (item,))
        name = session_without_secrets(session)
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
        try:
            return self._observe(read(path, format=format, session=session, progress=progress))
        except InputError as error:
            raise told_without_secrets(error) from None

    def recall(
        self,
        query: str,
        *,
        k: int = 8,
        max_tokens: int = 1200,
        max_chars: int | None = None,
        namespaces: Sequence[str] = (),
        neighbours: Sequence[Neighbour] = (),
    ) -> Recall:
        """The facts and turns that fit, and a block for the prompt of at most `max_tokens`, or of `max_chars`.

        Tokens are counted as the setting `tokenizer` says. With `max_chars` the block names what did not fit. What is
        in it is noted, so that it is not learnt again when it comes back. `neighbours` are what an index outside of the
        store found near the query; they take part in the ranking.
        """
        with self.store.reading():
            found = recall(
                self.store,
                list(namespaces) or [self.scope.namespace],
                query,
                k=k,
                max_tokens=max_tokens,
                max_chars=max_chars,
                count=counter(self.settings.tokenizer),
                neighbours=neighbours,
            )
        if not self.store.read_only:
            note(self.store, self.scope, query, found, self._now())
        return found

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
        keeper = Gatekeeper(
            self.store, self.scope.namespace, host or this_host(cwd), enabled=self.settings.pre_tool_gate
        )
        if said is None:
            said = self.store.last_said(self.scope.namespace, session) if session else ""
        decision = keeper.decide(dialect, command, said=said)
        if not self.store.read_only:
            keeper.record(decision, session=session, agent=self.scope.agent, tool=tool, call_id=call_id, at=self._now())
        return decision

    def compact(
        self,
        messages: Sequence[Mapping[str, object]],
        limits: Limits | None = None,
        *,
        session: str = "default",
        strategy: str | None = None,
        summarise: Summariser | None = None,
        observe: bool = True,
    ) -> Compaction:
        """A shorter view of a history for the model, in dicts of the form that came in; the list is not changed.

        The messages are observed first, so their facts are merged into the store; a host that hands over each turn
        anyway says `observe=False`. `strategy` is that of the settings unless named; `summarise` is asked for a summary
        by those that want one. Without `limits` the view gets 8,000 tokens. The log of the session keeps that it was
        compacted. Raises UsageError for an unknown strategy, InputError naming the message that cannot be used; then
        nothing is stored.
        """
        # Most processes never compact, and the strategies take a quarter of the time in which this module is loaded.
        from cfpm.compacting import boundary_message, compact
        from cfpm.context.compaction.strategies import canonical_name
        from cfpm.context.visibility import for_agent

        name = canonical_name(strategy or self.settings.compaction_strategy)
        if observe and not self.store.read_only:
            self.observe(for_agent(messages), session=session)
        scope = Scope(self.scope.namespace, session_without_secrets(session), self.scope.agent)
        done = compact(self.store, scope, messages, self.settings, limits, strategy=name, summarise=summarise)
        if done.changed and not self.store.read_only:
            self.observe([boundary_message(done)], session=session)
        return done

    def _observe(self, records: Iterable[Record | Problem]) -> Report:
        return take_in(records, self._observer, lambda: self.store.active(self.scope.namespace))

    def _observer(self, session: str) -> Observer:
        scope = Scope(self.scope.namespace, session, self.scope.agent)
        return Observer(self.store, scope, self.settings, self.clock, self.extractors)
