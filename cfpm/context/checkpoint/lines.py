"""The lines of a checkpoint that tell what happened to a name, written from its uses and read back into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cfpm.context.checkpoint.activity import Activity
from cfpm.context.checkpoint.checkpoint import Checkpoint, Section
from cfpm.context.checkpoint.names import Name, by_shape, is_identifier, names_in, path_name
from cfpm.context.checkpoint.usage import NOWHERE, Channel, Home, Use
from cfpm.model.patterns import lazy_pattern

NAMES_BEHIND = 5
"""What belongs to a file stands in its line, up to so many names; each further one has its own."""

_DEEDS = ("created", "edited", "deleted", "searched", "read", "used")
"""From what says most to what says least."""

_SHOWN_DEEDS = 2
_OTHERWISE = {Channel.ASKED: "asked", Channel.SHOWN: "used", Channel.SAID: "said"}
_CHANNELS = {"asked": Channel.ASKED, "said": Channel.SAID}
_FAILED = "last failed"
_DEED = rf"(?:(?:{'|'.join(_DEEDS)})(?: \d+x)?|asked|said|{_FAILED})"
_FILE = lazy_pattern(rf"(?P<name>\S.*?) (?P<deeds>{_DEED}(?:, {_DEED})*)(?:, has (?P<has>.+))?")
_SEEN = {"asked": Channel.ASKED, "exists": Channel.SHOWN, "said": Channel.SAID, "used": Channel.ARGUMENT}
_COMMAND = lazy_pattern(
    r"ran(?: (?P<times>\d+)x)?(?:, last)?(?: (?P<end>ok|failed))?: (?P<command>.+?)(?: -- (?P<error>.+))?"
)


class _Most(NamedTuple):
    """Characters of a command, of why it failed, and of a result that is told."""

    command: int
    error: int
    result: int


_FULLY, _BRIEFLY = _Most(100, 100, 60), _Most(50, 50, 20)
_HEAD = lazy_pattern(r"\S+(?: \S+){0,2}")
_WORTH_A_ROOT = 2
"""Paths that a folder is named for once."""

_SHALLOW = 2
"""Slashes of a folder that is too near to the top to be the root of a project."""

_FOLDER = lazy_pattern(r"in (?P<folder>.+):")


def file_line(name: str, use: Use, has: Sequence[str], *, brief: bool = False) -> str:
    """`loader.py edited 3x, read 2x, has load_config, parse_args`; in brief the first deed alone, uncounted."""
    return f"{name} {', '.join(_deeds(use, brief=brief))}{', has ' + ', '.join(has) if has else ''}"


def _deeds(use: Use, *, brief: bool = False) -> list[str]:
    done = [deed for deed in _DEEDS if use.deeds.get(deed)]
    found = done[:1] if brief else [_times(deed, use.deeds[deed]) for deed in done[:_SHOWN_DEEDS]]
    if use.failed:
        found.append(_FAILED)
    if found:
        return found
    if use.counts[Channel.TARGET] or use.counts[Channel.ARGUMENT]:
        return ["used"]
    return [next((word for channel, word in _OTHERWISE.items() if use.counts[channel]), "used")]


def _times(deed: str, count: int) -> str:
    return deed if count == 1 else f"{deed} {count}x"


def command_line(command: str, use: Use, *, brief: bool = False) -> str:
    """`ran 4x, last failed: make test -- ld: symbol not found`; what a success brought only where it is short."""
    most = _BRIEFLY if brief else _FULLY
    count = use.deeds.get("ran", 1)
    times = "" if count == 1 else f" {count}x"
    last = ", last" if count > 1 and use.failed is not None else ""
    end = {None: "", True: " failed", False: " ok"}[use.failed]
    told = use.error[: most.error] if use.failed else use.error if len(use.error) <= most.result else ""
    shown = _cut(command, most.command)
    return f"ran{times}{last}{end}: {shown}{f' -- {told}' if told else ''}"


def _cut(command: str, limit: int) -> str:
    """A command within so many characters, but never without its first words, by which it is known."""
    head = _HEAD.match(command)
    least = max(limit, head.end() if head else 0)
    return command if len(command) <= least + 1 else f"{command[:least].rstrip()}…"


def name_line(name: str, use: Use) -> str:
    """`load_rows function`: a name with what it is, or else with what happened to it."""
    return f" {name} {use.what or by_shape(name) or _deeds(use)[0]}"


def path_line(name: str, use: Use) -> str:
    """`cache.py exists`: a path that no call was about."""
    return f" {name} {'asked' if use.counts[Channel.ASKED] else 'exists' if use.counts[Channel.SHOWN] else 'said'}"


def file_lines(files: Iterable[tuple[Name, Use, Sequence[tuple[str, Use]]]], *, brief: bool = False) -> list[str]:
    """Lines for files: below its folder when several of it are told, else with their paths; what belongs to a file
    follows it."""
    rows = list(files)
    root = common_root([name.text for name, _, _ in rows])
    folders = Counter(folder_of(name) for name, _, _ in rows)
    alone: list[str] = []
    by_folder: dict[str, list[str]] = {}
    for name, use, has in rows:
        folder = folder_of(name).removeprefix(root)
        together = folders[folder_of(name)] > 1
        shown = name.last if together else f"{folder}{name.last}"
        entries = by_folder.setdefault(folder, []) if together else alone
        entries.append(f" {file_line(shown, use, [word for word, _ in has[:NAMES_BEHIND]], brief=brief)}")
        entries += [name_line(word, its) for word, its in has[NAMES_BEHIND:]]
    lines = [f"root {root}", *alone] if root else alone
    for folder, entries in by_folder.items():
        lines += [f"in {folder or './'}:", *entries]
    return lines


def folder_of(name: Name) -> str:
    """The folder of a path with its slash, as it is written; empty when there is none."""
    return name.text[: len(name.text) - len(name.last)]


def common_root(paths: Sequence[str]) -> str:
    """The folder, with its slash, in which all absolute paths are, if it is worth a line."""
    rooted = [path for path in paths if path.startswith("/")]
    if len(rooted) < _WORTH_A_ROOT:
        return ""
    first, last = min(rooted), max(rooted)
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    root = first[: first.rfind("/", 0, same) + 1]
    return root if root.count("/") > _SHALLOW else ""


def seed(activity: Activity, checkpoint: Checkpoint) -> None:
    """Puts what a prior checkpoint tells of names and commands before everything that comes."""
    for name, use in _files(checkpoint.lines(Section.FILES)):
        activity.uses.setdefault(name, Use()).add(use)
    for line in checkpoint.lines(Section.COMMANDS):
        if match := _COMMAND.fullmatch(line):
            use = _use(Channel.TARGET, int(match["times"] or 1))
            use.deeds["ran"] = int(match["times"] or 1)
            use.failed = {None: None, "ok": False, "failed": True}[match["end"]]
            use.error = match["error"] or ""
            activity.commands[match["command"]] = use
    for name, use in _files(checkpoint.lines(Section.NAMES)):
        # What follows a file here does not belong to it.
        use.home = NOWHERE
        activity.uses.setdefault(name, Use()).add(use)
    activity.request = "\n".join(checkpoint.lines(Section.REQUEST))
    activity.length = 1


def _files(lines: Iterable[str]) -> Iterator[tuple[Name, Use]]:
    root = folder = ""
    home = NOWHERE
    for line in lines:
        if line.startswith("root "):
            root = line.removeprefix("root ")
        elif match := _FOLDER.fullmatch(line):
            folder = _rooted(root, match["folder"].removeprefix("./"))
        elif (match := _FILE.fullmatch(line.strip())) and not is_identifier(match["name"]):
            path = path_name(_rooted(folder or root, match["name"]))
            if path is None:
                continue
            home = Home("file", path.text)
            yield path, _told(match["deeds"])
            words = (match["has"] or "").split(", ")
            yield from ((name, _use(Channel.ARGUMENT, 1, home)) for word in words for name in names_in(word))
        else:
            yield from _named(line, home)


def _named(line: str, home: Home) -> Iterator[tuple[Name, Use]]:
    """The name at the head of a line of its own, with what the line says of it."""
    word, _, what = line.strip().partition(" ")
    for name in names_in(word)[:1]:
        channel = _SEEN.get(what, Channel.SHOWN)
        use = _use(channel, 1, home)
        use.what = "" if what in _SEEN else what
        yield name, use


def _rooted(folder: str, path: str) -> str:
    return path if path.startswith(("/", "~", "\\")) or path[1:2] == ":" else folder + path


def _told(deeds: str) -> Use:
    use = Use(groups=1, seen=0)
    for deed in deeds.split(", "):
        if deed == _FAILED:
            use.failed = True
        elif deed in _CHANNELS:
            use.add(_use(_CHANNELS[deed], 1))
        else:
            word, _, times = deed.partition(" ")
            use.deeds[word] = int(times.removesuffix("x") or 1)
            use.add(_use(Channel.TARGET, use.deeds[word]))
    return use


def _use(channel: Channel, count: int, home: Home = NOWHERE) -> Use:
    use = Use(groups=1, seen=0, home=home)
    use.counts[channel], use.last[channel] = count, 0
    return use
