"""The folders that every desktop system has, under the names that each shell and system call gives them. No paths."""

from __future__ import annotations

from enum import StrEnum


class Folder(StrEnum):
    """A known folder, whatever it is called on this machine."""

    DESKTOP = "desktop"
    DOCUMENTS = "documents"
    DOWNLOADS = "downloads"
    PICTURES = "pictures"
    MUSIC = "music"
    VIDEOS = "videos"
    TEMPLATES = "templates"
    PUBLIC = "public"


NAMES = {
    "Desktop": Folder.DESKTOP,
    "Documents": Folder.DOCUMENTS,
    "Downloads": Folder.DOWNLOADS,
    "Pictures": Folder.PICTURES,
    "Music": Folder.MUSIC,
    "Videos": Folder.VIDEOS,
    "Movies": Folder.VIDEOS,  # macOS
    "Templates": Folder.TEMPLATES,
    "Public": Folder.PUBLIC,
}
"""The names of the folders in the home folder, before a system translates them."""

XDG = {
    "DESKTOP": Folder.DESKTOP,
    "DOCUMENTS": Folder.DOCUMENTS,
    "DOWNLOAD": Folder.DOWNLOADS,
    "PICTURES": Folder.PICTURES,
    "MUSIC": Folder.MUSIC,
    "VIDEOS": Folder.VIDEOS,
    "TEMPLATES": Folder.TEMPLATES,
    "PUBLICSHARE": Folder.PUBLIC,
}
"""The arguments of `xdg-user-dir` and the middles of `$XDG_*_DIR` (xdg-user-dirs 0.18)."""

SPECIAL = {
    "desktop": Folder.DESKTOP,
    "desktopdirectory": Folder.DESKTOP,
    "mydocuments": Folder.DOCUMENTS,
    "personal": Folder.DOCUMENTS,
    "mypictures": Folder.PICTURES,
    "mymusic": Folder.MUSIC,
    "myvideos": Folder.VIDEOS,
}
"""Members of .NET's Environment.SpecialFolder, in lower case: PowerShell does not mind case. It has no Downloads, and
its Templates are not the user's folder of that name."""


TOPIC = "folder:"
"""Begins the topic of a fact that says where a known folder is: `folder:desktop`."""

BY_SYSTEM = "system"
"""The value of such a fact when the system itself was asked; empty when a tool only looked into the folder."""

BY_USER = "user"
"""The value of such a fact when the user said where the folder is, in words of their own."""


def folder_named(segment: str, *, windows: bool) -> Folder | None:
    """The folder of this name in a home folder; Windows does not mind case, the others do."""
    return _LOWER.get(segment.lower()) if windows else NAMES.get(segment)


_LOWER = {name.lower(): folder for name, folder in NAMES.items()}
