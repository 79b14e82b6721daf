"""`context`: documents that the agent can look up: `add`, `list`, `read`, `remove`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.documents import document as as_document
from cfpm.cli.options import Common
from cfpm.cli.output import counted, one_line, progress_bar, show, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError
from cfpm.model.clock import to_text, utc_now

if TYPE_CHECKING:
    from cfpm.store.documents import Document

Name = Annotated[str, Argument(metavar="NAME", help="The name of a document, as `cfpm context list` shows it.")]


def add(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Text, code, Markdown, CSV, PDF, DOCX, PPTX, XLSX.")],
    name: Annotated[
        str | None, Option("--name", metavar="NAME", help="Instead of the name of the file; for one file.")
    ] = None,
    encoding: Annotated[
        str | None, Option("--encoding", metavar="NAME", help="Of a text file, if it is not found out rightly.")
    ] = None,
    *,
    common: Common,
) -> None:
    """Add documents that can be looked up. Nothing is learnt from them, and secrets are taken out.

    A document that was added before under the same name is replaced. PDF and Office files need the extra `documents`.
    """
    if name is not None and len(files) > 1:
        raise UsageError("--name", f"one name for {len(files)} files", "Add them one by one")
    added: list[tuple[Document, bool]] = []
    with common.or_new(clock=utc_now) as memory:
        documents = memory.documents
        for file in map(Path, files):
            before = {one.id: one for one in documents.list()}
            with progress_bar(file.name) as progress:
                done = documents.add(file, name, progress, encoding=encoding)
            added.append((done, before.get(done.id) == done))
            if not common.as_json:
                verb = "unchanged" if added[-1][1] else "replaced" if done.id in before else "added"
                show(f"{verb} {one_line(done.name)}: {_size(done)}")
    if common.as_json:
        show_json([as_document(one) for one, _ in added])


def list_(common: Common) -> None:
    """List the documents."""
    with common.to_read() as memory:
        found = memory.documents.list()
    if common.as_json:
        show_json([as_document(one) for one in found])
        return
    rows = [
        (
            one.name,
            one.kind,
            f"{one.lines:,}",
            f"{one.characters:,}",
            str(one.version),
            (to_text(one.added_at) or "")[:10],
            one.path,
        )
        for one in found
    ]
    columns = ("name", "kind", "lines", "characters", "version", "added", "file")
    show_table(columns, rows, wide="file", empty="no documents; add one with `cfpm context add FILE`")


def read(
    name: Name,
    lines: Annotated[str | None, Option("--lines", metavar="A-B", help="Only these lines, from 1.")] = None,
    sheet: Annotated[str | None, Option("--sheet", metavar="NAME", help="Only this sheet of a workbook.")] = None,
    page: Annotated[int | None, Option("--page", min=1, metavar="N", help="Only this page or slide.")] = None,
    *,
    common: Common,
) -> None:
    """Print a document as it is kept, or some of its lines."""
    with common.to_read() as memory:
        found = memory.documents.read(name, lines, sheet, page=page)
    place = {"place": found.place, "first": found.first, "last": found.last, "total": found.total, "text": found.text}
    common.answer({"document": as_document(found.document), **place}, found.text)


def remove(name: Name, common: Common) -> None:
    """Remove a document, until no byte of it is left in the memory."""
    with common.to_change(clock=utc_now) as memory:
        record = memory.documents.remove(name)
    common.answer({"number": record.number, "finished": record.finished}, f"removed {one_line(name)}")
    common.check_clean(record.finished, "the document is gone", "it")


def _size(document: Document) -> str:
    return f"{document.kind}, {counted(document.lines, 'line')}, {counted(document.characters, 'character')}"
