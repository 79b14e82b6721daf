"""A memory with default settings in a folder of its own, on disk, gone afterwards. Measures nothing."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def fresh_memory() -> Iterator[Memory]:
    """An empty memory, closed and deleted at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}") as memory,
    ):
        yield memory
