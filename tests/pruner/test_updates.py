"""What is no longer so: a new value, a move, a change of tool. The old fact stays, linked to the new one. A denial of
what was done takes no fact's place: both stand, each naming the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cfpm import Memory, Settings, Status
from cfpm.model import Accepted, Action, Category, Draft, Fact, Role, Scope, Span, Superseding
from cfpm.model.ids import cited
from cfpm.pruner.candidates import fact_keys
from cfpm.pruner.changes import Resolution
from cfpm.pruner.relation.update import _apart, update, values_known, values_told
from cfpm.pruner.resolve import ConflictResolver
from cfpm.text.quantities.mentions import mentions

SCOPE = Scope("garden")


def place(
    memory: Memory,
    number: int,
    sentence: str,
    name: str = "",
    kind: Category = Category.NOTE,
    at: datetime | None = None,
) -> Resolution:
    """Each sentence as one draft of a turn of its own: what an extractor would make of it is not asked here."""
    span = Span(f"m{number}", 0, len(sentence))
    draft = Draft(kind, sentence, span, Role.USER, "test", line=sentence, speaker=name)
    resolver = ConflictResolver(memory.store.facts, SCOPE, Settings(), at)
    resolver.expect([draft])
    placed = resolver.place(draft, f"cand_{number}")
    memory.store.fact_writer.apply(SCOPE.namespace, placed.changes, block_keys=fact_keys)
    return placed


def told(*sentences: str) -> dict[str, Fact]:
    """What is remembered of these sentences, by content."""
    memory = Memory.open("sqlite://", namespace="garden")
    for number, sentence in enumerate(sentences):
        place(memory, number, sentence)
    return {fact.content: fact for fact in memory.facts()}


def test_a_goal_that_tells_a_new_value_stays_as_long_as_what_it_replaces() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    at = datetime(2026, 3, 1, tzinfo=UTC)
    old, new = "My lantern budget is $40.", "I've increased the lantern budget to $55, which lanterns shall I buy?"
    place(memory, 1, old, kind=Category.PROFILE, at=at)
    place(memory, 2, new, kind=Category.GOAL, at=at + timedelta(days=10))
    place(memory, 3, "Which seeds shall I sow?", kind=Category.GOAL, at=at + timedelta(days=10))
    facts = {fact.content: fact for fact in memory.facts()}
    assert facts[old].superseded_by == facts[new].id
    assert facts[old].stale_at is None, "what somebody is does not decay"
    assert facts[new].stale_at is None
    assert facts["Which seeds shall I sow?"].stale_at is not None


UPDATES = [
    ("My lantern budget for the fair is $40.", "I've increased the lantern budget to $55."),
    ("The deadline for the garden report is May 3.", "The garden report deadline got extended to May 10."),
    ("We reached 72% test coverage in the parser module.", "The parser module has now come to 81% test coverage."),
    ("The choir has 14 singers this season.", "The choir now has 19 singers."),
    ("The harbour tour is scheduled for June 4.", "The harbour tour got rescheduled from June 4 to June 11."),
    ("My salary is $80,000.", "My salary went up to 95k."),
    (
        "The import job takes 40 minutes on the old server.",
        "I've cut the import job down from 40 minutes to 14 minutes.",
    ),
    ("Our monthly rent is $900.", "Our monthly rent was raised to $950."),
    ("The client library is at version 2.3.1.", "The client library was upgraded from 2.3.1 to 2.4.0."),
    ("I live in Paris.", "I moved to Berlin."),
    ("I live in Paris.", "I now live in Berlin."),
    ("I work at Initech.", "I work at Globex now."),
    ("We use Redis for the queue.", "We now use Kafka for the queue."),
    ("The port is 8080.", "Actually, the port is 9090."),
    ("我住在杭州", "我搬到了北京"),
    ("默认端口是8080", "默认端口改为9090"),
    ("我在腾飞公司工作", "我现在在远洋公司工作"),
    ("我住在杭州", "我去年搬到绍兴了，现在住在绍兴。"),
    ("默认端口是8080", "更正一下，默认端口是9090"),
    ("I live in Paris.", "I moved to Lille last month, so I no longer live in Paris."),
    ("We use Redis for the queue.", "We switched to Kafka for the queue."),
    ("The harbour tour is on 4 June.", "Sorry, I was wrong: the harbour tour is on 11 June."),
    ("I finished 4 of the pottery drills in the club book.", "I've finished 7 of the pottery drills in the club book."),
    (
        "I only drew 3 posters at the Ghent fair between May 3 and May 9.",
        "Between May 3 and May 9, how can I show that I drew 5 posters?",
    ),
    ("My map archive in Ghent has 45 sheets.", "I've added 57 sheets to my map archive in Ghent."),
    ("I keep to the limit of 1000 calls/day for the tide API.", "The tide API has a new daily call quota of 1,400."),
    (
        "My accuracy in glaze mixing trials improved from 64% to 78% after 12 trials.",
        "I've already completed 16 trials with 85% accuracy in glaze mixing.",
    ),
    ("I've cut my weekly overtime from 11 to 6 hours.", "I've managed to get my overtime down to 4 hours."),
    ("We decided on a $620 monthly budget for pastries.", "Our pastry budget was increased to $680 monthly."),
    ("We decided to use MySQL for the shop.", "We no longer use MySQL."),
    ("我们使用制表符", "我们不再使用制表符"),
]

CONTRADICTING = [
    ("I've been using Gnumeric to log our travel costs since March.", "I've never used Gnumeric for logging costs."),
    ("I met Ivo at the pottery fair in Ghent.", "I've never met Ivo."),
    ("I've never attended any pottery courses.", "I just finished a pottery course on glazing."),
    ("I handed in my application at the harbour office.", "I've never handed in an application at the harbour office."),
    ("We've got a key for the tide API, obtained on March 3.", "We've never actually obtained a tide API key."),
    ("I made peace with Ivo by repainting our dinghy.", "I've never repainted a dinghy with Ivo."),
    ("I've managed to sketch a first harbour map with Inkscape.", "I've never drawn any Inkscape maps or sold prints."),
    ("I talked with Anouk at a glazing workshop.", "I've never attended any glazing workshops."),
]

BOTH_STAND = [
    ("The lantern budget is $40.", "The travel budget was raised to $300."),
    ("Sprint 1 ends on March 27.", "Sprint 2 now ends on April 12."),
    ("The deadline for the abstract is June 15.", "I have a deadline of July 18 for the paper."),
    ("Our monthly rent is $900.", "Our weekly rent was raised to $250."),
    ("My lantern budget is $40.", "I want to raise my lantern budget to $55."),
    ("My lantern budget is $40.", "Should I raise my lantern budget to $55?"),
    ("I bought 3 maps in Ghent.", "I bought 5 lamps in Ghent."),
    ("I turned down a $7,300 offer on May 12.", "I turned down a $4,200 offer on September 3."),
    ("The search takes 280 ms.", "I reduced the import from 900 ms to 400 ms."),
    ("I keep the response time under 250 ms.", "The response time went down to 300 ms."),
    ("I put $500 into my harbour fund.", "I added $100 to my harbour fund."),
    ("Her salary is $80,000.", "My salary went up to $95,000."),
    ("I met Ivo at the pottery fair.", "I've never met Anouk."),
    ("I want to attend a pottery course.", "I've never attended any pottery courses."),
    ("The harbour tour is on 4 June.", "The harbour tour is on 11 June."),
    ("I read a book on glazing.", "I've never read a book on sailing."),
    ("We completed our final sketch.", "We've never completed a clumsy sketch of a mural."),
    ("We've been working with Ivo on our sketches.", "We've never completed a sketch of a mural."),
    ("Our cinema night budget is $200 a month.", "Our pastry budget was increased to $680 monthly."),
    ("My emergency fund covers two months.", "My emergency fund has reached $1,200."),
    ("I finished 7 of the drills in the club book.", "I finished 4 of the drills in the club book."),
    ("My map archive has 45 sheets.", "I added 57 sheets to my map archive."),
]


@pytest.mark.parametrize(("old", "new"), UPDATES)
def test_what_is_no_longer_so_is_superseded_and_linked(old: str, new: str) -> None:
    facts = told(old, new)
    assert facts[new].status is Status.ACTIVE
    assert facts[old].status is Status.SUPERSEDED
    assert facts[old].superseded_by == facts[new].id


@pytest.mark.parametrize(("one", "other"), [*CONTRADICTING, *((new, old) for old, new in CONTRADICTING)])
def test_what_was_denied_and_done_stands_and_each_names_the_other(one: str, other: str) -> None:
    facts = told(one, other)
    assert [fact.status for fact in facts.values()] == [Status.ACTIVE] * 2
    assert facts[one].contradicts == facts[other].id
    assert facts[other].contradicts == facts[one].id


@pytest.mark.parametrize(("one", "other"), BOTH_STAND)
def test_what_may_both_be_so_stands(one: str, other: str) -> None:
    facts = told(one, other).values()
    assert [(fact.status, fact.contradicts) for fact in facts] == [(Status.ACTIVE, "")] * 2


@pytest.mark.parametrize(
    "old", ["I haven't yet visited the harbour museum.", "I've never visited the harbour museum before."]
)
def test_what_had_not_been_done_yet_is_replaced_by_the_deed(old: str) -> None:
    new = "I visited the harbour museum."
    assert told(old, new)[old].superseded_by == told(old, new)[new].id


def test_a_contradiction_is_on_record_in_the_verdict_the_history_and_the_block() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    done = place(memory, 1, "I met Ivo at the pottery fair in Ghent.").verdict
    denied = place(memory, 2, "I've never met Ivo.").verdict
    assert isinstance(done, Accepted)
    assert denied == Accepted(denied_id(denied), "contradicting", detail="denied: work ivo")
    created = memory.history(denied_id(denied))[-1]
    named = memory.history(done.fact_id)[-1]
    assert (created.action, created.after["contradicts"]) == (Action.CREATE, done.fact_id)
    assert (named.action, named.after) == (Action.CONTRADICT, {"contradicts": denied_id(denied)})
    assert f"contradicts {cited(done.fact_id)}" in memory.recall("Did I meet Ivo?").block


def denied_id(verdict: object) -> str:
    assert isinstance(verdict, Accepted)
    return verdict.fact_id


def test_what_was_forgotten_contradicts_nothing() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    done = place(memory, 1, "I met Ivo at the pottery fair in Ghent.").verdict
    memory.forget(denied_id(place(memory, 2, "I've never met Ivo.").verdict))
    assert memory.fact(denied_id(done)).contradicts == ""


def test_a_denial_names_at_most_six_that_contradict_it() -> None:
    towns = ("Ghent", "Lille", "Breda", "Delft", "Namur", "Leuven", "Bruges")
    fairs = [f"I attended the pottery fair in {town}." for town in towns]
    denial = "I've never attended a pottery fair."
    assert len(told(*fairs, denial)[denial].contradicts.split()) == 6


@pytest.mark.parametrize(
    ("said_first", "again"),
    [
        ("Always glaze twice.", "As I said: always glaze twice!"),
        ("Never fire the kiln on Fridays.", "Remember: never fire the kiln on a Friday."),
        ("以后都用素烧", "我说过：以后都用素烧！"),
    ],
)
def test_what_is_said_again_with_an_opening_is_no_second_fact(said_first: str, again: str) -> None:
    (fact,) = told(said_first, again).values()
    assert (fact.content, fact.evidence_count) == (said_first, 2)


def test_the_verdict_names_the_topic_and_both_values() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    place(memory, 1, "My lantern budget is $40.")
    verdict = place(memory, 2, "I've increased the lantern budget to $55.").verdict
    assert isinstance(verdict, Superseding)
    assert verdict.detail == "budget lantern: $55 in place of $40"


def test_the_sentence_around_a_clause_says_what_its_value_is_of() -> None:
    line = "We keep count of the trees in the park, which has now grown to 165."
    old = values_known("The park has 150 trees.", "")
    assert update(values_told("which has now grown to 165", line), old)
    assert not update(values_told("which has now grown to 165"), old)


def test_a_bare_new_value_replaces_the_latest_only() -> None:
    facts = told(
        "My budget for the boat is $900.", "My travel budget is $300.", "I've got an increased spending budget of $350."
    )
    assert facts["My budget for the boat is $900."].status is Status.ACTIVE


def test_another_persons_value_stands() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    place(memory, 1, "My rent is $900.", "Ada")
    place(memory, 2, "My rent was raised to $950.", "Ben")
    assert {fact.status for fact in memory.facts()} == {Status.ACTIVE}


def test_a_list_of_times_in_one_message_is_no_series_of_corrections() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    memory.observe([{"role": "user", "content": "Time: 9:00\n\nTime: 10:30\n\nTime: 13:00", "id": "1"}], session="s")
    assert all(fact.status is Status.ACTIVE for fact in memory.facts())


def test_labels_are_held_together_by_word_whatever_their_order() -> None:
    (old,) = mentions("The launch dinner is on Saturday at 3 PM")
    (new,) = mentions("The launch dinner is on Saturday at 4 PM")
    next_and_other = replace(new, labels=frozenset({("", "next"), ("", "other")}))
    assert not _apart(next_and_other, replace(old, labels=frozenset({("", "next")})))
    assert not _apart(next_and_other, replace(old, labels=frozenset({("", "other")})))
    assert _apart(next_and_other, replace(old, labels=frozenset({("", "last")})))
