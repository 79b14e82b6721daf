"""What the memory keeps beside its database is for its owner only; a folder with other things stays as it is."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from cfpm_adapters.ledger import Ledger
from cfpm_adapters.vector.folder_lock import FolderLock

from cfpm.cli.location import make_room
from cfpm.context.artifacts import Artifacts
from cfpm.paths.private_files import keep_folder_private, keep_private, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes do not bind on Windows")


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    """New files get all the rights that are asked for."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> set[int]:
    """The rights of all files below a folder."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_ledger_of_providers(tmp_path: Path) -> None:
    file = tmp_path / "data" / "providers.db"
    ledger = Ledger(file)
    ledger.record_failure("p", "save", "error", "detail")
    assert modes(file.parent) == {0o600}
    assert mode(file.parent) == 0o700
    ledger.close()
    file.chmod(0o644)
    Ledger(file).record_success("p", "save")
    assert modes(file.parent) == {0o600}


def test_artifacts_also_of_a_folder_that_was_open_to_all(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path / "kept" / "artifacts", over=10)
    assert artifacts.offload("some words " * 1_000).id
    assert modes(tmp_path / "kept") == {0o600}
    assert mode(artifacts.directory) == mode(tmp_path / "kept") == 0o700
    artifacts.directory.chmod(0o755)
    next(artifacts.directory.iterdir()).chmod(0o644)
    artifacts.offload("other words " * 1_000)
    assert modes(artifacts.directory) == {0o600}
    assert mode(artifacts.directory) == 0o700


def test_the_lock_of_chromas_folder_and_what_chroma_left_there(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    index = folder / "0a0a0a0a-0b0b-0c0c-0d0d-0e0e0e0e0e0e"
    index.mkdir(parents=True)
    for file in (index / "data_level0.bin", folder / "chroma.sqlite3"):
        file.touch()
    FolderLock(folder).release()
    assert modes(folder) == {0o600}
    assert mode(index) == mode(folder) == 0o700


def test_a_folder_that_holds_other_things_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o755)
    (folder / "README.md").touch(mode=0o644)
    FolderLock(folder).release()
    assert mode(folder) == 0o755
    assert mode(folder / "README.md") == 0o644
    assert mode(folder / "cfpm-owner.json") == 0o600


def test_the_data_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cfpm.cli.location.default_file", lambda: tmp_path / "data" / "cfpm" / "memory.db")
    make_room(f"sqlite:///{tmp_path}/data/cfpm/memory.db")
    assert mode(tmp_path / "data" / "cfpm") == 0o700
    (tmp_path / "data" / "cfpm").chmod(0o755)
    make_room(f"sqlite:///{tmp_path}/data/cfpm/memory.db")
    assert mode(tmp_path / "data" / "cfpm") == 0o700


def test_what_a_link_leads_to_stays_as_it_is(tmp_path: Path) -> None:
    foreign, folder = tmp_path / "foreign", tmp_path / "folder"
    foreign.touch(mode=0o644)
    make_folder(folder)
    (folder / "link").symlink_to(foreign)
    keep_private(folder / "link")
    keep_folder_private(folder, lambda _: True)
    assert mode(foreign) == 0o644
