"""After each test of an adapter, every thread that it began has ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("cfpm"):
            thread.join(20)
            assert not thread.is_alive(), thread.name
