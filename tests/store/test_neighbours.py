"""Which facts a text is near to."""

from __future__ import annotations

from cfpm import Memory
from cfpm.model import Category
from cfpm.settings import Settings


def test_the_nearest_come_first_and_only_what_is_near() -> None:
    with Memory.open("sqlite://") as memory:
        for text in ("My sailing boat is moored in the harbour.", "I teach maths at a grammar school."):
            memory.observe([{"role": "user", "content": text}])
        found = memory.store.neighbours.of("default", ["Where is the boat?", "zzz"], 6, 0.3)
        assert [fact.content for fact in found[0]] == ["My sailing boat is moored in the harbour."]
        assert found[1] == []


def test_another_namespace_is_not_looked_at() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": "My sailing boat is moored in the harbour."}])
        assert memory.store.neighbours.of("other", ["my boat in the harbour"], 6, 0.3) == [[]]


def test_without_vectors_nothing_is_near() -> None:
    with Memory.open("sqlite://", settings=Settings(embedder="none")) as memory:
        memory.observe([{"role": "user", "content": "My sailing boat is moored in the harbour."}])
        assert memory.store.neighbours.of("default", ["my boat in the harbour"], 6, 0.3) == [[]]


def test_standing_rules_are_found_behind_what_is_nearer() -> None:
    with Memory.open("sqlite://") as memory:
        for place in ("harbour", "marina", "boatyard", "lake"):
            memory.observe([{"role": "user", "content": f"My sailing boat was at the {place} last year."}])
        memory.remember("Never book the boat on a Monday.", category=Category.INSTRUCTION)
        found = memory.store.neighbours.of("default", ["My sailing boat was at the pier last year."], 2, 0.1)
        told = [fact.content for fact in found[0]]
        assert len(told) == 3
        assert told[-1] == "Never book the boat on a Monday."
