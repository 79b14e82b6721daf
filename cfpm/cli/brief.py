"""`brief`: what a session should begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import Common
from cfpm.cli.output import counted, one_line, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, UsageError
from cfpm.model.clock import utc_now

if TYPE_CHECKING:
    from cfpm.admin.brief_file import WrittenBrief


def brief(
    query: Annotated[str, Argument(metavar="QUERY", help="What the session is about, if that is known.")] = "",
    *,
    max_tokens: Annotated[int, Option("--max-tokens", min=1, metavar="N", help="Budget of the brief.")] = 1200,
    session: Annotated[str | None, Option("--session", metavar="NAME", help="The running session, left out.")] = None,
    root: Annotated[Path | None, Option("--root", metavar="DIR", help="The folder of the project.")] = None,
    write: Annotated[
        Path | None, Option("--write", metavar="FILE", help="Keep it in this Markdown file, and learn its edits.")
    ] = None,
    forget_removed: Annotated[
        bool, Option("--forget-removed", help="Forget facts whose lines were deleted from the file.")
    ] = False,
    common: Common,
) -> None:
    """Show what a new session should begin with, or keep it in a file such as AGENTS.md.

    Rules, what is known, commands that worked, files, decisions, pitfalls, open items and the last sessions. In a file
    it stands between two marks; what you edit there is learnt, what stands outside is left alone.
    """
    if write is None and forget_removed:
        raise UsageError("--forget-removed", "there is no file", "Name one with --write FILE")
    if write is not None and session is not None:
        raise UsageError("--session", "a file is for all sessions", "Leave it out with --write")
    if root is not None and not root.is_dir():
        raise InputError(str(root), "there is no such folder", "Name the project's folder with --root, or leave it out")
    everywhere = common.with_rules_of_user()
    with common.to_change(clock=utc_now) as memory:
        if write is not None:
            done = memory.write_brief(
                write, query, max_tokens=max_tokens, root=root, namespaces=everywhere, forget_removed=forget_removed
            )
            _wrote(done, common.as_json)
            return
        found = memory.brief(query, max_tokens=max_tokens, session=session, root=root, namespaces=everywhere)
    if common.as_json:
        show_json(documents.brief(found))
    elif found.text:
        show(found.text)
    else:
        show("nothing is known yet, or nothing fits the budget")


def _wrote(done: WrittenBrief, as_json: bool) -> None:
    if as_json:
        show_json(documents.written_brief(done))
        return
    for one in done.learnt:
        old = f" in place of {one.replaced}" if one.replaced else ""
        room = "" if one.shown else f"; no room for it in the brief, `cfpm pin {one.fact.id}` moves it up"
        fact = f"{one.fact.id} ({one.fact.category.value}){old}: {one_line(one.fact.content)}"
        show(f"learnt from line {one.line}: {fact}{room}")
    for gone in done.forgotten:
        show(f"forgotten: {gone.id} ({gone.category.value}): {one_line(gone.content)}")
    state = "written" if done.changed else "as it was"
    if not done.brief.lines:
        state += "; nothing is known yet, or nothing fits the budget"
    show(f"{done.path}: {counted(len(done.brief.lines), 'line')}, {counted(done.tokens, 'token')}, {state}")
