"""`sessions`: which there are, and what is done with whole ones; `log`: what happened, as one time line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import SHOWN, Common, Limit
from cfpm.cli.output import confirm, counted, one_line, say, show, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError
from cfpm.model.clock import to_text, utc_now

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from cfpm.model.erasures import ErasureRecord
    from cfpm.model.sessions import Session

SessionName = Annotated[str, Argument(metavar="SESSION", help="The name of a session, as `cfpm sessions` shows it.")]
_CHANGED = ("withdrawn", "restored")
"""The facts that a session taken back took along."""
Yes = Annotated[bool, Option("--yes", help="Do not ask.")]


def list_(
    *,
    every: Annotated[bool, Option("--all", help="Turns that were taken back, too.")] = False,
    limit: Limit = None,
    common: Common,
) -> None:
    """List the sessions, the one that went on last first."""
    with common.to_read() as memory:
        found = memory.sessions(rewound=every, limit=limit or (None if common.as_json else SHOWN + 1))
    if common.as_json:
        show_json([_document(one) for one in found])
        return
    rows = [
        (one.name, _minute(one.updated), str(one.turns), str(one.messages), one.agent, one.model, one.cwd, _about(one))
        for one in found[: limit or SHOWN]
    ]
    columns = ("session", "last", "turns", "messages", "agent", "model", "folder", "about")
    # What no session tells is no column.
    kept = [at for at, _ in enumerate(columns) if at in (0, 1, 2, 3, 7) or any(row[at] for row in rows)]
    shown = [tuple(row[at] for at in kept) for row in rows]
    show_table(tuple(columns[at] for at in kept), shown, wide="about", lead="session", empty="no sessions")
    if limit is None and len(found) > SHOWN:
        show(f"... only the last {SHOWN}; --limit N shows N, --json all")


def show_(session: SessionName, common: Common) -> None:
    """Show one session: what it is about, where it stands, what it took."""
    with common.to_read() as memory:
        found = memory.resume(session)
        spent = memory.usage(session)
        forks = [one for one in memory.sessions(rewound=True) if session in (one.parent, one.rewound)]
    one, total = found.session, spent.total
    if common.as_json:
        usage = [
            {"turn": row.turn, "agent": row.agent, "model": row.model, "replies": row.replies, **_tokens(row.usage)}
            for row in spent.spent
        ]
        names = {"forks": [fork.name for fork in forks if not fork.rewound]}
        back = {"taken_back": [fork.name for fork in forks if fork.rewound], "waiting": list(found.waiting)}
        show_json({**_document(one), **names, **back, "usage": {"total": _tokens(total), "turns": usage}})
        return
    told = {
        "session": one.name,
        "about": one.title,
        "folder": one.cwd,
        "project": "" if one.project == one.cwd else one.project,
        "model": one.model,
        "agent": one.agent,
        "started": _minute(one.started),
        "last": _minute(one.updated),
        "turns": f"{one.turns} ({counted(one.messages, 'message')} of its own)",
        "begins as": f"{one.parent}, its first {counted(one.shared, 'turn')}" if one.parent else "",
        "taken back out of": one.rewound,
        "forks": ", ".join(fork.name for fork in forks if not fork.rewound),
        "taken back": ", ".join(fork.name for fork in forks if fork.rewound),
        "done": "yes" if one.done else "",
        "took": _spent(total.input, total.output, total.cost) if spent.spent else "",
        "waits": found.told,
    }
    for name, value in told.items():
        if value:
            show(f"{name}: {one_line(value)}")


def resume(
    session: SessionName,
    *,
    style: Annotated[str, Option("--style", metavar="NAME", help="openai or anthropic.")] = "openai",
    whole: Annotated[bool, Option("--log", help="All that was said with its flags, not what the model sees.")] = False,
    artifacts: Annotated[
        Path | None, Option("--artifacts", metavar="FOLDER", help="Put offloaded results back whole.")
    ] = None,
    common: Common,
) -> None:
    """Write the history to go on with as JSON: what to send to the model; with --json also what the session is."""
    with common.to_read() as memory:
        found = memory.resume(session, style=style, artifacts=artifacts)
    if found.told:
        say(f"cfpm: {found.told}")
    if whole:
        show_json(list(found.log))
    elif common.as_json:
        about = {"session": _document(found.session), "system": found.system, "waiting": list(found.waiting)}
        show_json({**about, "messages": list(found.messages)})
    elif found.system:
        show_json({"system": found.system, "messages": list(found.messages)})
    else:
        show_json(list(found.messages))


def fork(
    session: SessionName,
    *,
    at: Annotated[
        int | None, Option("--at", metavar="N", help="Keep the first N turns; negative: all but the last N.")
    ] = None,
    name: Annotated[str, Option("--name", metavar="NAME", help="The name of the new session.")] = "",
    common: Common,
) -> None:
    """Begin a new session with the first turns of this one."""
    with common.to_change(clock=utc_now) as memory:
        made = memory.fork(session, at=at, name=name)
    common.answer(_document(made), f"forked: {one_line(made.name)}, {counted(made.shared, 'turn')} of {session}")


def rewind(
    session: SessionName,
    turn: Annotated[int, Argument(metavar="N", help="Keep the first N turns; negative: all but the last N.")],
    *,
    keep_facts: Annotated[bool, Option("--keep-facts", help="Go on believing what those turns taught.")] = False,
    common: Common,
) -> None:
    """Take turns back, and what only they taught. They are kept as a session of their own."""
    with common.to_change(clock=utc_now) as memory:
        done = memory.rewind(session, turn, keep_facts=keep_facts)
    if common.as_json:
        told = {name: [documents.fields(fact, "id content") for fact in getattr(done, name)] for name in _CHANGED}
        show_json({**documents.fields(done, "session turns messages kept_in"), **told})
        return
    kept = f", kept as {one_line(done.kept_in)}" if done.kept_in else ""
    show(f"{one_line(done.session)} has {counted(done.turns, 'turn')}; {counted(done.messages, 'message')} taken{kept}")
    for fact in done.withdrawn:
        show(f"not believed any more: {one_line(fact.content)} ({fact.id})")
    for fact in done.restored:
        show(f"as before: {one_line(fact.content)} ({fact.id})")


def delete(
    session: SessionName,
    *,
    with_forks: Annotated[bool, Option("--with-forks", help="The sessions that begin with it, too.")] = False,
    yes: Yes = False,
    common: Common,
) -> None:
    """Erase a session and what was learnt from it alone, from every byte of the file. It cannot be undone."""
    from cfpm.cli.erase import erase_elsewhere

    with common.to_read() as memory:
        one = memory.resume(session).session
        plan = memory.erasure_plan(session=session)
    if not yes:
        _ask(f"Erase {one_line(one.name)} ({counted(len(plan.messages), 'message')}) for good?")
    erase_elsewhere(common, plan.messages)
    with common.to_change(clock=utc_now) as memory:
        records = memory.delete_session(session, with_forks=with_forks, by="command line")
    _tell_deleted(common, [session], records)


def prune(
    *,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and change nothing.")] = False,
    yes: Yes = False,
    common: Common,
) -> None:
    """Erase the sessions whose project's folder is gone from this machine."""
    from cfpm.cli.erase import erase_elsewhere

    with common.to_read() as memory:
        orphans = memory.orphaned_sessions()
        messages = [one for orphan in orphans for one in memory.erasure_plan(session=orphan.session.name).messages]
    if dry_run or not orphans:
        if common.as_json:
            show_json([{"session": one.session.name, "folder": one.folder} for one in orphans])
            return
        rows = [(one.session.name, one.folder, _about(one.session)) for one in orphans]
        show_table(("session", "folder", "about"), rows, wide="about", empty="every session has its folder")
        return
    if not yes:
        for one in orphans:
            say(f"{one.session.name}: {one.folder} is gone")
        _ask(f"Erase {counted(len(orphans), 'session')} for good?")
    erase_elsewhere(common, messages)
    with common.to_change(clock=utc_now) as memory:
        gone = memory.prune_sessions(by="command line")
        records = memory.erasures()[-len(gone) :]
    _tell_deleted(common, [one.name for one in gone], records)


def transcript(
    session: SessionName,
    *,
    form: Annotated[str, Option("--format", metavar="NAME", help="markdown or json.")] = "markdown",
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write it to this file.")] = None,
    common: Common,
) -> None:
    """Write a session down as Markdown, or as JSON that can be observed again."""
    with common.to_read() as memory:
        text = memory.transcript(session, "json" if common.as_json else form)
    if output is None:
        show(text.rstrip("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(output), error.strerror or str(error), "Name a file that can be written") from error
    show(f"written: {output}")


def log(
    *,
    session: Annotated[str | None, Option("--session", metavar="S", help="Only this session.")] = None,
    kind: Annotated[
        str,
        Option("--kind", metavar="K,...", help="Of message, fact, verdict, recall, gate, compaction only these."),
    ] = "",
    limit: Limit = None,
    common: Common,
) -> None:
    """See what happened, oldest first: messages, facts, refused drafts, recalls, the gate, compactions.

    Without --limit the last 50 are shown; --json has all.
    """
    with common.to_read() as memory:
        found = memory.log(session, kinds=[name.strip() for name in kind.split(",") if name.strip()])
    if common.as_json:
        kept = found if limit is None else found[-limit:]
        show_json([documents.fields(one, "kind at session turn id what text") for one in kept])
        return
    rows = [
        (_minute(one.at), one.session, str(one.turn) if one.turn else "", one.kind, one.what, one.text)
        for one in found[-(limit or SHOWN) :]
    ]
    show_table(("when", "session", "turn", "kind", "what", "text"), rows, wide="text", lead="kind", empty="nothing yet")
    if limit is None and len(found) > SHOWN:
        show(f"... only the last {SHOWN} of {len(found)}; --limit N shows N, --json all")


def _ask(question: str) -> None:
    confirm("sessions", question, remedy="Say --yes", refused="nothing was erased")


def _tell_deleted(common: Common, names: Sequence[str], records: Sequence[ErasureRecord]) -> None:
    rows: dict[str, int] = {}
    for record in records:
        for table, count in record.counts.items():
            rows[table] = rows.get(table, 0) + count
    told = ", ".join(f"{count} of {table}" for table, count in rows.items()) or "nothing else"
    common.answer({"sessions": list(names), "rows": rows}, f"erased {counted(len(names), 'session')}: {told}")
    common.check_clean(all(record.finished for record in records))


def _document(session: Session) -> dict[str, object]:
    from cfpm.admin.transcripts import fields_of

    return fields_of(session)


def _about(session: Session) -> str:
    return " ".join(part for part in ("(done)" if session.done else "", session.title) if part)


def _spent(sent: int, written: int, cost: float | None) -> str:
    return f"{sent:,} tokens sent, {written:,} written" + ("" if cost is None else f", cost {cost:.4f}")


def _tokens(usage: object) -> dict[str, object]:
    names = ("input", "output", "cache_read", "cache_written", "cost")
    return {name: getattr(usage, name) for name in names}


def _minute(at: datetime | None) -> str:
    return (to_text(at) or "")[:16].replace("T", " ")
