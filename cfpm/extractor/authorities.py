"""Who may say where a known folder of this machine is: the host's own tools, and the user.

Only names are compared, whole and with case: `mcp__files__bash` or `docker_exec` is no tool of the host.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from cfpm.model import Message, ToolCall
from cfpm.model.tables import toml_table
from cfpm.text.pasted.speakers import other_speaker

_LEGACY = "function:"
"""Begins the id of a call that had none: the older function messages are linked by name, so anybody may answer."""


class OwnTool(Enum):
    """What a tool of the host works with."""

    SHELL = "shell"
    FILES = "files"


@cache
def known_tools(kind: OwnTool) -> frozenset[str]:
    """The names of `host_tools.toml`, of all hosts."""
    table = toml_table("cfpm.extractor", "host_tools")
    return frozenset(name for names in table[kind.value].values() for name in names)


@dataclass(frozen=True, slots=True)
class Authorities:
    """The tools of this host by their exact names, and the name that the user's messages carry if they carry one."""

    shell_tools: frozenset[str] = field(default_factory=lambda: known_tools(OwnTool.SHELL))
    file_tools: frozenset[str] = field(default_factory=lambda: known_tools(OwnTool.FILES))
    user: str = ""

    def tool(self, call: ToolCall) -> OwnTool | None:
        """What kind of tool of the host made this call, None for any other."""
        if not call.id or call.id.startswith(_LEGACY):
            return None
        if call.name in self.shell_tools:
            return OwnTool.SHELL
        return OwnTool.FILES if call.name in self.file_tools else None

    def is_user(self, message: Message) -> bool:
        """Whether the user said this, and no other participant of the chat."""
        return (message.name or other_speaker(message.text)).casefold() in ("", self.user.casefold())
