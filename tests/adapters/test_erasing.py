"""What is erased leaves the outbox, the remote and Chroma as well."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from cfpm_adapters import VectorProvider, WebhookProvider
from cfpm_adapters.erasing import erase_in_outboxes
from cfpm_adapters.ledger import Ledger

from cfpm import Memory
from cfpm.model.ids import digest
from tests.adapters.endpoints import endpoint, replies, serving

if TYPE_CHECKING:
    from pathlib import Path

SAID = [
    {"role": "user", "content": "Hello there!", "id": "a"},
    {"role": "user", "content": "I live at 12 Zorblat Street in Quimperle.", "id": "b"},
    {"role": "user", "content": "Always use tabs in the shop project.", "id": "c"},
]
SESSION = "zorblat run"


def left(*files: Path) -> list[str]:
    words = (b"zorblat", b"quimperle")
    beside = [path for file in files for path in file.parent.glob(f"{file.name}*")]
    return sorted({path.name for path in beside if any(word in path.read_bytes().lower() for word in words)})


def provider(url: str, folder: Path) -> WebhookProvider:
    return WebhookProvider(save_url=url, outbox=folder / "providers.db")


def test_what_waits_is_taken_out_and_never_sent(tmp_path: Path) -> None:
    with endpoint(replies("{}", status="503 Busy")) as here:
        hook = provider(here.url, tmp_path)
        hook.save("agent", SAID, session=SESSION)
        hook.close()
        with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
            memory.observe(SAID, session=SESSION)
            erase_in_outboxes(tmp_path / "memory.db", memory.erasure_plan(session=SESSION).messages)
        assert left(tmp_path / "providers.db") == []
        here.answers[:] = [replies("{}")]
        before = len(here.heard)
        hook = provider(here.url, tmp_path)
        hook.save("agent", SAID, session=SESSION)
        hook.close()
    bodies = [json.loads(heard.body) for heard in here.heard[before:]]
    assert [body["history"] for body in bodies] == [[]]
    # A batch that was tried may have arrived, so the other side is asked.
    assert sorted(bodies[0]["erase"]) == sorted(digest(SESSION, str(said["id"])) for said in SAID)


def test_one_message_of_a_batch_goes_and_the_others_stay(tmp_path: Path) -> None:
    with endpoint(replies("{}", status="503 Busy")) as here:
        hook = provider(here.url, tmp_path)
        hook.save("agent", SAID, session="plain")
        hook.close()
        with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
            memory.observe(SAID, session="plain")
            plan = memory.erasure_plan("b")
            assert erase_in_outboxes(tmp_path / "memory.db", plan.messages) == 1
        here.answers[:] = [replies("{}")]
        before = len(here.heard)
        hook = provider(here.url, tmp_path)
        hook.flush()
        hook.close()
    bodies = [json.loads(heard.body) for heard in here.heard[before:]]
    assert [[said["id"] for said in body["history"]] for body in bodies] == [["a", "c"], []]
    assert bodies[1]["erase"] == [digest("plain", "b")]


def test_the_remote_erases_what_it_was_sent(tmp_path: Path) -> None:
    remote = tmp_path / "remote.db"
    with serving(remote) as base, Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        hook = provider(f"{base}/v1/save", tmp_path)
        memory.observe(SAID, session=SESSION)
        hook.save("agent", SAID, session=SESSION)
        assert left(remote) != []
        assert erase_in_outboxes(tmp_path / "memory.db", memory.erasure_plan("b").messages) == 1
        memory.erase("b")
        hook.flush()
        hook.close()
        assert hook.failures == 0
        with Memory.open(f"sqlite:///{remote}") as there:
            assert [fact.content for fact in there.facts()] == ["Always use tabs in the shop project."]
            assert [record.erased_by for record in there.erasures()] == ["request of agent"]
            assert b"quimperle" not in remote.read_bytes().lower()


def test_a_host_without_a_memory_of_its_own_asks_by_itself(tmp_path: Path) -> None:
    remote = tmp_path / "remote.db"
    with serving(remote) as base:
        hook = provider(f"{base}/v1/save", tmp_path)
        hook.save("agent", SAID, session=SESSION)
        hook.erase(SESSION, [("b", str(SAID[1]["content"]))])
        hook.close()
        assert hook.failures == 0
    with Memory.open(f"sqlite:///{remote}") as there:
        assert [fact.content for fact in there.facts()] == ["Always use tabs in the shop project."]


def test_what_is_off_the_record_does_not_leave(tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": "Off the record: I live in Quimperle.", "id": "x"},
        {"role": "assistant", "content": "Quimperle it is.", "id": "y"},
        {"role": "user", "content": "Always use tabs in the shop project.", "id": "z"},
    ]
    with endpoint(replies("{}")) as here:
        hook = provider(here.url, tmp_path)
        hook.save("agent", said, session="plain")
        hook.close()
    assert [message["id"] for heard in here.heard for message in json.loads(heard.body)["history"]] == ["z"]


def test_names_in_an_older_ledger_become_hashes(tmp_path: Path) -> None:
    file = tmp_path / "providers.db"
    Ledger(file).close()
    ledger = Ledger(file)
    with ledger.writing() as db:
        db.execute("INSERT INTO taken (provider, key) VALUES ('p', ?)", (f"agent\x1f{SESSION}\x1fb",))
        db.execute("PRAGMA user_version")
    ledger.close()
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 1")
    ledger = Ledger(file)
    with ledger.writing() as db:
        assert db.execute("SELECT key FROM taken").fetchall() == [(f"agent\x1f{digest(SESSION, 'b')}",)]
    assert ledger.clean()
    ledger.close()
    assert left(file) == []


@pytest.mark.slow
def test_chroma_follows_and_keeps_nothing(tmp_path: Path) -> None:
    url, chroma = f"sqlite:///{tmp_path / 'memory.db'}", tmp_path / "chroma"
    vectors = VectorProvider(url, chroma=str(chroma))
    vectors.save("agent", SAID, session="plain")
    assert vectors.failures == 0
    with Memory.open(url) as memory:
        memory.erase("b")
    vectors.save("agent", [{"role": "user", "content": "I prefer tea over coffee.", "id": "d"}], session="plain")
    assert (vectors.failures, vectors.last_failure) == (0, "")
    index = vectors._index
    assert index is not None
    assert index.collection.count() == index.prove().wanted
    assert vectors.erase("c").counts["memory_facts"] == 1
    assert "tabs" not in (vectors.load("agent", "which indentation?") or "")
    assert (vectors.failures, vectors.last_failure) == (0, "")
    vectors.close()


def test_of_a_namespace_that_is_gone_chroma_has_no_name(tmp_path: Path) -> None:
    chroma = tmp_path / "chroma"
    vectors = VectorProvider(f"sqlite:///{tmp_path / 'memory.db'}", namespace="zorblat", chroma=str(chroma))
    vectors.save("agent", SAID, session="plain")
    assert any(b"cfpm-zorblat" in path.read_bytes() for path in chroma.rglob("*") if path.is_file())
    vectors.erase(everything=True)
    vectors.close()
    assert not any(b"zorblat" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert (vectors.failures, vectors.last_failure) == (0, "")
