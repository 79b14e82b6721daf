"""`gate`: what the pre-tool gate makes of a command. Always an answer: without a memory the command passes as it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from cfpm.cli.location import sqlite_file
from cfpm.cli.options import SHOWN, Common, Limit
from cfpm.cli.output import counted, one_line, say, show, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, StoreError, UsageError
from cfpm.gate.decision import Pass, Reason
from cfpm.model.clock import to_text, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from cfpm.gate.decision import Decision
    from cfpm.memory import Memory

    Decide = Callable[..., Decision]

BAD_LINE = "bad_line"
"""The reason of an answer to a line that is no request."""

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one request: a command of a megabyte, each character escaped, and room to spare."""

SOURCE = "standard input"
_REMEDY = 'Write {"id": ..., "dialect": "bash", "command": "..."} on one line'


def gate(
    command: Annotated[str | None, Argument(metavar="COMMAND", help="The command, as the agent wrote it.")] = None,
    *,
    dialect: Annotated[
        str | None, Option("--dialect", metavar="D", help="bash, sh, dash, zsh, powershell or cmd.")
    ] = None,
    cwd: Annotated[str | None, Option("--cwd", metavar="D", help="Where the command will run.")] = None,
    said: Annotated[
        str | None, Option("--said", metavar="TEXT", help="The user's last message. Default: the session's.")
    ] = None,
    session: Annotated[str, Option("--session", metavar="ID", help="The session that asks.")] = "",
    batch: Annotated[bool, Option("--batch", help="Read requests as JSON lines on standard input.")] = False,
    common: Common,
) -> None:
    """See a command before it runs: with known paths in place of probes, or as it was, and why.

    With --batch, each line {"id", "dialect", "command"} is answered by one line.
    """
    if batch == (command is not None):
        raise UsageError("COMMAND", "give one command, or --batch", "See: cfpm gate --help")
    if command is not None and dialect is None:
        raise UsageError("--dialect", "the shell of the command is missing", "Name it, e.g. --dialect bash")
    with _decider(common) as decide:
        ask = partial(decide, cwd=cwd, session=session, said=said)
        if command is None:
            _answer_lines(sys.stdin.buffer, ask, dialect)
        else:
            decision = ask(dialect, command)
            show_json(document(None, decision)) if common.as_json else _show(decision)


def decisions(
    session: Annotated[str | None, Option("--session", metavar="S", help="Only this session.")] = None,
    limit: Limit = None,
    *,
    common: Common,
) -> None:
    """See what the gate decided, newest first, and why."""
    with common.to_read() as memory:
        found = memory.store.activity.gate_events(
            memory.scope.namespace, session=session, limit=limit or (None if common.as_json else SHOWN)
        )
    if common.as_json:
        at = [to_text(event["at"]) if isinstance(event["at"], datetime) else None for event in found]
        show_json([{**event, "at": moment} for event, moment in zip(found, at, strict=True)])
        return
    rows = [
        (str(event["action"]), str(event["reason"]), str(event["dialect"]), str(event["rewritten"] or event["command"]))
        for event in found
    ]
    show_table(("action", "reason", "shell", "command"), rows, wide="command", lead="action", empty="no decisions")


def document(ident: object, decision: Decision) -> dict[str, object]:
    """The answer to one request. Offsets are characters of the command as it was asked; advice only if there is any."""
    answer: dict[str, object] = {
        "id": ident,
        "action": decision.action,
        "reason": decision.reason,
        "command": decision.command,
        "changes": [change.summary() for change in decision.changes],
    }
    return {**answer, "advice": decision.advice} if decision.advice else answer


@contextmanager
def _decider(common: Common) -> Iterator[Decide]:
    """The gate of the memory, of an empty one where there is none, or one that lets all pass where it is broken."""
    from cfpm.memory import Memory

    url = common.url
    file = sqlite_file(url)
    missing = file is not None and not file.exists()
    if missing and common.db is not None:
        say(f"cfpm: {file}: there is no memory, so nothing is known")
    try:
        memory = Memory.open(":memory:" if missing else url, namespace=common.whose, clock=utc_now)
    except StoreError as error:
        say(f"cfpm: {error}")
        yield _unavailable
        raise SystemExit(1) from None
    with memory:
        yield partial(_decide, memory)


def _decide(memory: Memory, dialect: str, command: str, **options: Any) -> Decision:
    try:
        return memory.gate(dialect, command, **options)
    except StoreError as error:
        say(f"cfpm: {error}")
        return _unavailable(dialect, command)


def _unavailable(dialect: str, command: str, **_: object) -> Decision:
    return Pass(command, dialect, Reason.STORE_UNAVAILABLE)


def _show(decision: Decision) -> None:
    show(f"{decision.action}: {decision.reason.sentence} ({decision.reason})")
    for change in decision.changes:
        place = f"characters {change.start} to {change.end}"
        show(f"  {change.target}, {place}: {one_line(change.before)} is {one_line(change.text)}")
    if decision.advice:
        show(f"  advice: {one_line(decision.advice)}")
    show(decision.command)


def _answer_lines(lines: BinaryIO, ask: Decide, dialect: str | None) -> None:
    bad = 0
    for number, line in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), start=1):
        if not line.strip():
            continue
        answer: dict[str, object]
        try:
            ident, shell, command, where = _request(line, dialect, f"line {number}")
        except InputError as error:
            bad += 1
            _skip_rest(lines, line)
            say(f"cfpm: {error}")
            answer = {"id": None, "action": "pass", "reason": BAD_LINE, "command": "", "changes": []}
            answer["error"] = str(error)
        else:
            answer = document(ident, ask(shell, command, **where))
        # A host may keep this process and wait for each answer.
        print(_as_line(answer), flush=True)
    if bad:
        say(f"cfpm: {counted(bad, 'line')} could not be read; their commands are to run as they are")
        raise SystemExit(1)


def _request(line: bytes, dialect: str | None, place: str) -> tuple[object, str, str, dict[str, str]]:
    """What a line asks: whatever the host put into its `id`, the dialect, the command, and the folder if it names one.
    Raises InputError."""
    if len(line) > LONGEST_LINE:
        raise InputError(SOURCE, f"longer than {LONGEST_LINE:,} bytes", "Run such a command as it is", place=place)
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(SOURCE, f"not UTF-8 (byte {error.start})", "Write UTF-8", place=place) from None
    except (ValueError, RecursionError) as error:
        raise InputError(SOURCE, f"not valid JSON ({error})", _REMEDY, place=place) from None
    if not isinstance(value, dict):
        raise InputError(SOURCE, f"a {type(value).__name__} instead of an object", _REMEDY, place=place)
    shell = _text(value.get("dialect", dialect), "dialect", place)
    command, cwd = _text(value.get("command"), "command", place), value.get("cwd")
    return value.get("id"), shell, command, {} if cwd is None else {"cwd": _text(cwd, "cwd", place)}


def _text(value: object, name: str, place: str) -> str:
    if isinstance(value, str):
        return value
    problem = f"{name} is missing" if value is None else f"{name} is a {type(value).__name__}, not a text"
    raise InputError(SOURCE, problem, _REMEDY, place=place)


def _skip_rest(lines: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = lines.readline(LONGEST_LINE)


def _as_line(answer: dict[str, object]) -> str:
    # JSON in ASCII leaves one character that could steer a terminal.
    return json.dumps(answer).replace("\x7f", "\\u007f")
