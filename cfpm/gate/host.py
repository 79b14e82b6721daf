"""What the gate may ask the machine on which a command will run. The only way in which the gate learns of a system."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cfpm.model.known_folders import Folder


@dataclass(frozen=True, slots=True)
class Host:
    """A machine as the gate sees it: `windows` says by which rules paths and variables are compared.

    `home` is the home folder, empty when it is not known. `is_folder` asks the file system now, and `real` where a path
    leads when all links are followed, None when that is not known. `located` is where the system itself says that a
    folder is, None when it does not say.
    """

    windows: bool
    home: str
    is_folder: Callable[[str], bool]
    real: Callable[[str], str | None]
    environment: Mapping[str, str] = field(default_factory=dict)
    located: Callable[[Folder], str | None] = lambda _: None
    exists: Callable[[str], bool] = lambda _: False

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

    def real(path: str) -> str | None:
        try:
            return str(Path(directory or ".", path).resolve(strict=True))
        except (OSError, ValueError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
            return None

    def asked(question: Callable[[Path], bool], path: str) -> bool:
        try:
            return question(Path(directory or ".", path))
        except (OSError, ValueError):
            return False

    return Host(
        windows,
        home,
        lambda path: asked(Path.is_dir, path),
        real,
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
        case Folder.TEMPLATES:
            return platformdirs.user_templates_dir()
        case Folder.PUBLIC:
            return platformdirs.user_publicshare_dir()
