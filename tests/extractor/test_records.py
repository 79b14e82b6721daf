"""A record that somebody pastes to have it worked on is quoted; one that they fill in about themselves is said."""

import pytest

from cfpm.text.pasted.records import record_lines


@pytest.mark.parametrize(
    "record",
    [
        "Booking: QX7\nGuests: 2 adults\nTotal: EUR 312",
        "Order #5521\nShipped to: 14 Hill Row\nItem: shelf",
        "Mon 9:00 standup\nTue 14:00 review",
        "08:00 起床\n08:30 吃早饭",
        "Status Success\nQueue time 2m 14s\nTriggered 6 minutes ago",
        "航班：MU512\n座位：32A",
    ],
)
def test_a_record_with_a_task_is_pasted(record: str) -> None:
    lines = record.count("\n") + 1
    assert record_lines(f"{record}\ncan you check this for me?") == frozenset(range(lines))


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ulla Berg\nTown: Lund",
        "Here is some info on me:\nJob: ferry captain\nHome: Bergen\nplan a week for me",
        "Use Python 3.12\nNo new dependencies\nMax 200 lines\nwrite the parser please",
        "Note: the kiln is hot\nGoal: ship on Friday\nwhat is left to do?",
        "We moved in May\nOur team has 4 people\nI lead it\nhow do I plan the week?",
    ],
)
def test_what_its_sender_tells_is_said(text: str) -> None:
    assert record_lines(text) == frozenset()
