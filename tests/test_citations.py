"""What a block cites leads back to its story."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cfpm import Memory, NotFoundError
from tests.reference.transcripts import user


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(f"sqlite:///{tmp_path / 'memory.db'}")
    said = user("I prefer tabs in Go files. We decided to ship the cart on Monday.")
    memory.observe([{**said, "id": "m1"}], session="s")
    return memory


def test_every_citation_of_a_block_can_be_explained(memory: Memory) -> None:
    cited = re.findall(r"\((\w+)[,)]", memory.recall("cart").block)
    assert cited
    for name in cited:
        assert memory.explain(name).candidate.span.message_id == "m1"


def test_a_fact_is_explained_by_the_candidate_that_it_comes_from(memory: Memory) -> None:
    assert memory.facts()
    for fact in memory.facts():
        assert memory.explain(fact.id).candidate.content == fact.content


def test_a_message_that_was_not_believed_is_explained_too(memory: Memory) -> None:
    memory.observe([{**user("If the checks pass we might use Redis for the queue."), "id": "m2"}], session="s")
    assert memory.explain("m2").candidate.decision == "rejected"
    with pytest.raises(NotFoundError, match="m3"):
        memory.explain("m3")
