"""`export` and `import`: a whole database, with all its namespaces, as canonical JSON Lines, and back."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import sys
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.options import Common
from cfpm.cli.output import say, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, UsageError
from cfpm.paths.private_files import private_opener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.memory import Memory


class Form(StrEnum):
    """The formats of others."""

    OKF = "okf"
    MIF = "mif"
    MARKDOWN = "markdown"


def export(
    out: Annotated[
        Path | None, Option("-o", "--out", metavar="FILE", help="A file instead of standard output.")
    ] = None,
    form: Annotated[
        Form | None, Option("--format", help="What is believed, for other programs: okf (a folder), mif, markdown.")
    ] = None,
    *,
    common: Common,
) -> None:
    """Write the memory as canonical JSON Lines.

    All namespaces of the database. The same memory gives the same bytes, on every machine. With --format only what is
    believed in this namespace; `cfpm import` does not read it back.
    """
    with common.to_read() as memory:
        if form is not None:
            _export_as(memory, form, out, common)
            return
        if out is None:
            _export_to_stdout(memory, as_array=common.as_json)
            return
        lines = _export_to_file(memory, out)
    if common.as_json:
        show_json({"lines": lines, "file": str(out)})
    else:
        say(f"{lines} lines written to {out}")


def _export_as(memory: Memory, form: Form, out: Path | None, common: Common) -> None:
    if out is None:
        raise UsageError("export --format", "no place for it", "Name a folder or a file with --out")
    facts = memory.export_as(form.value, out)
    common.answer({"facts": facts, "file": str(out), "format": form.value}, f"{facts} facts written to {out}")


def _export_to_stdout(memory: Memory, *, as_array: bool) -> None:
    if as_array:
        whole = io.StringIO()
        memory.export(whole)
        show_json([json.loads(line) for line in whole.getvalue().splitlines()])
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The bytes are part of the promise: the same on every system and in every locale.
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    memory.export(sys.stdout)


def _export_to_file(memory: Memory, out: Path) -> int:
    """Writes beside the file and then renames, so that a full disk leaves the old export whole."""
    if out.is_dir():
        raise InputError(str(out), "is a folder", "Name a file")
    if out.exists() and not out.is_file():
        # A pipe or a device is written to; renaming would put a file in its place.
        with out.open("w", encoding="utf-8", newline="\n") as stream:
            return memory.export(stream)
    target = out.resolve()
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        with open(part, "w", encoding="utf-8", newline="\n", opener=private_opener) as stream:
            lines = memory.export(stream)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return lines


def import_(
    words: Annotated[
        list[str],
        Argument(
            metavar="[KIND] FILE...",
            help="What `cfpm export` wrote; - reads standard input. Or the memory of another program behind its name:"
            " mem0, claude-mem, mempalace, letta, langgraph, basic-memory, chatgpt-memories.",
        ),
    ],
    trailer: Annotated[
        bool,
        Option("--trailer/--no-trailer", help="Whether the file must end with a count and checksum, as exports do."),
    ] = True,
    *,
    common: Common,
) -> None:
    """Read an export into the memory.

    What is there already is not read twice. A file that was cut or altered is refused. Of another program's memory each
    statement gets a verdict; `cfpm audit-import` shows them first.
    """
    if len(words) == 2:
        from cfpm.cli.importing import import_memories

        import_memories(words[0], Path(words[1]), common)
        return
    if len(words) > 2:
        raise UsageError("import", f"{len(words)} words", "Give one file, or the name of a program and a file")
    file = Path(words[0])
    lines = _lines(file)
    first = next(lines, None)
    if first is None:
        raise InputError(str(file), "is empty", "Give a file that `cfpm export` wrote")
    with common.or_new() as memory:
        done = memory.import_lines(chain([first], lines), source=str(file), trailer=trailer)
    counts = dataclasses.asdict(done)
    common.answer(counts, ", ".join(f"{name}: {count}" for name, count in counts.items()))


def _lines(file: Path) -> Iterator[str]:
    """The lines of the file. Raises InputError naming the line that is no UTF-8, or what is wrong with the file."""
    if str(file) != "-" and not file.is_file():
        problem = "is a folder" if file.is_dir() else "is no regular file" if file.exists() else "does not exist"
        raise InputError(str(file), problem, "Give a file that `cfpm export` wrote")
    stream = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    with stream:
        for number, line in enumerate(stream, 1):
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    str(file), "not UTF-8 text", "Give a file that `cfpm export` wrote", place=f"line {number}"
                ) from error
