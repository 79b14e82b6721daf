"""Which names, commands and sentences a checkpoint has room for: the likeliest to be used again for their tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cfpm.context.checkpoint.activity import Activity
from cfpm.context.checkpoint.checkpoint import Checkpoint, Section
from cfpm.context.checkpoint.lines import (
    command_line,
    common_root,
    file_line,
    file_lines,
    folder_of,
    name_line,
    path_line,
)
from cfpm.context.checkpoint.names import Name, NameKind
from cfpm.context.checkpoint.reuse import COMMAND, Now, kind_of, reuse_probability
from cfpm.context.checkpoint.usage import Channel, Home, Use, joined
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.tokens import Count

KNOWN = 0.1
"""How much of its worth is left to a name that stands in what is kept anyway."""

SEPARATOR = 1
"""Tokens of the comma or the line's end behind a name."""

HOMELESS = 1
"""Tokens that a name takes more when it stands in a line of its own: the word for what it is."""

LEAST = 0.0005
"""Gain for a token under which a name is not worth being read."""

FOLDERS = 150
"""Folders that would fill a view: one that takes more of it is left out, unless a file of it was changed."""

BRIEF = 1_500
"""Budget under which what was done and run is told in few words."""

SHARED = 3
"""Files at most over which the tokens of their folder are spread: rarely are all files of one told."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that may be written: a path, another name, a command, or a line of a section. `gain` is how many names
    it is likely to save for the rest of the session, `cost` its tokens, about."""

    gain: float
    cost: int
    name: Name | None = None
    use: Use | None = None
    section: Section = Section.NAMES
    line: str = ""

    @property
    def density(self) -> float:
        """Gain for a token."""
        return self.gain / self.cost


SERIES = 3
"""Names of a numbered series, twice as long at least, that are told as any other."""

_NUMBER = lazy_pattern(r"\d+")
_WORDED = lazy_pattern(r"[A-Za-z]{3}")
"""What numbered names have and ids of records mostly do not, each of which is a thing of its own."""

_SEGMENT = lazy_pattern(r"[/\\]")
_NOTHING = Option(0.0, 1)


def options(activity: Activity, known: Callable[[str], bool], count: Count, room: int) -> list[Option]:
    """All names and commands with their worth; `known` says whether the view holds a name without the checkpoint.

    `room` is the budget in tokens: where it is small, a file that was only looked at is told without a long folder.
    """
    found: list[Option] = []
    brief = room < BRIEF
    uses, now = joined(activity.uses), Now.of(activity)
    homes = {name.last: use for name, use in uses.items() if name.kind is NameKind.PATH}
    handled = {name.last for name, use in uses.items() if name.kind is NameKind.PATH and use.handled}
    root, folders = _folders([name for name, use in uses.items() if use.handled and name.kind is NameKind.PATH], count)
    mentioned: dict[str, Option] = {}
    segments = {part for name in uses if name.kind is NameKind.PATH for part in _SEGMENT.split(name.text)[:-1]}
    for name, use in uses.items():
        if not use.what and name.text in segments:
            use.what = "folder"
        home = homes.get(use.home.text.rpartition("/")[2]) if use.home.kind == "file" else None
        gain = reuse_probability(name.last, use, kind_of(name), now, home) * (KNOWN if known(name.last) else 1.0)
        if name.kind is NameKind.PATH and use.handled:
            line = file_line(name.last, use, (), brief=brief)
            cost, folder = count(line) + SEPARATOR, folders[folder_of(name).removeprefix(root)]
            if folder * FOLDERS > room and not use.changed:
                found.append(Option(gain, cost, section=Section.NAMES, line=f" {line}"))
            else:
                found.append(Option(gain, cost + folder, name=name, use=use))
        elif name.last not in handled and gain > mentioned.get(name.last, _NOTHING).gain:
            mentioned[name.last] = Option(gain, count(name.last) + SEPARATOR + HOMELESS, name=name, use=use)
    found += _without_series(mentioned.values())
    return [*found, *_commands(activity, now, known, count, brief=brief)]


def _without_series(found: Iterable[Option]) -> Iterator[Option]:
    """Of names that only a result showed and that differ in nothing but numbers, a few have their full worth: they
    stand for the others."""
    alike: dict[tuple[object, str], list[Option]] = {}
    for option in found:
        name, use = option.name, option.use
        if name is None or use is None or sum(use.counts) > use.counts[Channel.SHOWN] or not _WORDED.search(name.last):
            yield option
        else:
            alike.setdefault((use.home, _NUMBER.sub("#", name.last)), []).append(option)
    for series in alike.values():
        series.sort(key=lambda option: -option.gain)  # Of equal ones the first that was shown.
        for place, option in enumerate(series):
            yield option if place < SERIES or len(series) <= 2 * SERIES else replace(option, gain=option.gain * KNOWN)


def _commands(
    activity: Activity, now: Now, known: Callable[[str], bool], count: Count, *, brief: bool
) -> Iterator[Option]:
    """The commands; of those that begin with the same words and have the same switches, one has its full worth: it
    stands for the others. A run is not told by its `--dry-run`."""
    best: dict[tuple[str, ...], float] = {}
    valued: list[tuple[str, tuple[str, ...], Use, float]] = []
    for command, use in activity.commands.items():
        several = command.split()
        head = (*several[:3], *sorted(word for word in several[3:] if word.startswith("--")))
        gain = reuse_probability(command, use, COMMAND, now)
        best[head] = max(gain, best.get(head, 0.0))
        valued.append((command, head, use, gain))
    for command, head, use, gain in valued:
        line = command_line(command, use, brief=brief)
        stands = gain == best[head] and not known(command)
        yield Option(gain * (1.0 if stands else KNOWN), count(line) + 2, use=use, section=Section.COMMANDS, line=line)


def _folders(files: Sequence[Name], count: Count) -> tuple[str, dict[str, int]]:
    """The root of most files, and for each folder below it the tokens that a file of it pays for its line."""
    root = common_root([name.text for name in files])
    found = Counter(folder_of(name).removeprefix(root) for name in files)
    return root, {folder: -(-count(folder) // min(SHARED, number)) for folder, number in found.items()}


def layout(fixed: Mapping[Section, Sequence[str]], chosen: Iterable[Option], *, brief: bool = False) -> Checkpoint:
    """The checkpoint with these lines and what was chosen, each name with what it belongs to."""
    lines = {section: list(found) for section, found in fixed.items()}
    files: dict[str, tuple[Name, Use, list[tuple[str, Use]]]] = {}
    others: list[Option] = []
    for option in chosen:
        if option.name is None:
            lines.setdefault(option.section, []).append(option.line)
        elif option.name.kind is NameKind.PATH and option.use and option.use.handled:
            files[option.name.text] = (option.name, option.use, [])
        else:
            others.append(option)
    by_ending = _by_ending(files)
    alone: list[str] = []
    for option in others:
        name, use = option.name, option.use
        if name is None or use is None:
            continue
        home = _at_home(use.home, files, by_ending)
        if home and name.kind is not NameKind.PATH:
            files[home][2].append((name.text, use))
        elif name.kind is NameKind.PATH:
            alone.append(path_line(name.last, use))
        else:
            alone.append(name_line(name.text, use))
    lines[Section.FILES] = file_lines(files.values(), brief=brief)
    lines[Section.NAMES] = [*lines.get(Section.NAMES, ()), *alone]
    return Checkpoint.of(lines)


def _by_ending(files: Iterable[str]) -> dict[str, str]:
    return {path.rpartition("/")[2]: path for path in files}


def _at_home(home: Home, files: Mapping[str, object], by_ending: Mapping[str, str]) -> str:
    if home.kind != "file":
        return ""
    if home.text in files:
        return home.text
    path = by_ending.get(home.text.rpartition("/")[2], "")
    return path if path.endswith(home.text) or home.text.endswith(path) else ""


def ordered(found: Iterable[Option]) -> list[Option]:
    """The options that are worth being read, the densest first."""
    kept = (option for option in found if option.density >= LEAST)
    return sorted(kept, key=lambda option: (-option.density, option.line or (option.name.text if option.name else "")))


def fitted(
    fixed: Mapping[Section, Sequence[str]], order: Sequence[Option], fits: Callable[[Checkpoint], bool], room: int
) -> tuple[Checkpoint, bool]:
    """The checkpoint with as many of the options as fit, from the first on, and whether all of them do.

    `room` is the budget in tokens, so that options far beyond it are not tried. When not even the fixed lines fit, they
    are all there is.
    """
    low, high, brief = 0, _reach(order, room), room < BRIEF
    best = layout(fixed, ())
    while low < high:
        middle = (low + high + 1) // 2
        tried = layout(fixed, order[:middle], brief=brief)
        if fits(tried):
            low, best = middle, tried
        else:
            high = middle - 1
    return best, low == len(order)


def _reach(order: Sequence[Option], room: int) -> int:
    """How many options may fit at all: their costs are estimates, so twice the room is allowed for."""
    total = 0
    for place, option in enumerate(order):
        total += option.cost
        if total > 2 * room:
            return place
    return len(order)
