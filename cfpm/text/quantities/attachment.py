"""How a value hangs in its clause: the word that leads to it, the noun it is of, whether it is wanted or bounded."""

from __future__ import annotations

from dataclasses import dataclass

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.words import Kind, classify
from cfpm.text.quantities.figures import Figure
from cfpm.text.quantities.vocabulary import TIME, alike, lists, periods

CALENDAR = frozenset({"date", "clock"})
"""Values that say when."""

_THE = frozenset(["the", "my", "our", "these", "those"])

UNDER = "under"
"""Before a count of what is measured with: "180 ms under 50 users" is not "210 ms under 300 users"."""

BEFORE, AFTER = 10, 5
"""Words before and behind a value among which its noun is looked for."""


@dataclass(frozen=True, slots=True)
class Told:
    items: list[tuple[str, str, Figure | None]]
    lowers: list[str]
    stems: list[str]
    earlier: list[str]
    earlier_periods: frozenset[str]
    points: bool
    wide: frozenset[str]
    dates: frozenset[str]
    said_dates: frozenset[str]


def points_back(lowers: list[str], stems: list[str], kinds: list[str]) -> bool:
    """ "It was adjusted to 1,350 words" says what only together with the clause before."""
    upto = kinds.index("value")
    owned = sum(bool(stem) for stem in stems[:upto])
    return owned == 0 or (owned == 1 and any(word in lists()["pointing"] for word in lowers[:upto]))


def periods_of(lowers: list[str]) -> frozenset[str]:
    """ "Weekly", "per week", "a week"; not "this week"."""
    found = set()
    for at, word in enumerate(lowers):
        if word in periods() and (
            word.endswith(("ly", "annual")) or (at and lowers[at - 1] in ("per", "a", "each", "every"))
        ):
            found.add(periods()[word])
    return frozenset(found)


def is_done(lowers: list[str], at: int) -> bool:
    """ "I've solved 10 of them", "we recently solved 10"; not "I want to solve 10"."""
    for place, word in enumerate(lowers[:at]):
        if word in ("i've", "we've"):
            return True
        after = next((w for w in lowers[place + 1 : at] if classify(w).kind is Kind.CONTENT), "")
        if word in ("i", "we") and (after.endswith("ed") or after in lexicon().participle):
            return True
    return False


def link_of(lowers: list[str], at: int) -> str:
    """The small word or verb that leads to the value."""
    for word in reversed(lowers[max(0, at - 4) : at]):
        if word in lists()["links"]:
            return word
        if word not in lists()["fillers"]:
            return ""
    return ""


def counted(told: Told, at: int) -> str:
    """What a number counts: the last noun of the phrase behind it."""
    last = ""
    if at + 1 < len(told.items) and (span := told.lowers[at + 1].rstrip("s")) in periods():
        return span
    begin = at + 1
    if told.lowers[begin : begin + 1] == ["of"] and told.lowers[at + 2 : at + 3] and told.lowers[at + 2] in _THE:
        begin = at + 3
    for place in range(begin, min(len(told.items), begin + 3)):
        if told.items[place][0] != "word" or not told.stems[place]:
            break
        last = told.stems[place]
        if told.lowers[place].endswith("s"):
            break
    return last


def is_label(told: Told, at: int) -> bool:
    value = told.items[at][2]
    if value is None or value.kind != "count" or not at or len(value.value) > 4:
        return False
    if told.lowers[at - 1] in lists()["ordinals"] or told.lowers[at - 1] == "top":
        return True
    return told.items[at - 1][0] == "word" and told.stems[at - 1] in lists()["labels"]


def labels_of(told: Told) -> frozenset[tuple[str, str]]:
    found = {
        (told.stems[at - 1], value.value)
        for at, (_, _, value) in enumerate(told.items)
        if value is not None and is_label(told, at)
    }
    found |= {
        (UNDER, value.value)
        for at, (_, _, value) in enumerate(told.items)
        if at and value is not None and value.kind == "count" and told.lowers[at - 1] == UNDER and counted(told, at)
    }
    found |= {("", word) for word in told.lowers if word in lists()["ordinals"]}
    return frozenset(found)


def is_noun(told: Told, place: int) -> bool:
    """Not a verb form, and no part of a name: "New Balance"."""
    text = told.items[place][1]
    if told.lowers[place].endswith(("ed", "ing")) or (place and text[0].isupper()):
        return False
    follows = told.stems[place + 1] if place + 1 < len(told.stems) else ""
    return not follows or told.stems[place] not in lists()["calendar"]


def slot_of(told: Told, at: int) -> tuple[frozenset[str], frozenset[str]]:
    """The noun next to the value that has one value at a time, and what it is of; empty sets without one."""
    known = _slots_for(told.items[at][2])
    window = range(max(0, at - BEFORE), min(len(told.items), at + AFTER + 1))
    places = [place for place in window if _is_slot(told.stems[place], known) and is_noun(told, place)]
    if not places and (allotted := _allotted(told, at)):
        return frozenset({"budget"}), allotted
    if not places:
        tail = told.earlier[-BEFORE:] if told.points else []
        names = frozenset([word for word in tail if _is_slot(word, known)][-1:])
        return alike(names), frozenset(tail) - names - lists()["of_any"] if names else frozenset()
    place = min(places, key=lambda p: (abs(p - at), p))
    while place + 1 in places:
        place += 1
    of = (_before_noun(told, place) | _behind_noun(told, place)) - lists()["of_any"]
    if told.lowers[place] == "time":
        of -= {told.stems[place - 1]}
    return alike(frozenset({told.stems[place]})), frozenset(of)


def _allotted(told: Told, at: int) -> frozenset[str]:
    """ "I set aside $300 for the garden": what a budget is of; empty without such words."""
    value, known = told.items[at][2], lists()["allotted"]
    if value is None or value.kind != "money" or known.isdisjoint(told.lowers[max(0, at - 4) : at]):
        return frozenset()
    return frozenset(told.stems[at + 2 : at + 6]) - {""} if told.lowers[at + 1 : at + 2] == ["for"] else frozenset()


def _is_slot(stem: str, known: frozenset[str]) -> bool:
    return stem in known or stem.endswith(TIME)


def _slots_for(value: Figure | None) -> frozenset[str]:
    kind = value.kind if value else ""
    if kind in CALENDAR:
        return lists()["calendar"]
    return lists()["slots"] - lists()["counting"] if kind == "count" else lists()["slots"]


def _before_noun(told: Told, place: int) -> set[str]:
    """ "Snack" in "the snack budget"."""
    found: set[str] = set()
    for step in range(place - 1, max(-1, place - 5), -1):
        word, stem = told.lowers[step], told.stems[step]
        if stem:
            found.add(stem)
        elif told.items[step][0] == "word" and classify(word).kind is Kind.PARTICLE:
            continue
        elif told.items[step][0] != "value" and word not in periods() and word not in lists()["beside_noun"]:
            break
    return found


def _behind_noun(told: Told, place: int) -> set[str]:
    """ "Snacks" in "the budget for snacks"."""
    found: set[str] = set()
    inside = False
    for step in range(place + 1, min(len(told.items), place + 7)):
        word = told.lowers[step]
        if word in ("for", "of", "on", "in"):
            inside = True
        elif inside and told.stems[step]:
            found.add(told.stems[step])
        elif word in lists()["ends_phrase"]:
            inside = False
    return found
