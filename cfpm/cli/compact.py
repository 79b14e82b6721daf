"""`compact`: a session of a transcript, made short for a model. The memory learns what is in it first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.observe import say_runtime
from cfpm.cli.options import Common
from cfpm.cli.output import counted, one_line, say, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, UsageError

if TYPE_CHECKING:
    from cfpm.context.history import Raw
    from cfpm.context.strategies.types import Compaction, Limits, Summariser

SHOWN = 160
"""Characters of a message that are shown to people; JSON has all of it."""


def compact(
    path: Annotated[Path, Argument(metavar="PATH", help="A transcript of a session, of any known format.")],
    *,
    strategy: Annotated[
        str | None, Option("--strategy", metavar="NAME", help="cfpm, lossless, segmented, intent, window or hybrid.")
    ] = None,
    max_tokens: Annotated[
        int | None,
        Option(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Of the view, without system messages. Default: 8,000; 80,000 for window.",
        ),
    ] = None,
    keep_first: Annotated[
        int | None, Option("--keep-first", min=0, metavar="N", help="At most so many first messages stay.")
    ] = None,
    keep_last: Annotated[
        int | None, Option("--keep-last", min=0, metavar="N", help="At most so many last messages stay.")
    ] = None,
    summarise_command: Annotated[
        str | None,
        Option(
            "--summarise-command",
            metavar="COMMAND",
            help="What writes the summary, for segmented and hybrid: gets the prompt on standard input.",
        ),
    ] = None,
    format_: Annotated[str, Option("--format", metavar="NAME", help="What wrote the file.")] = "auto",
    session: Annotated[str | None, Option("--session", metavar="ID", help="Which session of the file.")] = None,
    common: Common,
) -> None:
    """Make a long session short: the view that a model is to go on with, and what it stands for.

    The session is observed into the memory first, so nothing is lost. The file is not changed.
    """
    from cfpm.context.sessions import read_session
    from cfpm.context.strategies.registry import canonical_name
    from cfpm.settings import Settings

    chosen = canonical_name(strategy or Settings.load().compaction_strategy)
    name, messages = read_session(path, format=format_, session=session)
    with common.or_new() as memory:
        limits = _limits(chosen, max_tokens, keep_first, keep_last)
        report = memory.observe_file(path, format=format_)
        summarise = _summariser(summarise_command) if summarise_command else None
        done = memory.compact(messages, limits, session=name, strategy=chosen, summarise=summarise, observe=False)
    show_json(document(done)) if common.as_json else _show(done)
    say_runtime(report)
    if done.outcome == "cannot_fit":
        raise InputError(str(path), done.problem, "Give more tokens with --max-tokens, or keep fewer messages")


def document(done: Compaction) -> dict[str, object]:
    """What a compaction came to; `messages` is ready to be sent."""
    return {
        "messages": list(done.messages),
        "before_tokens": done.before_tokens,
        "after_tokens": done.after_tokens,
        "strategy": done.strategy,
        "checkpoint": done.checkpoint,
        "outcome": done.outcome.value,
        "compacted": done.compacted,
        "problem": done.problem,
    }


def _summariser(command: str) -> Summariser:
    """Runs the command for each summary. What it says on standard error is the reason when it fails."""
    import shlex
    import subprocess

    words = shlex.split(command)
    if not words or not (program := shutil.which(words[0])):
        raise UsageError("--summarise-command", f"no program {command!r}", "Name one that reads standard input")

    def summarise(prompt: str) -> str:
        done = subprocess.run([program, *words[1:]], input=prompt.encode(), capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.decode("utf-8", "replace").strip() or f"it ended with {done.returncode}")
        return done.stdout.decode("utf-8", "replace")

    return summarise


def _limits(strategy: str, max_tokens: int | None, keep_first: int | None, keep_last: int | None) -> Limits:
    from dataclasses import replace

    from cfpm.context.strategies.registry import default_limits

    limits = default_limits(strategy, max_tokens, manual=True)
    first = limits.keep_first if keep_first is None else keep_first
    last = limits.keep_last if keep_last is None else keep_last
    return replace(limits, keep_first=first, keep_last=last)


def _show(done: Compaction) -> None:
    for message in done.messages:
        _show_message(message, done.checkpoint)
    if not done.changed:
        say(f"cfpm: unchanged: {done.problem}")
    gone = counted(done.compacted, "message")
    say(f"cfpm: {done.before_tokens} tokens before, {done.after_tokens} after; {gone} compacted by {done.strategy}")


def _show_message(message: Raw, checkpoint: str) -> None:
    content = message.get("content")
    if checkpoint and content == checkpoint:
        show(checkpoint)
        return
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)
    calls = message.get("tool_calls")
    named = f" {json.dumps(calls, ensure_ascii=False, default=str)}" if calls else ""
    line = one_line(f"{text}{named}")
    show(f"{message.get('role')}: {line if len(line) <= SHOWN else line[: SHOWN - 1] + '…'}")
