"""`observe`: transcripts in, audited memory out. Progress and problems to stderr, the sum to stdout. What agents
keep on this machine, and which of it was read: `agents`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import agents, documents
from cfpm.cli.options import Common
from cfpm.cli.output import counted, progress_bar, say, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, UsageError
from cfpm.model.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfpm.pipeline.report import Report
    from cfpm.transcript.records import Problem

    Tick = Callable[[int], None]
    """Gets the bytes of one file read so far."""

STDIN = "-"
_MARKDOWN = frozenset({".md", ".markdown"})

NAMED_SKIPS = 5
"""Skipped files that are listed by name; the others are only counted."""


def observe(
    paths: Annotated[list[str], Argument(metavar="PATH...", help="Files or folders; - reads standard input.")] = [],  # noqa: B006
    *,
    all_: Annotated[
        bool, Option("--all", help="Read what the agents of this machine keep, as far as it is new; asks once.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="With --all: do not ask.")] = False,
    format_: Annotated[str, Option("--format", metavar="NAME", help="What wrote the files.")] = "auto",
    session: Annotated[str | None, Option("--session", metavar="ID", help="Name of the session.")] = None,
    markdown: Annotated[
        bool,
        Option("--markdown", help="Also read Markdown found in folders: only where you trust its authors."),
    ] = False,
    stamp: Annotated[bool, Option("--stamp", help="Give messages without a time the current one.")] = False,
    common: Common,
) -> None:
    """Read transcripts of agent sessions into the memory. Reading the same again changes nothing."""
    _check_format(format_)
    if all_ == bool(paths):
        told = "--all reads no other paths" if all_ else "nothing to read"
        raise UsageError("observe", told, "Name files or folders, or say --all alone")
    started = time.perf_counter()
    done = _Outcome()
    with _standard_input(paths) as spool:
        inputs = _inputs(paths, spool)
        if not markdown:
            inputs, done.unasked = _without_markdown(inputs)
        with common.or_new(clock=utc_now if stamp else None) as memory:
            finished: Callable[[Path], None] | None = None
            if all_:
                scope = common.whose
                empty = not memory.store.log.sessions(scope)
                kept = agents.ReadFiles.of(common.url, scope, empty=empty)
                chosen = agents.choose(kept, Path.cwd() if markdown else None, ask=not yes)
                inputs, finished = [_Input(path, str(path), found=path.parent) for path in chosen], kept.add
            try:
                observe_file = partial(memory.observe_file, format=format_, session=session)
                _read_all(_in_order_of_time(inputs, format_), done, observe_file, finished)
                if all_ and done.report is None:
                    done.report = memory.observe([])
            except KeyboardInterrupt:
                say("cfpm: interrupted. Every turn read so far is stored; the same command again reads the rest.")
                raise
    _say_skipped(done.skipped)
    if done.unasked:
        say(f"cfpm: left out {counted(done.unasked, 'Markdown file')} found in folders; --markdown reads them too")
    if done.report is None and not done.failures:
        remedy = "Name a file that an agent wrote, or a folder with such files"
        raise InputError(", ".join(paths), "no transcript found", remedy)
    if done.report is not None:
        seconds = time.perf_counter() - started
        show_json(documents.report(done.report, seconds)) if common.as_json else show_report(done.report, seconds)
        say_runtime(done.report)
    if done.failures:
        raise SystemExit(1)


@dataclass(frozen=True, slots=True)
class _Input:
    """A file to read. One that was only found in a folder may well be something else than a transcript."""

    path: Path
    label: str
    found: Path | None = None


@dataclass(slots=True)
class _Outcome:
    """What came of the reading so far. A failure is a file, or a part of one, that could not be used."""

    report: Report | None = None
    skipped: list[str] = field(default_factory=list)
    unasked: int = 0
    failures: int = 0


def _check_format(name: str) -> None:
    from cfpm.transcript.formats import FORMATS

    known = ["auto", *(known.replace("_", "-") for known in FORMATS)]
    if name.replace("_", "-").lower() not in known:
        raise UsageError(f"--format {name}", "no such format", f"Use one of: {', '.join(known)}")


@contextmanager
def _standard_input(paths: list[str]) -> Iterator[Path | None]:
    """A file with what stands on standard input, when it is asked for: recognising a format means looking twice."""
    if STDIN not in paths:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="cfpm-") as folder:
        spool = Path(folder) / "stdin"
        with spool.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield spool


def _inputs(paths: list[str], spool: Path | None) -> list[_Input]:
    from cfpm.transcript.reading import expand

    inputs: list[_Input] = []
    for given in paths:
        path = Path(given)
        if given == STDIN and spool is not None:
            inputs.append(_Input(spool, "standard input"))
        elif path.is_dir():
            inputs += [_Input(found, str(found), found=path) for found in expand([path])]
        else:
            inputs.append(_Input(path, given))
    return inputs


def _without_markdown(inputs: list[_Input]) -> tuple[list[_Input], int]:
    """The inputs without Markdown that was only found, and how many that was.

    A checked out repository holds Markdown of strangers, and any page can be written as if a user had said it.
    """
    kept = [item for item in inputs if item.found is None or item.path.suffix.lower() not in _MARKDOWN]
    return kept, len(inputs) - len(kept)


def _in_order_of_time(inputs: list[_Input], format_: str) -> list[_Input]:
    """The oldest session first, so that newer values replace older ones: hosts name files by chance. What has no time
    comes before, in the order given."""
    from cfpm.transcript.reading import begins

    undated = datetime.min.replace(tzinfo=UTC)
    return sorted(inputs, key=lambda item: begins(item.path, format=format_) or undated) if inputs[1:] else inputs


def _read_all(
    inputs: list[_Input],
    done: _Outcome,
    observe_file: Callable[..., Report],
    finished: Callable[[Path], None] | None,
) -> None:
    """Reads one file after the other; `finished` is told of each that need not be read again as it is now."""
    from cfpm.transcript.records import NotATranscript, Problem

    with _progress_bar(inputs) as progress_of:
        for item in inputs:
            try:
                report = observe_file(item.path, progress=progress_of(item))
            except UsageError:
                raise
            except InputError as error:
                if item.found and isinstance(error, NotATranscript):
                    done.skipped.append(str(item.path.relative_to(item.found)))
                else:
                    done.failures += 1
                    _say_problem(Problem.of(error), item)
                    continue
                if finished:
                    finished(item.path)
                continue
            if finished:
                finished(item.path)
            done.failures += sum(not problem.unknown for problem in report.problems)
            for problem in report.problems:
                _say_problem(problem, item)
            done.report = report if done.report is None else done.report + report


def _say_problem(problem: Problem, item: _Input) -> None:
    where = f"{item.label}, {problem.place}" if problem.place else item.label
    say(f"cfpm: {where}: {problem.problem}. {problem.remedy}")


@contextmanager
def _progress_bar(inputs: list[_Input]) -> Iterator[Callable[[_Input], Tick]]:
    """A bar over the bytes of all files, on standard error, and only when somebody looks."""
    sizes = [item.path.stat().st_size if item.path.is_file() else 0 for item in inputs]
    before = dict(zip(inputs, accumulate(sizes, initial=0), strict=False))
    with progress_bar("reading", of_bytes=True) as tick:
        yield lambda item: lambda read: tick(before[item] + read, sum(sizes)) if tick else None


def say_runtime(report: Report) -> None:
    """The runtime message of all that was read, on standard error, where the setting `visibility` is `debug`: what it
    counts is printed in words anyway."""
    from cfpm.recall.runtime import runtime_message
    from cfpm.settings import Settings

    if Settings.load().visibility == "debug" and (text := runtime_message(report, "debug", "transcript")):
        say(text)


def _say_skipped(skipped: list[str]) -> None:
    if skipped:
        named = ", ".join(skipped[:NAMED_SKIPS]) + (", ..." if len(skipped) > NAMED_SKIPS else "")
        say(f"cfpm: skipped {counted(len(skipped), 'file')} without a transcript: {named}")


def show_report(report: Report, seconds: float) -> None:
    """The sum of a run, for people."""
    read = (counted(report.sessions, "session"), counted(report.turns, "turn"), counted(report.messages, "message"))
    show(f"new: {', '.join(read)} in {seconds:.1f} s")
    verdicts = f"{report.accepted} accepted, {report.merged} merged, {report.superseded} superseding an older fact"
    show(f"{counted(report.candidates, 'candidate')}: {verdicts}, {report.rejected} rejected")
    if report.rejected_by_reason:
        by_count = sorted(report.rejected_by_reason.items(), key=lambda pair: (-pair[1], pair[0]))
        show("rejected because: " + ", ".join(f"{code} {count}" for code, count in by_count))
    if report.forgotten or report.unrecorded:
        asked = f"{counted(report.forgotten, 'fact')} forgotten, {counted(report.unrecorded, 'message')} off the record"
        show(f"as the user asked: {asked}")
    pruned = f", {report.pruned} pruned" if report.pruned else ""
    show(f"believed now: {counted(report.facts, 'fact')}{pruned}")
