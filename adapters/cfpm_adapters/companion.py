"""A memory beside the agent of a framework: what is known for a prompt, the gate, learning, a shorter view.

Every framework's adapter is a thin layer over it. Nothing here raises: a memory that fails must not stop the agent's
turn. Failures are counted, and `last_failure` says what happened, as in the local provider.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from cfpm_adapters.local import LocalProvider

P = ParamSpec("P")
R = TypeVar("R")
Raw = Mapping[str, Any]

SESSIONS = 64
"""Sessions of which the last block is kept, so that the steps of one turn see the same prompt."""

_PLACE = "cfpm_place"
"""The key under which a message of the host carries its place through a compaction."""


@dataclass(slots=True)
class Companion(LocalProvider):
    """The memory at `url`, for any number of threads; it is opened when it is first used.

    `agent` is the name under which it learns. A recalled block has at most `max_tokens`. With `window`, a history of
    more tokens is compacted for the model alone. `shells` are the names of tools that run shell commands, each with its
    dialect: `{"run_shell": "bash"}`.
    """

    agent: str = ""
    max_tokens: int = 1200
    window: int | None = None
    shells: Mapping[str, str] = field(default_factory=dict)
    parameter: str = "command"
    """The argument of those tools that holds the command."""
    _blocks: OrderedDict[str, tuple[object, str]] = field(default_factory=OrderedDict, init=False, repr=False)

    def block(self, query: str, *, session: str, turn: object = None, history: Sequence[Raw] = ()) -> str:
        """What memory knows on a question, empty for nothing; the same for all steps of one `turn`. What stands in the
        `history` that the model sees is left out."""
        if not query.strip():
            return ""
        key = (query, turn)
        with self._lock:
            known = self._blocks.get(session)
        if known is not None and known[0] == key:
            return known[1]
        found = self._recalled(query, session, history)
        with self._lock:
            self._blocks[session] = (key, found)
            self._blocks.move_to_end(session)
            while len(self._blocks) > SESSIONS:
                self._blocks.popitem(last=False)
        return found

    def told(self, messages: Sequence[Raw], *, session: str) -> str:
        """What memory knows on what the user said last in a history of dicts."""
        asked = [(place, one) for place, one in enumerate(messages) if one.get("role") == "user"]
        if not asked:
            return ""
        place, last = asked[-1]
        # Within a window the model does not see all of it.
        seen = messages if self.window is None else ()
        return self.block(str(last.get("content") or ""), session=session, turn=place, history=seen)

    def _recalled(self, query: str, session: str, history: Sequence[Raw]) -> str:
        texts = {text.strip() for one in history if isinstance(text := one.get("content"), str)}
        try:
            with self._lock:
                memory = self._memory(self.agent)
                rows = memory.store.log.messages(memory.scope.namespace, session=session) if texts else []
                seen = [row.message.id for row in rows if row.message.text.strip() in texts]
                return memory.recall(query, max_tokens=self.max_tokens, exclude=seen).block
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("load", error)
            return ""

    def learn(self, messages: Iterable[object], *, session: str) -> None:
        """Takes in a history; what is known already is left alone."""
        self.save(self.agent, list(messages), session=session)

    def gated(
        self, tool: str, arguments: Mapping[str, Any], *, session: str = "", call_id: str = "", cwd: str | None = None
    ) -> dict[str, Any]:
        """The arguments with the command that is to run; as they were for a tool that is no shell."""
        given = dict(arguments)
        command = given.get(self.parameter)
        if (dialect := self.shells.get(tool)) is None or not isinstance(command, str):
            return given
        try:
            with self._lock:
                memory = self._memory(self.agent)
                decision = memory.gate(dialect, command, cwd=cwd, session=session, tool=tool, call_id=call_id)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the call goes on as it was)
            self._failed("gate", error)
            return given
        return {**given, self.parameter: decision.command}

    def around(self, function: Callable[P, R], *, session: str = "") -> Callable[P, R]:
        """A tool's function behind the gate, with its signature and its docstring; one of a tool that is no shell as it
        is. For frameworks without a hook before a call."""
        name = str(getattr(function, "__name__", ""))
        if name not in self.shells:
            return function
        signature = inspect.signature(function)

        def bound(args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
            found = signature.bind(*args, **kwargs)
            found.arguments.update(self.gated(name, found.arguments, session=session))
            return found

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                found = await asyncio.to_thread(bound, args, kwargs)
                return await function(*found.args, **found.kwargs)

            return cast("Callable[P, R]", waiting)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            found = bound(args, kwargs)
            return function(*found.args, **found.kwargs)

        return cast("Callable[P, R]", call)

    def view(self, history: Sequence[Sequence[Raw]], *, session: str) -> list[int | Raw] | None:
        """The history for the model where it is longer than `window`: places of messages that stay and notes that are
        written in place of others, in order; None to leave it as it is. The host's own history is not changed.

        `history` has for each message of the host the dicts that stand for it.
        """
        if self.window is None:
            return None
        flat = [{**part, _PLACE: place} for place, parts in enumerate(history) for part in parts]
        try:
            from cfpm.context.strategies.types import Limits

            with self._lock:
                done = self._memory(self.agent).compact(flat, Limits(self.window), session=session, observe=False)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the history stays as it is)
            self._failed("compact", error)
            return None
        if not done.changed:
            return None
        view: list[int | Raw] = []
        for message in done.messages:
            place = message.get(_PLACE)
            if not isinstance(place, int):
                view.append(message)
            elif place not in view:
                view.append(place)
        return view


def call_of(name: str, arguments: object, call_id: str) -> dict[str, Any]:
    """A tool call as a message of the assistant; arguments that are no text are written as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
    function = {"name": name, "arguments": text}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result_of(call_id: str, text: str, *, failed: bool | None = None) -> dict[str, Any]:
    """What a call gave, as a message of the tool."""
    found: dict[str, Any] = {"role": "tool", "tool_call_id": call_id, "content": text}
    return found if failed is None else {**found, "is_error": failed}


def with_block(text: str | None, block: str) -> str:
    """A prompt with the block behind it."""
    return "\n\n".join(part for part in (text, block) if part)
