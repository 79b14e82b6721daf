"""What earlier sessions came to, for a query that asks about them as a whole: "Where did we leave off?"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.tool_output import gives_orders
from cfpm.model import Category, Role
from cfpm.recall.block import safe
from cfpm.recall.items import RecallItem
from cfpm.store.sentence_vectors import SPOKEN
from cfpm.text import has_cjk
from cfpm.text.dates import TimeKind, find_times
from cfpm.text.heads.recap import SURELY, asks_for_sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from cfpm.model import Fact
    from cfpm.model.sessions import Session
    from cfpm.recall.running import InPrompt
    from cfpm.store.store import Store
    from cfpm.text.dates import TimeSpan

LAST, OF_A_TIME = 3, 5
"""Sessions that are told where no time is named, of which only the last in full; and where one is. Not measured."""

LOOKED_AT = 400
"""Sessions among which those of a time are looked for, the newest."""

LINES = 5
"""Of the last session, or the only one of a time: its own, and those of its last requests."""

FACTS, LOOKED_AT_FACTS = 6, 60
"""Facts by which a session without work on files is told, of those that changed last."""

LONGEST, LONGEST_OF_SEVERAL = 420, 260
"""Characters of the facts of a session in a line; where several are told."""

LONGEST_LAST = 160
"""Characters of what a user said last."""

LONGEST_QUERY = 240
"""Characters of what asks for nothing else."""

_TELLING = frozenset(
    {
        Category.PROFILE,
        Category.PREFERENCE,
        Category.INSTRUCTION,
        Category.DECISION,
        Category.EVENT,
        Category.NOTE,
        Category.GOAL,
        Category.OPEN_ITEM,
    }
)


class Recap(NamedTuple):
    """What sessions came to; `asked` tells whether the query asks for some that are known, or for those of a time."""

    items: tuple[RecallItem, ...] = ()
    asked: bool = False


def recap(store: Store, namespaces: Sequence[str], query: str, held: InPrompt, now: datetime | None = None) -> Recap:
    """A line or some for each session that the query asks about, the newest first; none where it asks for something
    else, and none of the running session, which the prompt holds. "Yesterday" is the day before `now`, without one
    that before the newest message."""
    if not namespaces or len(query) > LONGEST_QUERY:
        return Recap()
    namespace = namespaces[0]
    times = find_times(query, now or store.log.newest(namespace))
    if max(asks_for_sessions(query), asks_for_sessions(_on_a_day(query, times))) < SURELY:
        return Recap()
    known = _others(store, namespace, held)
    spans = [(one.begins, one.ends) for one in times if one.kind is TimeKind.MOMENT]
    if spans:
        chosen = [one for one in known if any(_lies_in(one, *span) for span in spans)][:OF_A_TIME]
    else:
        chosen = known[:LAST]
    found: list[RecallItem] = []
    for place, session in enumerate(chosen):
        in_full = len(chosen) == 1 or not (place or spans)
        found += _told(store, namespace, session, held, in_full=in_full)
    return Recap(tuple(found), asked=bool(found or spans))


def _on_a_day(query: str, times: Sequence[TimeSpan]) -> str:
    """The query with a day of the week in place of each time, as most who ask name one."""
    day = "周二" if has_cjk(query) else "Tuesday"
    for one in reversed(times):
        query = f"{query[: one.start]}{day}{query[one.end :]}"
    return query


def last_session(store: Store, namespaces: Sequence[str], held: InPrompt) -> list[RecallItem]:
    """The lines of the session before the running one."""
    namespace = namespaces[0]
    return [item for one in _others(store, namespace, held)[:1] for item in _told(store, namespace, one, held)]


def running_sessions(store: Store, namespace: str, held: InPrompt) -> set[str]:
    """Those of which the prompt holds the running message."""
    return {one.session for name in held.running if (one := store.log.get(namespace, name)) is not None}


def _others(store: Store, namespace: str, held: InPrompt) -> list[Session]:
    running = running_sessions(store, namespace, held)
    return [one for one in store.sessions.find(namespace, limit=LOOKED_AT) if one.name not in running]


def _told(store: Store, namespace: str, session: Session, held: InPrompt, *, in_full: bool = True) -> list[RecallItem]:
    told = list(_worked_on(store, namespace, session, held))
    told = told or list(_said_in(store, namespace, session, held, LONGEST if in_full else LONGEST_OF_SEVERAL))
    return told[: LINES if in_full else 1]


def _lies_in(session: Session, begins: datetime | None, ends: datetime | None) -> bool:
    started, updated = session.started, session.updated
    return bool(begins and ends and started and updated and updated >= begins and started < ends)


def _worked_on(store: Store, namespace: str, session: Session, held: InPrompt) -> Iterator[RecallItem]:
    """The lines of the work log."""
    from cfpm.recall.brief import work_log

    for line in work_log(store, namespace, session.name, held.admits):
        yield _item(session, line.text.rpartition(" (")[0], line.id)


def _said_in(store: Store, namespace: str, session: Session, held: InPrompt, room: int) -> Iterator[RecallItem]:
    """What of it is believed and says most, in the order in which it was said, and what the user said last."""
    facts = [
        fact
        for fact in store.facts.of_session(namespace, session.name, LOOKED_AT_FACTS)
        if fact.category in _TELLING and fact.role in SPOKEN and fact.session == session.name
        if held.admits(fact.agent) and not gives_orders(fact.content)
    ]
    facts.sort(key=lambda fact: (not fact.pinned, fact.role is not Role.USER, -fact.salience, fact.id))
    best = sorted(facts[:FACTS], key=lambda fact: (str(fact.created_at), fact.message_id, fact.span_start or 0))
    told = _with_room(best, room)
    if not told:
        return
    text = "; ".join(f"{fact.speaker and f'{fact.speaker}: '}{fact.content.rstrip('.。')}" for fact in told)
    if (last := _last_word(store, namespace, session)) and last.rstrip(".。") not in text:
        text = f'{text}; said last: "{safe(last, LONGEST_LAST)}"'
    yield _item(session, text, told[-1].message_id)


def _last_word(store: Store, namespace: str, session: Session) -> str:
    """What the user said last, in their own words; nothing of other participants, of a paste, of what was forgotten."""
    from cfpm.recall.brief.lines import said_in

    last = store.log.last_turn(namespace, session.name)
    _, text = store.log.asked(namespace, session.name, last.turn) if last else (0, "")
    if not text or store.tombstones.hides(namespace, text):
        return ""
    own = said_in(text)
    return "" if gives_orders(own) else own


def _with_room(facts: Iterable[Fact], room: int) -> list[Fact]:
    told: list[Fact] = []
    for fact in facts:
        if len(fact.content) <= room:
            told.append(fact)
            room -= len(fact.content) + 2
    return told


def _item(session: Session, text: str, message_id: str) -> RecallItem:
    return RecallItem(
        kind="session",
        id=message_id,
        text=text,
        score=1.0,
        why={"session": 1.0},
        session=session.name,
        message_id=message_id,
        created_at=session.updated,
        category=None,
        role=Role.ASSISTANT,
    )
