"""`approvals`, `approve`, `state`, `progress add`: what the user allowed and refused, and where a session stands."""

from __future__ import annotations

from typing import Annotated

from cfpm.cli import documents
from cfpm.cli.options import Common
from cfpm.cli.output import one_line, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.model.clock import to_text, utc_now
from cfpm.model.state import Held, Reach

Session = Annotated[str, Option("--session", metavar="ID", help="Which session.")]


def approvals(
    *,
    session: Annotated[str | None, Option("--session", metavar="ID", help="Only of this session.")] = None,
    common: Common,
) -> None:
    """List what the user allowed and refused, oldest first, with their words and who says so."""
    with common.to_read() as memory:
        found = memory.approvals(session)
    if common.as_json:
        show_json([documents.approval(one) for one in found])
        return
    for one in found:
        said = f"{one.subject} -> {one.answer}" if one.answer else one.subject
        when = f" {(to_text(one.at) or '')[:19]}" if one.at else ""
        told = f"{one.scope}, session {one.session or 'none'}, told by {one.by}{when}"
        show(f"{'granted' if one.granted else 'refused'}  {one_line(said)}  ({one_line(told)})")
    if not found:
        show("nobody was asked, and nothing was refused")


def approve(
    text: Annotated[str, Argument(metavar="TEXT", help="What is allowed, in a few words.")],
    *,
    refuse: Annotated[bool, Option("--refuse", help="It is refused.")] = False,
    said: Annotated[str, Option("--answer", metavar="TEXT", help="What the user said to it.")] = "",
    scope: Annotated[Reach, Option("--scope", help="The one thing, this session, or every time.")] = Reach.ONCE,
    session: Session = "default",
    common: Common,
) -> None:
    """Keep that the user allows something, or refuses it; it stands in every later compaction of the session."""
    with common.or_new(clock=utc_now) as memory:
        kept = memory.approve(text, granted=not refuse, answer=said, scope=scope, session=session)
    common.answer(
        documents.approval(kept),
        f"{'granted' if kept.granted else 'refused'}: {one_line(kept.subject)}",
    )


def state(
    *,
    session: Session = "default",
    max_tokens: Annotated[
        int | None, Option("--max-tokens", min=1, metavar="N", help="As a block for a prompt, of so many tokens.")
    ] = None,
    common: Common,
) -> None:
    """Show where a session stands: plan, todos, goal, answers of the user, files, skills and what the host put there.

    With --max-tokens as it is put before a model again after a compaction.
    """
    with common.to_read() as memory:
        if common.as_json:
            entries = memory.state(session)
            shown = [item.to_json() for item in memory.reattach(session, max_tokens=max_tokens or 2**31).items]
            show_json({"session": session, "entries": [documents.entry(one) for one in entries], "items": shown})
            return
        found = memory.reattach(session, max_tokens=max_tokens or 2**31)
    if max_tokens:
        show(found.text)
    else:
        from cfpm.context.rehydration import as_text

        show(as_text(found.items) or f"nothing is held of session {one_line(session)}")


def add_progress(
    text: Annotated[str, Argument(metavar="TEXT", help="What was done.")],
    *,
    session: Session = "default",
    common: Common,
) -> None:
    """Note a piece of work that is done; the last ones are put before the model again after a compaction."""
    with common.or_new(clock=utc_now) as memory:
        kept = memory.put_state(Held.PROGRESS, "", text, session=session)
    common.answer(documents.entry(kept), f"noted as {kept.key}: {one_line(kept.text)}")
