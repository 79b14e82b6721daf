"""What all fault tests observe under, in this process and in those that it starts."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_pairs_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that compares two statements takes nine tenths of a turn and writes nothing: without it the kills hit
    what is written."""
    monkeypatch.setenv("CFPM_MAX_PAIRS_PER_TURN", "0")
