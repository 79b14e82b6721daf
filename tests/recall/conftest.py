"""A store per test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'memory.db'}") as opened:
        yield opened
