"""`remember(replaces=...)`: the user says themselves whose place a fact takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.errors import NotFoundError, UsageError
from cfpm.model import Category, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD, NEW = "Theo can't have dairy.", "It is gluten that Theo can't have."


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        opened.remember(OLD, category=Category.PROFILE, pin=True)
        yield opened


def believed(memory: Memory) -> list[str]:
    return [fact.content for fact in memory.facts(status=Status.ACTIVE)]


def test_by_id(memory: Memory) -> None:
    (old,) = memory.facts()
    new = memory.remember(NEW, category=Category.PROFILE, replaces=old.id)
    assert believed(memory) == [NEW]
    assert memory.fact(old.id).superseded_by == new.id


@pytest.mark.parametrize("words", [OLD, "theo can't have  dairy."])
def test_by_its_words(memory: Memory, words: str) -> None:
    memory.remember(NEW, category=Category.PROFILE, replaces=words)
    assert believed(memory) == [NEW]


def test_what_is_not_there_is_named_and_nothing_is_stored(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="Theo has a dog"):
        memory.remember(NEW, category=Category.PROFILE, replaces="Theo has a dog")
    assert believed(memory) == [OLD]


def test_what_is_superseded_already_is_not_replaced_again(memory: Memory) -> None:
    memory.remember(NEW, category=Category.PROFILE, replaces=OLD)
    with pytest.raises(NotFoundError):
        memory.remember("Theo eats everything.", category=Category.PROFILE, replaces=OLD)


def test_a_fact_does_not_replace_itself(memory: Memory) -> None:
    memory.remember(OLD, category=Category.PROFILE, replaces=OLD)
    assert believed(memory) == [OLD]


def test_only_text_names_a_fact(memory: Memory) -> None:
    with pytest.raises(UsageError, match="replaces"):
        memory.remember(NEW, category=Category.PROFILE, replaces=5)  # type: ignore[arg-type]


def test_the_older_value_can_be_believed_again(memory: Memory) -> None:
    memory.remember(NEW, category=Category.PROFILE, replaces=OLD)
    memory.remember(OLD, category=Category.PROFILE, replaces=NEW)
    assert believed(memory) == [OLD]
