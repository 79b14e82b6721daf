"""Whether the words around a value say that it is new, wanted, bounded or only possible: "we agreed to lower it to 5".

What it is a value of: `hanging.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.text.quantities.attachment import AFTER, CALENDAR
from cfpm.text.quantities.vocabulary import lists

if TYPE_CHECKING:
    from cfpm.text.quantities.attachment import Told

_UNTIL = frozenset(["to", "through", "until", "till", "for"])


def is_real(lowers: list[str], at: int, presupposed: bool) -> bool:
    if any(word in lists()["possible"] for word in lowers):
        return False
    return presupposed or not any(word in lists()["unreal"] for word in lowers[lowers[0] == "considering" : at])


def is_delta(told: Told, at: int, link: str) -> bool:
    """ "By 20%", "a 20% increase": how much it changed, not what it is."""
    if link == "by":
        value = told.items[at][2]
        return value is None or value.kind not in ("date", "clock")
    return any(word.rstrip("s") in lists()["delta"] for word in told.lowers[at + 1 : at + 3])


def is_bound(told: Told, at: int) -> bool:
    """ "Under 250 ms", "I added $100 to it": a limit, or what was put to something, not what it is."""
    close = told.lowers[max(0, at - 2) : at]
    flows = any(word in lists()["flows"] for word in close) and not is_running(told, at)
    return flows or any(word in lists()["bounds"] for word in close)


def is_running(told: Told, at: int) -> bool:
    """ "I've added 30 plants": the perfect counts all so far; "I added 30" counts once. Amounts of money are flows."""
    value, close = told.items[at][2], told.lowers[max(0, at - 3) : at]
    return value is not None and value.kind == "count" and "added" in close and ("i've" in close or "we've" in close)


def is_aim(lowers: list[str], at: int) -> bool:
    """ "To reduce it to 5", "to cover 6 months": what is wanted, not what is."""
    if not lists()["aimed"].isdisjoint(lowers[max(0, at - 5) : at]):
        return True
    now_that = [place for place in range(at) if lowers[place : place + 2] == ["now", "that"]]
    for place in range(max(now_that, default=0), at - 1):
        if (
            lowers[place] in lists()["before_base"]
            and (not place or lowers[place - 1] not in lists()["did"])
            and (lowers[place + 1] in lists()["aims"] or place == at - 2)
        ):
            return lowers[place + 1] not in lists()["fillers"] and lowers[place + 1] not in lists()["possessive"]
    return False


def is_called_new(told: Told, at: int) -> bool:
    """ "My new budget is $65", "$65, the revised one": an adjective beside the value."""
    known = lists()["adjective"]
    behind = [text for _, text, _ in told.items[at + 1 : at + 3]]
    close = behind if behind[:1] == ["the"] else behind[:1]
    return any(text in known for _, text, _ in told.items[max(0, at - 5) : at]) or not known.isdisjoint(close)


def is_changed(told: Told, at: int, link: str, presupposed: bool) -> bool:
    """ "I raised it to $65", "it is now $65", "moved to Friday": a word says that the value is new.

    `presupposed` when its noun is called new.
    """
    known, lowers = lists(), told.lowers
    value = told.items[at][2]
    now = is_now(lowers, at)
    if value is not None and value.kind in CALENDAR:
        done = not known["rescheduled"].isdisjoint(lowers) or _is_deed(lowers, at)
        moved = done and link in _UNTIL
        adjective = at > 0 and lowers[at - 1] in known["adjective"]
        return moved or (now and link in ("by", "on", "at", "is", "for")) or adjective
    if is_up_to(lowers, at):
        return now or presupposed
    turned = (
        any(word in ("down", "up") for word in lowers[max(0, at - 4) : at]) and link == "to" and not is_aim(lowers, at)
    )
    cues = known["changed"] | known["tuned"] if link == "to" else known["changed"]
    cued = link in known["towards"] and (not cues.isdisjoint(lowers[:at]) or is_achieved(lowers, at))
    return now or turned or cued or presupposed


def is_up_to(lowers: list[str], at: int) -> bool:
    """ "A queue of up to 12 guests" is bounded; "it is up to 12" and "it went up to 12" have risen."""
    return (
        lowers[max(0, at - 2) : at] == ["up", "to"]
        and lowers[at - 3 : at - 2] != []
        and (lowers[at - 3] not in lists()["up_to"])
    )


def is_now(lowers: list[str], at: int) -> bool:
    """ "It is now $65", "I have 65 of them now"; not "right now"."""
    trailing = lowers[-1] == "now" and len(lowers) - 1 - at in range(1, AFTER) and lowers[-2] != "right"
    return "now" in lowers[max(0, at - 6) : at] or "nolonger" in lowers or trailing


def is_present(lowers: list[str], at: int) -> bool:
    """ "It is currently at $65"."""
    return not lists()["at_present"].isdisjoint(lowers[max(0, at - 6) : at])


def is_achieved(lowers: list[str], at: int) -> bool:
    """ "we agreed to lower it to 5", "after lowering it to 5", "a sudden drop to 5"."""
    close = lowers[max(0, at - 4) : at]
    known = lists()
    noun = close[-1:] == ["to"] and not known["change_nouns"].isdisjoint(close)
    return _is_deed(lowers, at) or (noun and known["asked"].isdisjoint(lowers[:at]))


def _is_deed(lowers: list[str], at: int) -> bool:
    """ "Managed to lower", "had to move", "after lowering"."""
    known = lists()
    for place in range(1, at):
        led = lowers[place - 1]
        if lowers[place] in known["change_done"] and (
            led == "after"
            or (led == "to" and lowers[max(0, place - 2)] in known["did"])
            or (led == "in" and lowers[max(0, place - 2)] == "succeeded")
        ):
            return True
    return False


def is_former(told: Told, at: int) -> bool:
    """ "85%, compared to 70% before", "$60 rather than $50", "up from the previous 70%", beside another such value."""
    known, (_, _, value) = lists(), told.items[at]
    close = told.lowers[max(0, at - 4) : at]
    led = not known["against"].isdisjoint(close) or not known["former"].isdisjoint(close[-2:])
    others = (told.items[place][2] for place in range(len(told.items)) if place != at)
    return led and value is not None and any(other is not None and other[::2] == value[::2] for other in others)
