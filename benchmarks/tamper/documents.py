"""Exports and backups of which bytes, lines or blocks were changed: is each refused, with the store left as it was?"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.tamper.samples import Outcome, chance, make
from cfpm import CFPMError, Memory

BITS = 400


def measure(folder: Path) -> Iterator[Outcome]:
    """Each kind of change to an export and to a backup of one store."""
    store = make(folder / "documents.db", turns=8)
    out = io.StringIO()
    with Memory.open(str(store)) as memory:
        memory.export(out)
        memory.back_up(folder / "backup")
    export, backup = out.getvalue().encode(), (folder / "backup").read_bytes()
    lines = export.splitlines(keepends=True)
    blocks = [backup[at : at + 4096] for at in range(0, len(backup), 4096)]
    target = str(folder / "restored.db")

    def restored(data: bytes) -> None:
        (folder / "altered").write_bytes(data)
        Memory.restore(folder / "altered", target)

    yield _tried("export: bits", _bits(export, BITS), _imported)
    yield from _pieces("export", lines, _imported)
    yield _tried("backup: bits", _bits(backup, BITS), restored)
    yield from _pieces("backup", blocks, restored)


def _imported(data: bytes) -> None:
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    with Memory.open("sqlite://") as memory:
        memory.import_lines(lines, "export")


def _pieces(kind: str, pieces: list[bytes], take: Callable[[bytes], None]) -> Iterator[Outcome]:
    whole = b"".join(pieces)
    places = range(len(pieces))
    yield _tried(f"{kind}: delete", [b"".join(pieces[:n] + pieces[n + 1 :]) for n in places], take)
    yield _tried(
        f"{kind}: insert", [b"".join(pieces[:n] + pieces[n : n + 1] * 2 + pieces[n + 1 :]) for n in places], take
    )
    swapped = [pieces[:n] + pieces[n + 1 : n + 2] + pieces[n : n + 1] + pieces[n + 2 :] for n in places[:-1]]
    yield _tried(f"{kind}: reorder", [data for one in swapped if (data := b"".join(one)) != whole], take)
    cuts = sorted({*range(0, len(whole), max(1, len(whole) // 60)), len(whole) - 1})
    yield _tried(f"{kind}: truncate", [whole[:cut] for cut in cuts], take)


def _bits(whole: bytes, count: int) -> list[bytes]:
    choices, altered = chance(), []
    step = max(1, len(whole) // count)
    for place in [*range(0, len(whole), step), *range(max(0, len(whole) - 200), len(whole))]:
        changed = bytearray(whole)
        changed[place] ^= 1 << choices.randrange(8)
        altered.append(bytes(changed))
    return altered


def _tried(kind: str, changes: list[bytes], take: Callable[[bytes], None]) -> Outcome:
    missed = []
    for number, data in enumerate(changes):
        try:
            take(data)
        except CFPMError:
            continue
        missed.append(f"change {number}")
    return Outcome(kind, len(changes), tuple(missed))
