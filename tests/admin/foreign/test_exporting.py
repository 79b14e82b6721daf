"""What is believed, in the formats of others."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cfpm import Category, InputError, Memory, UsageError

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path / "memory.db", clock=lambda: NOW)
    memory.observe([{"role": "user", "content": "The API port is 8080."}], session="s")
    memory.observe([{"role": "user", "content": "The API port is 8081."}], session="s")
    memory.remember("Deploys [happen](x) on *Tuesdays*", category=Category.NOTE)
    memory.forget(memory.remember("Nobody may read this", category=Category.NOTE).id)
    return memory


def test_an_okf_bundle_has_a_page_for_each_fact_with_its_source(memory: Memory, tmp_path: Path) -> None:
    memory.export_as("okf", tmp_path / "okf")
    pages = sorted((tmp_path / "okf").glob("fact_*.md"))
    fronts = [dict(line.split(": ", 1) for line in page.read_text().split("---\n")[1].splitlines()) for page in pages]
    assert len(fronts) == 3
    for front in fronts:
        values = {name: json.loads(value) for name, value in front.items()}
        assert values["type"] in set(Category)
        assert values["sources"][0]["id"] == "said"
    assert sorted(json.loads(front["status"]) for front in fronts) == ["deprecated", "stable", "stable"]
    index = (tmp_path / "okf" / "index.md").read_text()
    assert json.loads(index.splitlines()[1].split(": ")[1]) == "0.2"
    assert all(page.name in index for page in pages)
    assert "## 2026-05-04" in (tmp_path / "okf" / "log.md").read_text()
    assert "Nobody may read" not in "".join(page.read_text() for page in (tmp_path / "okf").iterdir())


def test_a_bundle_is_written_again_and_spares_other_folders(memory: Memory, tmp_path: Path) -> None:
    memory.export_as("okf", tmp_path / "okf")
    before = {page.name: page.read_bytes() for page in (tmp_path / "okf").iterdir()}
    memory.export_as("okf", tmp_path / "okf")
    assert {page.name: page.read_bytes() for page in (tmp_path / "okf").iterdir()} == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds other files"):
        memory.export_as("okf", tmp_path / "mine")


def test_a_mif_document_has_the_three_fields(memory: Memory, tmp_path: Path) -> None:
    memory.export_as("mif", tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["mif_version"] == "2.0"
    assert all({"id", "content", "created_at"} <= set(one) for one in document["memories"])
    assert len({one["id"] for one in document["memories"]}) == 3


def test_a_markdown_page_shows_what_is_believed_as_text(memory: Memory, tmp_path: Path) -> None:
    memory.export_as("markdown", tmp_path / "m.md")
    page = (tmp_path / "m.md").read_text()
    assert "8081" in page
    assert "8080" not in page
    assert r"Deploys \[happen\](x) on \*Tuesdays\*" in page


def test_an_unknown_format_is_named(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Use one of: okf, mif, markdown"):
        memory.export_as("xml", tmp_path / "x")
