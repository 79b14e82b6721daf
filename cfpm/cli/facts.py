"""`facts`, and the user's own verbs on them: `remember`, `forget`, `pin`, `unpin`, `history`, `rollback`."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import SHOWN, Common, Limit
from cfpm.cli.output import one_line, show, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError
from cfpm.model import OF_A_TASK, Category, Status
from cfpm.model.clock import from_text, to_text, utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from cfpm.memory import Memory
    from cfpm.model import Event, Fact

MAX_DIGITS = 18
"""The number of an event fits into 64 bits."""


_RECORDS = (Category.ARTIFACT, Category.VERIFIED_ACTION)
_ORDER = (
    Category.INSTRUCTION,
    Category.PREFERENCE,
    Category.PROFILE,
    Category.DECISION,
    Category.NOTE,
    Category.EVENT,
    Category.GOAL,
    Category.OPEN_ITEM,
    Category.INVALID_PATH,
    *_RECORDS,
)


class Shown(StrEnum):
    """Which facts are listed: of one status, or all."""

    ACTIVE = "active"
    STALE = "stale"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    ALL = "all"


FactId = Annotated[str, Argument(metavar="ID", help="The id of a fact, as `cfpm facts` shows it.")]


def facts(
    *,
    category: Annotated[Category | None, Option("--category", help="Only this kind.")] = None,
    status: Annotated[
        Shown, Option("--status", help="Which facts: those that are believed, what else became of them, or all.")
    ] = Shown.ACTIVE,
    as_of: Annotated[str | None, Option("--as-of", metavar="TIME|EVENT", help="As it was believed then.")] = None,
    raw: Annotated[bool, Option("--raw", help="With records of files, of verified actions and of tasks.")] = False,
    limit: Limit = None,
    common: Common,
) -> None:
    """List what is known: rules, then what is known of people and things, decisions, open items.

    Records of files and of verified actions, what was said for tasks of earlier sessions, and what says little to who
    reads only that line, are counted; --raw lists them, and `cfpm brief` sums them up. What is not believed any more is
    counted; --status all lists it, too. --json has all of it.
    """
    moment = None if as_of is None else moment_or_event("--as-of", as_of)
    wanted = None if status is Shown.ALL else Status(status)
    page = not (raw or common.as_json or category or moment) and wanted is Status.ACTIVE
    with common.to_read() as memory:
        few = None if page or common.as_json else SHOWN + 1
        found = memory.facts(category=category, status=wanted, limit=limit if not page and limit else few, as_of=moment)
        others = {} if wanted is not Status.ACTIVE or common.as_json else _not_believed(memory, category, moment)
        elsewhere = {} if found or common.as_json else memory.store.facts.active_by_namespace()
    if common.as_json:
        show_json([documents.fact(fact) for fact in found])
        return
    known = _known(found) if page else found
    show_facts(known[: limit or SHOWN])
    if limit is None and len(known) > SHOWN:
        show(f"... only the first {SHOWN}; --limit N shows N, --json all")
    if len(known) < len(found):
        left = f"{len(found) - len(known)} of files, verified actions, earlier tasks, and what says little alone"
        show(f"not listed: {left}; --raw lists them")
    if elsewhere and memory.scope.namespace not in elsewhere:
        listed = ", ".join(f"{one_line(name)} ({count})" for name, count in elsewhere.items())
        show(f"namespaces with facts: {listed}; --namespace NAME lists those of one")
    if others:
        kinds = ", ".join(f"{count} {status}" for status, count in others.items())
        show(f"not believed any more: {kinds}; --status all lists them")


def _known(found: list[Fact]) -> list[Fact]:
    """What a reader would keep, in the order in which they look for it; within a kind the surest to last first."""
    # Only here: what judges it takes as long to load as the rest of the command.
    from cfpm.recall.brief.worth import worth_reading

    last = max(found, key=lambda fact: to_text(fact.created_at) or "", default=None)
    passing = {
        fact.id
        for fact in found
        if (fact.confidence <= OF_A_TASK or fact.category is Category.GOAL) and last and fact.session != last.session
    }
    known = [one for one in found if one.pinned or not (one.category in _RECORDS or one.id in passing)]
    return sorted(worth_reading(known), key=lambda fact: (not fact.pinned, _ORDER.index(fact.category)))


def _not_believed(memory: Memory, category: Category | None, moment: datetime | int | None) -> dict[str, int]:
    """How many facts there are that are not active, by status."""
    if category is None and moment is None:
        # Not `stats`, which loads the audit with its rules.
        counts = memory.store.facts.by_status(memory.scope.namespace)
    else:
        counts = Counter(fact.status for fact in memory.facts(category=category, as_of=moment))
    return {one.value: counts[one] for one in Status if one is not Status.ACTIVE and counts.get(one)}


def show_facts(found: list[Fact]) -> None:
    """The facts as a table; a relative time is followed by the date that it meant."""
    rows = [
        (
            fact.id,
            fact.category.value,
            fact.status.value + (" (pinned)" if fact.pinned else ""),
            f"{fact.confidence:.2f}",
            str(fact.evidence_count),
            f"{fact.salience:.2f}",
            _content(fact),
        )
        for fact in found
    ]
    columns = ("id", "category", "status", "conf.", "seen", "sal.", "content")
    show_table(columns, rows, wide="content", lead="category", empty="no facts")


def _content(fact: Fact) -> str:
    if fact.event_time is None:
        return fact.attributed
    # Only here: recall and what finds times take as long to load as the rest of the command.
    from cfpm.recall.block import dated
    from cfpm.recall.items import RULES

    return dated(fact.attributed, fact.created_at, fact.event_time, standing=fact.category in RULES)


def remember(
    text: Annotated[str, Argument(metavar="TEXT", help="What to believe, in one sentence.")],
    *,
    category: Annotated[Category, Option("--category", help="What kind of thing it is.")],
    pin: Annotated[bool, Option("--pin", help="Never let it go stale, and recall it first.")] = False,
    replaces: Annotated[str, Option("--replaces", metavar="ID|TEXT", help="The fact whose place it takes.")] = "",
    common: Common,
) -> None:
    """Tell the memory a fact yourself."""
    with common.or_new(clock=utc_now) as memory:
        _show_changed("remembered", memory.remember(text, category=category, pin=pin, replaces=replaces), common)


def forget(fact_id: FactId, common: Common) -> None:
    """Forget a fact, and do not learn it again."""
    with common.to_change(clock=utc_now) as memory:
        _show_changed("forgotten", memory.forget(fact_id), common)


def pin(fact_id: FactId, common: Common) -> None:
    """Keep a fact for good, and recall it first."""
    with common.to_change(clock=utc_now) as memory:
        _show_changed("pinned", memory.pin(fact_id), common)


def unpin(fact_id: FactId, common: Common) -> None:
    """Take the pin off a fact."""
    with common.to_change(clock=utc_now) as memory:
        _show_changed("unpinned", memory.pin(fact_id, pinned=False), common)


def _show_changed(verb: str, fact: Fact, common: Common) -> None:
    text = f"{verb} {fact.id} ({fact.category.value}): {one_line(fact.attributed)}"
    common.answer(documents.fact(fact), text)


def history(fact_id: FactId, common: Common) -> None:
    """Show every change of one fact, oldest first."""
    with common.to_read() as memory:
        fact = memory.fact(fact_id)
        events = memory.history(fact_id)
    if common.as_json:
        show_json([documents.event(event) for event in events])
        return
    show(f"{fact.id} ({fact.category.value}, {fact.status.value}): {one_line(fact.attributed)}")
    show_events(events)


def show_events(events: list[Event]) -> None:
    """Changes as a table."""
    rows = [(str(e.seq), e.action.value, e.cause, to_text(e.at) or "", changes(e.before, e.after)) for e in events]
    show_table(("event", "action", "cause", "at", "changed"), rows, wide="changed", empty="no changes")


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """`status: active -> stale; ...`, without the fields that only move with the clock."""
    names = sorted({*before, *after} - {"updated_at", "stale_at"})
    if not before:
        shown = {"content", "status", "source", "confidence"} | ({"contradicts"} if after.get("contradicts") else set())
        return "; ".join(f"{name}: {after[name]}" for name in names if name in shown)
    return "; ".join(f"{name}: {before.get(name, '-')} -> {after.get(name, '-')}" for name in names)


def rollback(
    to: Annotated[str, Option("--to", metavar="TIME|EVENT", help="ISO 8601 time, or the number of an event.")],
    common: Common,
) -> None:
    """Believe again what was believed then. Nothing is deleted; the rollback can be rolled back."""
    moment = moment_or_event("--to", to)
    with common.to_change(clock=utc_now) as memory:
        done = memory.rollback(moment)
    text = f"{done.reverted} facts taken back to how they were; {done.facts} are active now"
    common.answer({"reverted": done.reverted, "facts": done.facts}, text)


def moment_or_event(option: str, text: str) -> datetime | int:
    """The number of an event, or a moment in UTC. Raises UsageError."""
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        return int(text)
    try:
        moment = from_text(text)
    except ValueError:
        moment = None
    if moment is None:
        raise UsageError(
            f"{option} {text}",
            "neither a time nor the number of an event",
            "Write a time like 2026-11-21T09:30:00Z, or a number from `cfpm history ID`",
        )
    return moment
