"""What the gate may ask the machine on which a command will run. The only way in which the gate learns of a system."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from cfpm.model.known_folders import Folder

_EMPTY: Mapping[str, str] = MappingProxyType({})


def _nowhere(_: Folder) -> str | None:
    return None


def _never(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Host:
    """A machine as the gate sees it: `windows` says by which rules paths and variables are compared.

    `home` is the home folder, empty when it is not known. `is_folder` asks the file system now. `located` is where the
    system itself says that a folder is, None when it does not say.
    """

    windows: bool
    home: str
    is_folder: Callable[[str], bool]
    environment: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    located: Callable[[Folder], str | None] = _nowhere
    exists: Callable[[str], bool] = _never

    def variable(self, name: str) -> str | None:
        """The value of an environment variable; Windows does not mind case. Empty counts as not set."""
        if not self.windows:
            return self.environment.get(name) or None
        wanted = name.upper()
        return next((value for key, value in self.environment.items() if key.upper() == wanted and value), None)


def this_host(directory: str | None = None) -> Host:
    """This machine, with relative paths read from `directory` (default: the working directory)."""
    windows = os.name == "nt"
    environment = dict(os.environ)
    home = (environment.get("USERPROFILE") if windows else environment.get("HOME")) or ""

    def asked(question: Callable[[Path], bool], path: str) -> bool:
        try:
            return question(Path(directory or ".", path))
        except (OSError, ValueError):
            return False

    return Host(
        windows,
        home,
        lambda path: asked(Path.is_dir, path),
        environment,
        _located,
        lambda path: asked(Path.exists, path),
    )


def _located(folder: Folder) -> str | None:
    import platformdirs

    match folder:
        case Folder.DESKTOP:
            return platformdirs.user_desktop_dir()
        case Folder.DOCUMENTS:
            return platformdirs.user_documents_dir()
        case Folder.DOWNLOADS:
            return platformdirs.user_downloads_dir()
        case Folder.PICTURES:
            return platformdirs.user_pictures_dir()
        case Folder.MUSIC:
            return platformdirs.user_music_dir()
        case Folder.VIDEOS:
            return platformdirs.user_videos_dir()
        case Folder.TEMPLATES | Folder.PUBLIC:
            return None
