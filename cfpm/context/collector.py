"""Keeps Python's collector of cycles out of short work that makes many values at once. Frees nothing itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No automatic collection inside, with or without an error; after it as before. Also a decorator.

    Half a million values at once make the collector look through the whole process two or three times and find
    nothing: a tenth of a large compaction. The switch is the process's, so only short work of our own belongs inside. A
    thread that ends first switches on again for all, which costs the others that time and nothing else.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
