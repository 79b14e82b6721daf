"""Reads what each value in a text belongs to: "I raised my snack budget from $50 to $65" holds 65 for the snack budget,
which was 50. Whether two mentions speak of one thing is judged in `updating.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from cfpm.text.quantities.attachment import (
    AFTER,
    BEFORE,
    CALENDAR,
    Told,
    counted,
    is_done,
    is_label,
    labels_of,
    link_of,
    periods_of,
    points_back,
    slot_of,
)
from cfpm.text.quantities.figures import Figure
from cfpm.text.quantities.newness import (
    is_aim,
    is_bound,
    is_called_new,
    is_changed,
    is_delta,
    is_former,
    is_present,
    is_real,
)
from cfpm.text.quantities.value_clauses import Clause, clauses_of
from cfpm.text.quantities.vocabulary import is_calendar, lists, stem_of, stems_of

MAX_CHARS = 700
"""Longer texts are documents; a learnt fact has at most 600 characters."""

_ANY_VALUE = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value and the words around it; all words are stems."""

    figure: Figure
    shown: str
    near: frozenset[str]
    """Content words next to the value, its noun among them."""
    topic: frozenset[str]
    """All content words of the clause, and of the one before when the clause only points back."""
    slots: frozenset[str]
    """Nouns next to it that have one value at a time."""
    of: frozenset[str]
    """What such a noun is said to be of: "snack" in "snack budget"."""
    before: Figure | None
    """The value that it took the place of, if that is said."""
    noun: str
    """The content word right before it: what has such a version."""
    changed: bool
    """A word says that the value is new."""
    present: bool
    """A word says that it is so at present, and none that it is new."""
    real: bool
    """Neither wished for nor only possible."""
    aim: bool
    due: bool
    """A date by which something is to be finished."""
    counts: frozenset[str]
    """All words of what is counted: "staff" and "member" in "12 staff members"."""
    definite: bool
    """No article before it says that it is any such thing."""
    wide: frozenset[str]
    """All content words of the text."""
    dates: frozenset[str]
    """The dates of its clause."""
    said_dates: frozenset[str]
    """The dates of the text."""
    mine: bool
    """The speaker did it."""
    past: bool
    """It was so at first, or has long been so."""
    owned: bool
    """The clause says whose it is."""
    labels: frozenset[tuple[str, str]]
    names: frozenset[str]
    periods: frozenset[str]
    days: frozenset[str]
    third: bool
    """It is somebody else's."""


@lru_cache(maxsize=1_024)
def mentions(text: str) -> tuple[Mention, ...]:
    """The values of an English text, in order; none for a text without a number."""
    if len(text) > MAX_CHARS or _ANY_VALUE.search(text) is None:
        return ()
    clauses = clauses_of(text)
    found: list[Mention] = []
    wide: frozenset[str] = frozenset()
    dates = _dates_of(clauses)
    for place, clause in enumerate(clauses):
        if any(kind == "value" for kind, _, _ in clause.items):
            wide = wide or frozenset(
                word for each in clauses for kind, shown, _ in each.items if kind == "word" and (word := stem_of(shown))
            )
            found += _of_clause(clause, _before(clauses, place), wide, dates)
    return tuple(found)


def _before(clauses: list[Clause], place: int) -> Clause | None:
    """The clause that another points back to, and the one before where it does so itself: "it was 8, and it fell"."""
    for at in range(place - 1, -1, -1):
        clause = clauses[at]
        if any(stem_of(text) for kind, text, _ in clause.items if kind == "word"):
            return Clause([*clauses[at - 1].items, *clause.items]) if clause.points_back and at else clause
    return None


def within(mention: Mention, added: frozenset[str]) -> Mention:
    """The mention with words that the sentence around it gave."""
    if len(mention.near) >= 2:
        return mention
    known = lists()["calendar" if mention.figure.kind in CALENDAR else "slots"]
    slots = mention.slots or frozenset(sorted(added & known)[:1])
    return replace(
        mention,
        near=mention.near | added,
        topic=mention.topic | added,
        wide=mention.wide | added,
        slots=slots,
        of=mention.of if mention.slots or not slots else added - slots,
    )


def _dates_of(clauses: list[Clause]) -> frozenset[str]:
    return frozenset(
        value.value for clause in clauses for _, _, value in clause.items if value and value.kind == "date"
    )


def _of_clause(
    clause: Clause, earlier: Clause | None, wide: frozenset[str], said_dates: frozenset[str]
) -> list[Mention]:
    items = clause.items
    lowers = [text.lower().replace("’", "'") for _, text, _ in items]
    stems = stems_of(items)
    points = clause.points_back or points_back(lowers, stems, [kind for kind, _, _ in items])
    behind = [text for kind, text, _ in (earlier.items if earlier and points else ()) if kind == "word"]
    found_earlier = [word for word in stems_of(earlier.items) if word] if earlier and points else []
    told = Told(
        items,
        lowers,
        stems,
        found_earlier,
        periods_of([text.lower() for text in behind]),
        points,
        wide,
        _dates_of([clause]),
        said_dates,
    )
    before: Figure | None = None
    found: list[Mention] = []
    for at, (kind, _, value) in enumerate(items):
        if kind != "value" or value is None:
            continue
        link = link_of(lowers, at)
        if is_label(told, at) or is_delta(told, at, link) or is_bound(told, at):
            continue
        follows = any(k == "value" for k, _, _ in items[at + 1 : at + 4]) and "to" in lowers[at + 1 : at + 4]
        if (link == "from" or (link in ("than", "of") and "instead" in lowers[max(0, at - 3) : at])) and (
            follows or lowers[max(0, at - 2)] == "up" or "instead" in lowers
        ):
            before = value
            if not follows and found and found[-1].figure.kind == value.kind:
                found[-1] = _with_before(found[-1], value)
            continue
        if is_former(told, at):
            if found and found[-1].figure[::2] == value[::2]:
                found[-1] = _with_before(found[-1], value)
            else:
                before = value
            continue
        found.append(_mention(told, at, link, _of_kind(before, value)))
        before = None
    return found


def _of_kind(before: Figure | None, value: Figure) -> Figure | None:
    """ "From 12 to 5 hours": what has no unit has that of the new value."""
    if before is None or before.kind == value.kind:
        return before
    bare = before.kind == "count" and not before.unit
    return value._replace(value=before.value) if bare and value.kind in ("span", "percent", "money") else None


def _with_before(mention: Mention, before: Figure) -> Mention:
    return replace(mention, before=before, changed=True)


def _mention(told: Told, at: int, link: str, before: Figure | None) -> Mention:
    items, lowers, stems = told.items, told.lowers, told.stems
    value = items[at][2]
    assert value is not None
    start = max(0, at - BEFORE)
    end = next(
        (p for p in range(at + 1, min(len(items), at + AFTER + 1)) if lowers[p] in lists()["adjunct"]), at + AFTER + 1
    )
    near = {word for word in (*stems[start:at], *stems[at + 1 : end]) if word}
    topic = {word for word in stems if word}
    mine = periods_of(lowers)
    if told.points:
        near |= set(told.earlier[-BEFORE:])
        topic |= set(told.earlier)
        mine |= told.earlier_periods
    # "I got it down to 4 hours": what it is of stands farther off.
    near = (near or topic) | mine
    unit = value.unit
    if value.kind == "count" and not unit:
        unit = counted(told, at)
    known = lists()
    slot, of = slot_of(told, at)
    presupposed = bool(slot) and is_called_new(told, at)
    changed = before is not None or is_changed(told, at, link, presupposed)
    return Mention(
        figure=value._replace(unit=unit),
        shown=items[at][1],
        near=frozenset(near),
        topic=frozenset(topic),
        slots=slot,
        of=of,
        before=before,
        noun=next((word for word in reversed(stems[max(0, at - 3) : at]) if word), ""),
        changed=changed,
        present=not changed and is_present(lowers, at),
        real=is_real(lowers, at, presupposed),
        aim=is_aim(lowers, at),
        due=link == "by" and not known["finishing"].isdisjoint(lowers[:at]),
        counts=frozenset({unit, *stems[at + 1 : at + 3]}) - {""}
        if [unit] == stems[at + 2 : at + 3]
        else frozenset({unit}),
        past=any(word in known["historic"] for word in lowers),
        definite=not any(word in known["indefinite"] for word in lowers[max(0, at - 5) : at]),
        wide=told.wide,
        dates=told.dates,
        said_dates=told.said_dates,
        mine=is_done(lowers, at),
        owned=any(word in known["possessive"] for word in lowers),
        labels=labels_of(told),
        names=frozenset(
            stem_of(text)
            for place, (kind, text, _) in enumerate(items)
            if place and kind == "word" and text[0].isupper() and not is_calendar(text) and stem_of(text)
        ),
        periods=mine,
        days=frozenset(word.rstrip("s") for word in lowers if word.rstrip("s") in known["days"]),
        third=any(word in lists()["third"] for word in lowers),
    )
