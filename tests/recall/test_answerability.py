"""What the memory says when it holds no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.recall import recall
from cfpm.recall.block import NOTHING_FITS
from cfpm.settings import Settings
from cfpm.store.store import Store
from tests.recall.remembering import SHOP, keep, say

if TYPE_CHECKING:
    from pathlib import Path

KNOWN, UNKNOWN = "When does the courier come to the bakery?", "Which violin strings did the luthier recommend?"


def fill(store: Store) -> None:
    say(store, "The courier comes to the bakery at nine.", ident="m1")
    say(store, "We bake rye bread on Mondays.", ident="m2")
    say(store, "The oven did not get warm, which the courier noticed.", ident="m3")


def test_a_question_that_is_answered_fits(store: Store) -> None:
    fill(store)
    found = recall(store, [SHOP], KNOWN)
    assert found.fit > 0.7
    assert not found.abstain
    assert NOTHING_FITS not in found.block


def test_a_question_about_something_else_does_not(store: Store) -> None:
    fill(store)
    found = recall(store, [SHOP], UNKNOWN)
    assert found.fit < 0.4
    assert found.abstain


def test_the_block_says_so_last_and_within_its_budget(store: Store) -> None:
    for number in range(40):
        say(store, f"The bakery did recommend loaf number {number} to everybody in town.", ident=f"m{number}")
    query = "What did the luthier say of violins, cellos, harps and flutes in town?"
    for budget in (150, 250, 500):
        found = recall(store, [SHOP], query, max_tokens=budget)
        assert found.abstain
        assert found.tokens <= budget
        assert found.block.splitlines()[-2] == NOTHING_FITS


def test_an_order_is_not_told_that_nothing_answers_it(store: Store) -> None:
    fill(store)
    found = recall(store, [SHOP], "Please write to the luthier and order six new violin strings.")
    assert found.abstain
    assert NOTHING_FITS not in found.block


def test_an_empty_memory_answers_nothing(store: Store) -> None:
    found = recall(store, [SHOP], KNOWN)
    assert (found.fit, found.abstain, found.block) == (0.0, True, "")


def test_what_is_asked_without_words_is_not_refused(store: Store) -> None:
    assert not recall(store, [SHOP], "  ").abstain


def test_a_fact_without_a_message_is_measured_by_itself(store: Store) -> None:
    keep(store, "the courier comes to the bakery at nine")
    assert recall(store, [SHOP], KNOWN).fit > 0.8
    assert recall(store, [SHOP], "Which violin did the courier play?").fit < 0.8


def test_without_an_embedder_words_decide(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'words.db'}", Settings(embedder="none")) as store:
        fill(store)
        assert not recall(store, [SHOP], KNOWN).abstain
        assert recall(store, [SHOP], "Which violin strings did the courier recommend?").abstain
