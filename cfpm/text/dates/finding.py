"""Finds time expressions in a text, and hands their words to the resolver. It knows no calendar and no words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from cfpm.model.clock import can_be_kept
from cfpm.model.patterns import lazy_pattern
from cfpm.text.dates.calendar import DAY, holding, shifted
from cfpm.text.dates.lexicon import LANGUAGES, Form, TimeCues, TimeLexicon, time_cues, time_lexicon
from cfpm.text.dates.narrowing import END, LAST_DAY, narrowed
from cfpm.text.dates.resolve import grain_of, named, weeks_of
from cfpm.text.dates.spans import GRAIN_OF_UNIT, Grain, Interval, Parts, TimeKind, TimeSpan
from cfpm.text.dates.tense import Said, Tense, around
from cfpm.text.dates.when import TENSES, When, is_open, when
from cfpm.text.words import has_cjk, plain_words

_BEFORE = 16
"""Characters before an expression in which a lead, "every" or "a" stands."""
_REACH = 48
"""Characters before an anchor in which its expression begins."""
_FRIDAY = 4
_WORKING_DAYS = 4
"""So many days of the week may stand for those of every week; fewer are those of one."""
_LONGEST_MONTH = 31 * DAY
_WORD = lazy_pattern(r"[a-z0-9]+")
SHORTLY_BEFORE = 240
"""Characters before a text in which its month may be named."""
_BARE_DAY = lazy_pattern(r"\d(?:st|nd|rd|th| ?号)|[一二三十]号")
_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
_RECURRING = frozenset({"weekday", "weekend", "season", "date", "holiday", "of_direction", "day_of_month"})
_BARE_DAYS = frozenset({"weekday", "weekend", "day_of_month"})
_BARE = frozenset({"weekday", "weekend"})
_NAMING = frozenset({"date", "quarter", "season", "holiday", "of_direction"})
_DURATIONS = frozenset({"for", "window"})


def find_times(text: str, anchor: datetime | None, before: str = "") -> list[TimeSpan]:
    """The time expressions of a text, left to right, resolved against the turn's time (taken as UTC when naive).

    Days are those of UTC. A weekday, month, season or day without a year is the nearest by the tense of its clause:
    before the turn in one about the past, else after it. What recurs ("every other Friday") is no expression, a choice
    ("Monday or Tuesday") is not resolved, and "from 24 to 31 October" is one expression. Without an anchor, only dates
    with a year are resolved. `before` is what was said just before, whose month "the 22nd" is of. Linear in both.
    """
    if anchor is not None:
        anchor = anchor.replace(tzinfo=UTC) if anchor.tzinfo is None else anchor.astimezone(UTC)
    lower = _lower(text)
    context = _named_before(before, anchor) if before and _BARE_DAY.search(lower) else None
    found: list[TimeSpan] = []
    for language in LANGUAGES if has_cjk(text) else LANGUAGES[:1]:
        if _may_hold_time(lower, time_cues(language)):
            found.extend(_found(text, lower, anchor, time_lexicon(language), context))
    return _apart(found) if len(found) > 1 else found


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are longer in lower case, and offsets must hold
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    return lower


def _may_hold_time(lower: str, cues: TimeCues) -> bool:
    if cues.alone is not None:
        return cues.alone.search(lower) is not None or not cues.anchors.isdisjoint(plain_words(lower))
    return any(anchor in lower for anchor in cues.anchors)


def _named_before(before: str, anchor: datetime | None) -> Interval | None:
    """The last month, week or day that was named there."""
    told = (span.told for span in reversed(find_times(before[-SHORTLY_BEFORE:], anchor)) if not span.withdrawn)
    return _context(told)


def event_time(text: str, anchor: datetime | None, before: str = "") -> datetime | None:
    """When the time begins that the text is about; None without one that can be told. `before` as of `find_times`."""
    span = event_span(text, anchor, before)
    return span.begins if span else None


def event_span(text: str, anchor: datetime | None, before: str = "") -> TimeSpan | None:
    """The time that the text is about: the first moment that can be told and holds, or a finer one within it.

    "I'm in Rome in May, and the talk is on the 22nd" is about the 22nd of May.
    """
    about: TimeSpan | None = None
    for span in find_times(text, anchor, before):
        lasts = span.kind is TimeKind.DURATION and span.meant is None
        if lasts or span.begins is None or not can_be_kept(span.begins):
            continue
        if about is None or _says_more(span, about):
            about = span
    return about


def _says_more(span: TimeSpan, before: TimeSpan) -> bool:
    """Whether the later of two times is what the text is about: the other was given up, holds it, or lies in it."""
    new, old = span.told, before.told
    if new is None or old is None or span.withdrawn:
        return False
    if before.withdrawn or (before.names and not span.names):
        return True
    if old.grain is not new.grain:
        return old.begins <= new.begins and new.ends <= old.ends
    # "The Christmas break is from 20 December to 4 January"
    return new.grain is Grain.DAY and new.begins <= old.begins and old.ends < new.ends


def _apart(found: list[TimeSpan]) -> list[TimeSpan]:
    kept: list[TimeSpan] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


@dataclass(slots=True)
class _Reading:
    """An expression, its words by role, what its sentence says, and the time that it names."""

    parts: Parts
    said: Said
    span: TimeSpan


class OpenTime(NamedTuple):
    """A time in [start, end) of a text without a year; `recurs` is whether the lists say that it comes again."""

    start: int
    end: int
    parts: Parts
    said: Said
    recurs: bool


def open_times(text: str, anchor: datetime) -> list[OpenTime]:
    """The times of a text of which it is open whether they lie before or after the anchor, which is in UTC."""
    seen: list[OpenTime] = []
    for language in LANGUAGES if has_cjk(text) else LANGUAGES[:1]:
        _found(text, _lower(text), anchor, time_lexicon(language), None, seen)
    return sorted(seen, key=lambda one: one.start)


def _found(
    text: str,
    lower: str,
    anchor: datetime | None,
    lexicon: TimeLexicon,
    before: Interval | None,
    seen: list[OpenTime] | None = None,
) -> list[TimeSpan]:
    readings: list[_Reading] = []
    repeated = len(lower)
    for match in _matches(lower, lexicon):
        form, roles, places = _read(match, lexicon)
        start, corrected = match.start(), _corrected(readings, lower, match.start(), lexicon)
        context = corrected.span.told if corrected else _context(_told(readings)) or before
        modified = match["before"] is not None or "edge" in roles
        of_month = lexicon.bounded and context is not None and form.means == "day_of_month"
        led = modified or of_month or _led(form, text, lower, places, lexicon)
        if not led or not _followed(form, lower, places, roles, lexicon):
            continue
        left, right = around(text, start, match.end(), lexicon.sentence_end)
        said = Said(
            anchor or _ALWAYS, left, right, lexicon, back="since" in roles, context=context, corrects=bool(corrected)
        )
        if form.means == "day_of_month" and readings:
            said = replace(said, ahead=lexicon.joined("range", lower[readings[-1].span.end : start]))
        parts = Parts(form.means, approximate=match["approximately"] is not None, **roles)
        recurs = form.means in _RECURRING and "year" not in roles and _recurs(form.means, said, lower, start)
        if seen is not None and is_open(parts):
            seen.append(OpenTime(start, match.end(), parts, said, recurs))
        recurs = recurs or _joined(lower[repeated:start], lexicon)
        learnt = when(parts, said, named) if is_open(parts) and not recurs else None
        if recurs or learnt is When.REPEATS:
            repeated = match.end()
            continue
        if corrected:
            said = replace(said, learnt=corrected.said.tense)
        elif learnt is not None:
            said = replace(said, learnt=TENSES[learnt])
        reading = _reading(text, start, match.end(), parts, said, anchor)
        if lexicon.around("refused", left):
            reading.span = _untold(reading.span)
        _add(readings, reading, text, lower)
    return [reading.span for reading in readings]


def _joined(gap: str, lexicon: TimeLexicon) -> bool:
    """Whether a time belongs to the one before the gap, as the end of a stretch or the next of a list."""
    return gap != "" and (lexicon.joined("range", gap) or lexicon.joined("adjacent", gap))


def _corrected(readings: list[_Reading], lower: str, start: int, lexicon: TimeLexicon) -> _Reading | None:
    """The time before that the one at `start` puts right: "the 15th, no wait, the 17th"."""
    if readings and lexicon.joined("corrected", lower[readings[-1].span.end : start]):
        return readings[-1]
    return None


def _recurs(means: str, said: Said, lower: str, start: int) -> bool:
    before = said.lexicon.not_before.search(lower, max(0, start - _BEFORE), start)
    return before is not None or said.recurs or (means in _BARE_DAYS and (said.habitual or said.each))


def _told(readings: list[_Reading]) -> Iterator[Interval | None]:
    spans = (reading.span for reading in reversed(readings))
    return (span.told for span in spans if not (span.withdrawn or span.names))


def _context(told: Iterator[Interval | None]) -> Interval | None:
    """The first of the times that lies within one month."""
    within = (time for time in told if time and time.grain in (Grain.DAY, Grain.HOUR, Grain.WEEK, Grain.MONTH))
    return next((time for time in within if time.ends - time.begins <= _LONGEST_MONTH), None)


def _add(readings: list[_Reading], new: _Reading, text: str, lower: str) -> None:
    """Adds what was read, or lets it close a range, be the other of a choice, or take the place of the one before."""
    if not readings:
        readings.append(new)
        return
    before, lexicon = readings[-1], new.said.lexicon
    gap = lower[before.span.end : new.span.start]
    if lexicon.joined("choice", gap):
        before.span, new.span = _untold(before.span), _untold(new.span)
    elif _gives_way(before, new, gap):
        before.span = replace(before.span, withdrawn=True)
    elif lexicon.joined("range", gap) or (lexicon.joined("pair", gap) and _is_between(before)):
        if _is_routine(before, new) or _is_season(before, new):
            readings.pop()
            return
        if lexicon.said("moves", before.said.left):
            before.span = replace(before.span, withdrawn=True)
        else:
            readings[-1] = _range(before, new, text)
            return
    elif lexicon.joined("adjacent", gap):
        if _is_next_day(before, new):
            readings[-1] = _range(before, new, text)
            return
        if not before.said.corrects and _is_another(before.span, new.span):
            before.span, new.span = _untold(before.span), _untold(new.span)
    readings.append(new)


def _gives_way(before: _Reading, new: _Reading, gap: str) -> bool:
    """Whether the new time takes the place of the one before: "not Monday but Tuesday", "the 5th is out, the 6th"."""
    lexicon = new.said.lexicon
    if new.said.corrects or lexicon.joined("moved", gap):
        return True
    return lexicon.said("instead", new.said.right) or any(
        lexicon.around(what, before.said.left) for what in ("denied", "given_up")
    )


def _is_between(first: _Reading) -> bool:
    return first.parts.between is not None or first.said.lexicon.around("between", first.said.left)


def _is_next_day(first: _Reading, last: _Reading) -> bool:
    """Whether the last is the day after: "Saturday and Sunday"."""
    if first.span.kind is not last.span.kind or (first.span.grain, last.span.grain) != (Grain.DAY, Grain.DAY):
        return False
    begins, ends = _bounds(first, last)
    return begins is not None and ends is not None and ends.begins == begins.ends


def _is_another(first: TimeSpan, last: TimeSpan) -> bool:
    """Whether both are times of one kind, so that the thing has several: "in April and October"."""
    grains = {Grain.DAY if span.grain is Grain.HOUR else span.grain for span in (first, last)}
    if first.kind is not last.kind or len(grains) > 1:
        return False
    if first.days is None or last.days is None:
        return first.days is None  # the third of several
    same_weekday = Grain.DAY in grains and first.days[0].weekday() == last.days[0].weekday()
    return first.days != last.days and not same_weekday  # "3 May, Monday" is one


def _is_routine(first: _Reading, last: _Reading) -> bool:
    """Whether days of the week stand for those of every week: "we work Monday to Friday"."""
    if any(reading.parts.means != "weekday" or reading.parts.direction is not None for reading in (first, last)):
        return False
    begins, ends = first.parts.weekday or 0, last.parts.weekday or 0
    said, sentence = first.said.lexicon.said, f"{first.said.left} @ {last.said.right}"
    single = said("past", " ".join(first.said.clause)) or said("future", sentence)
    if single or (ends - begins) % 7 + 1 < _WORKING_DAYS:
        return False
    return said("routine", sentence) or (begins == 0 and ends >= _FRIDAY and not said("outing", sentence))


def _is_season(first: _Reading, last: _Reading) -> bool:
    """Whether months stand for those of every year: "open from May to September"."""
    if any(reading.parts.means != "date" or reading.span.grain is not Grain.MONTH for reading in (first, last)):
        return False
    said, sentence = first.said.lexicon.said, f"{first.said.left} @ {last.said.right}"
    return first.said.by_lists in (Tense.PRESENT, Tense.NONE) and said("routine", sentence)


def _range(first: _Reading, last: _Reading, text: str) -> _Reading:
    """From one to the other, as one expression; untold where they make no stretch."""
    start, end = first.span.start, last.span.end
    begins, ends = _bounds(first, last)
    stretch = None
    if begins is not None and ends is not None and begins.begins <= ends.begins:
        stretch = Interval(begins.begins, ends.ends, begins.grain, begins.approximate or ends.approximate)
    span = TimeSpan(
        start,
        end,
        text[start:end],
        stretch.begins if stretch else None,
        stretch.ends if stretch else None,
        first.span.grain,
        stretch.approximate if stretch else False,
        relative=first.span.relative or last.span.relative,
        bare=first.span.bare and last.span.bare,
    )
    return _Reading(first.parts, first.said, span)


def _bounds(first: _Reading, last: _Reading) -> tuple[Interval | None, Interval | None]:
    """The last is the next such time after the first; a bare weekday that comes first is the one before a named day."""
    begins, ends = first.span.told, last.span.told
    bare = first.parts.means == "weekday" and first.parts.direction is None
    if bare and last.parts.means != "weekday" and ends is not None and ends.grain is Grain.DAY:
        back = (ends.begins.weekday() - (first.parts.weekday or 0)) % 7
        return holding(Grain.DAY, ends.begins - back * DAY), ends
    if begins is not None and last.span.relative:
        said = replace(last.said, anchor=begins.begins, ahead=True, context=begins)
        return begins, _resolved(last.parts, said, said.anchor)
    return begins, ends


def _untold(span: TimeSpan) -> TimeSpan:
    return replace(span, begins=None, ends=None, meant=None)


def _matches(lower: str, lexicon: TimeLexicon) -> Iterator[re.Match[str]]:
    """What fits, left to right; where words have bounds, tried only at words that can begin a time, near an anchor."""
    if not lexicon.bounded:
        yield from lexicon.regex.finditer(lower)
        return
    done = 0
    for anchor in lexicon.near.finditer(lower):
        for word in _WORD.finditer(lower, max(done, anchor.start() - _REACH), anchor.end()):
            at = word.start()
            if at < done or not (word[0] in lexicon.starts or word[0][0].isdigit()):
                continue
            match = lexicon.regex.match(lower, at)
            if match:
                yield match
                done = match.end()
        done = max(done, anchor.end())


def _led(form: Form, text: str, lower: str, places: dict[str, int], lexicon: TimeLexicon) -> bool:
    """Whether the words before allow that this is a time: "in May", not "I may"."""
    start = places["form"]
    before = max(0, start - _BEFORE)
    if form.behind and not lexicon.leads[form.behind].search(lower, before, start):
        return False
    if not form.capital or text[places[form.capital]].isupper():
        return True
    return form.behind != "" and lexicon.leads["plain"].search(lower, before, start) is not None


def _followed(form: Form, lower: str, places: dict[str, int], roles: dict[str, Any], lexicon: TimeLexicon) -> bool:
    """Whether what comes after allows that this is a time: "the 2nd is fine", not "the 2nd attempt"."""
    if not form.ahead or "named" in roles:
        return True
    return lexicon.follows[form.ahead].match(lower, places["end"]) is not None


def _read(match: re.Match[str], lexicon: TimeLexicon) -> tuple[Form, dict[str, Any], dict[str, int]]:
    """The form that fitted, what its words stand for by role, and where they begin."""
    words = {group: word for group, word in match.groupdict().items() if word is not None}
    name = next(group for group in words if group in lexicon.forms)
    form = lexicon.forms[name]
    roles: dict[str, Any] = dict(form.sets)
    places = {"form": match.start(name), "end": match.end(name)}
    for group, word in words.items():
        if (slot := lexicon.slots.get(group)) is not None:
            places[slot.role] = match.start(group)
            roles[slot.role] = lexicon.value(slot, word)
    return form, roles, places


def _reading(text: str, start: int, end: int, parts: Parts, said: Said, anchor: datetime | None) -> _Reading:
    if parts.means == "in":
        # "I did it in two weeks" and "the first in two weeks" tell how long, "I leave in two weeks" when.
        long = said.past or said.lexicon.around("counted", said.left)
        parts = replace(parts, means="for" if long else "ago")
    elif parts.means == "ahead":
        # "Three days later he came" counts from another day than that of the turn.
        parts = replace(parts, means="vague" if said.past else "ago")
    if parts.last_day and said.lexicon.said("moves", said.left):
        parts = replace(parts, day_number=parts.last_day, last_day=None, middle=None)
        said = replace(said, ahead=True)
    if parts.edge == END and (said.lexicon.around("limit", said.left) or said.lexicon.said("limit", said.right)):
        parts = replace(parts, edge=LAST_DAY)
    interval = _resolved(parts, said, anchor)
    meant = _meant(parts, said) if interval else None
    since = parts.since is not None or (parts.onward is not None and interval and interval.begins < said.anchor)
    if interval and since:
        meant, interval = meant or interval, replace(interval, ends=said.anchor)
        if interval.begins >= interval.ends:
            interval = meant = None
    lasts = parts.means in _DURATIONS or since
    span = TimeSpan(
        start,
        end,
        text[start:end],
        interval.begins if interval else None,
        interval.ends if interval else None,
        interval.grain if interval else grain_of(parts),
        interval.approximate if interval else parts.approximate or parts.vague is not None,
        TimeKind.DURATION if lasts else TimeKind.MOMENT,
        not parts.absolute and parts.means != "numeric",
        meant,
        bare=parts.means in _BARE and parts.direction is None and parts.since is None,
        names=parts.means in _NAMING and parts.day_number is None and _names(said),
    )
    return _Reading(parts, said, span)


def _names(said: Said) -> bool:
    return said.lexicon.said("named", said.right) and not said.lexicon.around("timed", said.left)


def _resolved(parts: Parts, said: Said, anchor: datetime | None) -> Interval | None:
    if anchor is None and (parts.since is not None or not (parts.absolute or parts.means == "numeric")):
        return None
    try:
        whole = named(parts, said)
        found = narrowed(whole, parts) if whole else None
    except (OverflowError, ValueError):
        return None  # before the year 1 or after 9999
    return found if found and found.begins < found.ends else None


def _meant(parts: Parts, said: Said) -> Interval | None:
    """The day to which weeks are counted: a reader of "two weeks ago" is told it, while the time is the whole week."""
    if parts.means != "ago" or parts.day is not None or GRAIN_OF_UNIT[parts.unit or "day"] is not Grain.WEEK:
        return None
    low, high = parts.count
    days = sorted(shifted(said.anchor, parts.sign * weeks_of(parts) * count, Grain.WEEK) for count in (low, high))
    first, last = (holding(Grain.DAY, day) for day in days)
    return Interval(first.begins, last.ends, Grain.DAY, True)
