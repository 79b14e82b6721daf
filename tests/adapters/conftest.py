"""After each test of an adapter, every thread that it began has ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.processes import HUNG


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chroma gets the time it needs in each turn, and no time passes between a failure and what is done after it."""
    provider = pytest.importorskip("cfpm_adapters.vector.provider")
    monkeypatch.setattr(provider, "SYNC_SECONDS", HUNG)
    monkeypatch.setattr(provider, "monotonic", lambda: 0.0)
    monkeypatch.setattr("cfpm_adapters.vector.probe.PROBE_SECONDS", HUNG)


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("cfpm"):
            thread.join(HUNG)
            assert not thread.is_alive(), thread.name
