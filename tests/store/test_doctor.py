"""The doctor finds what is wrong and says what to do."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from cfpm.store.doctor import diagnose
from cfpm.store.store import Store
from tests.store.making import candidate, fact, learn, said

if TYPE_CHECKING:
    from pathlib import Path


def ill(store: Store) -> dict[str, str]:
    return {check.name: check.detail for check in diagnose(store) if not check.ok}


def test_healthy_store_passes_every_check(store: Store) -> None:
    learn(store, fact("a note"))
    store.log.append([said("hello", "m1")])
    assert ill(store) == {}
    assert [check.name for check in diagnose(store)] == [
        "integrity",
        "journal",
        "schema",
        "rows",
        "turns_text",
        "calls_text",
        "facts_text",
        "documents_text",
        "deeds",
        "vectors",
        "counts",
        "trail",
        "erasures",
        "disk",
    ]


def test_store_in_memory_passes_too() -> None:
    with Store.open("sqlite://") as store:
        assert ill(store) == {}


def test_store_opened_for_reading_passes_too(store: Store, path: Path) -> None:
    learn(store, fact("a note"))
    with Store.open(str(path), read_only=True) as reader:
        assert ill(reader) == {}


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        ("UPDATE fact_counts SET learnt = 7", "counts"),
        ("UPDATE fact_counts SET active = 7", "counts"),
        ("DELETE FROM fact_counts", "counts"),
        ("UPDATE candidate_counts SET candidates = 7", "counts"),
        ("DELETE FROM memory_facts", "facts_text"),
        ("DELETE FROM memory_turns", "turns_text"),
        ("DELETE FROM schema_migrations", "schema"),
        ("DROP INDEX candidate_trail", "schema"),
        ("PRAGMA journal_mode = DELETE", "journal"),
        ("UPDATE memory_turns SET text = 'bye'", "trail"),
    ],
)
def test_damage_is_named(path: Path, damage: str, name: str) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("a note"))
        store.log.append([said("hello", "m1")])
        store.candidates.add([candidate("a note")])
    other = sqlite3.connect(path)
    other.execute(damage)
    other.commit()
    other.close()
    with Store.open(str(path), read_only=True) as store:
        assert name in ill(store)


def test_broken_page_is_a_failed_check_and_no_crash(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, *(fact(f"note number {n}") for n in range(200)))
    data = bytearray(path.read_bytes())
    for start in range(0, len(data), 4096):
        # Pages with rows of facts; a file whose schema cannot be read is refused when it is opened.
        if b"note number" in data[start : start + 4096]:
            data[start : start + 64] = b"\x5a" * 64
    path.write_bytes(data)
    with Store.open(str(path)) as store:
        assert "cfpm export" in ill(store)["integrity"] or "backup" in ill(store)["integrity"]
