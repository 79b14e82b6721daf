"""`chart`: the tokens of each turn and agent as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.options import Common, Db, Namespace
from cfpm.cli.output import say, show
from cfpm.cli.parser import Argument, Option
from cfpm.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from cfpm.context.chart import Snapshot


def chart(
    path: Annotated[
        Path | None, Argument(metavar="PATH", help="One JSON object a line: turn, agent, tokens and compacted.")
    ] = None,
    *,
    session: Annotated[
        str | None, Option("--session", metavar="ID", help="A session that was driven, in place of a file.")
    ] = None,
    out: Annotated[Path | None, Option("--out", "-o", metavar="FILE", help="Write the page to this file.")] = None,
    warn_at: Annotated[int, Option("--warn-at", min=0, metavar="N", help="Draws a line; 0 for none.")] = 0,
    cut_over_at: Annotated[int, Option("--cut-over-at", min=0, metavar="N", help="Another line.")] = 0,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Draw the tokens of each turn and agent, as a page of HTML on standard output or in a file.

    The page needs no network and runs no script.
    """
    from cfpm.context.chart import chart, from_jsonl

    if (path is None) == (session is None):
        raise UsageError("chart", "it is not clear what is to be drawn", "Give a file or --session, and not both")
    if path is not None:
        snapshots = from_jsonl(path.read_text(encoding="utf-8"), str(path))
    else:
        snapshots = _of_session(session or "", Common(db, namespace))
    page = chart(snapshots, warn_at=warn_at, cut_over_at=cut_over_at)
    if out is None:
        show(page)
    else:
        out.write_text(page, encoding="utf-8")
        say(f"cfpm: written to {out}")


def _of_session(session: str, common: Common) -> list[Snapshot]:
    from cfpm.context.chart import Snapshot
    from cfpm.context.conversation_file import ConversationFile, conversation_file

    with common.to_read() as memory:
        file = conversation_file(memory.artifacts().directory, memory.scope.namespace, session)
    kept = ConversationFile(file).read()
    rows = kept.get("snapshots") if kept else None
    if not isinstance(rows, list):
        raise NotFoundError(f"No turns of session {session} were kept. A Conversation of cfpm_adapters keeps them.")
    return [Snapshot(**row) for row in rows]
