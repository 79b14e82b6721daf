"""What a user says and does not mean reaches no fact, and the verdict says how it was taken."""

from pathlib import Path

import pytest

from cfpm import Memory, Status


def told(folder: Path, *messages: str) -> tuple[list[str], list[tuple[str, str]]]:
    """What is believed after these messages of a user, and the reason and rule of each refusal."""
    rows = [{"id": str(number), "role": "user", "content": text} for number, text in enumerate(messages)]
    with Memory.open(folder / "memory.db") as memory:
        memory.observe([{"id": "open", "role": "user", "content": "Hello, help me plan the week."}, *rows], session="s")
        facts = [fact.content for fact in memory.facts(status=Status.ACTIVE)]
        refused = [(one.reason, one.rule) for one in memory.candidates(decision="rejected")]
    return facts, refused


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Sure, and my cat pays the mortgage.", ("hypothetical", "in_jest")),
        ("My neighbour swears that vinegar on the roof keeps the martens away.", ("quoted", "hearsay")),
        ("It's probably the thermostat in the hall, but I'm only guessing.", ("hypothetical", "hypothetical")),
    ],
)
def test_a_verdict_says_how_it_was_taken(tmp_path: Path, text: str, verdict: tuple[str, str]) -> None:
    facts, refused = told(tmp_path, text)
    assert not any(text.startswith(fact[:20]) for fact in facts)
    assert verdict in refused


@pytest.mark.parametrize(
    "text",
    [
        "The key to the boiler room hangs behind the bar.",
        "The vet says Bruno is diabetic and gets insulin twice a day.",
        "Our choir rehearses on Thursdays at half past seven.",
    ],
)
def test_what_is_meant_is_believed(tmp_path: Path, text: str) -> None:
    facts, _ = told(tmp_path, text)
    assert any(fact.rstrip(".") in text for fact in facts)


def test_a_standing_rule_may_begin_with_a_condition(tmp_path: Path) -> None:
    facts, _ = told(tmp_path, "If a test fails, stop and tell me before you change anything.")
    assert any("stop and tell me" in fact for fact in facts)
