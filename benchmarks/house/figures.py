"""All figures of one checkout: those of its text, and those of a run of it in a process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.house.imports import circles, imports, reached
from benchmarks.house.literals import Literal, patterns, word_lists
from benchmarks.house.tree import functions, is_loose, modules, room
from benchmarks.latency.figures import percentile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.house.tree import Module

KEPT_LOOSE = frozenset(
    {"cfpm", "cfpm.__main__", "cfpm.memory", "cfpm.async_memory", "cfpm.settings", "cfpm.errors"},
)
"""The files that may stand at the top of `cfpm`."""


@dataclass(frozen=True, slots=True)
class Room:
    """One room, `cfpm` as a whole, or the adapters: counts, and lines by median and 90th percentile."""

    files: int
    lines: int
    module_median: int
    module_p90: int
    function_median: int
    function_p90: int
    patterns: int
    word_lists: int


@dataclass(frozen=True, slots=True)
class House:
    """One checkout."""

    rooms: dict[str, Room]
    figures: dict[str, int]
    """What is measured to its number, in the order of the table."""
    between: dict[str, int]
    """`room > room` to the imports of modules of the one by those of the other."""
    unreached: tuple[str, ...]
    circles: tuple[str, ...]
    lazy_circles: tuple[str, ...]
    """Those that close only through an import inside a function."""
    loose: tuple[str, ...]
    patterns: tuple[Literal, ...]
    word_lists: tuple[Literal, ...]


def house(checkout: Path) -> House:
    """Measures a checkout. Raises CalledProcessError where its code does not run."""
    found = modules(checkout)
    edges = imports(found)
    all_patterns = [item for module in found.values() for item in patterns(module)]
    all_lists = [item for module in found.values() for item in word_lists(module)]
    rooms = _rooms(found, Counter(room(p.module) for p in all_patterns), Counter(room(w.module) for w in all_lists))
    pairs = [(a, b, lazy) for lazy, way in ((False, edges.eager), (True, edges.lazy)) for a in way for b in way[a]]
    between = Counter(f"{room(a)} > {room(b)}" for a, b, _ in pairs if room(a) != room(b))
    eager_circles, all_circles = circles(edges.eager), circles(edges.all())
    unreached = sorted(set(found) - reached(edges))
    loose = sorted(name for name, module in found.items() if is_loose(module) and name not in KEPT_LOOSE)
    core = rooms["cfpm (all)"]
    figures = {
        "files in cfpm": core.files,
        "lines in cfpm": core.lines,
        "lines of a module, median": core.module_median,
        "lines of a module, 90th percentile": core.module_p90,
        "lines of a function, median": core.function_median,
        "lines of a function, 90th percentile": core.function_p90,
        "loose files at the top of cfpm": len(loose),
        "imports between modules": len(pairs),
        "imports between rooms": sum(between.values()),
        "imports inside functions": sum(lazy for _, _, lazy in pairs),
        "circles of imports": len(eager_circles),
        "circles, imports inside functions counted": len(all_circles),
        "modules reached by no door": len(unreached),
        "lines reached by no door": sum(found[name].lines for name in unreached),
        "regular expressions in cfpm": core.patterns,
        "word lists in Python in cfpm": core.word_lists,
        **_traced(checkout),
    }
    return House(
        rooms=rooms,
        figures=figures,
        between=dict(between.most_common()),
        unreached=tuple(unreached),
        circles=tuple(map(" > ".join, eager_circles)),
        lazy_circles=tuple(" > ".join(group) for group in all_circles if group not in eager_circles),
        loose=tuple(loose),
        patterns=tuple(all_patterns),
        word_lists=tuple(all_lists),
    )


def _rooms(found: dict[str, Module], by_patterns: Counter[str], by_lists: Counter[str]) -> dict[str, Room]:
    core = [module for module in found.values() if module.name.partition(".")[0] == "cfpm"]
    names = sorted({room(module.name) for module in core if not is_loose(module)})
    groups = {name: [module for module in core if room(module.name) == name] for name in names}
    groups["(loose)"] = [module for module in core if is_loose(module)]
    groups["cfpm (all)"] = core
    groups["cfpm_adapters"] = [module for module in found.values() if room(module.name) == "cfpm_adapters"]
    return {name: _room(members, by_patterns, by_lists) for name, members in groups.items() if members}


def _room(members: Sequence[Module], by_patterns: Counter[str], by_lists: Counter[str]) -> Room:
    files = [module.lines for module in members]
    inside = [lines for module in members for _, lines in functions(module)] or [0]
    names = {room(module.name) for module in members}
    return Room(
        files=len(files),
        lines=sum(files),
        module_median=round(statistics.median(files)),
        module_p90=round(percentile(files, 0.9)),
        function_median=round(statistics.median(inside)),
        function_p90=round(percentile(inside, 0.9)),
        patterns=sum(by_patterns[name] for name in names),
        word_lists=sum(by_lists[name] for name in names),
    )


def _traced(checkout: Path) -> dict[str, int]:
    """What `tracing` counts, in a process that sees this checkout and not this one's code."""
    with tempfile.TemporaryDirectory() as empty:
        program = Path(__file__).with_name("tracing.py")
        done = subprocess.run(
            [sys.executable, "-P", str(program)],
            env=environment(checkout),
            cwd=empty,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    names = {"modules": "modules", "moves": "moves between modules", "room_moves": "moves between rooms"}
    return {
        f"{call}: {names[kind]}": count
        for call, counts in json.loads(done.stdout).items()
        for kind, count in counts.items()
    }


def environment(checkout: Path) -> dict[str, str]:
    """The environment of a process that imports the packages of a checkout."""
    at = checkout.resolve()
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(at), str(at / "adapters")])}


@contextmanager
def revision(checkout: Path, name: str) -> Iterator[Path]:
    """Another revision of a checkout, in a folder that goes afterwards. Raises CalledProcessError if there is none."""
    git = ["git", "-C", str(checkout)]
    with tempfile.TemporaryDirectory(prefix="cfpm-house-") as folder:
        at = Path(folder) / "checkout"
        subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(at), name], check=True)
        try:
            yield at
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(at)], check=True)
