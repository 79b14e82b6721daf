"""The lines of a checkpoint that tell what happened to a name, written from its uses and read back into them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from cfpm.context.compaction.activity import NOWHERE, Activity, Channel, Home, Use
from cfpm.context.compaction.checkpoint import Checkpoint, Section
from cfpm.context.compaction.names import Name, names_in, path_name

NAMES_A_LINE = 6
"""A line with more names than this is a list, which nobody reads."""

_DEEDS = ("created", "edited", "deleted", "searched", "read", "used")
"""From what says most to what says least."""

_SHOWN_DEEDS = 2
_OTHERWISE = {Channel.ASKED: "user named", Channel.SAID: "said", Channel.SHOWN: "seen"}
_CHANNELS = {word: channel for channel, word in _OTHERWISE.items()}
_FAILED = "last failed"
_DEED = rf"(?:(?:{'|'.join(_DEEDS)})(?: \d+x)?|{'|'.join(_OTHERWISE.values())}|{_FAILED})"
_FILE = re.compile(rf"(?P<name>\S.*?) (?P<deeds>{_DEED}(?:, {_DEED})*)(?:, has (?P<has>.+))?")
_ALSO = "has "
_COMMAND = re.compile(
    r"ran(?: (?P<times>\d+)x)?(?P<last>, last)?(?: (?P<end>ok|failed))?: (?P<command>.+?)(?: -- (?P<error>.+))?"
)
_MAX_ERROR = 100
_FOLDER = re.compile(r"in (?P<folder>.+):")


def file_line(name: str, use: Use, has: Sequence[str]) -> str:
    """`loader.py edited 3x, read 2x, has load_config, parse_args`."""
    return f"{name} {', '.join(_deeds(use))}{', has ' + ', '.join(has) if has else ''}"


def _deeds(use: Use) -> list[str]:
    found = [_times(deed, use.deeds[deed]) for deed in _DEEDS if use.deeds.get(deed)][:_SHOWN_DEEDS]
    if use.failed:
        found.append(_FAILED)
    if found:
        return found
    if use.counts[Channel.TARGET] or use.counts[Channel.ARGUMENT]:
        return ["used"]
    return [next((word for channel, word in _OTHERWISE.items() if use.counts[channel]), "seen")]


def _times(deed: str, count: int) -> str:
    return deed if count == 1 else f"{deed} {count}x"


def command_line(command: str, use: Use) -> str:
    """`ran 4x, last failed: make test -- ld: symbol not found`."""
    count = use.deeds.get("ran", 1)
    times = "" if count == 1 else f" {count}x"
    last = ", last" if count > 1 and use.failed is not None else ""
    end = {None: "", True: " failed", False: " ok"}[use.failed]
    error = f" -- {use.error[:_MAX_ERROR]}" if use.failed and use.error else ""
    return f"ran{times}{last}{end}: {command}{error}"


def name_lines(lead: str, names: Sequence[str]) -> Iterator[str]:
    """`the user named a, b`, as many lines as it takes."""
    room = NAMES_A_LINE - sum(1 for word in lead.split() for _ in names_in(word))
    for at in range(0, len(names), room):
        yield f"{lead} {', '.join(names[at : at + room])}"


def lead_of(use: Use) -> str:
    """What a line of names says of a name that belongs to no file."""
    counts = use.counts
    if use.home.kind == "tool":
        called = counts[Channel.ARGUMENT] or counts[Channel.TARGET]
        return f"{use.home.text} was called with" if called else f"{use.home.text} returned"
    if counts[Channel.ASKED]:
        return "the user named"
    if counts[Channel.TARGET] or counts[Channel.ARGUMENT]:
        return "calls used"
    return "the agent said" if counts[Channel.SAID] else "results showed"


_LEADS = {
    "the user named": Channel.ASKED,
    "calls used": Channel.ARGUMENT,
    "the agent said": Channel.SAID,
    "results showed": Channel.SHOWN,
}
_LEAD = re.compile(rf"(?P<lead>{'|'.join(_LEADS)}|(?P<tool>\S+) (?P<way>was called with|returned)) (?P<names>.+)")


def file_lines(files: Iterable[tuple[Name, Use, Sequence[str]]]) -> list[str]:
    """Lines for files by folder: each folder once, below it its files with what belongs to them."""
    by_folder: dict[str, list[str]] = {}
    rows = list(files)
    root = common_root([name.text for name, _, _ in rows])
    for name, use, has in rows:
        at = len(name.text) - len(name.last)
        folder = name.text[:at].removeprefix(root)
        entries = by_folder.setdefault(folder, [])
        entries.append(f" {file_line(name.last, use, has[: NAMES_A_LINE - 1])}")
        rest = has[NAMES_A_LINE - 1 :]
        entries += [f" {_ALSO}{', '.join(rest[n : n + NAMES_A_LINE])}" for n in range(0, len(rest), NAMES_A_LINE)]
    lines = [f"root {root}"] if root else []
    for folder, entries in by_folder.items():
        lines += [f"in {folder or './'}:", *entries]
    return lines


def common_root(paths: Sequence[str]) -> str:
    """The folder, with its slash, in which the most absolute paths are, if it is worth a line."""
    rooted = [path for path in paths if path.startswith("/")]
    if len(rooted) < _WORTH_A_ROOT:
        return ""
    first, last = min(rooted), max(rooted)
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    root = first[: first.rfind("/", 0, same) + 1]
    return root if root.count("/") > _SHALLOW else ""


_WORTH_A_ROOT = 2
_SHALLOW = 2
"""Slashes of a folder that is too near to the top to be the root of a project."""


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
    for line in checkpoint.lines(Section.NAMES):
        if match := _LEAD.fullmatch(line):
            channel = _LEADS.get(match["lead"], Channel.SHOWN if match["way"] == "returned" else Channel.ARGUMENT)
            home = Home("tool", match["tool"]) if match["tool"] else NOWHERE
            _add_names(activity, match["names"], channel, home)
    activity.length = 1


def _files(lines: Iterable[str]) -> Iterator[tuple[Name, Use]]:
    root = folder = ""
    home = NOWHERE
    for line in lines:
        if line.startswith("root "):
            root = line.removeprefix("root ")
        elif match := _FOLDER.fullmatch(line):
            inner = match["folder"] if match["folder"] != "./" else ""
            folder = inner if inner.startswith(("/", "~")) or inner[1:2] == ":" else root + inner
        elif line.startswith(f" {_ALSO}") and home.kind:
            yield from ((name, _use(Channel.ARGUMENT, 1, home)) for name in _named(line.removeprefix(f" {_ALSO}")))
        elif match := _FILE.fullmatch(line.strip()):
            path = path_name(folder + match["name"])
            if path is None:
                continue
            home = Home("file", path.text)
            yield path, _told(match["deeds"])
            yield from ((name, _use(Channel.ARGUMENT, 1, home)) for name in _named(match["has"] or ""))


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


def _named(text: str) -> Iterator[Name]:
    return (name for word in text.split(", ") for name in names_in(word))


def _add_names(activity: Activity, text: str, channel: Channel, home: Home) -> None:
    for name in _named(text):
        activity.uses.setdefault(name, Use()).add(_use(channel, 1, home))
