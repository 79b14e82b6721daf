"""`doctor --chroma` and `reindex --chroma`: what is compared, what the remedy is, and that it works."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

pytest.importorskip("chromadb", reason="needs the extra `vector`")


def by_name(document: dict[str, list[dict[str, object]]]) -> dict[str, dict[str, object]]:
    return {str(check["name"]): check for check in document["checks"]}


def test_a_chroma_that_is_not_there_is_wrong_and_says_what_to_do(run: Run, db: Path, tmp_path: Path) -> None:
    found = run("doctor", "--db", db, "--chroma", tmp_path / "chroma", "--json")
    assert found.code == 1
    check = by_name(found.document)["chroma"]
    assert not check["ok"]
    assert f"cfpm reindex --chroma {tmp_path / 'chroma'}" in str(check["detail"])
    assert not (tmp_path / "chroma").exists()


def test_reindex_fills_it_and_doctor_then_finds_every_sampled_message(run: Run, db: Path, tmp_path: Path) -> None:
    done = run("reindex", "--db", db, "--chroma", tmp_path / "chroma", "--json")
    assert done.code == 0, done.err
    assert done.document["reindexed"] > 5
    checks = by_name(run("doctor", "--db", db, "--chroma", tmp_path / "chroma", "--json").document)
    assert checks["chroma"]["ok"]
    assert str(checks["chroma neighbours"]["detail"]).startswith("5 of 5 sampled messages")


def test_a_chroma_that_is_behind_is_wrong(run: Run, db: Path, tmp_path: Path) -> None:
    run("reindex", "--db", db, "--chroma", tmp_path / "chroma")
    run("remember", "Ann is the reviewer", "--category", "note", "--db", db)
    found = by_name(run("doctor", "--db", db, "--chroma", tmp_path / "chroma", "--json").document)["chroma"]
    assert not found["ok"]
    assert "1 changes behind" in str(found["detail"])
    run("reindex", "--db", db, "--chroma", tmp_path / "chroma")
    assert run("doctor", "--db", db, "--chroma", tmp_path / "chroma").code == 0


def test_vectors_that_are_counted_but_not_found_are_noticed(run: Run, db: Path, tmp_path: Path) -> None:
    """Counts and `get` alone would call this sound. An update may make others hard to reach too, so not just one."""
    from cfpm_adapters.vector.client import Place
    from cfpm_adapters.vector.collection import Collection, Entry, collection_name

    from cfpm.embedding import static_embedder

    folder = tmp_path / "chroma"
    run("reindex", "--db", db, "--chroma", folder)
    spoiled = Collection(Place(str(folder)), collection_name("default", static_embedder().name))
    spoiled.put([Entry("t1", "", -static_embedder().embed(["The goal is to release version 2"])[0])])
    spoiled.close()
    checks = by_name(run("doctor", "--db", db, "--chroma", folder, "--json").document)
    assert checks["chroma"]["ok"]
    assert not checks["chroma neighbours"]["ok"]
    assert re.match("[0-4] of 5 sampled", str(checks["chroma neighbours"]["detail"]))
    run("reindex", "--db", db, "--chroma", folder)
    assert run("doctor", "--db", db, "--chroma", folder).code == 0


def test_a_deleted_folder_is_filled_again(run: Run, db: Path, tmp_path: Path) -> None:
    run("reindex", "--db", db, "--chroma", tmp_path / "chroma")
    shutil.rmtree(tmp_path / "chroma")
    assert run("doctor", "--db", db, "--chroma", tmp_path / "chroma").code == 1
    assert run("reindex", "--db", db, "--chroma", tmp_path / "chroma").code == 0
    assert run("doctor", "--db", db, "--chroma", tmp_path / "chroma").code == 0


def test_a_server_that_is_not_there_fails_with_what_to_do(run: Run, db: Path) -> None:
    found = run("reindex", "--db", db, "--chroma", "http://127.0.0.1:1")
    assert found.code == 1
    assert "chroma run --host 127.0.0.1" in found.err


@pytest.mark.parametrize("command", ["doctor", "reindex"])
def test_an_unknown_embedder_is_wrong_usage(run: Run, db: Path, tmp_path: Path, command: str) -> None:
    assert run(command, "--db", db, "--chroma", tmp_path / "c", "--embedder", "oracle").code == 2
