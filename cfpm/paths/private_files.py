"""Files and folders that only this user may read, from the moment they exist. Not for their content.

Where there are no such rights (Windows), the access list of the user's profile decides and nothing is changed here.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700

_OTHERS = 0o077
"""The rights of the group and of everybody."""

_HAS_RIGHTS = hasattr(os, "geteuid")


def private_opener(path: str, flags: int) -> int:
    """For `open(..., opener=private_opener)`: a file that is made is readable by its owner only, at once."""
    return os.open(path, flags, FILE_MODE)


def make_file(path: Path) -> None:
    """Makes an empty file if there is none, so that whatever opens it later makes none with wider rights. Raises
    OSError."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def make_folder(path: Path) -> None:
    """Makes a folder and the missing ones above it. One that exists keeps its rights. Raises OSError."""
    missing = [path]
    while not missing[-1].exists() and missing[-1].parent != missing[-1]:
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def keep_private(path: Path) -> None:
    """Takes the rights of others from a file or folder that belongs to this user, if there are any; no link to it is
    followed. What cannot be changed, say on a medium that is read only, stays as it is."""
    if not _HAS_RIGHTS:
        return
    with suppress(OSError):
        found = path.lstat()
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)


def keep_folder_private(folder: Path, ours: Callable[[str], bool]) -> None:
    """Takes the rights of others from what a folder holds under names that are `ours`, with all that is in it, and from
    the folder itself if it holds nothing else: a project's folder or a home stays as it is."""
    if not _HAS_RIGHTS:
        return
    with suppress(OSError):
        inside = list(folder.iterdir())
        for path in inside:
            if ours(path.name):
                _keep_tree_private(path)
        if all(ours(path.name) for path in inside):
            keep_private(folder)


def _keep_tree_private(path: Path) -> None:
    keep_private(path)
    if path.is_dir() and not path.is_symlink():
        for inside in path.iterdir():
            _keep_tree_private(inside)
