"""`brief`: what a session should begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cfpm.cli import documents
from cfpm.cli.options import DEFAULT_NAMESPACE, AsJson, Db, Namespace, open_to_change
from cfpm.cli.output import show, show_json
from cfpm.cli.parser import Argument, Option


def brief(
    query: Annotated[str, Argument(metavar="QUERY", help="What the session is about, if that is known.")] = "",
    *,
    max_tokens: Annotated[int, Option("--max-tokens", min=1, metavar="N", help="Budget of the brief.")] = 1200,
    session: Annotated[str | None, Option("--session", metavar="NAME", help="The running session, left out.")] = None,
    root: Annotated[Path | None, Option("--root", metavar="DIR", help="The folder of the project.")] = None,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Show what a new session should begin with.

    Rules, what is known, commands that worked, files, decisions, pitfalls, open items and the last sessions.
    """
    with open_to_change(db, namespace) as memory:
        found = memory.brief(query, max_tokens=max_tokens, session=session, root=root)
    if as_json:
        show_json(documents.brief(found))
    elif found.text:
        show(found.text)
    else:
        show("nothing is known yet, or nothing fits the budget")
