"""How people say in a chat that a value is now another one, and what only sounds like it."""

from __future__ import annotations

import pytest

from cfpm import Status
from cfpm.text.quantities.mentions import mentions
from tests.pruner.test_updates import told

NEW = [
    ("The club archive file is 120 MB in size.", "I've managed to reduce the archive file size to 70 MB."),
    ("I have 500 glaze recipes in my notebook.", "My notebook has 640 glaze recipes now."),
    (
        "I've noticed that the pump response time is roughly 230ms.",
        "I'm trying hard to speed up my pump response time, which is currently at 170ms.",
    ),
    ("The load time of the tide map is 3 seconds.", "The tide map page load time has dropped to 2 seconds."),
    (
        "My boiler pressure reading was 141/88 in the harbour workshop.",
        "My boiler pressure was checked and it showed an improvement to 133/84.",
    ),
    ("I take home a salary of $4,100 at the boatyard.", "I got a salary increase to $4,600 at the boatyard."),
    ("I set aside $300 for the regatta.", "I had to raise my regatta budget to $380."),
    (
        "I plan to finish my harbour sketch draft by May 3.",
        "I'm not sure I'll finish my harbour sketch draft by May 9.",
    ),
    (
        "We got an 80% response rate on the regatta feedback forms.",
        "The 88% regatta feedback form response rate surprised me.",
    ),
    (
        "I led the June 4 knot workshop for 12 club members.",
        "The number of members at the June 4 knot workshop is now up to 15.",
    ),
    (
        "The glaze firing time was 9 hours, which was too long.",
        "We've managed to cut the glaze firing time down to 7 hours.",
    ),
    ("We released version 2.3.1 of Tidebook.", "I've upgraded Tidebook to 2.4.0."),
    ("My commute time is 40 minutes.", "My commute time is now 25 minutes."),
    ("The regatta deadline is May 3.", "We had to push the regatta deadline to May 10."),
    ("The regatta deadline is May 3.", "We agreed to move the regatta deadline to May 10."),
    ("The regatta fee is $50.", "We decided to raise the regatta fee to $60."),
    ("Our membership fee is $50 a year.", "Our membership fee went from $50 to $60 a year."),
    ("My resting pulse is 72.", "My resting pulse has come down to 64."),
    (
        "The drift error was 5% in the tide model.",
        "I reduced the drift error in the tide model to 2%, compared to 5% before.",
    ),
    ("I've drawn 14 harbour charts so far.", "That brings my harbour charts to a total of 18 charts."),
    ("The waiting list has 30 sailors.", "The waiting list has grown to 42 sailors."),
    ("The club newsletter has 1,200 subscribers.", "We just hit 1,500 subscribers on the club newsletter."),
    ("My running pace is 7 minutes per km.", "I've improved my running pace to 6 minutes per km."),
    ("Our test coverage in the tide parser is 72%.", "Our test coverage in the tide parser is currently 81%."),
    ("The dentist appointment is on May 4 at 3 pm.", "My dentist appointment got bumped to May 11 at 3 pm."),
    ("My knot exam score was 71%.", "My knot exam score improved to 84% from the previous 71%."),
    ("The crew is 5 people.", "The crew has expanded to 7 people."),
    ("I'm reading 20 pages of the almanac a day.", "I've upped it to 30 pages of the almanac a day."),
    ("Flight to Oslo leaves at 9:30 am on Monday.", "The Oslo flight was delayed to 11:00 am on Monday."),
    ("My screen time is 5 hours a day.", "I've cut my screen time to 3 hours a day."),
]

OLD = [
    ("The tracker memory usage is 90 MB.", "The plotter memory usage was optimized to 100 MB."),
    ("We use Tidebook v2.3.1 for the maps.", "We currently use Windly v1.4.0 for the charts."),
    (
        "My glaze test coverage goal is 95%, I'm out for 95% coverage.",
        "The glaze test coverage is currently at 91%.",
    ),
    (
        "The heartbeat is sent every 25 seconds to the tide server.",
        "I updated the tide client with a delay of up to 35 seconds.",
    ),
    ("I want to finish my harbour sketch by May 3.", "I want to finish my glaze notebook by May 9."),
    ("I scored 22/25 on the knot quiz.", "I scored 19/25 on the tide quiz."),
    ("My salary is $4,100.", "I'm asking for a salary increase to $4,600."),
    ("My salary is $4,100.", "I want a salary increase to $4,600."),
    ("I allocated $300 for the regatta.", "I allocated $500 for the garden."),
    ("The boat load time is 40 minutes.", "The boat travel time went down to 30 minutes."),
    ("The water temperature is 14 degrees.", "The oven temperature was raised to 220 degrees."),
    ("We fixed a budget of $300 for the first quarter.", "We fixed a budget of $400 for the second quarter."),
    ("The login response time is 120ms.", "The search response time has improved to 250ms."),
]


@pytest.mark.parametrize(("old", "new"), NEW)
def test_a_value_said_to_be_new_takes_the_place_of_the_old(old: str, new: str) -> None:
    facts = told(old, new)
    assert facts[new].status is Status.ACTIVE
    assert facts[old].superseded_by == facts[new].id


@pytest.mark.parametrize(("one", "other"), OLD)
def test_what_is_another_thing_a_bound_or_a_wish_takes_no_place(one: str, other: str) -> None:
    assert [(fact.status, fact.contradicts) for fact in told(one, other).values()] == [(Status.ACTIVE, "")] * 2


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("I raised the fee from $50 to $60.", "50"),
        ("The fee is $60, compared to $50 last spring.", "50"),
        ("The fee is $60 rather than $50.", "50"),
        ("The fee went up to $60 from the previous $50.", "50"),
    ],
)
def test_the_value_of_before_is_read_from_the_sentence(text: str, before: str) -> None:
    (mention,) = [mention for mention in mentions(text) if mention.figure.value == "60"]
    assert mention.before is not None
    assert mention.before.value == before


def test_a_pair_is_no_count_of_its_second_number() -> None:
    kinds = {mention.shown: mention.figure.kind for mention in mentions("My reading was 141/88 and I scored 4/5.")}
    assert kinds == {"141/88": "pair", "4/5": "count"}
