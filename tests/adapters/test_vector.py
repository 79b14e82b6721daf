"""The vector provider in a folder: what it finds, what it never brings back, and what it leaves to SQLite."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cfpm_adapters import Provider

from cfpm import Memory
from cfpm.embedding import static_embedder
from cfpm.errors import UsageError
from cfpm.model.markers import BLOCK_OPEN
from tests.adapters.remarks import ANSWER, QUESTION, SAID, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

pytest.importorskip("chromadb", reason="needs the extra `vector`")

from cfpm_adapters.vector import VectorProvider
from cfpm_adapters.vector.client import Place
from cfpm_adapters.vector.collection import Collection, Entry, Hit, collection_name
from cfpm_adapters.vector.index import VectorIndex

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unhurried")]


def provider(folder: Path, **options: object) -> VectorProvider:
    return VectorProvider(f"sqlite:///{folder / 'memory.db'}", "user:kim", chroma=str(folder / "chroma"), **options)  # type: ignore[arg-type]


def index_of(made: VectorProvider) -> VectorIndex:
    """The open index behind a provider that works."""
    assert made._index is not None, made.last_failure
    return made._index


def open_collection(folder: Path, embedder: str) -> Collection:
    return Collection(Place(str(folder / "chroma")), collection_name("user:kim", embedder))


class Reversed:
    """An embedder of another name: the static one with its dimensions in reverse order."""

    def __init__(self) -> None:
        self._static = static_embedder()

    name = "reversed/1"

    def __getattr__(self, name: str) -> object:
        return getattr(self._static, name)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._static.embed(texts)[:, ::-1].copy()


class Forgetful(Collection):
    """A collection whose index never leads to some of the entries that it holds."""

    unreachable: frozenset[str] = frozenset()

    def nearest(self, vectors: Sequence[NDArray[np.float32]], count: int) -> list[list[Hit]]:
        found = super().nearest(vectors, count)
        return [[hit for hit in hits if hit.id not in self.unreachable] for hits in found]


def test_it_speaks_the_protocol(tmp_path: Path) -> None:
    assert isinstance(provider(tmp_path), Provider)


def test_what_was_saved_is_near_a_question_without_a_common_word(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID, session="s")
    near = index_of(made).neighbours(QUESTION)
    assert near[0].seq == 1
    block = made.load("cook", QUESTION)
    assert made.failures == 0, made.last_failure
    assert block is not None
    assert block.startswith(BLOCK_OPEN)
    assert ANSWER in block
    made.close()
    made.close()


def test_saving_again_adds_nothing(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    entries = index_of(made).prove().entries
    made.save("cook", SAID)
    proof = index_of(made).prove()
    assert (proof.entries, proof.problem) == (entries, "")
    made.close()


def test_what_was_forgotten_or_superseded_never_comes_back_from_chroma(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID, session="s")
    with Memory.open(made.url, namespace="user:kim") as memory:
        (rule,) = (fact for fact in memory.facts() if "Norwegian" in fact.content)
        memory.forget(rule.id)
    # Chroma still has it: the next save takes it out, and until then SQLite decides.
    assert "f" in {
        hit.id[0] for hit in index_of(made).collection.nearest(list(static_embedder().embed([rule.content])), 5)[0]
    }
    assert "Norwegian" not in (made.load("cook", "always answer in which language?") or "")
    made.save("cook", [{"id": "5", "role": "user", "content": "Correction: we use port 9090 for staging now."}])
    block = made.load("cook", "the port for staging") or ""
    assert "[decision] We use port 8081" not in block
    assert index_of(made).prove().problem == ""
    made.close()


def test_no_text_goes_to_chroma(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID, session="s")
    made.close()
    kept = [path.read_bytes() for path in (tmp_path / "chroma").rglob("*") if path.is_file()]
    assert kept
    assert not any(b"ramen" in data or b"lighthouse" in data for data in kept)


def test_another_process_that_wrote_to_the_store_is_followed(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID[:1])
    with Memory.open(made.url, namespace="user:kim") as memory:
        memory.observe(SAID[1:])
    made.save("cook", [])
    proof = index_of(made).prove()
    assert (proof.current, proof.problem, proof.sampled) == (True, "", 4)
    made.close()


def test_vectors_of_two_embedders_never_mix(tmp_path: Path) -> None:
    one = provider(tmp_path)
    one.save("cook", SAID)
    other = provider(tmp_path, embedder=Reversed())
    assert other.load("cook", QUESTION)
    for made in (one, other):
        assert index_of(made).prove().problem == ""
        assert index_of(made).neighbours(QUESTION)[0].seq == 1
        assert made.failures == 0
        made.close()


def test_foreign_vectors_in_the_collection_are_noticed_and_rebuilt(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    made.close()
    spoiled = open_collection(tmp_path, static_embedder().name)
    vectors = Reversed().embed([str(message["content"]) for message in SAID])
    spoiled.put([Entry(f"t{n}", "", vector) for n, vector in enumerate(vectors, 1)])
    spoiled.close()
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert made.failures == 1
    assert "not found by their own vector" in made.last_failure
    assert "cfpm reindex --chroma" in made.last_failure
    assert made.rebuild() > 0
    assert made.load("cook", QUESTION)
    assert (made.failures, index_of(made).prove().problem) == (1, "")
    made.close()


def test_a_store_that_was_restored_from_a_backup_is_not_followed_blindly(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    made.close()
    for file in tmp_path.glob("memory.db*"):
        file.unlink()
    made.save("cook", many(3))
    assert "another store" in made.last_failure
    assert "shelf 1" in (made.load("cook", "shelf 1") or "")
    made.rebuild()
    made.save("cook", many(4))
    assert index_of(made).prove().problem == ""
    made.close()


@pytest.mark.slow
def test_a_rebuild_that_was_stopped_goes_on(tmp_path: Path) -> None:
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}", namespace="user:kim") as memory:
        memory.observe(many(150))
    made = provider(tmp_path)

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done > 50:
            raise KeyboardInterrupt

    seen: list[tuple[int, int]] = []
    with pytest.raises(KeyboardInterrupt):
        made.rebuild(stop)
    first_total = seen[0][1]
    again: list[tuple[int, int]] = []
    vectors = made.rebuild(lambda done, total: again.append((done, total)))
    assert again[0][1] == again[-1][0] == first_total - seen[-1][0]
    assert vectors >= 150
    made.close()


def test_an_index_may_miss_a_few_of_the_vectors_that_it_holds_but_not_many(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", many(40))
    index = index_of(made)
    names = [f"t{seq}" for seq in range(1, 41)]
    index.collection.__class__ = Forgetful
    for unreachable, problem in ((1, ""), (4, ""), (5, "of 40 sampled messages 5 are not found by their own vector")):
        index.collection.unreachable = frozenset(names[:unreachable])  # type: ignore[attr-defined]
        assert index.prove(40).problem == problem
    index.collection.unreachable = frozenset(names[:1])  # type: ignore[attr-defined]
    index.collection.put([Entry("t1", "", -static_embedder().embed(["of something else"])[0])])
    assert "1 are not found" in index.prove(40).problem
    made.close()


def test_messages_without_a_word_are_counted_and_never_found(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", [*SAID, {"id": "9", "role": "user", "content": "..."}])
    proof = index_of(made).prove()
    assert (proof.sampled, proof.problem) == (4, "")
    assert 5 not in {found.seq for found in index_of(made).neighbours("...?") if found.kind == "turn"}
    made.close()


def test_a_blank_question_asks_chroma_nothing(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    assert "Norwegian" in (made.load("cook") or "")
    assert made.failures == 0
    made.close()


@pytest.mark.parametrize("where", ["", "ftp://host:1", "http://", "chroma://x"])
def test_an_address_that_is_none_is_refused_at_once(where: str) -> None:
    with pytest.raises(UsageError):
        VectorProvider("sqlite://", chroma=where)


def test_names_of_collections_are_valid_and_different() -> None:
    names = {collection_name(namespace, "e/1") for namespace in ("a", "a b", "a-b", "客户", "x" * 500, "é")}
    assert len(names) == 6
    assert all(3 <= len(name) <= 63 and name.isascii() and name.replace("-", "a").isalnum() for name in names)


def test_an_embedder_can_be_named(tmp_path: Path) -> None:
    made = replace(provider(tmp_path), embedder="static")
    made.save("cook", SAID)
    assert index_of(made).embedder.name == static_embedder().name
    made.close()


def test_the_note_in_the_folder_says_who_had_it(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    note = tmp_path / "chroma" / "cfpm-owner.json"
    assert json.loads(note.read_text())["state"] == "open"
    made.close()
    assert json.loads(note.read_text())["state"] == "closed"
