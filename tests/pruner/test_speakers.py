"""Two people who say the same words are two facts; each corrects, repeats and takes back only what is theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.model import Category, Decision, Draft, Fact, Message, Origin, Role, Span, Status, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PIZZA = "I love pizza with pickled fennel."
RATING = 0.25


def heard(turn: Turn) -> Iterable[Draft]:
    """Every message as one draft of its speaker."""
    for message in turn.messages:
        kind = Category.ARTIFACT if message.text.startswith("/") else Category.NOTE
        span = Span(message.id, 0, len(message.text))
        rule, line = ("artifact.edited" if kind is Category.ARTIFACT else "handed"), message.text
        yield Draft(
            kind, message.text, span, Role.USER, rule, line=line, speaker=message.name, salience=RATING, shares=()
        )


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://", extractors=[heard]) as opened:
        yield opened


def say(memory: Memory, speaker: str, text: str) -> Fact:
    """Somebody says it; only `heard` looks into the message. Returns the fact that the verdict names."""
    said = Message(Role.USER, text, f"m{len(memory.candidates())}", name=speaker, origin=Origin.THINKING)
    memory.observe([said])
    return memory.fact(memory.candidates()[0].fact_id)


def decision(memory: Memory) -> Decision:
    return memory.candidates()[0].decision


def active(memory: Memory) -> list[str]:
    return sorted(fact.attributed for fact in memory.facts(status=Status.ACTIVE))


def test_the_same_words_of_two_people_are_two_facts(memory: Memory) -> None:
    ann, bob = say(memory, "Ann", PIZZA), say(memory, "Bob", PIZZA)
    assert (ann.key, bob.key) == ("ann: i love pizza with pickled fennel", "bob: i love pizza with pickled fennel")
    assert active(memory) == [f"Ann: {PIZZA}", f"Bob: {PIZZA}"]
    assert memory.candidates()[0].speaker == "Bob"


def test_the_same_words_of_two_people_in_one_turn_are_two_facts(memory: Memory) -> None:
    memory.observe([Message(Role.USER, PIZZA, name, name=name, origin=Origin.THINKING) for name in ("Ann", "Bob")])
    assert active(memory) == [f"Ann: {PIZZA}", f"Bob: {PIZZA}"]


@pytest.mark.parametrize("name", ["Ann", "ann", " ANN "])
def test_a_person_who_says_it_again_reinforces_it(memory: Memory, name: str) -> None:
    first = say(memory, "Ann", PIZZA)
    assert say(memory, name, PIZZA).evidence_count == first.evidence_count + 1
    assert decision(memory) is Decision.MERGED


def test_only_the_same_person_says_nearly_the_same(memory: Memory) -> None:
    say(memory, "Ann", PIZZA)
    say(memory, "Bob", "I love pizza with some pickled fennel.")
    assert decision(memory) is Decision.ACCEPTED
    say(memory, "Ann", "I really love pizza with pickled fennel.")
    assert decision(memory) is Decision.MERGED


def test_only_the_same_person_gives_a_new_value(memory: Memory) -> None:
    say(memory, "Ann", "My favourite colour is green.")
    say(memory, "Bob", "My favourite colour is blue.")
    assert decision(memory) is Decision.ACCEPTED
    say(memory, "Ann", "My favourite colour is red.")
    assert decision(memory) is Decision.SUPERSEDED
    assert active(memory) == ["Ann: My favourite colour is red.", "Bob: My favourite colour is blue."]


def test_what_ann_had_forgotten_bob_may_say(memory: Memory) -> None:
    memory.forget(say(memory, "Ann", PIZZA).id)
    say(memory, "Bob", PIZZA)
    assert active(memory) == [f"Bob: {PIZZA}"]
    for again in (PIZZA, "I really love pizza with pickled fennel."):
        say(memory, "Ann", again)
        assert (decision(memory), memory.candidates()[0].reason) == (Decision.REJECTED, "forgotten")


@pytest.mark.parametrize("again", [PIZZA, "I really love pizza with pickled fennel."])
def test_what_was_forgotten_with_nobodys_name_is_forgotten_whoever_says_it(memory: Memory, again: str) -> None:
    memory.forget(memory.remember(PIZZA, category=Category.NOTE).id)
    say(memory, "Ann", again)
    assert memory.candidates()[0].reason == "forgotten"


def test_a_path_is_the_same_whoever_names_it(memory: Memory) -> None:
    for name in ("Ann", "Bob"):
        fact = say(memory, name, "/srv/shop/notes.md")
    assert (fact.evidence_count, fact.speaker, fact.attributed) == (2, "", "/srv/shop/notes.md")


def test_what_the_user_dictates_has_no_speaker_and_corrects_nobody(memory: Memory) -> None:
    say(memory, "Ann", "My favourite colour is green.")
    own = memory.remember("My favourite colour is blue.", category=Category.NOTE)
    assert (own.speaker, own.salience) == ("", 1.0)
    assert active(memory) == ["Ann: My favourite colour is green.", "My favourite colour is blue."]


def test_an_accepted_candidate_is_its_speakers(memory: Memory) -> None:
    say_refused = Message(Role.USER, "ok, do it", "m", name="Ann", origin=Origin.THINKING)
    memory.observe([say_refused])
    fact = memory.accept(memory.candidates()[0].id)
    assert (fact.speaker, fact.key, fact.salience) == ("Ann", "ann: ok, do it", 1.0)


def test_salience_is_the_drafts_and_never_falls(memory: Memory) -> None:
    assert say(memory, "", PIZZA).salience == RATING
    memory.remember(PIZZA, category=Category.NOTE)
    again = say(memory, "", PIZZA)
    assert (again.evidence_count, again.salience) == (2, 1.0)


def test_recall_says_who_said_it(memory: Memory) -> None:
    for name in ("Ann", "Bob"):
        say(memory, name, PIZZA)
    found = memory.recall("Who loves pizza?")
    assert sorted(item.text for item in found.items) == [f"Ann: {PIZZA}", f"Bob: {PIZZA}"]
    assert {item.content for item in found.items} == {PIZZA}
    assert f"- [note] Bob: {PIZZA} (" in found.block
