"""What somebody says was never done, is not so, or is over, in other forms; and what must not be tied to it."""

from __future__ import annotations

import pytest

from cfpm import Memory, Status
from cfpm.pruner.corrections import MAX_LINKS
from cfpm.text.deeds.denials import denial
from tests.pruner.test_updates import told

DENIED = [
    ("not so far", "I handed out the tide leaflets.", "I haven't handed out any tide leaflets."),
    ("not yet, able", "We repaired the winch motor on Monday.", "We haven't yet been able to repair the winch motor."),
    ("simple past", "I attended the knot workshop in Ghent.", "I didn't attend the knot workshop."),
    ("tried", "I downloaded Tidebook for the crossing.", "I've never tried Tidebook."),
    ("at present", "I own a folding kayak.", "I don't own a folding kayak."),
    ("at all", "We store the tide tables in Redis.", "We don't store the tide tables at all."),
    ("member", "I joined the harbour choir in May.", "I am not a member of the harbour choir."),
    (
        "passive never",
        "We integrated Tidebook into the harbour map.",
        "Tidebook has never been integrated into the harbour map.",
    ),
    ("no such thing", "I booked a berth for the regatta.", "No berth has been booked for the regatta."),
    ("nobody", "I've been tutoring two sailors since March.", "I've never tutored anyone, so where do I start?"),
    ("any means", "I track my crossings with Tidebook.", "I've never tracked my crossings with any app."),
    ("lasting", "I keep a logbook beside my bunk.", "I've never kept a logbook."),
    ("means", "We charted the bay with Inkscape on Tuesday.", "We have never used Inkscape for anything."),
    ("place", "I visited my aunt in Bruges at Easter.", "I've never been to Bruges."),
    ("owned", "I'm asking about help with my tide calculator layout.", "I've never built a tide calculator."),
    ("happening", "My conversation with Anouk about the mooring went on for an hour.", "I've never spoken with Anouk."),
    ("acquaintance", "My colleague Anouk drew the chart.", "I've never met Anouk."),
    (
        "said beside it",
        "I'm unsure about the sail, since I've taken a rigging course.",
        "I've never taken a rigging course.",
    ),
    ("one of two", "I've read the pilot book.", "I've never read almanacs and pilot books."),
    (
        "it",
        "We wiped our old plotter data in May.",
        "How do we lend it without wiping plotter data? We've never done it.",
    ),
    (
        "this",
        "We planned a regatta dinner in May.",
        "We're new to planning regatta dinners, since we've never tried this before.",
    ),
    (
        "to do that",
        "We repaired a winch motor in May.",
        "I'd like to repair a winch motor, though I've never tried that.",
    ),
    ("a person", "I met Ivo at the harbour fair in Ghent.", "I've never met that fellow Ivo at any harbour event."),
    ("apposition", "I met a fellow sailor, Ivo, at the fair.", "I've never met Ivo."),
    (
        "asked about",
        "Should I add oars to our packing list for the regatta?",
        "I've never made a packing list for a regatta.",
    ),
    ("habit", "I always check the tide tables at home.", "I never check the tide tables."),
    ("habit, taken", "I usually take the ferry to work.", "I never take the ferry."),
    ("part of", "I joined the harbour choir in May.", "I've never been part of the harbour choir."),
    ("irregular", "We paid off our boat loan in March.", "We've never paid off a loan."),
    ("experience", "I've sailed solo to Texel.", "I have zero experience sailing solo."),
    ("experience of a thing", "I use Tidebook for crossings.", "I have no prior experience with Tidebook."),
    ("base form", "I attended the rigging seminar.", "I didn't go to the rigging seminar."),
    ("a plan to a number", "We upgraded our berth plan to 12 months.", "We've never upgraded our berth plan."),
    ("likes", "I hired Ivo as a rigger last spring.", "I've never recruited a rigger."),
    ("started", "I started sailing lessons on June 1.", "I've never started sailing lessons."),
    ("title", "We met Dr. Anouk Maes at the clinic.", "We've never met Dr. Anouk Maes."),
    ("anything by", "We read the Tidal Notes by Ivo Maes.", "We've never read any stories by Ivo Maes."),
    ("together", "Anouk and I co-coached a knot class.", "We've never co-coached a knot class."),
    ("deed as a noun", "I bought rigging tools in May.", "I've never made a purchase of rigging tools."),
    ("of any", "I finished my first chart on May 3.", "I've never finished a chart of any harbour."),
]

APART = [
    ("another of the kind", "I finished the course on tide tables.", "I haven't finished the course on knots."),
    ("another number", "I finished chapter 2 of the almanac.", "I never finished chapter 5 of the almanac."),
    ("named otherwise", "I watched a film in Ghent.", "I've never watched a film about Shackleton."),
    ("condition", "I keep a logbook.", "I wonder what happens if I don't keep a logbook."),
    ("help with it", "I asked for help with Tidebook.", "I've never used Tidebook."),
    ("to come", "I'm unsure about my next sailing course.", "I've never taken a sailing course."),
    ("what is there can be unused", "I cleaned my folding kayak.", "I've never used my folding kayak."),
    ("a friend's deed", "My colleague Anouk praised Tidebook.", "I've never used Tidebook."),
    ("no mere verb", "We did the laundry.", "We've never done anything of the kind."),
    (
        "other passive",
        "We integrated Tidebook into the harbour map.",
        "Windly has never been integrated into the harbour map.",
    ),
    ("never finished", "I'm working on a harbour chart of the bay.", "I've never finished a harbour chart of the bay."),
    ("another's project", "I set a day for my project to paint harbour charts.", "I've never made harbour charts."),
    (
        "this, of another",
        "We planned a regatta dinner in May.",
        "We're new to knitting nets, since we've never tried this before.",
    ),
    ("a thing wished for", "Should I make a packing list?", "I've never made a packing list for a regatta."),
    ("another habit", "I always check the tide tables.", "I never check the weather report."),
    ("other means", "I usually take the ferry to work.", "I never take the tram to work."),
    ("no experience of another", "I have experience with rigging.", "I have no experience with glazing."),
    ("by another", "We read the Tidal Notes by Ivo Maes.", "We've never read any stories by Anouk Peters."),
    ("have to", "I have to file the harbour permit.", "I don't have a harbour permit."),
]


@pytest.mark.parametrize(("done", "no"), [case[1:] for case in DENIED], ids=[case[0] for case in DENIED])
def test_what_is_denied_in_other_forms_is_linked(done: str, no: str) -> None:
    facts = told(done, no)
    assert [fact.status for fact in facts.values()] == [Status.ACTIVE] * 2
    assert facts[done].contradicts == facts[no].id
    assert facts[no].contradicts == facts[done].id


@pytest.mark.parametrize(("done", "no"), [case[1:] for case in APART], ids=[case[0] for case in APART])
def test_what_is_not_the_same_is_not_linked(done: str, no: str) -> None:
    for facts in (told(done, no), told(no, done)):
        assert [(fact.status, fact.contradicts) for fact in facts.values()] == [(Status.ACTIVE, "")] * 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I haven't booked a berth for the regatta.", "I booked a berth for the regatta."),
        ("No berth has been booked yet.", "I booked a berth near the mole."),
        ("I use Tidebook to plan my crossings.", "I don't use Tidebook any more."),
        ("I've been using Tidebook since May.", "We dropped Tidebook."),
    ],
)
def test_what_has_come_or_is_over_takes_the_place_of_the_other(old: str, new: str) -> None:
    facts = told(old, new)
    assert facts[old].superseded_by == facts[new].id


def test_a_not_yet_that_was_a_contradiction_is_not_replaced_but_named_again() -> None:
    first, no, again = (
        "I visited the harbour museum in May.",
        "I've never visited the harbour museum before.",
        "I visited the harbour museum with Ivo.",
    )
    facts = told(first, no, again)
    assert facts[no].status is Status.ACTIVE
    assert set(facts[no].contradicts.split()) == {facts[first].id, facts[again].id}


def test_a_preference_may_deny_too() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    said = ["I attended a rigging course in Ghent.", "I prefer short lessons and I've never attended a rigging course."]
    memory.observe([{"role": "user", "content": text, "id": str(n)} for n, text in enumerate(said)], session="s")
    assert sorted(bool(fact.contradicts) for fact in memory.facts()) == [True, True]


def test_none_missed_is_no_deed_that_was_denied() -> None:
    facts = told("I kept the watch with no missed turns.", "I haven't missed any turns.").values()
    assert [(fact.status, fact.contradicts) for fact in facts] == [(Status.ACTIVE, "")] * 2


@pytest.mark.parametrize(
    "text",
    [
        "I didn't know that.",
        "What if we don't use it?",
        "I don't think so.",
        "The sea was not calm.",
        "Make sure I didn't make any mistakes.",
        "I don't have the exact figures.",
    ],
)
def test_these_deny_no_deed(text: str) -> None:
    assert denial(text) is None


def test_each_thing_denied_has_its_own_verb() -> None:
    no = denial("We've never filed any claims or received tickets.")
    assert no is not None
    assert [(sorted(group.words), sorted(group.verbs)) for group in no.groups] == [
        (["claim"], ["submit"]),
        (["ticket"], ["get"]),
    ]


def test_what_was_replaced_since_is_named_too_and_stays_replaced() -> None:
    first, second, no = (
        "I finished 4 of the pottery drills in the club book.",
        "I've finished 7 of the pottery drills in the club book.",
        "I've never finished any pottery drills.",
    )
    facts = told(first, second, no)
    assert [facts[text].status for text in (first, second, no)] == [Status.SUPERSEDED, Status.ACTIVE, Status.ACTIVE]
    assert facts[first].superseded_by == facts[second].id
    assert set(facts[no].contradicts.split()) == {facts[first].id, facts[second].id}
    assert facts[first].contradicts == facts[second].contradicts == facts[no].id


def test_what_stands_is_named_before_what_was_replaced() -> None:
    counts = [f"I've finished {count} of the pottery drills in the club book." for count in range(4, 13)]
    facts = told(*counts, no := "I've never finished any pottery drills.")
    assert facts[no].contradicts.split()[0] == facts[counts[-1]].id
    assert len(facts[no].contradicts.split()) == MAX_LINKS


def test_what_was_taken_back_is_not_denied_again() -> None:
    facts = told(
        "The boat tour goes to Ghent.", "Sorry, I meant the boat tour goes to Bruges.", "I've never been to Ghent."
    )
    assert [fact.contradicts for fact in facts.values()] == [""] * 3


def test_a_not_yet_that_came_is_not_held_against_later_deeds() -> None:
    facts = told(
        "I haven't booked a berth for the regatta.",
        "I booked a berth for the regatta.",
        "I booked the berth for the regatta with Anouk.",
    )
    assert [fact.contradicts for fact in facts.values()] == [""] * 3


def test_nothing_is_merged_into_what_was_replaced_or_takes_its_place_again() -> None:
    first, second = "My lantern budget for the fair is $40.", "I've increased the lantern budget to $55."
    facts = told(first, second, third := "I've increased the lantern budget for the fair to $70.")
    assert (facts[first].superseded_by, facts[second].superseded_by) == (facts[second].id, facts[third].id)
