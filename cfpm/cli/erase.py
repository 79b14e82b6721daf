"""`erase`: shows what would go, asks, and erases it in the memory, the outbox of providers, artifacts and a Chroma."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.facts import moment_or_event
from cfpm.cli.location import sqlite_file
from cfpm.cli.options import Common
from cfpm.cli.output import confirm, counted, one_line, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError
from cfpm.model.clock import to_text, utc_now

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from cfpm.memory import Memory
    from cfpm.model import LoggedMessage
    from cfpm.model.erasures import ErasurePlan, ErasureRecord

SHOWN = 20
"""Messages and facts that are shown of what would go."""


def erase(
    ids: Annotated[
        list[str] | None, Argument(metavar="[ID...]", help="Facts, messages or candidates, by their ids.")
    ] = None,
    *,
    query: Annotated[str, Option("--query", metavar="TEXT", help="Everything that holds these words.")] = "",
    session: Annotated[str | None, Option("--session", metavar="ID", help="Everything of a session.")] = None,
    speaker: Annotated[str | None, Option("--speaker", metavar="NAME", help="What this person said.")] = None,
    since: Annotated[str | None, Option("--since", metavar="TIME", help="From this moment on.")] = None,
    until: Annotated[str | None, Option("--until", metavar="TIME", help="Before this moment.")] = None,
    everything: Annotated[bool, Option("--all", help="Everything of the namespace.")] = False,
    and_forget: Annotated[bool, Option("--and-forget", help="Do not learn the same again either.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and change nothing.")] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    by: Annotated[str, Option("--by", metavar="NAME", help="Who erases, for the record.")] = "command line",
    artifacts: Annotated[
        Path | None, Option("--artifacts", metavar="FOLDER", help="The folder of offloaded results, too.")
    ] = None,
    chroma: Annotated[str | None, Option("--chroma", metavar="PATH|URL", help="The Chroma beside it, too.")] = None,
    common: Common,
) -> None:
    """Erase what was said, all that was learnt from it and all that repeats it, from every byte of the file.

    It cannot be undone. What waits for a webhook is erased too, and its other side is asked to erase it.
    """
    times = {"since": _moment("--since", since), "until": _moment("--until", until)}
    with common.to_read() as memory:
        chosen = (*(ids or ()),)
        plan = memory.erasure_plan(
            *chosen, query=query, session=session, speaker=speaker, everything=everything, **times
        )
    if dry_run:
        _show_plan(plan, common.as_json)
        return
    if not yes:
        _show_plan(plan, as_json=False)
        remedy = "Look with --dry-run first, then say --yes"
        confirm("erase", "Erase this for good?", remedy=remedy, refused="nothing was erased")
    # First what others hold: stopped here, the same command finds all of it again.
    asked = erase_elsewhere(common, plan.messages)
    with common.to_change(clock=utc_now) as memory:
        record = memory.erase(
            *chosen,
            query=query,
            session=session,
            speaker=speaker,
            everything=everything,
            and_forget=and_forget,
            by=by,
            artifacts=artifacts,
            **times,
        )
        if chroma is not None:
            _in_chroma(memory, chroma)
    _show_record(record, asked, common)
    common.check_clean(record.finished)


def erase_elsewhere(common: Common, messages: Sequence[LoggedMessage]) -> int:
    """Erases messages from what waits for providers; returns how many another side is asked to erase."""
    asked: int = import_module("cfpm_adapters.erasing").erase_in_outboxes(sqlite_file(common.url), messages)
    return asked


def _moment(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    found = moment_or_event(option, text)
    if isinstance(found, int):
        raise UsageError(f"{option} {text}", "not a time", "Write a time like 2026-11-21T09:30:00Z")
    return found


def _show_plan(plan: ErasurePlan, as_json: bool) -> None:
    messages = [
        {"id": one.message.id, "session": one.session, "role": one.message.role.value, "text": one.message.text}
        for one in plan.messages
    ]
    facts = [{"id": fact.id, "category": fact.category.value, "content": fact.content} for fact in plan.facts]
    if as_json:
        documents = list(plan.documents)
        show_json({"rows": dict(plan.counts), "messages": messages, "facts": facts, "documents": documents})
        return
    for row in messages[:SHOWN]:
        show(f"message {row['id']} ({row['session']}, {row['role']}): {one_line(row['text'])}")
    for fact in facts[:SHOWN]:
        show(f"fact {fact['id']} ({fact['category']}): {one_line(fact['content'])}")
    for name in plan.documents[:SHOWN]:
        show(f"document {one_line(name)}")
    more = max(0, len(messages) - SHOWN) + max(0, len(facts) - SHOWN) + max(0, len(plan.documents) - SHOWN)
    if more:
        show(f"... and {more} more")
    rows = ", ".join(f"{count} of {table}" for table, count in plan.counts.items()) or "nothing"
    stay = f"; {counted(len(plan.kept), 'fact')} would stay by another message" if plan.kept else ""
    show(f"would erase: {rows}{stay}")


def _show_record(record: ErasureRecord, asked: int, common: Common) -> None:
    document = {
        "number": record.number,
        "selector": record.selector,
        "by": record.erased_by,
        "at": to_text(record.at),
        "rows": dict(record.counts),
        "finished": record.finished,
        "remote": asked,
    }
    rows = ", ".join(f"{count} of {table}" for table, count in record.counts.items()) or "nothing"
    remote = f"; {counted(asked, 'message')} to be erased at a webhook with its next save" if asked else ""
    common.answer(document, f"erased: {rows}{remote}")


def _in_chroma(memory: Memory, chroma: str) -> None:
    import_module("cfpm_adapters.vector.rebuild").erase(memory, chroma)
