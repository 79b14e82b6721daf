"""Whether a text gives another value to something that an older text gave one. Conservative: in doubt both stand."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from cfpm.text.quantities.attachment import CALENDAR
from cfpm.text.quantities.mentions import Mention, mentions, within
from cfpm.text.quantities.vocabulary import lists

SHARED = 2
"""Content words that two mentions without a common slot noun must share next to their values."""

ABOUT = "~"
"""Opens the topic of a fact that gets what its value is of from the sentence around it."""

AIMS = frozenset({"budget", "goal", "target", "deadlin", "limit"})
"""Nouns whose value is wanted, however the sentence is built."""


_MEASURE = 3
"""Letters of a unit; what is counted has a longer name than what is measured."""


class Tie(IntEnum):
    """How sure it is that two values are of one thing."""

    NONE = 0
    LOOSE = 1
    """Of several older facts only the latest value can be meant."""
    FIRM = 2


class Update(NamedTuple):
    """What an older text loses: `old` is its value in one spelling, `why` names the topic and both values."""

    tie: Tie
    old: str
    why: str


def said(text: str, line: str = "") -> tuple[Mention, ...]:
    """The values of a text, read in the `line` that it stands in: "which has now reached 165" alone says little."""
    own = mentions(text)
    if len(line) <= len(text) or all(len(mention.near) >= SHARED for mention in own):
        return own
    shown = {mention.figure for mention in own}
    around = tuple(mention for mention in mentions(line) if mention.figure in shown)
    return around or own


def around(text: str, line: str) -> str:
    """What the line says of the values of a text and the text itself does not, as a topic; empty when it says all."""
    added: set[str] = set()
    for own, read in zip(mentions(text), said(text, line), strict=False):
        if len(own.near) < SHARED:
            added |= read.near - own.near
    return f"{ABOUT} {' '.join(sorted(added))}" if added else ""


def heard(text: str, topic: str) -> tuple[Mention, ...]:
    """The values of a fact, with what its line said of them."""
    added = frozenset(topic.split()[1:]) if topic.startswith(ABOUT) else frozenset()
    return tuple(within(mention, added) for mention in mentions(text)) if added else mentions(text)


def may_update(told: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """The mentions that can take the place of older ones."""
    return tuple(mention for mention in told if mention.real and not mention.past and _tells(mention))


def _tells(mention: Mention) -> bool:
    if mention.changed or mention.slots or mention.due:
        return True
    return (mention.figure.kind == "clock" and bool(mention.days)) or (
        mention.figure.kind == "count" and bool(mention.figure.unit) and mention.definite
    )


def update(told: tuple[Mention, ...], others: tuple[Mention, ...]) -> Update | None:
    """What a newer text with the values `told` takes the place of in an older one; None if both may stand."""
    best: Update | None = None
    for mention in may_update(told) if others else ():
        for other in others:
            alone = sum(each.figure.kind == other.figure.kind for each in others) == 1
            tie = _tie(mention, other, alone) if _is_other_value(mention, other, others, told) else Tie.NONE
            if not tie and _scored_again(mention, other, told, others):
                tie = Tie.FIRM
            if tie and (best is None or tie > best.tie):
                about = " ".join(sorted(mention.near & (other.near | other.topic)))
                why = f"{about}: {mention.shown.strip()} in place of {other.shown.strip()}"
                best = Update(tie, other.figure.value, why)
    return best


def _is_other_value(new: Mention, old: Mention, others: tuple[Mention, ...], beside: tuple[Mention, ...]) -> bool:
    """Neither text says both values, unless the newer one says what it was before."""
    if old.past or any(o.figure.value == new.figure.value and o.figure.kind == new.figure.kind for o in others):
        return False
    known = new.before is not None and new.before.value == old.figure.value
    return known or all(mention.figure.value != old.figure.value for mention in beside)


def _tie(new: Mention, old: Mention, alone: bool) -> Tie:
    if not _kinds_agree(new, old) or _apart(new, old):
        return Tie.NONE
    calendar = new.figure.kind in CALENDAR
    if new.aim and not calendar and not new.slots & AIMS:
        return Tie.NONE
    if new.before is not None:
        known = new.before.value == old.figure.value and bool(new.topic & old.topic)
        return Tie.FIRM if known else Tie.NONE
    if new.aim != old.aim and not calendar and not new.slots & old.slots & AIMS:
        return Tie.NONE
    if new.slots and new.slots == old.slots and (new.changed or new.present or new.figure.kind != "count"):
        return _tie_of_slot(new, old)
    if new.figure.kind == "version" and old.noun not in new.near and new.near.isdisjoint(old.of):
        return Tie.NONE
    if new.due and old.due:
        return Tie.FIRM if len(new.near & old.near) > SHARED else Tie.NONE
    unit = new.figure.unit
    words = (new.near & old.near) - {unit}
    if new.figure.kind == "span" and not words - new.periods:
        return Tie.NONE
    shared = len(words) + (bool(unit) and unit == old.figure.unit)
    # A version is of one named thing, so that its name says enough, unless the text lists several.
    shared += alone and new.figure.kind == "version" and not new.names.isdisjoint(old.names & words)
    if not new.changed:
        again = _one_appointment(new, old) if new.figure.kind == "clock" else _one_tally(new, old, shared)
        return Tie.FIRM if again else Tie.NONE
    wanted = SHARED if new.slots <= old.topic and not calendar else SHARED + 1
    return Tie.NONE if shared < wanted else Tie.FIRM if shared > wanted else Tie.LOOSE


def _tie_of_slot(new: Mention, old: Mention) -> Tie:
    """Both are values of a noun that has one at a time."""
    of = new.of & old.of
    if _of_others(new, old):
        return Tie.NONE
    beside = (new.wide & old.wide) - new.slots
    if new.present and of:
        return Tie.FIRM
    if not new.changed:
        if not new.definite or new.figure.kind in ("count", "date") or new.aim or old.aim:
            return Tie.NONE
        if new.figure.kind == "clock" and not new.days & old.days:
            return Tie.NONE
        rate = new.figure.kind == "percent" and old.of <= new.wide
        whole = rate and len(new.of) > SHARED and new.of <= old.wide
        same = len(of) >= SHARED or (bool(of) and (whole or (new.of == old.of and new.owned)))
        sure = same and (new.of <= old.wide or rate)
        return Tie.FIRM if sure else Tie.NONE
    if of:
        return Tie.FIRM
    if new.of:
        return Tie.LOOSE if new.of & old.topic or len(beside) >= SHARED else Tie.NONE
    return Tie.LOOSE if beside or not old.of or new.figure.kind == "date" else Tie.NONE


def _of_others(new: Mention, old: Mention) -> bool:
    """Nothing that they are of is shared, or little of it, and each is of something that the other text has not."""
    shared, few = len(new.of & old.of), min(len(new.of), len(old.of))
    return bool(few) and (not shared or (shared * 2 <= few and bool(new.of - old.wide) and bool(old.of - new.wide)))


def _scored_again(new: Mention, old: Mention, told: tuple[Mention, ...], others: tuple[Mention, ...]) -> bool:
    """A rate of a count that grew: "90% accuracy after 12 problems", "15 problems with 95% accuracy"."""
    rates = new.figure.kind == old.figure.kind == "percent" and bool(new.slots & old.slots)
    if not rates or new.figure.value == old.figure.value or _apart(new, old) or new.aim or old.past:
        return False
    return bool(_grown_units(told, others) & (new.near | new.of))


def _one_tally(new: Mention, old: Mention, shared: int) -> bool:
    """Two counts of one thing, in the same words: "I finished 10 of the drills", "I finished 15 of the drills"."""
    counted = new.figure.kind == "count" and new.figure.unit == old.figure.unit and len(new.figure.unit) > _MEASURE
    if not counted or not new.definite or not old.definite or not new.mine or not _grew(new, old):
        return False
    if new.said_dates and new.said_dates == old.said_dates:
        return shared >= SHARED and old.mine
    return shared > SHARED and (old.mine or old.owned) and (new.dates <= old.dates or not old.dates)


def _grew(new: Mention, old: Mention) -> bool:
    try:
        return float(new.figure.value) > float(old.figure.value)
    except ValueError:
        return False


def _grown_units(told: tuple[Mention, ...], others: tuple[Mention, ...]) -> frozenset[str]:
    """What both texts count, and the newer one more of."""
    pairs = ((new, old) for new in told for old in others if new.figure.kind == old.figure.kind == "count")
    return frozenset(
        new.figure.unit
        for new, old in pairs
        if new.mine and new.figure.unit == old.figure.unit and len(new.figure.unit) > _MEASURE and _grew(new, old)
    )


def _one_appointment(new: Mention, old: Mention) -> bool:
    """Two times on one day for one named thing."""
    return bool(new.names & old.wide) and bool(new.days & old.days) and len(new.wide & old.wide) > SHARED


def _kinds_agree(new: Mention, old: Mention) -> bool:
    if new.figure.kind != old.figure.kind:
        amounts = {new.figure.kind, old.figure.kind}
        counted = new.figure.unit or old.figure.unit
        return amounts == {"money", "count"} and not counted and bool(new.slots & old.slots)
    mine, yours = new.figure.unit, old.figure.unit
    if mine == yours:
        return True
    if new.figure.kind == "count":
        return bool((not mine and old.counts & new.topic) or (not yours and new.counts & old.topic))
    return False


def _apart(new: Mention, old: Mention) -> bool:
    """A sign that the two speak of different things."""
    told = (new.slots - lists()["counting"], old.slots - lists()["counting"])
    if all(told) and not told[0] & told[1]:
        return True
    if new.periods and old.periods and not new.periods & old.periods and new.figure.kind not in CALENDAR:
        return True
    labelled = {word for word, _ in new.labels} & {word for word, _ in old.labels}
    # A text may give one word several labels ('the next and the other visit'), so one in common is enough.
    if any(not {pair for pair in new.labels & old.labels if pair[0] == word} for word in labelled):
        return True
    if new.names and old.names and not (new.names & old.topic or old.names & new.topic):
        return True
    if new.days and old.days and not new.days & old.days and new.figure.kind == "clock" and not new.changed:
        return True
    return new.third != old.third
