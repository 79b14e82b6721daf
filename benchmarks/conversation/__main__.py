"""`python -m benchmarks conversation [--data DIR | --file PATH]`: a long session with a small window."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.conversation.feed import transcript, with_planted
from benchmarks.conversation.runs import conversation, drive, kills
from cfpm import Memory, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when the bounds hold, 1 when not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks conversation", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data package; without it, a session of our own")
    parser.add_argument("--file", type=Path, help="a transcript of any known format")
    parser.add_argument("--turns", type=int, default=300, metavar="N", help="(default 300)")
    parser.add_argument("--window", type=int, default=32_000, metavar="N", help="tokens (default 32,000)")
    parser.add_argument("--kills", type=int, default=10, metavar="N", help="moments of kill -9 (default 10)")
    options = parser.parse_args(arguments)
    name, turns = transcript(options.data, options.file, options.turns)
    told, expected = with_planted(turns)
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(Path(folder) / "memory.db", settings=Settings(durability="normal")) as memory:
            figures = drive(conversation(memory, options.window), told, expected, options.window, assembled=True)
        print(f"transcript: {name}")
        print("\n".join(figures.lines(options.window)))
        for missing in figures.missing[:20]:
            print(f"missing: {missing}")
        bounds = figures.over == 0 and not figures.missing and figures.kept_turns > 0.9 * figures.turns
        if options.kills:
            given = (options.data, options.file, options.turns, options.window, options.kills)
            same, looked = kills(Path(folder), *given)
            print(f"taken up again after kill -9: {same} of {looked} send the same")
            bounds = bounds and same == looked
    return 0 if bounds else 1


if __name__ == "__main__":
    sys.exit(main())
