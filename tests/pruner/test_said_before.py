"""What was said earlier and is read later takes the place of nothing that was said after it."""

from __future__ import annotations

import pytest

from cfpm import Memory, Status

WINTER, SUMMER, LONG_AGO = "2026-01-10T09:00:00Z", "2026-06-10T09:00:00Z", "2004-06-10T09:00:00Z"


def told(*said: tuple[str, str | None], one_session: bool = False) -> dict[str, Status]:
    with Memory.open(":memory:") as memory:
        for number, (text, at) in enumerate(said):
            message = {"role": "user", "content": text, **({"timestamp": at} if at else {})}
            memory.observe([message], session="s" if one_session else f"s{number}")
        return {fact.content: fact.status for fact in memory.facts(status=None)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The kiosk's port is 4010.", "The kiosk's port is 4020."),
        ("I work at a dairy in Turin.", "I don't work at the dairy any more."),
        ("I live in Ghent.", "We finally relocated, it's Lyon for us these days."),
    ],
)
def test_the_order_of_time_decides_and_not_that_of_reading(old: str, new: str) -> None:
    wanted = {old: Status.SUPERSEDED, new: Status.ACTIVE}
    assert told((old, WINTER), (new, SUMMER)) == wanted
    assert told((new, SUMMER), (old, WINTER)) == wanted


@pytest.mark.parametrize("at", [None, LONG_AGO])
def test_without_a_likely_time_what_is_read_later_is_newer(at: str | None) -> None:
    found = told(("The kiosk's port is 4020.", SUMMER), ("The kiosk's port is 4010.", at))
    assert found == {"The kiosk's port is 4020.": Status.SUPERSEDED, "The kiosk's port is 4010.": Status.ACTIVE}


def test_within_a_session_the_order_of_its_messages_decides() -> None:
    found = told(("The kiosk's port is 4020.", SUMMER), ("The kiosk's port is 4010.", WINTER), one_session=True)
    assert found["The kiosk's port is 4010."] is Status.ACTIVE


def test_what_was_replaced_and_is_read_again_from_an_older_session_stays_replaced() -> None:
    kiosk = "The kiosk's port is 4010."
    found = told((kiosk, "2026-02-01T09:00:00Z"), ("The kiosk's port is 4020.", SUMMER), (kiosk, WINTER))
    assert found == {kiosk: Status.SUPERSEDED, "The kiosk's port is 4020.": Status.ACTIVE}
    found = told((kiosk, "2026-02-01T09:00:00Z"), ("The kiosk's port is 4020.", WINTER), (kiosk, SUMMER))
    assert found == {kiosk: Status.ACTIVE, "The kiosk's port is 4020.": Status.SUPERSEDED}
