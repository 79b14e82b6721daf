"""`python -m benchmarks formats FOLDER...`: are hosts' files read whole, each word with whoever said it?"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.formats.second import SECOND
from cfpm.errors import InputError
from cfpm.model import Origin, Role
from cfpm.transcript.reading import detect, expand, read
from cfpm.transcript.records import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

_WHO = ("user", "assistant", "call", "result")


@dataclass(slots=True)
class Figures:
    """What two readers found in the files of one format. `lost` are texts that ours does not give to who said them."""

    files: int = 0
    sessions: int = 0
    second: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    problems: int = 0


def compare(path: Path, figures: Figures, second: str) -> None:
    """Adds one file to the figures. Raises InputError where ours reads nothing."""
    texts: dict[str, list[str]] = defaultdict(list)
    sessions: set[str] = set()
    for item in read(path):
        if isinstance(item, Problem):
            figures.unknown.update({item.unknown: item.count} if item.unknown else {})
            figures.problems += not item.unknown
            continue
        message = item.message
        sessions.add(item.session)
        who = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "result"}.get(message.role, "")
        texts[who].append(message.text)
        if message.text and message.origin is Origin.SAID:
            figures.ours[who] += 1
        figures.ours["result"] += message.role is Role.TOOL and not message.text
        figures.ours["call"] += len(message.tool_calls)
    told = {who: "".join("".join(listed).split()) for who, listed in texts.items()}
    for who, text in SECOND[second](path):
        if who in ("user", "assistant") and not text.strip():
            continue
        figures.second[who] += 1
        if who in ("user", "assistant") and "".join(text.split()) not in told.get(who, ""):
            figures.lost.append(f"{path}: {who}: {' '.join(text.split())[:80]}")
    figures.files += 1
    figures.sessions += len(sessions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, 1 when words were lost or a file could not be read, 2 where no file is of these formats."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks formats", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="folders or files of hosts")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="lost texts to print of each format")
    options = parser.parse_args(arguments)
    found: dict[str, Figures] = {}
    failed = 0
    for path in expand(options.folders):
        try:
            name = detect(path)
            if name in SECOND:
                compare(path, found.setdefault(name, Figures()), name)
        except InputError as error:
            if path in options.folders:
                failed += 1
                print(f"{path}: NOT READ {error}", file=sys.stderr)
    if not found and not failed:
        print("no file of these formats here", file=sys.stderr)
        return 2
    _show(found, options.show)
    if options.json:
        document = {
            name: {"second": one.second, "ours": one.ours, "lost": len(one.lost)} for name, one in found.items()
        }
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 1 if failed or any(one.lost for one in found.values()) else 0


def _show(found: dict[str, Figures], shown: int) -> None:
    print(
        "| format | files | sessions | " + " | ".join(f"{who}, second / ours" for who in _WHO) + " | lost | problems |"
    )
    print("|---|---" + "|---" * (len(_WHO) + 3) + "|")
    for name, one in sorted(found.items()):
        pairs = " | ".join(f"{one.second[who]} / {one.ours[who]}" for who in _WHO)
        print(f"| {name} | {one.files} | {one.sessions} | {pairs} | {len(one.lost)} | {one.problems} |")
    for name, one in sorted(found.items()):
        for kind, count in sorted(one.unknown.items()):
            print(f"{name}: {count} of the unknown kind {kind!r}")
        for line in one.lost[:shown]:
            print(f"{name}: LOST {line}")


if __name__ == "__main__":
    sys.exit(main())
