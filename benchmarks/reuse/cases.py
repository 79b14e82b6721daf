"""Cuts of sessions as cases to learn from: each name before the cut with its features, and whether the rest uses it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compaction.gold import gold, hear
from benchmarks.compaction.runs import SHARES
from benchmarks.compaction.schemes import unfinished
from cfpm.context.compaction.activity import Activity
from cfpm.context.compaction.names import NameKind
from cfpm.context.compaction.uses import Use, joined
from cfpm.context.compaction.worth import COMMAND, Now, features, kind_of
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.compaction.sessions import Session

_FOLDS = 3
_COMMAND_WORDS = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A name or a command before a cut. `text` is what the benchmark compares."""

    text: str
    features: Mapping[str, float]
    used_again: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One cut; `wanted` is how many names and commands the rest uses again."""

    names: tuple[Example, ...]
    commands: tuple[Example, ...]
    wanted: int


def kept_apart(session: str) -> bool:
    """One session of three, by its name: those are judged on, not learnt from."""
    return zlib.crc32(f"reuse/{session}".encode()) % _FOLDS == 0


def cases(session: Session) -> Iterator[Case]:
    """The cuts of a session after which something is used again."""
    whole = list(read_history(session.messages, estimated).entries)
    heard = [hear(entry) for entry in whole]
    for share in SHARES:
        cut = len(whole) * share // 100
        cut += unfinished(whole[cut:])
        wanted = gold(heard, cut).names
        if not wanted:
            continue
        activity = Activity()
        for group in read_history(session.messages[:cut], estimated).groups:
            activity.take(group)
        named = {name.text for name in wanted if name.kind != "command"}
        ran = {name.text for name in wanted if name.kind == "command"}
        yield Case(tuple(_names(activity, named)), tuple(_commands(activity, ran)), len(wanted))


def _names(activity: Activity, named: set[str]) -> Iterator[Example]:
    uses, now = joined(activity.uses), Now.of(activity)
    homes = {name.last: use for name, use in uses.items() if name.kind is NameKind.PATH}
    for name, use in uses.items():
        found = features(name.last, use, kind_of(name), now, _home(use, homes))
        yield Example(name.last, found, name.last in named)


def _home(use: Use, homes: Mapping[str, Use]) -> Use | None:
    return homes.get(use.home.text.rpartition("/")[2]) if use.home.kind == "file" else None


def _commands(activity: Activity, ran: set[str]) -> Iterator[Example]:
    now = Now.of(activity)
    for command, use in activity.commands.items():
        first = " ".join(command.split()[:_COMMAND_WORDS])
        yield Example(first, features(command, use, COMMAND, now), first in ran)
