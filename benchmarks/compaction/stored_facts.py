"""The facts that a memory has of a session before a cut, for the strategies that read a store; kept in a folder."""

from __future__ import annotations

import pickle
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import Memory, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.compaction.sessions import Session
    from cfpm.model import Fact


def facts_at(session: Session, cuts: Sequence[int], cache: Path | None) -> dict[int, tuple[Fact, ...]]:
    """The facts before each cut, from one memory that observed the session piece by piece.

    `cache` is a folder of pickles of this benchmark's own, one a session, never cleared by it.
    """
    file = _file(session, cache) if cache else None
    if file and file.exists():
        held: dict[int, tuple[Fact, ...]] = pickle.loads(file.read_bytes())
        if all(cut in held for cut in cuts):
            return held
    held = _observed(session, cuts)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(held))
    return held


def _observed(session: Session, cuts: Sequence[int]) -> dict[int, tuple[Fact, ...]]:
    held: dict[int, tuple[Fact, ...]] = {}
    settings = Settings(durability="normal")
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=settings) as memory,
    ):
        done = 0
        for cut in sorted(cuts):
            if piece := [{**raw, "id": f"m{n}"} for n, raw in enumerate(session.messages)][done:cut]:
                memory.observe(piece, session=session.name)
            done = cut
            held[cut] = tuple(memory.facts())
    return held


def _file(session: Session, cache: Path) -> Path:
    return cache / f"{session.set}-{zlib.crc32(session.name.encode()):08x}-{len(session.messages)}.pickle"
