"""Whatever another memory says: one labelled block, within the budget."""

from __future__ import annotations

import pytest
from cfpm_adapters.framing import framed
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.model import Message, Origin, Role
from cfpm.model.markers import BLOCK_CLOSE, BLOCK_OPEN
from cfpm.recall.tokens import estimated
from cfpm.transcript.messages import parse_messages

PIECES = st.sampled_from(
    [BLOCK_OPEN, BLOCK_CLOSE, "<<<", "＞＞＞", "\n", "\u2028", "\x00", "\u202e", "x", " ", "é", "事"]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


@pytest.mark.slow
@given(TEXTS, st.integers(0, 300))
@settings(max_examples=200, deadline=None)
def test_one_labelled_block_within_the_budget_or_nothing(text: str, budget: int) -> None:
    block = framed(text, budget)
    if block is None:
        return
    assert estimated(block) <= budget
    assert block.startswith(f"{BLOCK_OPEN} ")
    assert block.endswith(f"\n{BLOCK_CLOSE}")
    assert block.count(BLOCK_OPEN) == block.count(BLOCK_CLOSE) == 1
    assert {message.origin for message in parse_messages([Message(Role.USER, block)])} == {Origin.MEMORY_BLOCK}
    assert framed(block, budget) == block


def test_lists_within_lists_stay_so() -> None:
    block = framed("- Kim\n  - is vegan\n\n\n- Ann", 500) or ""
    assert block.splitlines()[1:-1] == ["- Kim", "  - is vegan", "- Ann"]


def test_a_line_without_end_is_cut() -> None:
    assert estimated(framed("x" * 5_000_000, 1200) or "") <= 1200
