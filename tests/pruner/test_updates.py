"""What is no longer so: a new value, a move, a change of tool, a denial. The old fact stays, linked to the new one."""

from __future__ import annotations

import pytest

from cfpm import Memory, Settings, Status
from cfpm.models import Category, Draft, Fact, Role, Scope, Span, Superseding
from cfpm.observing import blocks
from cfpm.pruner.ledger import Placed
from cfpm.pruner.merge import Merger
from cfpm.pruner.updating import heard, said, update

SCOPE = Scope("garden")


def place(memory: Memory, number: int, sentence: str, name: str = "") -> Placed:
    """Each sentence as one note of a turn of its own: what an extractor would make of it is not asked here."""
    span = Span(f"m{number}", 0, len(sentence))
    draft = Draft(Category.NOTE, sentence, span, Role.USER, "test", line=sentence, speaker=name)
    merger = Merger(memory.store, SCOPE, Settings(), None)
    merger.expect([draft])
    placed = merger.place(draft, f"cand_{number}")
    memory.store.change(SCOPE.namespace, placed.changes, block_keys=blocks)
    return placed


def told(*sentences: str) -> dict[str, Fact]:
    """What is remembered of these sentences, by content."""
    memory = Memory.open("sqlite://", namespace="garden")
    for number, sentence in enumerate(sentences):
        place(memory, number, sentence)
    return {fact.content: fact for fact in memory.facts()}


UPDATES = [
    ("My snack budget for the fair is $40.", "I've increased the snack budget to $55."),
    ("The deadline for the garden report is May 3.", "The garden report deadline was extended to May 10."),
    ("We reached 72% test coverage in the parser module.", "The parser module's test coverage has now reached 81%."),
    ("The choir has 14 singers this season.", "The choir now has 19 singers."),
    ("The harbour tour is scheduled for June 4.", "The harbour tour got rescheduled from June 4 to June 11."),
    ("My salary is $80,000.", "My salary went up to 95k."),
    (
        "The import job takes 40 minutes on the old server.",
        "I've cut the import job down from 40 minutes to 12 minutes.",
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
]

DENIED = [
    ("I've been using Excel to track our travel costs since March.", "I've never used Excel for tracking costs."),
    ("I met Ivo at the pottery fair in Ghent.", "I've never met Ivo."),
    ("I've never attended any pottery courses.", "I just finished a pottery course on glazing."),
    ("We decided to use MySQL for the shop.", "We no longer use MySQL."),
    ("I submitted my application to the harbour office.", "I've never submitted an application to the harbour office."),
    ("我们使用制表符", "我们不再使用制表符"),
]

BOTH_STAND = [
    ("The snack budget is $40.", "The travel budget was raised to $300."),
    ("Sprint 1 ends on March 29.", "Sprint 2 now ends on April 12."),
    ("The deadline for the abstract is June 15.", "I have a deadline of July 20 for the paper."),
    ("Our monthly rent is $900.", "Our weekly rent was raised to $250."),
    ("My snack budget is $40.", "I want to raise my snack budget to $55."),
    ("My snack budget is $40.", "Should I raise my snack budget to $55?"),
    ("I bought 3 maps in Ghent.", "I bought 5 lamps in Ghent."),
    ("I rejected a $7,500 offer on May 10.", "I rejected a $4,000 offer on September 3."),
    ("The search takes 280 ms.", "I reduced the import from 900 ms to 400 ms."),
    ("I keep the response time under 250 ms.", "The response time went down to 300 ms."),
    ("I put $500 into my harbour fund.", "I added $100 to my harbour fund."),
    ("Her salary is $80,000.", "My salary went up to $95,000."),
    ("I met Ivo at the pottery fair.", "I've never met Anouk."),
    ("I want to attend a pottery course.", "I've never attended any pottery courses."),
    ("I read a book on glazing.", "I've never read a book on sailing."),
]


@pytest.mark.parametrize(("old", "new"), UPDATES + DENIED)
def test_what_is_no_longer_so_is_superseded_and_linked(old: str, new: str) -> None:
    facts = told(old, new)
    assert facts[new].status is Status.ACTIVE
    assert facts[old].status is Status.SUPERSEDED
    assert facts[old].superseded_by == facts[new].id


@pytest.mark.parametrize(("one", "other"), BOTH_STAND)
def test_what_may_both_be_so_stands(one: str, other: str) -> None:
    assert [fact.status for fact in told(one, other).values()] == [Status.ACTIVE] * 2


def test_the_verdict_names_the_topic_and_both_values() -> None:
    memory = Memory.open("sqlite://", namespace="garden")
    place(memory, 1, "My snack budget is $40.")
    verdict = place(memory, 2, "I've increased the snack budget to $55.").verdict
    assert isinstance(verdict, Superseding)
    assert verdict.detail == "budget snack: $55 in place of $40"


def test_the_sentence_around_a_clause_says_what_its_value_is_of() -> None:
    line = "I'm proud of the number of trees in the park, which has now reached 165."
    old = heard("The park has 150 trees.", "")
    assert update(said("which has now reached 165", line), old)
    assert not update(said("which has now reached 165"), old)


def test_a_bare_new_value_replaces_the_latest_only() -> None:
    facts = told(
        "My budget for the boat is $900.", "My travel budget is $300.", "I've got an increased budget of $350."
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
