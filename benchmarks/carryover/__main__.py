"""`python -m benchmarks carryover FOLDER`: what memory puts into the prompt of the next session."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.carryover.knowledge import statements
from benchmarks.carryover.page import page
from benchmarks.carryover.report import document, report
from benchmarks.carryover.runs import METHODS, PARTS, first_counted, run
from benchmarks.carryover.sessions import sessions
from cfpm.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.carryover.sessions import Session

IN_THE_PACKAGE = "transcripts/specstory_claude_code"
"""The sessions of one project in the data package."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when it ran, 2 for what cannot be used."""
    options = _options(arguments)
    try:
        _measure(options)
    except (InputError, UsageError) as error:
        print(f"benchmarks.carryover: {error}", file=sys.stderr)
        return 2
    return 0


def _measure(options: argparse.Namespace) -> None:
    every = sessions(_folder(options))
    gold = statements(options.gold, {one.file for one in every}) if options.gold else []
    counted = every[first_counted(every, options.part) :]
    watched = _watched(counted, options.session) if options.html else None
    found = run(
        every, options.method or list(METHODS), part=options.part, watched=watched.name if watched else "", gold=gold
    )
    print("\n".join(report(found)))
    if watched is not None:
        options.html.write_text(page(found, watched), encoding="utf-8")
    if options.json:
        text = json.dumps(document(found), ensure_ascii=False, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


def _folder(options: argparse.Namespace) -> Path:
    folder: Path | None = options.folder or (options.data / IN_THE_PACKAGE if options.data else None)
    if folder is None or not folder.is_dir():
        remedy = "Name a folder of transcripts of one project, or the unpacked data package by --data"
        raise UsageError(str(folder or "FOLDER"), "no such folder" if folder else "is missing", remedy)
    return folder


def _watched(counted: Sequence[Session], wanted: str | None) -> Session:
    """The session of that name or file, else the last."""
    if wanted is None:
        return counted[-1]
    for session in counted:
        if wanted in (session.name, session.file, Path(session.file).stem):
            return session
    raise UsageError(f"--session {wanted}", "none that counts has that name", "Give a session's name or its file's")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks carryover", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="transcripts of one project")
    parser.add_argument("--data", type=Path, metavar="DIR", help="the unpacked data package, instead of a folder")
    parser.add_argument("--part", choices=PARTS, default="all", help="the sessions whose turns count (default all)")
    parser.add_argument("--method", nargs="+", action="extend", choices=METHODS, help="only these; default all")
    parser.add_argument("--gold", type=Path, metavar="FILE", help="statements to be known: session, kind, statement")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page of one session")
    parser.add_argument("--session", metavar="NAME", help="the session of the page (default: the last)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all figures to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
