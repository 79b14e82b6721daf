"""What a hook is given and what it answers, by the table of its host, and the little that every part of it needs.

Standard library only, since the host waits while it loads.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.model.markers import switched

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Raw = dict[str, Any]

HOSTS = ("claude-code", "codex", "gemini", "opencode", "cursor", "hermes")
"""The hosts in the order in which they are listed; each has a table in `data/`."""

PERMISSIONS = ("ask", "allow")

COMMANDS = ("command", "cmd")
"""What hosts call the command among the arguments of their shell."""


class Options(NamedTuple):
    """What stands behind `cfpm hook HOST` in the settings of a host."""

    db: str | None = None
    namespace: str = "default"
    permission: str = "ask"


class Answer(NamedTuple):
    """What the host is told, empty for nothing, and what is left to do once it was told: `first` in this process, then
    the rest, for which nobody waits."""

    text: str = ""
    then: Callable[[], None] | None = None
    first: Callable[[], None] | None = None


class Host(NamedTuple):
    """One host's table: see `data/claude-code.toml`, which names all parts."""

    name: str
    title: str
    agent: str
    fields: Mapping[str, str]
    shells: Mapping[str, str]
    events: Mapping[str, str]
    reply: Mapping[str, str]
    permissions: Mapping[str, str]
    silent: tuple[str, ...]
    before_prompt: str = ""

    @classmethod
    @cache
    def named(cls, name: str) -> Host:
        """The host with this name. Raises ValueError for an unknown one."""
        if name not in HOSTS:
            raise ValueError(f"no such host {name!r}; known are {', '.join(HOSTS)}")
        import tomllib

        with (Path(__file__).parent / "data" / f"{name}.toml").open("rb") as file:
            table = tomllib.load(file)
        return cls(
            name,
            table["title"],
            table["agent"],
            table["fields"],
            table["shells"],
            table["events"],
            table["reply"],
            table.get("permissions", {}),
            tuple(table.get("silent", {}).get("events", ())),
            table.get("before_prompt", ""),
        )

    def permission(self, wanted: str) -> str:
        """This host's word for `ask` or `allow`."""
        return self.permissions.get(wanted, wanted)

    def reply_to(self, event: Event, values: Mapping[str, object]) -> str:
        """One JSON document that says each of these values at its place; empty when the host knows no place for any.

        Strict JSON in ASCII: no NaN, no lone surrogate, whatever the encoding of the stream. Raises ValueError for a
        value that JSON does not have.
        """
        placed = [(self.reply[name], value) for name, value in values.items() if name in self.reply and value]
        if event.name in self.silent or not placed:
            return ""
        if "event" in self.reply:
            placed.insert(0, (self.reply["event"], event.name))
        told: Raw = {}
        for place, value in placed:
            *folders, last = place.split(".")
            at = told
            for folder in folders:
                at = at.setdefault(folder, {})
            at[last] = value
        import json

        return json.dumps(told, allow_nan=False) + "\n"


class Event(NamedTuple):
    """One event of a host: its name there, what it is to us, and its fields by our names."""

    host: Host
    name: str
    kind: str
    raw: Raw

    @classmethod
    def of(cls, host: Host, raw: Raw, name: str = "") -> Event:
        """The event of this object, by the name on the command line or the one that it carries; of no kind where we do
        nothing."""
        name = name or text_of(raw.get("hook_event_name"))
        return cls(host, name, host.events.get(name, ""), raw)

    def value(self, field: str) -> object:
        """What the host says in this field; None where it says nothing."""
        at: object = self.raw
        for step in self.host.fields.get(field, "").split("."):
            if isinstance(at, list) and step.isdigit() and int(step) < len(at):
                at = at[int(step)]
            elif isinstance(at, dict):
                at = at.get(step)
            else:
                return None
        return at

    def text(self, field: str) -> str:
        """The same as a text, empty where it is none."""
        return text_of(self.value(field))

    @property
    def session(self) -> str:
        """The host's name of the session."""
        return self.text("session") or "default"

    @property
    def agent(self) -> str:
        """The host's own agent, or the kind of one that it started."""
        kind = self.text("subagent_type") if self.text("subagent") else ""
        return f"{self.host.agent}/{kind}" if kind else self.host.agent

    @property
    def prompt(self) -> str:
        """What the user said, without what the host put before it."""
        text = self.text("prompt")
        opening, closing = f"<{self.host.before_prompt}>", f"</{self.host.before_prompt}>"
        if self.host.before_prompt and text.startswith(opening) and closing in text:
            text = text.partition(closing)[2]
        return text.strip()

    @property
    def arguments(self) -> Raw | None:
        """What a tool was called with."""
        found = self.value("arguments")
        return found if isinstance(found, dict) else None

    @property
    def command(self) -> str | None:
        """What a shell tool is to run; None for another tool, or where it is no text."""
        if self.text("tool") not in self.host.shells:
            return None
        return next((found for name in COMMANDS if isinstance(found := (self.arguments or {}).get(name), str)), None)


def text_of(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def of_project(options: Options, event: Event) -> Options:
    """The options with the namespace that is meant: that of the event's folder where it is to follow from it, unless
    the environment or that folder's `cfpm.toml` name one.

    Raises ValueError for a settings file that is broken.
    """
    if options.namespace not in (Options().namespace, "auto"):
        return options
    from cfpm.paths.project import AUTO, NO_PROJECT, configured_namespace, namespace_of

    folder = Path(event.text("folder") or Path.cwd())
    named = configured_namespace(os.environ, folder)
    if named == NO_PROJECT and options.namespace == AUTO:
        named = AUTO
    return options._replace(namespace=namespace_of(folder) if named == AUTO else named)


def visibility(configured: Mapping[str, object] | None = None) -> object:
    """How much is shown (`off`, `brief`, `debug`), by the environment, else by the settings file."""
    for name in ("tool_gate_visibility", "visibility"):
        said = os.environ.get(f"CFPM_{name.upper()}") or (configured or {}).get(name)
        if said is not None:
            return switched(said, ("off", "brief", "debug"), "brief")
    return "brief"


def note(text: str) -> None:
    """A line on standard error, which the host shows only to those who look for it."""
    print(text.encode("ascii", "backslashreplace").decode(), file=sys.stderr)
