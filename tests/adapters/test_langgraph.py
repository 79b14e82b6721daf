"""The store for LangGraph against the library itself. Its upstream tests are run by hand: see docs/adapters.md."""

from __future__ import annotations

import asyncio
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="needs langgraph: pip install 'cfpm[langchain]'")

from cfpm_adapters.langgraph import CFPMStore
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

pytestmark = pytest.mark.slow

NS = ("kim", "notes")


@pytest.fixture
def store(tmp_path: Path) -> CFPMStore:
    return CFPMStore(f"sqlite:///{tmp_path / 'memory.db'}")


def test_a_value_comes_back_as_it_was_in_another_process_too(store: CFPMStore, tmp_path: Path) -> None:
    value = {"text": "größer 好", "n": 1.5, "deep": {"list": [None, True, {"a": "b"}]}}
    store.put(NS, "k", value)
    store.close()
    again = CFPMStore(f"sqlite:///{tmp_path / 'memory.db'}")
    found = again.get(NS, "k")
    assert found is not None
    assert (found.value, found.namespace, found.key) == (value, NS, "k")
    assert stat.S_IMODE((tmp_path / "memory.db-store").stat().st_mode) == 0o600
    again.delete(NS, "k")
    assert again.get(NS, "k") is None


def test_a_question_finds_what_means_the_same_without_a_key_or_a_model(store: CFPMStore) -> None:
    store.put(NS, "food", {"text": "Kim loves ramen and other noodle soups."})
    store.put(NS, "port", {"text": "The staging server listens on port 8081."})
    store.put(NS, "hidden", {"text": "Kim loves ramen."}, index=False)
    found = store.search(("kim",), query="What does Kim like to eat?")
    assert [item.key for item in found] == ["food", "port", "hidden"]
    assert found[0].score is not None
    assert found[-1].score is None
    store.put(NS, "food", {"text": "Kim has stopped eating soup; the garden needs water."})
    assert store.search(("kim",), query="Which port is the staging server on?")[0].key == "port"


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"kind": "a"}, ["1"]),
        ({"n": {"$gte": 2}}, ["2", "3"]),
        ({"n": {"$ne": 2}, "kind": {"$eq": "a"}}, ["1"]),
        ({"by": {"name": "Kim"}}, ["2"]),
        ({"by.name": "Kim"}, ["2"]),
        ({"absent": {"$gt": 1}}, []),
    ],
)
def test_a_filter_compares_values(store: CFPMStore, wanted: dict[str, Any], keys: list[str]) -> None:
    store.put(NS, "1", {"kind": "a", "n": 1})
    store.put(NS, "2", {"kind": "b", "n": 2, "by": {"name": "Kim", "id": 7}})
    store.put(NS, "3", {"kind": "c", "n": 3})
    assert sorted(item.key for item in store.search(NS, filter=wanted)) == keys


def test_an_unknown_comparison_is_an_error(store: CFPMStore) -> None:
    store.put(NS, "1", {"n": 1})
    with pytest.raises(ValueError, match=r"\$near"):
        store.search(NS, filter={"n": {"$near": 1}})


def test_what_has_expired_is_gone_unless_it_was_read(tmp_path: Path) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store = CFPMStore(f"sqlite:///{tmp_path / 'm.db'}", clock=lambda: now)
    store.put(NS, "read", {"a": 1}, ttl=10)
    store.put(NS, "left", {"a": 1}, ttl=10)
    now += timedelta(minutes=6)
    assert store.get(NS, "read") is not None
    now += timedelta(minutes=6)
    assert [item.key for item in store.search(NS)] == ["read"]
    store.put(NS, "new", {"a": 1})
    assert store.list_namespaces() == [NS]


def test_a_batch_that_fails_changes_nothing(store: CFPMStore) -> None:
    store.put(NS, "k", {"a": 1})
    with pytest.raises(TypeError):
        store.put(NS, "k", {"a": object()})
    assert store.get(NS, "k") is not None


def test_nodes_of_a_graph_share_it(store: CFPMStore) -> None:
    async def keep(state: dict[str, str], runtime: Runtime[Any]) -> dict[str, str]:
        assert runtime.store is not None
        await runtime.store.aput(NS, "said", {"text": state["text"]})
        return {}

    graph: Any = StateGraph(dict)
    graph.add_node("keep", keep)
    graph.add_edge(START, "keep")
    asyncio.run(graph.compile(store=store).ainvoke({"text": "hello"}))
    found = store.get(NS, "said")
    assert found is not None
    assert found.value == {"text": "hello"}
