"""A memory per test, and a machine on which chosen folders exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cfpm import Memory
from cfpm.settings import Settings
from tests.reference.transcripts import OpenMemory


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[OpenMemory]:
    opened: list[Memory] = []

    def open_one(**options: object) -> Memory:
        url = f"sqlite:///{tmp_path / f'memory-{len(opened)}.db'}"
        options = {"namespace": "project:shop", "settings": Settings(), **options}
        opened.append(Memory.open(url, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory()


@pytest.fixture
def existing_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Makes a folder that this machine finds under a literal Windows path.

    Folders of the reference are Windows ones, and what lies in a system's temporary folder is never an artifact. To a
    POSIX system `C:\\x` is the name of a folder in the working directory, so there the literal path can really exist.
    """
    monkeypatch.chdir(tmp_path)

    def make(path: str) -> str:
        (tmp_path / path).mkdir(parents=True)
        return path

    return make
