"""Which project a folder belongs to, and the namespace of its memory.

The repository around the folder and the name of its remote say so, read from git's own files; no program is started.
Standard library only, since a hook asks.
"""

from __future__ import annotations

import os
from binascii import crc32
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

AUTO = "auto"
"""What a user writes for the namespace that follows from the folder."""

EVERYWHERE = "user"
"""The namespace of what holds in all projects of a user."""

NO_PROJECT = "default"
"""The namespace of a folder that is in no repository."""

PROJECT = "project:"
"""Begins the namespace of a project."""

_HIGHEST = 64
"""Folders above one in which a repository is looked for."""

_LARGEST_LINK, _LARGEST_CONFIG = 4_096, 262_144
"""Bytes that are read of a file that leads to a repository, and of a repository's configuration."""

_LONGEST = 160
"""Characters of a project's name; what is longer is cut, with a checksum of the whole."""


class Project(NamedTuple):
    """A repository: `root` is the folder of its main worktree, or the repository itself where it has none; `remote`
    names the place that it is pushed to, without user, port and ending; empty for none."""

    root: Path
    remote: str

    @property
    def namespace(self) -> str:
        """The same for all worktrees of a repository, and for all clones of a remote: `project:github.com/ann/shop`.

        A repository without a remote is told by its path: `project:shop-1f3a9c4e`.
        """
        if self.remote:
            return PROJECT + _plain(self.remote)
        name = self.root.name.removesuffix(".git") or "root"
        return f"{PROJECT}{_plain(name)}-{_checksum(os.path.normcase(self.root))}"


def namespace_of(folder: Path) -> str:
    """The namespace of the project that a folder belongs to; that of no project outside of a repository."""
    project = project_of(folder)
    return project.namespace if project is not None else NO_PROJECT


def project_of(folder: Path, home: Path | None = None) -> Project | None:
    """The innermost repository around a folder; None for a folder in none.

    A repository of the whole `home` (default: this user's) holds settings, and is no project of the folders below.
    """
    start = folder.resolve()
    above = home.resolve() if home is not None else _home()
    for at in (start, *start.parents)[:_HIGHEST]:
        if (at == start or at != above) and (shared := _repository(at)) is not None:
            return Project(_main_folder(shared), _remote(shared))
    return None


def configured_namespace(env: Mapping[str, str], folder: Path) -> str:
    """The namespace that is meant where none is named: CFPM_NAMESPACE, else that of `cfpm.toml` in the folder.

    As it stands there: it may be `auto`. Raises ValueError for a broken file.
    """
    if (named := env.get("CFPM_NAMESPACE")) is not None:
        return named
    path = folder / "cfpm.toml"
    if not path.is_file():
        return NO_PROJECT
    import tomllib

    found = tomllib.loads(path.read_text(encoding="utf-8")).get("namespace", NO_PROJECT)
    return found if isinstance(found, str) else NO_PROJECT


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _repository(folder: Path) -> Path | None:
    """The repository whose worktree this folder is, with what all its worktrees share; None for no worktree."""
    git = folder / ".git"
    if git.is_dir():
        return git if (git / "HEAD").is_file() else None
    link = _text(git, _LARGEST_LINK).strip()
    if not link.startswith("gitdir:"):
        return None
    own = folder / link.removeprefix("gitdir:").strip()
    if shared := _text(own / "commondir", _LARGEST_LINK).strip():
        return (own / shared).resolve()
    own = own.resolve()
    # Of a worktree whose own folder was cleared away, the place still says which repository it was of.
    return own.parent.parent if own.parent.name == "worktrees" else own


def _main_folder(repository: Path) -> Path:
    return repository.parent if repository.name == ".git" else repository


def _remote(repository: Path) -> str:
    """The place of `origin`, else of the first remote by name; empty for none."""
    found: dict[str, str] = {}
    for name, url in _urls(_text(repository / "config", _LARGEST_CONFIG)):
        found.setdefault(name, url)
    if not found:
        return ""
    return _place(found.get("origin") or found[min(found)], repository)


def _urls(config: str) -> Iterator[tuple[str, str]]:
    """The remotes of a configuration with their urls, in its order."""
    name = ""
    for line in config.splitlines():
        text = line.strip()
        if text.startswith("["):
            section, _, text = text[1:].partition("]")
            kind, _, rest = section.partition('"')
            name = rest.rstrip().removesuffix('"') if kind.strip().lower() == "remote" else ""
        key, _, value = text.partition("=")
        if name and key.strip().lower() == "url" and (url := _value(value)):
            yield name, url


def _value(text: str) -> str:
    """A value without quotation marks and without a comment behind it."""
    quoted = False
    kept = []
    for sign in text.strip():
        if sign == '"':
            quoted = not quoted
        elif sign in "#;" and not quoted:
            break
        else:
            kept.append(sign)
    return "".join(kept).strip()


def _place(url: str, repository: Path) -> str:
    """`github.com/ann/shop` for all ways to write it: over https with a token, over ssh, with and without `.git`."""
    scheme, is_url, rest = url.partition("://")
    if is_url and scheme.lower() != "file":
        authority, _, path = rest.partition("/")
        host = authority.rpartition("@")[2]
        host = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        path = path.partition("?")[0].partition("#")[0]
    elif not is_url and (colon := url.find(":")) > 1 and "/" not in url[:colon] and "\\" not in url[:colon]:
        host, path = url[:colon].rpartition("@")[2], url[colon + 1 :]
    else:
        host, path = "", os.path.normpath(_main_folder(repository) / (rest if is_url else url))
    path = path.rstrip("/\\").removesuffix(".git").rstrip("/\\")
    return f"{host.lower()}/{path.lstrip('/')}" if host else path


def _plain(name: str) -> str:
    """A name on one line without blanks, not too long."""
    plain = "".join(sign if sign.isprintable() and not sign.isspace() and sign != "\ufffd" else "-" for sign in name)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}-{_checksum(plain)}"


def _checksum(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _text(path: Path, most: int) -> str:
    """The beginning of a file, or nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
