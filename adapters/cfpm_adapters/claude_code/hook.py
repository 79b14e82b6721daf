"""One hook event of Claude Code: JSON on standard input, JSON on standard output.

Whatever goes wrong, nothing is printed and the exit code is 0, because anything else would stop or change the tool
call. Standard library only until a probe was seen: most commands have none, and the host waits for each.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import TYPE_CHECKING

from cfpm.model.markers import is_off
from cfpm_adapters.claude_code.event import PERMISSIONS, SHELLS, Answer, Event, Options, note, of_project, visibility
from cfpm_adapters.claude_code.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEADLINE = 0.24
"""Seconds from the start of the process until a tool call goes on without us."""

LARGEST_INPUT = 8 * 1024 * 1024
"""Bytes of an event: a command of a megabyte with every character escaped. What is larger is not looked at."""


def main(argv: Sequence[str]) -> int:
    """Answers the event on standard input; always 0."""
    watchdog = Watchdog(DEADLINE)
    # A process this short has nothing to collect, and looking for it takes a tenth of its time.
    gc.disable()
    try:
        found = answer(sys.stdin.buffer.read(LARGEST_INPUT + 1), options_from(argv), watchdog.stop)
        watchdog.stop()
        if found.text:
            sys.stdout.write(found.text)
            sys.stdout.flush()
        if found.then is not None:
            in_background(found.then)
    except Exception as error:  # noqa: BLE001 (a provider boundary: the tool call goes on as it is)
        watchdog.stop()
        _complain(error)
    finally:
        gc.enable()
    return 0


def options_from(argv: Sequence[str]) -> Options:
    """The options of the command line, read without a library. Raises ValueError for what is none of them."""
    given: dict[str, str] = {}
    words = iter(argv)
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in Options._fields:
            raise ValueError(f"unknown option {word!r}")
        if not equals and (value := next(words, "")) == "":
            raise ValueError(f"{word} needs a value")
        given[name] = value
    options = Options(**given)
    if options.permission not in PERMISSIONS:
        raise ValueError(f"--permission {options.permission!r} is none of {PERMISSIONS}")
    return options


def answer(raw: bytes, options: Options, take_time: Callable[[], None] = lambda: None) -> Answer:
    """The answer to one event; `take_time` is called before work that the host does not wait for.

    Raises for whatever is no event, and for whatever keeps the gate from deciding.
    """
    if len(raw) > LARGEST_INPUT:
        raise ValueError(f"an event of more than {LARGEST_INPUT:,} bytes")
    event = json.loads(raw)
    if not isinstance(event, dict):
        raise TypeError("an event that is no object")
    match event.get("hook_event_name"):
        case "PreToolUse":
            return _before(event, options)
        case "PostToolUse" | "PostToolUseFailure":
            take_time()
            from cfpm_adapters.claude_code.post_tool_use import learn

            learn(event, of_project(options, event))
    return Answer()


def _before(event: Event, options: Options) -> Answer:
    tool, arguments = event.get("tool_name"), event.get("tool_input")
    if tool not in SHELLS or not isinstance(arguments, dict) or is_off(os.environ.get("CFPM_PRE_TOOL_GATE", "on")):
        return Answer()
    command, dialect = arguments.get("command"), _dialect(tool)
    if not isinstance(command, str):
        return Answer()
    from cfpm.gate.prefilter import looks_like_probe

    probes = looks_like_probe(command)
    if not probes and "/" not in command and "\\" not in command:
        return Answer()
    options = of_project(options, event)
    if not probes and not _names_broken_path(command, options):
        return Answer()
    from cfpm_adapters.claude_code.pre_tool_use import decide

    return decide(event, command, dialect, options)


def _names_broken_path(command: str, options: Options) -> bool:
    from cfpm.cli.location import database_url, sqlite_file
    from cfpm.store.broken_paths import names_broken_path

    file = sqlite_file(database_url(options.db))
    return file is not None and file.exists() and names_broken_path(file, options.namespace, command)


def _dialect(tool: str) -> str:
    """The shell behind a tool: for Bash the user's own, if it is one that the host would take."""
    if tool == "PowerShell":
        return "powershell"
    shell = os.environ.get("CLAUDE_CODE_SHELL") or os.environ.get("SHELL") or ""
    return "zsh" if shell.endswith("zsh") else "bash"


def in_background(work: Callable[[], None]) -> None:
    """Does what the host need not wait for in a process of its own, where there is such a thing; else here."""
    if not hasattr(os, "fork"):
        work()
    elif os.fork() == 0:
        try:
            # The host waits until nobody holds its pipes any more.
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nowhere, stream)
            os.setsid()
            work()
        finally:
            os._exit(0)


def _complain(error: Exception) -> None:
    if visibility() == "debug":
        note(f"cfpm: {type(error).__name__}: {error}")
