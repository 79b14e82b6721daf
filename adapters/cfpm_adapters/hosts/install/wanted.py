"""What a host is to have: its hooks, the server of the tools, the page and the plugin, by its table in `data/`."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm.cli.location import database_url, sqlite_file
from cfpm.errors import UsageError
from cfpm_adapters.hosts.event import HOSTS, Host, Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DATA = Path(__file__).parent / "data"

_OPERATORS = ("&", "|", ";", "<", ">", "2>")
"""With which a shell joins or redirects commands."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a host looks, for this user or for the project in this folder."""

    host: Host
    table: Mapping[str, Any]
    project: Path | None

    @classmethod
    def of(cls, name: str, project: Path | None) -> Layout:
        """Raises UsageError for an unknown host, and for one that has no settings of a project."""
        if name not in HOSTS:
            raise UsageError(name, "no such host", f"Known are: {', '.join(HOSTS)}")
        table = tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))
        if project is not None and "project" not in table["folder"]:
            raise UsageError("--project", f"{name} has no settings of a project", "Install it for this user")
        return cls(Host.named(name), table, project)

    @property
    def folder(self) -> Path:
        """The host's own folder."""
        named = self.table["folder"]
        if self.project is not None:
            return self.project / str(named["project"])
        from_variable = os.environ.get(named.get("env", "")) or None
        return Path(from_variable) if from_variable else Path(named["user"]).expanduser()

    @property
    def hooks_file(self) -> Path | None:
        """The file of its hooks; None for a host that has a plugin instead."""
        hooks = self.table.get("hooks")
        return self.folder / str(hooks["file"]) if hooks else None

    @property
    def tools_file(self) -> Path | None:
        """The file that names its MCP servers."""
        tools = self.table.get("tools")
        if tools is None:
            return None
        if self.project is not None:
            return _existing(self.project / str(tools["project"]), tools)
        if "in_folder" in tools and os.environ.get(self.table["folder"]["env"]):
            return self.folder / str(tools["in_folder"])
        named = str(tools["user"])
        return Path(named).expanduser() if named.startswith("~") else _existing(self.folder / named, tools)

    @property
    def found(self) -> bool:
        """Whether the host seems to be on this machine: its program, or its folder for this user."""
        return any(shutil.which(name) for name in self.table["programs"]) or self.folder.is_dir()

    def hooks(self, options: Options) -> dict[str, dict[str, Any]]:
        """By the names of events, what is to stand in their lists."""
        table = self.table.get("hooks", {})
        form = table.get("form")
        wanted = {}
        for entry in table.get("entries", ()):
            event = entry["event"]
            hook = {"command": hook_command(self.host.name, event, options)}
            more = {key: value for key, value in entry.items() if key not in ("event", "matcher")}
            matcher = {"matcher": entry["matcher"]} if "matcher" in entry else {}
            if form == "flat":
                wanted[event] = {**hook, **matcher, **more}
            else:
                name = {"name": "cfpm"} if form == "named groups" else {}
                wanted[event] = {**matcher, "hooks": [{**name, "type": "command", **hook, **more}]}
        return wanted

    def server(self, options: Options) -> dict[str, Any]:
        """How the host starts the server of the tools."""
        everything = [*program_words(), "mcp", *_given(options, permission=False)]
        program, words = everything[0], everything[1:]
        tools = self.table["tools"]
        if tools["form"] == "local":
            return {"type": "local", "command": everything, "enabled": True}
        return {"command": program, "args": words, **tools.get("more", {})}

    def pages(self, options: Options) -> Iterator[tuple[Path, str]]:
        """The files that are wholly ours: the page for the agent, and a plugin."""
        yield self.folder / self.table["skill"]["user"], (_DATA / "SKILL.md").read_text(encoding="utf-8")
        for place, template in self.table.get("plugin", {}).items():
            text = (_DATA / template).read_text(encoding="utf-8")
            text = text.replace('"@PROGRAM@"', json.dumps(program_words()))
            yield self.folder / place, text.replace('"@OPTIONS@"', json.dumps(_given(options)))


def _existing(file: Path, tools: Mapping[str, Any]) -> Path:
    """The file, or the one beside it with the ending that the host takes too."""
    other = file.with_suffix(tools.get("or", file.suffix))
    return other if other.is_file() else file


def has_server() -> bool:
    """Whether the library of the server of the tools is there."""
    return find_spec("mcp") is not None


def hook_command(host: str, event: str, options: Options) -> str:
    """The command for the settings file, quoted for a shell, the same from any working directory."""
    return shlex.join([*program_words(), "hook", host, event, *_given(options)])


def program_words() -> list[str]:
    """How this program is started."""
    script = Path(sys.executable).with_name("cfpm.exe" if os.name == "nt" else "cfpm")
    if script.is_file():
        return [str(script)]
    # -P: the hook runs in the user's project, whose files must not be imported.
    return [sys.executable, "-P", "-m", "cfpm"]


def is_ours(command: object) -> bool:
    """Whether a command of a settings file starts a hook of ours, of this version or an earlier one."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    at = next((n for n in range(1, len(words) - 1) if words[n] == "hook" and words[n + 1] in HOSTS), 0)
    if not at or Path(words[at - 1].replace("\\", "/")).stem != "cfpm":
        return False
    # Whoever puts something before or behind it has made it theirs: `timeout 5 cfpm hook ...`, `... && say done`.
    started = at == 1 or all(word.startswith("-") for word in words[1 : at - 1])
    return started and not any(word.endswith(_OPERATORS) or word.startswith(_OPERATORS) for word in words[at:])


def is_our_server(entry: object) -> bool:
    """Whether an MCP server of a settings file is ours."""
    if not isinstance(entry, dict):
        return False
    command = entry.get("command")
    words = [*command] if isinstance(command, list) else [command, *(entry.get("args") or ())]
    return "mcp" in words and any(Path(str(word).replace("\\", "/")).stem == "cfpm" for word in words)


def _given(options: Options, *, permission: bool = True) -> list[str]:
    words = []
    if options.db is not None:
        words += ["--db", _absolute(options.db)]
    if options.namespace != Options().namespace:
        words += ["--namespace", options.namespace]
    if permission and options.permission != Options().permission:
        words += ["--permission", options.permission]
    return words


def _absolute(db: str) -> str:
    url = database_url(db)
    file = sqlite_file(url)
    return str(file.absolute()) if file is not None else url
