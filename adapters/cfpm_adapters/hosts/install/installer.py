"""Works out what installing or removing changes in which files, and does it: each file whole or not at all."""

from __future__ import annotations

import difflib
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm.errors import InputError
from cfpm_adapters.hosts.install import ledger, toml_text
from cfpm_adapters.hosts.install.json_text import JsonTextError, Text, parse
from cfpm_adapters.hosts.install.wanted import is_our_server, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfpm_adapters.hosts.event import Options
    from cfpm_adapters.hosts.install.json_text import Path as JsonPath
    from cfpm_adapters.hosts.install.wanted import Layout

_REMEDY = "Correct the file, or move it away"
_IN_TOML = ("mcp_servers", "cfpm")
"""Where the one host with TOML names its servers."""

_SHOWN = 2
"""Lines around a change."""


@dataclass(slots=True)
class Change:
    """One file before and after; None where there is none. `inserts` are what was put where, in this order."""

    path: Path
    before: str | None
    after: str | None
    inserts: list[tuple[int, str]] = field(default_factory=list)
    made: bool = False
    folders: list[str] = field(default_factory=list)
    note: str = ""
    given_up: bool = False
    """A file of ours that somebody made their own."""

    @property
    def changed(self) -> bool:
        """Whether the file is to change at all."""
        return self.before != self.after

    def diff(self) -> str:
        """The difference, without secrets that stand beside it."""
        from cfpm.secrets import redact

        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        names = (
            "/dev/null" if self.before is None else f"{self.path}",
            "/dev/null" if self.after is None else f"{self.path}",
        )
        return redact("\n".join(difflib.unified_diff(old, new, *names, lineterm="", n=_SHOWN))).text


def plan(layout: Layout, options: Options, *, remove: bool, server: bool) -> list[Change]:
    """What installing anew or removing would do to each file of the host. Raises InputError for a file that cannot be
    used."""
    known = ledger.load()
    files: dict[Path, list[Callable[[_File], None]]] = {}
    if (hooks := layout.hooks_file) is not None:
        files.setdefault(hooks.absolute(), []).append(lambda file: file.hooks(layout, options, remove=remove))
    if (tools := layout.tools_file) is not None:
        path = tools.absolute()
        files.setdefault(path, []).append(lambda file: file.server(layout, options, remove=remove or not server))
    changes = [_settings(path, steps, known) for path, steps in files.items()]
    changes += [_page(path.absolute(), text, known, remove=remove) for path, text in layout.pages(options)]
    return changes


def carry_out(changes: list[Change]) -> None:
    """Writes the files and the ledger. Raises OSError; then the ledger tells what was written."""
    known = ledger.load()
    for change in changes:
        name = str(change.path)
        if change.given_up:
            known.pop(name, None)
        elif not change.changed:
            continue
        elif change.after is None:
            change.path.unlink(missing_ok=True)
            for folder in reversed(known[name].folders if name in known else change.folders):
                with suppress(OSError):
                    Path(folder).rmdir()
            known.pop(name, None)
        else:
            _write(change.path, change.after, change.before)
            if change.inserts or change.made:
                known[name] = ledger.Entry(ledger.checksum(change.after), change.inserts, change.made, change.folders)
            else:
                known.pop(name, None)
        ledger.save(known)


def installed(layout: Layout) -> dict[str, Any]:
    """What of ours the host has, and its folder: `hooks`, `tools`, `page`, `plugin`. Raises InputError."""
    found = []
    for path in filter(None, dict.fromkeys((layout.hooks_file, layout.tools_file))):
        if not (text := _text_of(path)):
            continue
        with _Named(path):
            if path.suffix == ".toml":
                places: list[JsonPath] = [_IN_TOML] if is_our_server(toml_text.table_at(text, _IN_TOML)) else []
            else:
                places = list(_ours(parse(text).value))
        found += ["hooks" if place[0] == "hooks" else "tools" for place in places]
    skill = layout.table["skill"]["user"]
    found += ["page"] if (layout.folder / skill).is_file() else []
    found += ["plugin" for place in layout.table.get("plugin", ()) if (layout.folder / place).is_file()]
    return {"installed": list(dict.fromkeys(found)), "folder": str(layout.folder)}


def _settings(path: Path, steps: list[Callable[[_File], None]], known: dict[str, ledger.Entry]) -> Change:
    before = _text_of(path)
    entry = known.get(str(path))
    file = _File(path, Text(before or ""), entry)
    if entry is not None and ledger.checksum(before or "") == entry.checksum:
        file.text.undo(entry.inserts)
        file.made = entry.made
        file.folders = entry.folders
    else:
        file.clear()
        if before is None:
            file.made, file.folders = True, _missing_folders(path)
        elif entry is not None:
            file.made, file.folders = entry.made, entry.folders
    base = file.text.text
    for step in steps:
        step(file)
    after: str | None = file.text.text
    if file.made and after is not None and not file.text.inserts and _holds_nothing(after, file.begins):
        after = None
    unchanged = before is None and after == base == ""
    return Change(path, before, None if unchanged else after, file.text.inserts, file.made, file.folders)


class _File:
    """A settings file while our entries are put into it."""

    def __init__(self, path: Path, text: Text, entry: ledger.Entry | None) -> None:
        self.path, self.text, self.entry = path, text, entry
        self.made = False
        self.folders: list[str] = []
        self.begins: dict[str, Any] = {}

    @property
    def is_toml(self) -> bool:
        return self.path.suffix == ".toml"

    def hooks(self, layout: Layout, options: Options, *, remove: bool) -> None:
        table = layout.table["hooks"]
        self.begins = table.get("begins", {})
        if remove:
            return
        with self._named():
            root = parse(self.text.text)
            hooks = root.at("hooks")
            _expect(root.value, dict, "the file")
            if hooks is not None:
                _expect(hooks.value, dict, "`hooks`")
            for event in layout.hooks(options):
                if hooks is not None and (groups := hooks.at(event)) is not None:
                    _expect(groups.value, list, f"`hooks.{event}`")
            for key, value in self.begins.items():
                if root.at(key) is None:
                    self.text.put((key,), value)
            if hooks is None:
                self.text.put(("hooks",), {event: [group] for event, group in layout.hooks(options).items()})
                return
            for event, group in layout.hooks(options).items():
                self.text.put(("hooks", event, 0), group)

    def server(self, layout: Layout, options: Options, *, remove: bool) -> None:
        path = tuple(layout.table["tools"]["path"])
        if remove:
            return
        wanted = layout.server(options)
        with self._named():
            if self.is_toml:
                if toml_text.table_at(self.text.text, path) is None:
                    added = toml_text.addition(self.text.text, path, wanted)
                    self.text.inserts.append((len(self.text.text), added))
                    self.text.text += added
                return
            root = parse(self.text.text)
            _expect(root.value, dict, "the file")
            if (servers := root.at(*path[:-1])) is not None:
                _expect(servers.value, dict, f"`{path[0]}`")
            # A server of this name that is not ours is somebody's own choice.
            if root.at(*path) is None:
                self.text.put(path, wanted)

    def clear(self) -> None:
        """Takes out whatever is ours, by what it is."""
        with self._named():
            if self.is_toml:
                if is_our_server(toml_text.table_at(self.text.text, _IN_TOML)):
                    self.text.text = toml_text.without(self.text.text, _IN_TOML)
                return
            if not self.text.text.strip():
                return
            while (place := next(_ours(parse(self.text.text).value), None)) is not None:
                self.text.take(place)

    def _named(self) -> _Named:
        return _Named(self.path)


class _Named:
    """Names the file of what cannot be read in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, JsonTextError):
            raise InputError(str(self.path), f"not valid JSON: {error}", _REMEDY) from error
        if isinstance(error, ValueError) and not isinstance(error, InputError):
            raise InputError(str(self.path), f"cannot be used: {error}", _REMEDY) from error


def _ours(settings: Any) -> Iterator[JsonPath]:
    """The places of our entries, and of the lists and objects that only hold them, in any settings file of a host."""
    if not isinstance(settings, dict):
        return
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for place, group in enumerate(groups) if isinstance(groups, list) else ():
            inner = group.get("hooks") if isinstance(group, dict) else None
            ours = [
                at for at, hook in enumerate(inner or ()) if isinstance(hook, dict) and is_ours(hook.get("command"))
            ]
            if isinstance(group, dict) and (is_ours(group.get("command")) or (ours and len(ours) == len(inner or ()))):
                yield _shrunk(settings, ("hooks", event, place))
            elif ours:
                yield ("hooks", event, place, "hooks", ours[0])
    for name in ("mcpServers", "mcp"):
        servers = settings.get(name)
        if isinstance(servers, dict) and is_our_server(servers.get("cfpm")):
            yield _shrunk(settings, (name, "cfpm"))


def _shrunk(settings: Any, path: JsonPath) -> JsonPath:
    """The same place, or that of the outermost container that holds nothing else."""
    while len(path) > 1:
        container = settings
        for step in path[:-1]:
            container = container[step]
        if len(container) > 1:
            break
        path = path[:-1]
    return path


def _page(path: Path, text: str, known: dict[str, ledger.Entry], *, remove: bool) -> Change:
    before = _text_of(path)
    entry = known.get(str(path))
    ours = before is not None and (before == text or (entry is not None and ledger.checksum(before) == entry.checksum))
    if before is not None and not ours:
        if remove:
            note = "changed since it was written: left as it is" if entry is not None else ""
            return Change(path, before, before, note=note, given_up=entry is not None)
        if entry is None:
            raise InputError(str(path), "there is another file", "Move it away, or remove it")
        return Change(path, before, before, note="changed since it was written: left as it is")
    if remove:
        return Change(path, before, None, folders=entry.folders if entry else [])
    folders = entry.folders if entry is not None else _missing_folders(path)
    return Change(path, before, text, made=True, folders=folders)


def _expect(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise ValueError(f"{what} is a {type(value).__name__}, not {'an object' if kind is dict else 'a list'}")


def _holds_nothing(text: str, begins: dict[str, Any]) -> bool:
    try:
        return not text.strip() or parse(text).value in ({}, begins)
    except JsonTextError:
        return False


def _missing_folders(path: Path) -> list[str]:
    """The folders above a file that would have to be made, the outermost first."""
    missing = []
    for folder in path.parents:
        if folder.exists():
            break
        missing.append(str(folder))
    return missing[::-1]


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"not UTF-8 (byte {error.start})", _REMEDY) from error
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error), _REMEDY) from error


def _write(path: Path, text: str, before: str | None) -> None:
    """The whole file or nothing, with the mode that it had. A linked file stays a link."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
