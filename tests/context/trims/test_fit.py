"""A list that is made to fit before it is sent."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.context.history import Kind, read_history
from cfpm.context.trims import fit, repair_pairs, weigh
from cfpm.errors import UsageError
from tests.context.histories import histories
from tests.context.trims.chats import Chat, ran, results

if TYPE_CHECKING:
    from cfpm.context.history import Raw

LONG = "loaf " * 3_000


@pytest.fixture
def long(chat: Chat) -> Chat:
    for number in range(6):
        chat = chat.user(f"Bake loaf {number}.").did(ran(f"bake {number}", LONG), said=f"I bake loaf {number}.")
    return chat


def test_what_fits_is_the_same_list(long: Chat) -> None:
    assert fit(long.messages, 1_000_000).messages is long.messages


def test_results_are_cut_before_anything_leaves(long: Chat) -> None:
    trim = fit(long.messages, 10_000)
    assert weigh(trim.messages).tokens <= 10_000
    assert len(trim.messages) == len(long.messages)
    assert all(len(text) < 5_000 for text in results(trim.messages))


def test_then_the_oldest_exchanges(long: Chat) -> None:
    trim = fit(long.messages, 400)
    assert trim.removed > 0
    assert trim.problem == ""
    assert weigh(trim.messages).tokens <= 400
    assert trim.messages[0]["role"] == "user"
    assert "loaf 5" in str(trim.messages)
    assert "loaf 0" not in str(trim.messages)


def test_bytes_count_too(long: Chat) -> None:
    trim = fit(long.messages, max_bytes=8_000)
    assert weigh(trim.messages).bytes <= 8_000
    assert weigh([{"role": "user", "content": "面包"}]).bytes == len('[{"role":"user","content":"面包"}]'.encode())


def test_the_schemas_of_tools_take_their_part(long: Chat) -> None:
    tools = [{"name": "bake", "description": "Bakes. " * 500}]
    taken = weigh(fit(long.messages, 10_000).messages).tokens
    trim = fit(long.messages, taken, tools=tools)
    assert trim.saved > fit(long.messages, taken).saved
    assert weigh(trim.messages, tools=tools).tokens <= taken


def test_system_messages_and_checkpoints_stay(long: Chat) -> None:
    prompt = {"role": "system", "content": "You bake."}
    assert fit([prompt, *long.messages], 400).messages[0] is prompt


def test_a_call_without_its_result_goes_out(long: Chat) -> None:
    broken = [*long.messages[:2], *long.messages[3:]]
    messages = fit(broken, 1_000_000).messages
    assert not any(group.kind is Kind.BROKEN for group in read_history(messages, len).groups)


def test_what_cannot_fit_says_how_much_it_takes() -> None:
    trim = fit([{"role": "user", "content": "bread " * 5_000}], 100)
    assert "tokens and" in trim.problem
    assert len(trim.messages) == 1


def test_a_limit_is_needed(long: Chat) -> None:
    with pytest.raises(UsageError, match="no limit"):
        fit(long.messages)
    with pytest.raises(UsageError, match="max_bytes"):
        fit(long.messages, max_bytes=0)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(histories, st.integers(20, 4_000))
def test_any_list_fits_or_says_so_and_stays_valid(messages: list[Raw], limit: int) -> None:
    before = deepcopy(messages)
    trim = fit(messages, limit)
    assert messages == before
    assert (weigh(trim.messages).tokens <= limit) or trim.problem
    assert not repair_pairs(trim.messages).changed
    assert fit(trim.messages, limit).messages == trim.messages
