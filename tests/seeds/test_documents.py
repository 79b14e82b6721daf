"""The rows of the design documents that the context store answers, each run as a user would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.cli import main
from tests.documents.making import pdf, slides, word, workbook

if TYPE_CHECKING:
    from pathlib import Path


def ran(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_row_2_3_a_document_is_added_indexed_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CFPM_DB", str(tmp_path / "memory.db"))
    (tmp_path / "schema.sql").write_text("CREATE TABLE orders (\n  id INTEGER,\n  kiln TEXT\n);\n")
    assert ran("context", "add", "schema.sql", "--name", "the schema") == 0
    assert "added the schema: text, 4 lines" in capsys.readouterr().out
    assert ran("context", "list", "--json") == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["the schema"]
    assert ran("context", "read", "the schema", "--lines", "2-3") == 0
    assert capsys.readouterr().out == "  id INTEGER,\n  kiln TEXT\n"
    with Memory.open(tmp_path / "memory.db") as memory:
        index = memory.documents.index(max_tokens=200)
    assert '- "the schema" (text, 4 lines, ' in index
    assert "CREATE TABLE" not in index
    assert ran("context", "remove", "the schema") == 0
    assert ran("context", "read", "the schema") == 1
    assert "No document 'the schema'" in capsys.readouterr().err


def test_row_2_4_the_text_of_office_files_is_extracted(tmp_path: Path) -> None:
    files = {
        "a.pdf": pdf("The kiln fires at 1240 degrees."),
        "a.docx": word("The kiln fires at 1240 degrees."),
        "a.pptx": slides("The kiln fires at 1240 degrees."),
        "a.xlsx": workbook(Kilns=[["The kiln fires at 1240 degrees."]]),
    }
    with Memory.open(tmp_path / "memory.db") as memory:
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
            memory.documents.add(tmp_path / name)
            assert memory.documents.read(name).text == "The kiln fires at 1240 degrees."
        assert memory.documents.read("a.xlsx", sheet="Kilns").text == "The kiln fires at 1240 degrees."


def test_row_4_5_a_knowledge_base_is_recalled_with_its_place_and_trust(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.documents.add_text("# Kilns\nThe north kiln fires at 1240 degrees.\n", "guide.md")
        found = memory.recall("how hot does the north kiln fire?")
        item = next(item for item in found.items if item.kind == "document")
        assert item.source.endswith("document, data")
        assert "- [document] guide.md, line" in found.block
        assert memory.facts() == []
