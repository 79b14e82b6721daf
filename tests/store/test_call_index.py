"""The words of tool calls are indexed beside those of messages, brought to older files, erased with their message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cfpm.model import Role, ToolCall
from cfpm.model.erasures import Selector
from cfpm.store.doctor import diagnose
from tests.store.making import NAMESPACE, at, said

if TYPE_CHECKING:
    from cfpm.model import LoggedMessage
    from cfpm.store.store import Store


def calling(command: str, ident: str = "m1", text: str = "") -> LoggedMessage:
    row = said(text, ident, role=Role.ASSISTANT)
    return replace(row, message=replace(row.message, tool_calls=(ToolCall("c1", "Bash", {"command": command}),)))


def score(store: Store, query: str) -> list[float]:
    turns, _ = store.namespace_index.load(NAMESPACE)
    return [round(float(one), 3) for one in store.search.word_scores(query, turns, "turns")]


def older(store: Store, *rows: LoggedMessage) -> None:
    """Leaves the messages as a program wrote them that indexed no calls."""
    with store.writing():
        store.call_index.remove((seq, row.message) for seq, row in enumerate(rows, 1))


def test_a_message_is_found_by_the_words_of_its_calls(store: Store) -> None:
    store.log.append([said("hello", "m0"), calling("uv run pytest")])
    hello, command = score(store, "pytest")
    assert hello == 0
    assert command > 0


def test_words_of_the_text_and_of_the_calls_count_together(store: Store) -> None:
    others = [said(f"Nothing else {number}.", f"o{number}") for number in range(9)]
    store.log.append([calling("make harbour", text="The ferry is late."), said("The ferry is late.", "m2"), *others])
    both, one, *_ = score(store, "harbour ferry")
    assert both > one > 0


def test_the_calls_of_an_older_file_are_indexed_anew(store: Store) -> None:
    rows = [calling("uv run pytest"), said("hello", "m2")]
    store.log.append(rows)
    found = score(store, "pytest")
    older(store, *rows)
    assert score(store, "pytest") == [0, 0]
    assert store.call_index.behind() == 1
    assert next(check for check in diagnose(store) if check.name == "calls_text").detail.endswith("Run `cfpm reindex`")
    assert store.call_index.reindex() == 1
    assert store.call_index.reindex() == 0
    assert score(store, "pytest") == found


@pytest.mark.parametrize("indexed", [True, False])
def test_erasing_takes_out_what_was_indexed_and_no_more(store: Store, indexed: bool) -> None:
    rows = [calling("make harbour", "m1"), calling("make ferry", "m2")]
    store.log.append(rows)
    if not indexed:
        older(store, rows[0])
    store.erasure.erase(NAMESPACE, Selector(ids=("m1",)), by="test", at=at(0), block_keys=lambda _: ())
    terms = "SELECT count(*) FROM turns_text WHERE turns_text MATCH ?"
    assert store.connection.number(terms, ("harbour",)) == 0
    assert store.connection.number(terms, ("ferry",)) == 1
    assert store.connection.number("SELECT count(*) FROM turns_text_docsize") == 2
