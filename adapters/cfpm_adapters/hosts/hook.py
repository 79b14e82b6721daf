"""One hook event of a host: JSON on standard input, JSON on standard output.

Whatever goes wrong, nothing is printed and the exit code is 0, because anything else would stop or change the host's
turn; `failures` keeps what it was. Standard library only until a probe was seen: most commands have none, and the host
waits for each.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.model.markers import is_off
from cfpm_adapters.hosts.event import (
    PERMISSIONS,
    Answer,
    Event,
    Host,
    Options,
    note,
    of_project,
    visibility,
)
from cfpm_adapters.hosts.resident import LARGEST_INPUT, OPTIONS, in_background, parsed
from cfpm_adapters.hosts.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEADLINES = {"gate": ("gate_deadline", 0.24), "start": ("hook_deadline", 5.0), "prompt": ("hook_deadline", 5.0)}
"""The setting that says how long the host waits for what a kind of event is told, and its default, as in
`cfpm/settings.py`, which takes longer to load than the gate may."""

SETTLED = 1.0
"""Seconds that the start of a session waits for what the one before it is still learning."""


def main(words: Sequence[str], raw: bytes | None = None, *, at: float | None = None, told: bool = False) -> int:
    """Answers the event on standard input, or this one: `HOST [EVENT] [OPTIONS]`; always 0. It came `at` these seconds
    since 1970, if not now. One of which the host was `told` already is only learnt from."""
    watchdog = Watchdog(deadline("gate"), _late)
    doing.clear()
    # A process this short has nothing to collect, and looking for it takes a tenth of its time.
    gc.disable()
    try:
        host, name, options = read_words(words)
        doing.update(db=options.db, host=host.name, event=name)
        if (kind := host.events.get(name, "gate")) != "gate":
            watchdog.extend(deadline(kind))
        if raw is None:
            raw = sys.stdin.buffer.read(LARGEST_INPUT + 1)
        found = answer(raw, host, name, options, watchdog, at=at, told=told)
        watchdog.stop()
        if found.text and not told:
            sys.stdout.write(found.text)
            sys.stdout.flush()
        if found.first is not None:
            found.first()
        if (rest := found.then) is not None:
            in_background(lambda: _done(rest))
    except Exception as error:  # noqa: BLE001 (a provider boundary: the host's turn goes on as it is)
        watchdog.stop()
        _complain(error)
    finally:
        gc.enable()
    return 0


doing: dict[str, str | None] = {}
"""The database, the host and the event of this process, for what is kept of a failure."""


def read_words(words: Sequence[str]) -> tuple[Host, str, Options]:
    """The host, its name of the event if it is there, and the options. Raises ValueError."""
    names, given = parsed(words, OPTIONS)
    if len(names) not in (1, 2):
        raise ValueError("a host and its event are needed")
    options = Options(**given)
    if options.permission not in PERMISSIONS:
        raise ValueError(f"--permission {options.permission!r} is none of {PERMISSIONS}")
    return Host.named(names[0]), "".join(names[1:]), options


def event_of(raw: bytes, host: Host, name: str) -> Event:
    """The event in these bytes, by its name or the one that it carries. Raises ValueError or TypeError for none."""
    if len(raw) > LARGEST_INPUT:
        raise ValueError(f"an event of more than {LARGEST_INPUT:,} bytes")
    found = json.loads(raw)
    if not isinstance(found, dict):
        raise TypeError("an event that is no object")
    return Event.of(host, found, name)


def answer(
    raw: bytes,
    host: Host,
    name: str,
    options: Options,
    watchdog: Watchdog | None = None,
    *,
    at: float | None = None,
    told: bool = False,
) -> Answer:
    """The answer to one event. The `watchdog` is given the time that its kind has; see `main` for the rest.

    Raises for whatever is no event, and for whatever keeps the memory from answering.
    """
    event = event_of(raw, host, name)
    doing.update(event=event.name)
    if event.kind == "gate":
        asked = in_question(event, options)
        if asked is None:
            return Answer()
        from cfpm_adapters.hosts.gate_call import decide

        return decide(event, *asked)
    if not event.kind:
        return Answer()
    if watchdog is not None and event.kind in DEADLINES:
        watchdog.extend(deadline(event.kind))
    options = of_project(options, event)
    asks = event.kind in DEADLINES and not told
    text = event.host.reply_to(event, {"context": _told(event, options)}) if asks else ""
    return Answer(text) if event.kind == "start" else _learning(text, event, options, at)


def _learning(text: str, event: Event, options: Options, at: float | None) -> Answer:
    """The answer, after which the event is learnt from, behind those that came before it."""
    from cfpm.cli.location import database_url, make_room
    from cfpm_adapters.hosts.learners import Learner

    url = make_room(database_url(options.db))
    learner = Learner(url)

    def learn_in_turn() -> None:
        from cfpm.memory import Memory
        from cfpm_adapters.hosts.moments import clock_at, learn

        learner.wait()
        try:
            with Memory.open(url, namespace=options.namespace, agent=event.agent, clock=clock_at(at)) as memory:
                learn(memory, event)
        finally:
            learner.leave()

    return Answer(text, learn_in_turn, learner.announce)


def _told(event: Event, options: Options) -> str:
    """What the prompt is told by a memory that is there already."""
    from cfpm.cli.location import database_url, sqlite_file

    url = database_url(options.db)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        return ""
    from cfpm_adapters.hosts.learners import settle

    if event.kind == "start":
        settle(url, SETTLED)
    from cfpm.memory import Memory
    from cfpm.model.clock import utc_now
    from cfpm_adapters.hosts.moments import told

    with Memory.open(url, namespace=options.namespace, agent=event.agent, clock=utc_now) as memory:
        return told(memory, event)


def in_question(event: Event, options: Options) -> tuple[str, str, Options] | None:
    """The command that the gate must look at, its dialect and whose memory knows; None for one that it need not see."""
    command = event.command
    if command is None or is_off(os.environ.get("CFPM_PRE_TOOL_GATE", "on")):
        return None
    from cfpm.gate.prefilter import looks_like_probe

    probes = looks_like_probe(command)
    if not probes and "/" not in command and "\\" not in command:
        return None
    options = of_project(options, event)
    if not probes and not _names_broken_path(command, options):
        return None
    return command, _dialect(event), options


def _names_broken_path(command: str, options: Options) -> bool:
    from cfpm.cli.location import database_url, sqlite_file
    from cfpm.store.broken_paths import names_broken_path

    file = sqlite_file(database_url(options.db))
    return file is not None and file.exists() and names_broken_path(file, options.namespace, command)


def _dialect(event: Event) -> str:
    """The shell behind a tool: as the table says, else the user's own, if it is one that the host would take."""
    if dialect := event.host.shells[event.text("tool")]:
        return dialect
    shell = os.environ.get("CLAUDE_CODE_SHELL") or os.environ.get("SHELL") or ""
    return "zsh" if shell.endswith("zsh") else "bash"


def deadline(kind: str, folder: str = "") -> float:
    """Seconds that the host waits for this kind of event, by the environment or the `cfpm.toml` of the folder (default:
    the working directory)."""
    if kind not in DEADLINES:
        return DEADLINES["prompt"][1]
    name, default = DEADLINES[kind]
    said: object = os.environ.get(f"CFPM_{name.upper()}")
    path = Path(folder, "cfpm.toml")
    try:
        if said is None and path.is_file():
            import tomllib

            said = tomllib.loads(path.read_text(encoding="utf-8")).get(name)
        seconds = default if said is None else float(str(said))
    except ValueError:
        # Whoever loads the settings says what is wrong with them.
        return default
    return seconds if seconds > 0 else default


def _done(rest: Callable[[], None]) -> None:
    try:
        rest()
    except Exception as error:  # noqa: BLE001 (nobody waits for this process)
        _complain(error)


def _complain(error: Exception) -> None:
    told = f"{type(error).__name__}: {error}"
    if visibility() == "debug":
        note(f"cfpm: {told}")
    _failed(told)


def _late() -> None:
    from cfpm_adapters.hosts.failures import LATE

    _failed(LATE)


def _failed(problem: str) -> None:
    from cfpm_adapters.hosts.failures import record

    record(doing.get("db"), doing.get("host") or "", doing.get("event") or "", problem)
