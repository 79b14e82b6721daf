"""The nouns of what a host says: messages, calls, results, turns, and where in them something stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cfpm.model.enumerations import Origin, Role


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory. Facts belong to the namespace; session and agent are provenance."""

    namespace: str
    session: str = ""
    agent: str = ""


_COMMANDS = ("command", "cmd", "script")
_PATHS = ("file_path", "path", "filename", "notebook_path", "target_file", "filePath", "absolute_path", "relative_path")
_NAMES_A_PATH = frozenset(_PATHS)


_SHELLS = ("bash", "sh", "zsh", "dash", "ksh")


def _command_line(words: Sequence[object]) -> str:
    """The command that is given as a list of words: of `bash -lc "..."` what the shell is told."""
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) != len(words) or not texts:
        return ""
    if len(texts) == 3 and texts[0].rpartition("/")[2] in _SHELLS and texts[1] in ("-c", "-lc"):
        return texts[2]
    from shlex import join  # seldom asked for

    return join(texts)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool. `arguments` is the parsed JSON object; text that is no object stands under `input`."""

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def command(self) -> str | None:
        """The shell command of the call, or None when the tool is no shell."""
        for key in _COMMANDS:
            value = self.arguments.get(key)
            if isinstance(value, list | tuple):
                value = _command_line(value)
            if value and isinstance(value, str) and value.strip() and not self.path:
                return value
        return None

    @property
    def path(self) -> str | None:
        """The file that the call names, or None."""
        if _NAMES_A_PATH.isdisjoint(self.arguments):
            return None
        for key in _PATHS:
            value = self.arguments.get(key)
            if isinstance(value, str) and value.strip():
                return value
        return None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What is known of how a call ended. The output itself is the message's text."""

    call_id: str
    is_error: bool | None = None
    exit_code: int | None = None

    @property
    def failed(self) -> bool:
        """True when the host itself says that the call failed."""
        return self.is_error is True or self.exit_code not in (None, 0)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What a reply of a model took, as its provider says: tokens sent (those from a cache among them), tokens written,
    tokens read from a cache and written to it, and the price in the host's currency where it is told."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_written: int = 0
    cost: float | None = None

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """The sum; without a price only where neither has one."""
        prices = [price for price in (self.cost, other.cost) if price is not None]
        return TokenUsage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_written + other.cache_written,
            sum(prices) if prices else None,
        )


@dataclass(frozen=True, slots=True)
class Details:
    """What a host tells beside the words of a message.

    `reply` is the provider's id of the reply, by which parts of one are counted once. `cwd` is the folder of the
    session. `signature` is a provider's seal of a thought, without which it does not take the thought back.
    """

    model: str = ""
    usage: TokenUsage | None = None
    reply: str = ""
    cwd: str = ""
    signature: str = ""
    user_visible: bool = True
    agent_visible: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a host wrote it, parsed once.

    `created_at` is UTC and aware, or None when the host gave no time. `id` is the host's id; empty until
    `cfpm.transcript.identity` derives one from the content. A `tool_result` is set if and only if role is tool.
    """

    role: Role
    text: str
    id: str = ""
    created_at: datetime | None = None
    name: str = ""
    origin: Origin = Origin.SAID
    tool_calls: tuple[ToolCall, ...] = ()
    tool_result: ToolResult | None = None
    details: Details | None = field(default=None, compare=False)


def tool_name(message: Message, calls: Mapping[str, ToolCall]) -> str:
    """The name of the tool that returned a message, by the call that it answers, else as the host wrote it."""
    call = calls.get(message.tool_result.call_id) if message.tool_result else None
    return call.name if call is not None and call.name else message.name


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and all that follows until the next real user message; `index` counts from 0 in its session."""

    session: str
    index: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a draft stands: character offsets into the text of a message as stored, end exclusive."""

    message_id: str
    start: int
    end: int
