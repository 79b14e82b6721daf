"""The pre-tool gate around any Python function that runs shell commands. Decides nothing itself, and never stops a
call: a gate that fails leaves it as it was."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from cfpm.async_memory import AsyncMemory
from cfpm.errors import UsageError
from cfpm.gate.decision import Decision
from cfpm.gate.event import Visibility, gate_message
from cfpm.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")

Approve = Callable[[str], bool | Awaitable[bool]]
"""Whether a command may run, asked with the command that would run. Only around async tools may it be awaitable."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """Where a tool's command stands: by name, and at `position` of the positional arguments if it may stand there."""

    name: str
    position: int | None = None

    @classmethod
    def of(cls, function: Callable[..., object], name: str) -> _Parameter:
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            # Some built-in functions do not say.
            return cls(name)
        found = parameters.get(name)
        if found is not None and found.kind in (found.POSITIONAL_ONLY, found.POSITIONAL_OR_KEYWORD):
            return cls(name, list(parameters).index(name))
        by_name = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        if by_name or (found is not None and found.kind is found.KEYWORD_ONLY):
            return cls(name)
        raise UsageError(str(function), f"it has no argument {name!r}", "Name the one with the command: parameter=...")

    def read(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str | None:
        """The command of a call, None if it has none."""
        value = kwargs.get(self.name)
        if value is None and self.position is not None and self.position < len(args):
            value = args[self.position]
        return value if isinstance(value, str) else None

    def write(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], command: str) -> tuple[Any, Any]:
        """The arguments with another command in place of the one that was read."""
        if self.name in kwargs or self.position is None:
            return args, {**kwargs, self.name: command}
        return (*args[: self.position], command, *args[self.position + 1 :]), kwargs


@dataclass(slots=True)
class ToolGate:
    """A decorator that asks the gate before a tool runs its command, which stands in the argument `parameter`.

    A tool that is not async takes a `Memory`, an async one an `AsyncMemory`. In this order: `on_decision` gets the
    decision (log its `command`: that is what runs), `notify` the message `[CFPM_TOOL_GATE_V1] {json}` if it is to be
    shown, and `approve` the command that would run; its answer is kept as an approval of the session, and when it says
    no, PermissionError is raised in place of the call. Failures of the gate are counted, and `last_failure` says what
    happened.
    """

    memory: Memory | AsyncMemory
    _: KW_ONLY
    dialect: str
    parameter: str = "command"
    tool: str | None = None
    session: str | Callable[[], str] = ""
    cwd: str | Callable[[], str | None] | None = None
    approve: Approve | None = None
    notify: Callable[[str], None] | None = None
    on_decision: Callable[[Decision], None] | None = None
    visibility: Visibility | None = None
    failures: int = 0
    last_failure: str = ""

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The tool with the gate before it. Raises UsageError for a tool that the gate cannot stand before."""
        where = _Parameter.of(function, self.parameter)
        tool = self.tool or str(getattr(function, "__name__", type(function).__name__))
        call = self._async(function, where, tool) if _is_async(function) else self._sync(function, where, tool)
        return cast("Callable[P, R]", call)

    def _sync(self, function: Callable[..., Any], where: _Parameter, tool: str) -> Callable[..., Any]:
        memory, approve = self.memory, self.approve
        if not isinstance(memory, Memory) or _is_async(approve):
            raise UsageError(tool, "only an async tool can wait", "Give the gate a Memory, and an approve that answers")

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            command = where.read(args, kwargs)
            if command is None:
                return function(*args, **kwargs)
            try:
                run = self._told(memory.gate(self.dialect, command, **self._context(tool)), tool)
            except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the call goes on as it was)
                run = self._failed(command, error)
            if approve is not None:
                granted = bool(approve(run))
                try:
                    memory.approve(f"{tool}: {run}", granted=granted, session=self._session() or "default")
                except Exception as error:  # noqa: BLE001 (only the record is lost: the answer holds)
                    self._failed(command, error)
                if not granted:
                    raise PermissionError(f"not approved: {run}")
            args, kwargs = where.write(args, kwargs, run)
            return function(*args, **kwargs)

        return call

    def _async(self, function: Callable[..., Any], where: _Parameter, tool: str) -> Callable[..., Any]:
        memory, approve = self.memory, self.approve
        if not isinstance(memory, AsyncMemory):
            # A Memory belongs to one thread at a time, and in the loop's own it would hold up all other tasks.
            raise UsageError(tool, "an async tool cannot wait for a Memory", "Give the gate an AsyncMemory")

        @wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            command = where.read(args, kwargs)
            if command is None:
                return await function(*args, **kwargs)
            try:
                run = self._told(await memory.gate(self.dialect, command, **self._context(tool)), tool)
            except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the call goes on as it was)
                run = self._failed(command, error)
            if approve is not None:
                approved = approve(run)
                granted = bool(await approved if isinstance(approved, Awaitable) else approved)
                try:
                    await memory.approve(f"{tool}: {run}", granted=granted, session=self._session() or "default")
                except Exception as error:  # noqa: BLE001 (only the record is lost: the answer holds)
                    self._failed(command, error)
                if not granted:
                    raise PermissionError(f"not approved: {run}")
            args, kwargs = where.write(args, kwargs, run)
            return await function(*args, **kwargs)

        return call

    def _context(self, tool: str) -> dict[str, Any]:
        cwd = self.cwd() if callable(self.cwd) else self.cwd
        return {"tool": tool, "session": self._session(), "cwd": cwd}

    def _session(self) -> str:
        return self.session if isinstance(self.session, str) else self.session()

    def _told(self, decision: Decision, tool: str) -> str:
        """Hands the decision on. A host that cannot take it does not know what would run, so then nothing changes."""
        if self.on_decision is not None:
            self.on_decision(decision)
        text = gate_message(decision, tool, self._visibility()) if self.notify is not None else None
        try:
            if text and self.notify is not None:
                self.notify(text)
        except Exception as error:  # noqa: BLE001 (only the notice is lost)
            self._failed("", error)
        return decision.command

    def _visibility(self) -> Visibility:
        if self.visibility is not None:
            return self.visibility
        settings = self.memory.settings
        return settings.tool_gate_visibility or settings.visibility

    def _failed(self, command: str, error: Exception) -> str:
        self.failures += 1
        self.last_failure = f"gate: {type(error).__name__}: {error}"
        return command


def _is_async(function: object) -> bool:
    if inspect.iscoroutinefunction(function):
        return True
    return callable(function) and inspect.iscoroutinefunction(type(function).__call__)


gated = ToolGate
"""The name for the decorator: `@gated(memory, dialect="bash")`."""
