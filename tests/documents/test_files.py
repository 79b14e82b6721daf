"""Every kind of document is read as text with its places; what cannot be read is named with a remedy."""

from __future__ import annotations

import io
import os
import zipfile
from typing import TYPE_CHECKING

import pypdf
import pytest

from cfpm import InputError
from cfpm.documents import office
from cfpm.documents.files import MAX_SIZE, read_file
from cfpm.documents.parts import Part
from tests.documents.making import bomb, pdf, slides, word, workbook

if TYPE_CHECKING:
    from pathlib import Path


def silent(done: int, of: int) -> None:
    """Tells nobody."""


def read(path: Path, data: bytes, encoding: str | None = None) -> list[Part]:
    path.write_bytes(data)
    return read_file(path, silent, encoding).parts


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_file(path, silent)
    assert str(path) in str(caught.value)
    assert caught.value.remedy
    return caught.value


def test_pages_of_a_pdf_are_parts(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    (tmp_path / "a.pdf").write_bytes(
        pdf("The kiln fires at 1240 degrees.", "Glaze dries overnight.\nThen it is fired.")
    )
    found = read_file(tmp_path / "a.pdf", lambda done, of: told.append((done, of)))
    assert found.kind == "pdf"
    assert [part.place for part in found.parts] == ["page 1", "page 2"]
    assert "kiln fires at 1240" in found.parts[0].text
    assert found.parts[1].text.split("\n")[:2] == ["Glaze dries overnight.", "Then it is fired."]
    assert told == [(1, 2), (2, 2)]


def test_headings_and_tables_of_a_word_file_are_lines(tmp_path: Path) -> None:
    data = word("First words.", heading="Glazes", rows=[["name", "heat"], ["celadon", "1240"]])
    assert read(tmp_path / "a.docx", data) == [Part("", "## Glazes\nFirst words.\nname | heat\nceladon | 1240")]


def test_slides_are_parts_with_their_notes(tmp_path: Path) -> None:
    found = read(tmp_path / "a.pptx", slides("Firing", "Cooling", notes="Say it slowly."))
    assert [part.place for part in found] == ["slide 1", "slide 2"]
    assert found[1].text == "Cooling\n\nNotes:\nSay it slowly."


def test_sheets_are_parts_by_their_names(tmp_path: Path) -> None:
    data = workbook(Orders=[["id", "total"], [7, 12.5], [None, None], [8, True]], Empty=[], Kilns=[["north"]])
    assert read(tmp_path / "a.xlsx", data) == [
        Part("sheet Orders", "id | total\n7 | 12.5\n8 | TRUE"),
        Part("sheet Kilns", "north"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "cp1252"])
def test_encodings_of_western_text_are_found_out(tmp_path: Path, encoding: str) -> None:
    text = "Der Ofen wärmt schön.\nÜber Nacht kühlt er ab.\n"
    assert read(tmp_path / "a.txt", text.encode(encoding)) == [Part("", text)]


def test_chinese_text_in_two_bytes_a_sign_is_found_out(tmp_path: Path) -> None:
    text = "窑炉在一千二百四十度烧制。\n釉料需要晾干一夜。\n"
    assert read(tmp_path / "a.txt", text.encode("gb18030")) == [Part("", text)]


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    text = "窯は夜に冷える。\n"
    assert read(tmp_path / "a.txt", text.encode("shift_jis"), "shift_jis") == [Part("", text)]
    with pytest.raises(InputError, match="no such encoding"):
        read(tmp_path / "a.txt", b"words", "klingon")
    with pytest.raises(InputError, match="not ascii text"):
        read(tmp_path / "a.txt", text.encode(), "ascii")


def test_line_ends_are_those_of_unix(tmp_path: Path) -> None:
    assert read(tmp_path / "a.txt", b"one\r\ntwo\rthree\n") == [Part("", "one\ntwo\nthree\n")]


def test_a_torn_pdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("Words.")[:120])
    assert "cannot be read as PDF" in refusal(path).problem


def test_an_encrypted_pdf_is_refused(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("Words.")))
    writer.encrypt("opening", algorithm="AES-256")
    path = tmp_path / "a.pdf"
    writer.write(path)
    assert refusal(path).problem == "is encrypted"


def test_a_pdf_that_only_may_not_be_printed_is_read(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("Words.")))
    writer.encrypt("", owner_password="owner", algorithm="AES-256")
    writer.write(tmp_path / "a.pdf")
    assert read_file(tmp_path / "a.pdf", silent).parts[0].text == "Words."


def test_a_pdf_of_pictures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("", content=b"0 0 10 10 re f"))
    assert refusal(path).problem == "holds no text, only pictures"


def test_forms_that_draw_each_other_many_times_are_refused(tmp_path: Path) -> None:
    # Ten to the seventh times the same line of text, in 1 KB.
    forms = {f"X{at}": b" ".join([b"/X%d Do" % (at + 1)] * 10) for at in range(7)}
    forms["X7"] = b"BT /F1 12 Tf 50 750 Td (again) Tj ET"
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("", content=b"/X0 Do", forms=forms))
    assert "draws more than" in refusal(path).problem


def test_a_form_that_draws_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("", content=b"/X0 Do", forms={"X0": b"/X0 Do"}))
    assert "draw themselves" in refusal(path).problem


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(bomb(80))
    assert path.stat().st_size < 1024 * 1024
    assert "unpacks to 80 MB" in refusal(path).problem


def test_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa">]><d>&a;</d>')
    assert "declares entities" in refusal(path).problem


@pytest.mark.parametrize("ending", ["docx", "pptx", "xlsx"])
def test_a_torn_office_file_is_refused(tmp_path: Path, ending: str) -> None:
    whole = {"docx": word("Words."), "pptx": slides("Words."), "xlsx": workbook(Sheet=[["words"]])}[ending]
    path = tmp_path / f"a.{ending}"
    path.write_bytes(whole[: len(whole) // 2])
    assert "cannot be read as an Office file" in refusal(path).problem


def test_a_workbook_that_says_it_is_huge_is_read_as_it_is(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(workbook(Sheet=[["words"]]))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b'ref="A1:A1"', b'ref="A1:XFD1048576"').replace(
        b'ref="A1"', b'ref="A1:XFD1048576"'
    )
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert read_file(path, silent).parts == [Part("sheet Sheet", "words")]


def test_cells_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MAX_CELLS", 5)
    path = tmp_path / "a.xlsx"
    path.write_bytes(workbook(Sheet=[[1, 2, 3], [4, 5, 6]]))
    assert "more than 5 cells" in refusal(path).problem


def test_a_wide_cell_is_one_cell(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(word(rows=[["words", "more"]]))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    wide = parts["word/document.xml"].replace(b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="900000000"/>', 1)
    assert wide != parts["word/document.xml"]
    parts["word/document.xml"] = wide
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert read_file(path, silent).parts == [Part("", "words | more")]


def test_a_file_of_a_gigabyte_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as stream:
        stream.truncate(1024**3)
    assert refusal(path).problem == f"has 1024 MB, more than {MAX_SIZE // 1024**2} MB"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.pdf", b"plain words", "is text, which its name does not say"),
        ("a.docx", b"plain words", "is text, which its name does not say"),
        ("a.txt", pdf("Words."), "is a PDF file, which its name does not say"),
        ("a.docx", workbook(Sheet=[["words"]]), "is a XLSX file, which its name does not say"),
        ("a.txt", bytes(range(256)) * 40, "is binary"),
        ("a.md", b" \n\n", "is empty"),
        ("a.doc", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512), "is an Office file of the old kind"),
    ],
)
def test_what_is_not_what_its_name_says_is_refused(tmp_path: Path, name: str, data: bytes, problem: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert refusal(path).problem.startswith(problem)


def test_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "words")
    assert refusal(path).problem == "is an archive that is no Office file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    assert refusal(tmp_path / "a.txt").problem == "is no regular file"


def test_links_in_a_circle_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "b.txt")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    assert refusal(tmp_path / "a.txt").problem == "is a link that leads back to itself"
    assert refusal(tmp_path).problem == "is a folder"
    assert refusal(tmp_path / "none.txt").problem == "does not exist"
