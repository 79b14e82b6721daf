"""Which database a command means: the option, the environment, or the user's own file. Opens nothing.

Apart from the options, so that a hook can ask without loading what parses them.
"""

from __future__ import annotations

import os
from pathlib import Path

from cfpm.errors import UsageError
from cfpm.paths.private_files import keep_private, make_folder


def default_file() -> Path:
    """Where the memory of this user lives unless somebody says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("cfpm", appauthor=False) / "memory.db"


def database_url(db: str | None) -> str:
    """The URL to open: the option, else CFPM_DB, else the user's own file. A name without a scheme is a file."""
    given = db if db is not None else os.environ.get("CFPM_DB") or None
    if given is None:
        return f"sqlite:///{default_file()}"
    if not given.strip():
        raise UsageError("--db", "the name of the database is empty", "Give a file or a URL")
    if "://" in given or given == ":memory:":
        return given
    home = given.startswith("~/")
    return f"sqlite:///{Path(given).expanduser() if home else given}"


def sqlite_file(url: str) -> Path | None:
    """The file behind a SQLite URL, or None for another database and for one in memory."""
    name = url.removeprefix("sqlite:///")
    return None if name == url or name in {"", ":memory:"} else Path(name)


def make_room(url: str) -> str:
    """The URL, after making the folder of the user's own file, which nobody else makes."""
    file = sqlite_file(url)
    if file is not None and file == default_file():
        make_folder(file.parent)
        keep_private(file.parent)
    return url
