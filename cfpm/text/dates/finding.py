"""Finds time expressions in a text, and hands their words to the resolver. It knows no calendar and no words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from cfpm.model.clock import can_be_kept
from cfpm.model.patterns import lazy_pattern
from cfpm.text.dates.lexicon import LANGUAGES, Form, TimeCues, TimeLexicon, time_cues, time_lexicon
from cfpm.text.dates.narrowing import narrowed
from cfpm.text.dates.resolve import Said, grain_of, named
from cfpm.text.dates.spans import Interval, Parts, TimeKind, TimeSpan
from cfpm.text.words import has_cjk, plain_words

_BEFORE = 16
"""Characters before an expression in which a lead, "every" or "a" stands."""
_REACH = 48
"""Characters before an anchor in which its expression begins."""
_SENTENCE = 240
"""Characters on either side in which its sentence is looked for."""
_WORD = lazy_pattern(r"[a-z0-9]+")
_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
_RECURRING = frozenset({"weekday", "weekend", "season", "date", "holiday", "of_direction"})
_DURATIONS = frozenset({"for", "window"})


def find_times(text: str, anchor: datetime | None) -> list[TimeSpan]:
    """The time expressions of a text, left to right, resolved against the turn's time (taken as UTC when naive).

    Days are those of UTC. A weekday, month, season or day without a year is the nearest by the tense of its sentence:
    before the turn in a sentence with past-tense words and none about the future, else after it. Without an anchor,
    only dates with a year are resolved. Linear in the text.
    """
    if anchor is not None:
        anchor = anchor.replace(tzinfo=UTC) if anchor.tzinfo is None else anchor.astimezone(UTC)
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are longer in lower case, and offsets must hold
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    found: list[TimeSpan] = []
    for language in LANGUAGES if has_cjk(text) else LANGUAGES[:1]:
        if _may_hold_time(lower, time_cues(language)):
            found.extend(_found(text, lower, anchor, time_lexicon(language)))
    return _apart(found) if len(found) > 1 else found


def _may_hold_time(lower: str, cues: TimeCues) -> bool:
    if cues.alone is not None:
        return cues.alone.search(lower) is not None or not cues.anchors.isdisjoint(plain_words(lower))
    return any(anchor in lower for anchor in cues.anchors)


def event_time(text: str, anchor: datetime | None) -> datetime | None:
    """When the first moment begins that the text names and that can be resolved; None without one."""
    moments = (span for span in find_times(text, anchor) if span.kind is TimeKind.MOMENT)
    return next((span.begins for span in moments if span.begins and can_be_kept(span.begins)), None)


def _apart(found: list[TimeSpan]) -> list[TimeSpan]:
    kept: list[TimeSpan] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _found(text: str, lower: str, anchor: datetime | None, lexicon: TimeLexicon) -> Iterator[TimeSpan]:
    for match in _matches(lower, lexicon):
        form, roles, places = _read(match, lexicon)
        start, modified = match.start(), match["before"] is not None or "edge" in roles
        if not (modified or _led(form, text, lower, places, lexicon)):
            continue
        if form.means in _RECURRING and lexicon.not_before.search(lower, max(0, start - _BEFORE), start):
            continue
        parts = Parts(form.means, approximate=match["approximately"] is not None, **roles)
        yield _span(text, start, match.end(), parts, anchor, lexicon)


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


def _read(match: re.Match[str], lexicon: TimeLexicon) -> tuple[Form, dict[str, Any], dict[str, int]]:
    """The form that fitted, what its words stand for by role, and where they begin."""
    words = {group: word for group, word in match.groupdict().items() if word is not None}
    name = next(group for group in words if group in lexicon.forms)
    form = lexicon.forms[name]
    roles: dict[str, Any] = dict(form.sets)
    places = {"form": match.start(name)}
    for group, word in words.items():
        if (slot := lexicon.slots.get(group)) is not None:
            places[slot.role] = match.start(group)
            roles[slot.role] = lexicon.value(slot, word)
    return form, roles, places


def _span(text: str, start: int, end: int, parts: Parts, anchor: datetime | None, lexicon: TimeLexicon) -> TimeSpan:
    said = _said(text, start, end, anchor, lexicon, back=parts.since is not None)
    if parts.means == "in":
        # "I did it in two weeks" tells how long it took, "I leave in two weeks" when.
        parts = replace(parts, means="for" if said.past else "ago")
    elif parts.means == "ahead":
        # "Three days later he came" counts from another day than that of the turn.
        parts = replace(parts, means="vague" if said.past else "ago")
    interval = _resolved(parts, said, anchor)
    lasts = parts.means in _DURATIONS or parts.since is not None
    return TimeSpan(
        start,
        end,
        text[start:end],
        interval.begins if interval else None,
        interval.ends if interval else None,
        interval.grain if interval else grain_of(parts),
        interval.approximate if interval else parts.approximate or parts.vague is not None,
        TimeKind.DURATION if lasts else TimeKind.MOMENT,
        not parts.absolute and parts.means != "numeric",
    )


def _resolved(parts: Parts, said: Said, anchor: datetime | None) -> Interval | None:
    if anchor is None and (parts.since is not None or not (parts.absolute or parts.means == "numeric")):
        return None
    try:
        whole = named(parts, said)
        found = narrowed(whole, parts) if whole else None
    except (OverflowError, ValueError):
        return None  # before the year 1 or after 9999
    if found and parts.since is not None:
        found = Interval(found.begins, said.anchor, found.grain, found.approximate)
    return found if found and found.begins < found.ends else None


def _said(text: str, start: int, end: int, anchor: datetime | None, lexicon: TimeLexicon, *, back: bool) -> Said:
    """The sentence around an expression, for its tense."""
    left = max(0, start - _SENTENCE)
    for match in lexicon.sentence_end.finditer(text, left, start):
        left = match.end()
    closing = lexicon.sentence_end.search(text, end, end + _SENTENCE)
    sentence = f"{text[left:start]} {text[end : closing.start() if closing else end + _SENTENCE]}".lower()
    return Said(anchor or _ALWAYS, sentence, lexicon, back=back)
