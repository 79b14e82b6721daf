"""One conversation between a host and a model, from the first message to a resumed session: what goes into the prompt
before each call, what becomes of long results, and what is learnt. Calls no model."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from cfpm.async_memory import waiting
from cfpm.context.artifacts import OFFLOAD_OVER, Artifacts, artifacts_folder, offload_results
from cfpm.context.chart import Snapshot, chart
from cfpm.context.conversation_file import ConversationFile, conversation_file, message_key
from cfpm.context.driver import Boundary, Driven, Driver, MilestoneTest
from cfpm.context.history import read_history
from cfpm.context.machine import compact_command
from cfpm.context.rules import Rules
from cfpm.context.states import BudgetWarning, EndTurn, Proceed, Reason, State, Stop
from cfpm.context.trims import (
    cap_consumed_reads,
    context_error,
    drop_superseded_reads,
    drop_superseded_writes,
    fit,
    shorten_repeated_commands,
    together,
)
from cfpm.context.trims.trim import characters
from cfpm.context.views import plain, shown
from cfpm.errors import InputError
from cfpm.model.ids import digest
from cfpm.recall.tokens import counter
from cfpm.secrets import redact_value
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.sdk_objects import plain_messages

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.async_memory import AnySummariser, AsyncMemory
    from cfpm.context.compact import Extra
    from cfpm.context.history import Raw
    from cfpm.context.strategies.types import Compaction, Limits, Summariser
    from cfpm.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")

COMPACT_TOOL: Mapping[str, Any] = {
    "name": "compact_conversation",
    "description": "Shortens this conversation when the turn ends: older messages are replaced by a summary of what "
    "was asked, decided and done. Use it when a piece of work is finished and its details are no longer needed.",
    "parameters": {
        "type": "object",
        "properties": {"focus": {"type": "string", "description": "What the summary should keep in view."}},
    },
}
"""The tool by which an agent asks for a compaction; `parameters` is a JSON schema. `Conversation` answers the call."""

_WILL_COMPACT = "The conversation will be compacted when this turn ends."

_TRIMS = (
    partial(drop_superseded_writes, min_saving=0),
    partial(drop_superseded_reads, min_saving=0),
    partial(shorten_repeated_commands, min_saving=0),
    partial(cap_consumed_reads, min_saving=0),
)
"""Rewrites in place, so that the log keeps its messages."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What to send now. With EndTurn no reply is asked for, since the user's message was a command; with Stop there can
    be none, and its message is for the user.

    `tokens` is the size with the overhead. Boundaries tell what was compacted, notices and warnings are for the user.
    """

    messages: tuple[Raw, ...]
    tokens: int
    action: Proceed | EndTurn | Stop = Proceed()  # noqa: RUF009 (a value without fields)
    boundaries: tuple[Boundary, ...] = ()
    notices: tuple[str, ...] = ()
    warning: BudgetWarning | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message of the log; `kept` is it without secrets, `key` names what the host gave, empty for what was written
    here, and `shown` what stands here."""

    raw: Raw
    kept: Raw
    key: str
    shown: str

    @classmethod
    def of(cls, raw: Raw, key: str = "") -> Self:
        kept = redact_value(raw)
        known = kept if isinstance(kept, Mapping) else raw
        return cls(raw, known, key, message_key(known))

    @classmethod
    def given(cls, raw: Raw) -> Self:
        """One that the host gave."""
        made = cls.of(raw)
        return replace(made, key=made.shown)


class Conversation:
    """The whole way of one session's messages: `before` each call of the model, `add` what the model said, `result` of
    each call, `after` each turn.

        talk = Conversation(memory, session="s", limit=128_000)
        prompt = talk.before(text="Fix the login.")
        answer = model(prompt.messages)  # with calls: talk.add(answer), talk.result(call, text), talk.before()
        talk.after(answer, input_tokens=1_200)

    Long results go into files; when the prompt outgrows the window, what was superseded is shortened, then the history
    is compacted, and plan, todos and answers of the user are put before the model again. Between two compactions the
    prompt only grows at its end, so that a provider's cache holds. After each step it is on disk (in `folder`, by
    default beside the database): a new Conversation of the same session goes on where the old one was, also after it
    was killed. `overhead` is the tokens of what is sent besides (system prompt, tools); the other options are as for
    `Memory.driver`. One thread at a time.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        session: str = "default",
        folder: Path | None = None,
        limit: int | None = None,
        overhead: int = 0,
        strategy: str | None = None,
        summarise: Summariser | None = None,
        extra: Extra | None = None,
        keep: Limits | None = None,
        milestone: MilestoneTest | None = None,
    ) -> None:
        self.memory, self.session = memory, session
        settings = memory.settings
        self._window = limit or settings.context_limit
        self._run = partial(
            memory.compact, session=session, strategy=strategy, summarise=summarise, observe=False, extra=extra
        )
        self._folder = folder or artifacts_folder(memory.store.url, settings.artifacts_folder)
        self._entries: list[_Entry] = []
        self._keys: dict[str, str] = {}
        self._given: list[object] = []
        self._taken = 0
        self._learnt = 0
        self._asked: str | None = None
        self._sent = self._drawn = 0
        self._file: ConversationFile | None = None
        kept: Mapping[str, Any] = {}
        if self._folder is not None:
            file = conversation_file(self._folder, memory.scope.namespace, session)
            self._file = ConversationFile(file, durable=settings.durability == "full")
            kept = self._file.read() or {}
        state = State.from_json(kept["state"]) if kept.get("state") else None
        self.driver = Driver(
            Rules(settings, strategy or settings.compaction_strategy, keep),
            self._compact,
            count=counter(settings.tokenizer),
            overhead=overhead,
            limit=limit,
            clock=memory.clock,
            milestone=milestone,
            state=state,
        )
        self._overhead = overhead
        self._restore(kept)

    def _restore(self, kept: Mapping[str, Any]) -> None:
        for entry in kept.get("log", ()):
            self._entries.append(_Entry(entry["raw"], entry["raw"], entry["key"], message_key(entry["raw"])))
        self.driver.snapshots[:] = [Snapshot(**one) for one in kept.get("snapshots", ())]
        self._learnt = kept.get("learnt", 0)
        self._asked = kept.get("asked")
        self._sent, self._drawn = len(self._entries), len(self.snapshots)

    @property
    def log(self) -> tuple[Raw, ...]:
        """Everything that was said and written, with the flags of who sees it."""
        return tuple(entry.raw for entry in self._entries)

    @property
    def messages(self) -> tuple[Raw, ...]:
        """What the model would be sent now."""
        return shown(self.log)

    @property
    def given(self) -> int:
        """How many messages came in so far: where a host that reads a transcript goes on."""
        return sum(1 for entry in self._entries if entry.key)

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        """What each turn took."""
        return self.driver.snapshots

    @property
    def artifacts(self) -> Artifacts | None:
        """Where long results are; None for a memory without a file and without a folder."""
        if self._folder is None:
            return None
        # As many characters as the window has tokens are a quarter of it.
        return Artifacts(self._folder, over=min(OFFLOAD_OVER, self._window))

    def chart(self) -> str:
        """The tokens of each turn as a page of HTML."""
        settings = self.memory.settings
        lines = {"warn_at": settings.budget_warn_at, "cut_over_at": settings.budget_cut_over_at}
        return chart(self.snapshots, **lines, title=f"Tokens per turn: {self.session}")

    def before(self, messages: Iterable[object] | None = None, text: str = "") -> Prompt:
        """What to send to the model now.

        `text` is what the user said; empty before a further call of the same turn. `messages` are for a host that keeps
        its own list: all of it, or the prompt's messages with what it added since; what is new is taken in. Raises
        InputError for a list that is not this conversation's, naming the first message that differs.
        """
        if messages is not None:
            self._take(messages)
        if text.strip() and compact_command(text) is None:
            said = {"role": "user", "content": text}
            last = next((entry.raw for entry in reversed(self._entries) if entry.key), None)
            if last is None or plain(last) != said:
                self._add([said])
        if self.driver.is_over(self.messages):
            self._trim()
        return self._prompt(self.driver.before_reply(self.log, text))

    def add(self, *messages: object) -> None:
        """Takes in what was said: an answer of the model with its calls, a message of the host. Long results in it are
        offloaded. Raises InputError for what is no message."""
        self._add(plain_messages(messages))
        self._keep()

    def _add(self, messages: Sequence[object]) -> None:
        read_history(messages, len)  # names the message that is none, before any is taken in
        for raw in messages:
            if not isinstance(raw, Mapping):
                continue
            self._entries.append(_Entry.given(self._offloaded(raw)))
            focus = _asks_to_compact(raw)
            self._asked = focus if focus is not None else self._asked

    def result(self, call: object, text: str = "", *, failed: bool = False) -> str:
        """Takes in the result of a call and gives what the model will see of it: the text, or a stub that says how to
        read what was offloaded.

        `call` is the call as the provider gave it (OpenAI, Responses or Anthropic), or its id in OpenAI's form. Raises
        InputError for a call without an id.
        """
        name, style = _call(call)
        flags = {"is_error": True} if failed else {}
        if not text and _named(call) == COMPACT_TOOL["name"]:
            text = _WILL_COMPACT
        if style == "anthropic":
            block = {"type": "tool_result", "tool_use_id": name, "content": text, **flags}
            last = self._entries[-1].raw if self._entries else {}
            if last.get("role") == "user" and _only_results(last):
                # Results of parallel calls stand in one message.
                self._entries.pop()
                self._sent = 0
                blocks = [*_blocks(last), block]
                self.add({"role": "user", "content": blocks})
                return _shown(self._entries[-1].raw)
            self.add({"role": "user", "content": [block]})
        elif style == "responses":
            self.add({"type": "function_call_output", "call_id": name, "output": text})
        else:
            self.add({"role": "tool", "tool_call_id": name, "content": text, **flags})
        return _shown(self._entries[-1].raw)

    def after(
        self,
        messages: object = None,
        *,
        agent: str = "",
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> Prompt:
        """Ends a turn: takes in the final answer, learns from the turn, and compacts when a trigger says so.

        `messages` is the answer, as a message or a text, or the host's whole list as for `before`; the tokens are what
        the provider reports.
        """
        if isinstance(messages, list | tuple):
            self._take(messages)
        elif messages is not None:
            said = {"role": "assistant", "content": messages} if isinstance(messages, str) else messages
            self._add(plain_messages([said]))
        self.learn()
        driven = self.driver.after_turn(self.log, agent=agent, input_tokens=input_tokens, output_tokens=output_tokens)
        asked, self._asked = self._asked, None
        if asked is not None and not driven.boundaries:
            driven = self.driver.request(driven.log, Reason.AGENT, focus=asked)
        return self._prompt(driven)

    def recover(self, error: BaseException | None = None) -> Prompt:
        """A smaller prompt after the provider refused the last one. Raises the error when it is none of those that a
        smaller prompt helps against."""
        found = context_error(error) if error is not None else None
        if error is not None and found is None:
            raise error
        return self._prompt(self.driver.recover(self.log, limit=found.limit if found else None))

    def request(self, reason: Reason = Reason.PAUSE, *, name: str = "", focus: str = "") -> Prompt:
        """Compacts for a reason of the host: a milestone, a pause, a handoff, the execution of a plan."""
        return self._prompt(self.driver.request(self.log, reason, name=name, focus=focus))

    def learn(self) -> None:
        """Has the memory learn what came in since; done after each turn and before each compaction."""
        new = [
            {"id": f"{self.session}/{number}", **plain(entry.raw)}
            for number, entry in enumerate(entry for entry in self._entries if entry.key)
            if number >= self._learnt
        ]
        if new and not self.memory.store.read_only:
            self.memory.observe(new, session=self.session)
        self._learnt += len(new)

    def _compact(self, log: Sequence[Raw], limits: Limits) -> Compaction:
        self.learn()
        return self._run(log, limits)

    def _take(self, messages: Iterable[object]) -> None:
        """Takes in what a host's list has more than the log. The list may be all that it ever gave, or the view; one
        that only grew is not read again."""
        whole = list(messages)
        old = len(self._given)
        only_grew = old and self._taken == self.given and len(whole) >= old
        if only_grew and all(one is other for one, other in zip(self._given, whole, strict=False)):
            self._add(plain_messages(whole[old:]))
        else:
            self._add(self._new_in(plain_messages(whole)))
        self._given, self._taken = whole, self.given

    def _new_in(self, given: Sequence[Raw]) -> Sequence[Raw]:
        """The messages behind those that are known. Raises InputError for a list of another conversation."""
        keys = [self._key(raw) for raw in given]
        whole = [entry.key for entry in self._entries if entry.key]
        shown = [entry.shown for entry in self._entries if entry.raw.get("agent_visible") is not False]
        for known in (whole, shown):
            if keys[: len(known)] == known:
                return given[len(known) :]
        same = next(
            (n for n, (a, b) in enumerate(zip(keys, whole, strict=False)) if a != b), min(len(keys), len(whole))
        )
        remedy = "Pass all messages, or those of the prompt with what you added; without any it goes on from its own"
        raise InputError("messages", "not the ones of this conversation", remedy, place=f"message {same}")

    def _key(self, raw: object) -> str:
        """The key of a message of a host's list, most of which were there before; empty for what is none."""
        if not isinstance(raw, Mapping):
            return ""
        seen = digest(json.dumps(raw, default=str))
        if seen not in self._keys:
            self._keys[seen] = _Entry.of(raw).shown
        return self._keys[seen]

    def _offloaded(self, raw: Raw) -> Raw:
        artifacts = self.artifacts
        if artifacts is None or characters([raw]) <= artifacts.over:
            return raw
        # The call says what a result is of.
        calls = [place for place, entry in enumerate(self._entries) if entry.raw.get("role") == "assistant"][-1:]
        before = [entry.raw for place in calls for entry in self._entries[place:]]
        return offload_results([*before, raw], artifacts).messages[-1]

    def _trim(self) -> None:
        """Shortens in place what was superseded, when that alone does what a compaction would."""
        log = self.log
        shown = [place for place, raw in enumerate(log) if raw.get("agent_visible") is not False]
        trim = together([log[place] for place in shown], _TRIMS, min_saving=0)
        if not trim.changed or trim.removed:
            return
        changed = list(log)
        for place, raw in zip(shown, trim.messages, strict=True):
            changed[place] = raw
        # As small as a compaction would make it, or the prompt's beginning changes again too soon.
        if self.driver.fits(changed):
            self._entries = [
                entry if entry.raw is raw else _Entry.of(raw, entry.key)
                for entry, raw in zip(self._entries, changed, strict=True)
            ]
            self._sent = 0

    def _prompt(self, driven: Driven) -> Prompt:
        if any(one.outcome in ("compacted", "failed") for one in driven.boundaries):
            self._replace(driven.log)
        self._keep()
        messages, action = self.messages, driven.action
        tokens = self.driver.tokens(messages)
        if isinstance(action, Proceed) and tokens > self._window:
            trim = fit(messages, max(1, self._window - self._overhead), count=counter(self.memory.settings.tokenizer))
            messages, tokens = tuple(trim.messages), self.driver.tokens(trim.messages)
        return Prompt(messages, tokens, action, driven.boundaries, driven.notices, driven.warning)

    def _replace(self, log: Sequence[Raw]) -> None:
        """Takes over a compacted log: all messages in their order, and new notes between them."""
        entries, old = [], iter(self._entries)
        waiting = next(old, None)
        for raw in log:
            if waiting is not None and plain(raw) == plain(waiting.raw):
                flags = {key: raw[key] for key in ("user_visible", "agent_visible") if key in raw}
                entries.append(replace(waiting, raw=raw, kept={**waiting.kept, **flags}))
                waiting = next(old, None)
            else:
                entries.append(_Entry.of(raw))
        self._entries, self._sent = entries, 0

    def _keep(self) -> None:
        """Writes what is new."""
        if self._file is None or self.memory.store.read_only:
            return
        rest = {"state": self.driver.state.to_json(), "learnt": self._learnt, "asked": self._asked}
        log = [{"raw": entry.kept, "key": entry.key} for entry in self._entries[self._sent :]]
        turns = [asdict(one) for one in self.snapshots[self._drawn if self._sent else 0 :]]
        if self._sent:
            self._file.append({"add": {"log": log, "snapshots": turns}, **rest})
        else:
            self._file.replace({"log": log, "snapshots": turns, **rest})
        self._sent, self._drawn = len(self._entries), len(self.snapshots)


def _asks_to_compact(raw: Raw) -> str | None:
    """The focus of a call of the tool by which an agent asks for a compaction; None without one."""
    for part in parse_messages([raw]):
        for call in part.tool_calls:
            if call.name == COMPACT_TOOL["name"]:
                focus = call.arguments.get("focus")
                return focus if isinstance(focus, str) else ""
    return None


def _call(call: object) -> tuple[str, str]:
    """The id of a call and the style of its provider."""
    if isinstance(call, str):
        return call, "openai"
    known = call if isinstance(call, Mapping) else next(iter(plain_messages([call])), None)
    if isinstance(known, Mapping):
        style = {"tool_use": "anthropic", "function_call": "responses"}.get(str(known.get("type")), "openai")
        name = known.get("call_id") if style == "responses" else known.get("id")
        if isinstance(name, str) and name:
            return name, style
    raise InputError("call", "it has no id", "Pass the call as the provider gave it, or its id")


def _named(call: object) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""


def _blocks(raw: Raw) -> Sequence[object]:
    content = raw.get("content")
    return content if isinstance(content, list | tuple) else ()


def _only_results(raw: Raw) -> bool:
    blocks = _blocks(raw)
    return bool(blocks) and all(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in blocks)


def _shown(raw: Raw) -> str:
    """What the model sees of the last result in a message."""
    last = _blocks(raw)[-1] if _blocks(raw) else raw
    text = (last.get("content") or last.get("output")) if isinstance(last, Mapping) else ""
    return text if isinstance(text, str) else ""


def _awaited(
    verb: Callable[Concatenate[Conversation, P], R],
) -> Callable[Concatenate[AsyncConversation, P], Coroutine[Any, Any, R]]:
    async def call(talk: AsyncConversation, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await talk.memory.run(lambda _: verb(talk.conversation, *args, **kwargs))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call


class AsyncConversation:
    """A `Conversation` whose steps are awaited; each runs in the thread of the memory, in the order of the calls."""

    def __init__(self, memory: AsyncMemory, conversation: Conversation) -> None:
        self.memory, self.conversation = memory, conversation

    @classmethod
    async def open(cls, memory: AsyncMemory, *, summarise: AnySummariser | None = None, **options: Any) -> Self:
        """Begins a conversation or takes it up again; options as for `Conversation`. `summarise` may be async."""
        sync = waiting(summarise)
        return cls(memory, await memory.run(lambda inner: Conversation(inner, summarise=sync, **options)))

    before = _awaited(Conversation.before)
    add = _awaited(Conversation.add)
    result = _awaited(Conversation.result)
    after = _awaited(Conversation.after)
    recover = _awaited(Conversation.recover)
    request = _awaited(Conversation.request)
    learn = _awaited(Conversation.learn)
    chart = _awaited(Conversation.chart)

    @property
    def log(self) -> tuple[Raw, ...]:
        """As `Conversation.log`."""
        return self.conversation.log

    @property
    def messages(self) -> tuple[Raw, ...]:
        """As `Conversation.messages`."""
        return self.conversation.messages

    @property
    def given(self) -> int:
        """As `Conversation.given`."""
        return self.conversation.given

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        """As `Conversation.snapshots`."""
        return self.conversation.snapshots
