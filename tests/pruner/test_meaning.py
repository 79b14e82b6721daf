"""What is said anew in other words: replaced, linked or merged by what the learnt head judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.model import Status
from cfpm.pruner import meaning
from cfpm.text.heads.relation import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> dict[str, Judgement]:
    """What the head says of the statements that hold a word; of all others, that they differ."""
    told: dict[str, Judgement] = {}

    def judge(newer: str, older: Sequence[str]) -> list[Judgement]:
        known = next((one for word, one in told.items() if word in newer), Judgement(0, 0, 0, 1_000))
        return [known for _ in older]

    monkeypatch.setattr(meaning, "judge", judge)
    return told


def said(memory: Memory, *texts: str) -> None:
    for number, text in enumerate(texts):
        memory.observe([{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Hello!"}])
        memory.observe([{"role": "user", "content": text, "id": f"m{number}"}])


def statuses(memory: Memory) -> dict[str, Status]:
    return {fact.content: fact.status for fact in memory.facts(status=None)}


OLD, NEW = "My rabbit Pepper lives in the shed.", "Pepper, my rabbit, has a hutch on the balcony."


def test_an_update_takes_the_place_of_the_older(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, meaning.UPDATE, 0, 1_000 - meaning.UPDATE)
    said(memory, OLD, NEW)
    assert statuses(memory)[OLD] is Status.SUPERSEDED
    assert statuses(memory)[NEW] is Status.ACTIVE


def test_what_is_less_sure_replaces_nothing(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, meaning.UPDATE - 1, 0, 1_001 - meaning.UPDATE)
    said(memory, OLD, NEW)
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_a_contradiction_is_linked_and_both_stand(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, 0, meaning.OPPOSED, 1_000 - meaning.OPPOSED)
    said(memory, OLD, NEW)
    facts = {fact.content: fact for fact in memory.facts(status=None)}
    assert facts[OLD].status is facts[NEW].status is Status.ACTIVE
    assert facts[NEW].id in facts[OLD].contradicts
    assert facts[OLD].id in facts[NEW].contradicts


def test_the_same_again_confirms_the_older(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(meaning.SAME, 0, 0, 1_000 - meaning.SAME)
    said(memory, OLD, NEW)
    (fact,) = (fact for fact in memory.facts() if "rabbit" in fact.content)
    assert (fact.content, fact.evidence_count) == (OLD, 2)


def test_other_numbers_are_never_the_same(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["shelf"] = Judgement(meaning.SAME, 0, 0, 0)
    said(memory, "The rabbit food is in box 4.", "The rabbit food is on the shelf, box 5.")
    assert len([fact for fact in memory.facts() if "rabbit food" in fact.content]) == 2


def test_a_pinned_fact_stays(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, 1_000, 0, 0)
    said(memory, OLD)
    memory.pin(next(fact.id for fact in memory.facts() if fact.content == OLD))
    said(memory, NEW)
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_what_another_says_takes_no_place(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, 1_000, 0, 0)
    memory.observe([{"role": "user", "name": "ann", "content": OLD}])
    memory.observe([{"role": "user", "name": "bob", "content": NEW}])
    assert statuses(memory).get(OLD, Status.ACTIVE) is Status.ACTIVE


def test_in_one_message_nothing_replaces_its_neighbour(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, 1_000, 0, 0)
    said(memory, f"{OLD} {NEW}")
    assert Status.SUPERSEDED not in statuses(memory).values()


def test_a_rule_replaces_a_rule(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["camelCase"] = Judgement(0, 1_000, 0, 0)
    said(memory, "Always name test functions in snake_case.", "Always name test functions in camelCase.")
    assert statuses(memory)["Always name test functions in snake_case."] is Status.SUPERSEDED


def test_the_verdict_says_how_sure_it_was(memory: Memory, judged: dict[str, Judgement]) -> None:
    judged["hutch"] = Judgement(0, 950, 0, 50)
    said(memory, OLD, NEW)
    verdict = next(one for one in memory.candidates() if one.content == NEW)
    assert "950 of 1000" in verdict.detail


def test_of_a_long_message_only_so_much_is_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def judge(newer: str, older: Sequence[str]) -> list[Judgement]:
        read.append(len(older))
        return [Judgement(0, 0, 0, 1_000) for _ in older]

    monkeypatch.setattr(meaning, "judge", judge)
    said(memory, *(f"My rabbit Pepper lives in hutch number {n} of the shed." for n in range(8)))
    read.clear()
    many = " ".join(f"My rabbit Pepper has a new hutch beside shed {n}." for n in range(40))
    memory.observe([{"role": "user", "content": many, "id": "many"}])
    assert 0 < sum(read) <= memory.settings.max_pairs_per_turn
