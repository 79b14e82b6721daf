"""Which facts a text is near to."""

from __future__ import annotations

import pytest

from cfpm import Memory
from cfpm.model import Category, Draft, Role, Scope, Span
from cfpm.settings import Settings


def draft(text: str, message_id: str = "") -> Draft:
    """A note of the user's that stands in no stored message, or fills one."""
    return Draft(Category.NOTE, text, Span(message_id, 0, len(text)), Role.USER, "note.test", 0.5, text)


def near(memory: Memory, texts: list[str], many: int, least: float, namespace: str = "default") -> list[list[str]]:
    """What the facts say that are near to each text."""
    found = memory.store.neighbours.of(Scope(namespace, "s"), [draft(text) for text in texts], many, least)
    return [[one.fact.content for one in of] for of in found]


def test_the_nearest_come_first_and_only_what_is_near() -> None:
    with Memory.open("sqlite://") as memory:
        for text in ("My sailing boat is moored in the harbour.", "I teach maths at a grammar school."):
            memory.observe([{"role": "user", "content": text}])
        found = near(memory, ["Where is the boat?", "zzz"], 6, 0.3)
        assert found == [["My sailing boat is moored in the harbour."], []]


def test_another_namespace_is_not_looked_at() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": "My sailing boat is moored in the harbour."}])
        assert near(memory, ["my boat in the harbour"], 6, 0.3, "other") == [[]]


def test_without_vectors_nothing_is_near() -> None:
    with Memory.open("sqlite://", settings=Settings(embedder="none")) as memory:
        memory.observe([{"role": "user", "content": "My sailing boat is moored in the harbour."}])
        assert near(memory, ["my boat in the harbour"], 6, 0.3) == [[]]


def test_standing_rules_are_found_behind_what_is_nearer() -> None:
    with Memory.open("sqlite://") as memory:
        for about in ("has a red hull", "needs a mast", "is called Merle", "leaks at the bow"):
            memory.observe([{"role": "user", "content": f"My sailing boat {about}."}])
        memory.remember("Never book the boat on a Monday.", category=Category.INSTRUCTION)
        (told,) = near(memory, ["My sailing boat lies at the pier."], 2, 0.1)
        assert len(told) == 3
        assert told[-1] == "Never book the boat on a Monday."


def test_what_was_said_is_compared_by_the_sentences_in_which_it_stands() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": "I sing in a choir.", "id": "m1"}], session="s")
        memory.remember("I live near a river.", category=Category.PROFILE)
        memory.observe([{"role": "user", "content": "I moved to Lyon in spring.", "id": "m2"}], session="s")
        newer = draft("I moved to Lyon in spring.", "m2")
        (found,) = memory.store.neighbours.of(Scope("default", "s"), [newer], 6, 0.0)
        meant = {one.fact.content: one.meant for one in found}
        assert meant["I moved to Lyon in spring."] == pytest.approx(1, abs=0.01)
        assert meant["I sing in a choir."] < 0.9
        assert meant["I live near a river."] == 0


def test_it_is_known_which_fact_came_later() -> None:
    with Memory.open("sqlite://") as memory:
        for text in ("My boat is blue.", "My boat is fast."):
            memory.observe([{"role": "user", "content": text}])
        (found,) = memory.store.neighbours.of(Scope("default", "s"), [draft("My boat is old.")], 6, 0.1)
        said = {one.fact.content: one.said for one in found}
        assert said["My boat is blue."] < said["My boat is fast."]
