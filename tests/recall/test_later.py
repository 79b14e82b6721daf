"""A line never stands without what was said later on its subject, where that is likely a change."""

from collections.abc import Iterator

import pytest

from cfpm import Memory
from cfpm.settings import Settings

OLD = "I drive to work in the blue van every morning."
NEW = "We scrapped the blue van, so I ride to work on a bicycle every morning."


THINGS = ["violin", "tractor", "loom", "clock", "piano", "camera", "kettle", "lantern"]


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Without the encoder that links statements: a link may be missed."""
    with Memory.open("sqlite://", settings=Settings(max_pairs_per_turn=0)) as opened:
        yield opened


def told(memory: Memory, *texts: str) -> None:
    for number, text in enumerate(texts):
        memory.observe([{"id": f"m{number}", "role": "user", "content": text}], session=f"s{number}")


def newest_first(block: str) -> bool:
    """Whether the change is shown, and what it changes either after it or, as superseded, not at all."""
    return NEW in block and (OLD not in block or block.index(NEW) < block.index(OLD))


def test_what_was_said_later_stands_before_what_it_changes(memory: Memory) -> None:
    told(memory, OLD, "The bakery opens at six.", "My sister lives in Leeds.", NEW)
    block = memory.recall("How do I drive to work?").block
    assert newest_first(block)
    assert block.count(NEW) == 1


def test_what_is_on_another_subject_stands_beside_nothing(memory: Memory) -> None:
    told(memory, OLD, "The bakery opens at six.", "The harbour froze in February.")
    block = memory.recall("How do I drive to work?", k=1).block
    assert "bakery" not in block
    assert "harbour" not in block


def test_what_was_said_before_is_no_change(memory: Memory) -> None:
    told(memory, NEW, OLD)
    block = memory.recall("What did we scrap?", k=1).block
    assert NEW in block
    assert "[maybe outdated]" not in block


def test_a_message_that_the_host_shows_itself_is_not_shown_as_a_change(memory: Memory) -> None:
    told(memory, OLD, NEW)
    assert NEW not in memory.recall("How do I drive to work?", k=1, exclude=["m1"]).block


@pytest.mark.parametrize("budget", [80, 120, 200, 600])
def test_the_budget_holds_with_what_was_said_later(memory: Memory, budget: int) -> None:
    told(memory, OLD, "I prefer tea over coffee.", "The bakery opens at six.", NEW, "I now prefer coffee over tea.")
    found = memory.recall("How do I drive to work?", max_tokens=budget)
    assert found.tokens <= budget
    assert len(found.lines) == len(set(found.lines))


def test_a_change_is_known_as_soon_as_it_is_said(memory: Memory) -> None:
    told(memory, OLD)
    assert OLD in memory.recall("How do I drive to work?").block
    memory.observe([{"id": "new", "role": "user", "content": NEW}], session="later")
    assert newest_first(memory.recall("How do I drive to work?").block)


def test_what_stands_but_has_no_room_there_still_answers() -> None:
    with Memory.open("sqlite://") as memory:
        told(memory, "My colleague Mira owns the payment module.", *(f"I own a {thing} from 1930." for thing in THINGS))
        block = memory.recall("Who owns the payment module?", max_tokens=220).block
    assert "Mira" in block
