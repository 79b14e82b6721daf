"""`python -m benchmarks extraction [--data DIR] [--set NAME ...] [--extractor NAME] [--json OUT]`: what is kept."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module, resources
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from benchmarks.extraction import measures
from benchmarks.extraction.extractors import EXTRACTORS, extractor
from benchmarks.extraction.report import document, example_lines, table, worst
from benchmarks.extraction.result import Example, Result, Row
from cfpm import Role, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.extraction.conversation import Conversation, Extractor, Prediction

    Measure = Callable[[Path, Extractor], Result | None]


class Timed:
    """An extractor with a clock around it: seconds waited, conversations and turns (user messages) taken in."""

    def __init__(self, inner: Extractor) -> None:
        self.inner = inner
        self.seconds = 0.0
        self.conversations = 0
        self.turns = 0

    def __call__(self, conversation: Conversation) -> Sequence[Prediction]:
        start = time.perf_counter()
        answer = self.inner(conversation)
        self.seconds += time.perf_counter() - start
        self.conversations += 1
        self.turns += sum(message.role is Role.USER for message in conversation.messages)
        return answer

    def rows(self, name: str) -> tuple[Row, ...]:
        """For information; none when nothing was extracted."""
        if not self.conversations:
            return ()
        speed = self.turns / self.seconds if self.seconds else None
        return (
            Row(name, "seconds of the extractor", self.seconds, self.conversations),
            Row(name, "turns per second", speed, self.turns),
        )


def names() -> list[str]:
    """The modules of `measures`, sorted."""
    return sorted(found.name for found in iter_modules(measures.__path__))


def measure_of(name: str) -> Measure | None:
    """What the module measures; None for one that only reads data for others."""
    measure: Measure | None = getattr(import_module(f"benchmarks.extraction.measures.{name}"), "measure", None)
    return measure


def chosen(wanted: Sequence[str]) -> dict[str, Measure]:
    """The measures by name, all when none is named. Raises UsageError for a name that there is not."""
    every = names()
    found = {name: measure for name in wanted or every if name in every and (measure := measure_of(name))}
    for name in wanted:
        if name not in found:
            known = ", ".join(name for name in every if measure_of(name))
            raise UsageError(f"--set {name}", "there is no such set", f"Use one of {known}")
    return found


def run(data: Path, wanted: Sequence[str], scored: Extractor) -> tuple[Result, list[str]]:
    """All rows and examples, and the names of the sets that the data folder lacks."""
    rows: list[Row] = []
    examples: list[Example] = []
    absent: list[str] = []
    for name, measure in chosen(wanted).items():
        print(f"{name} ...", file=sys.stderr)
        timed = Timed(scored)
        if (result := measure(data, timed)) is None:
            absent.append(name)
            continue
        rows += (*result.rows, *timed.rows(result.rows[0].set if result.rows else name))
        examples += result.examples
    return Result(tuple(rows), tuple(examples)), absent


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when it ran, 2 for a folder, a set or an extractor that cannot be used."""
    options = _options(arguments)
    try:
        data = _folder(options.data)
        result, absent = run(data, options.set or (), extractor(options.extractor))
        if options.set and absent:
            place = "the sets that ship with the project" if options.data is None else "that folder"
            raise UsageError(f"--set {absent[0]}", f"not in {place}", "Unpack the data package and name it: --data DIR")
    except UsageError as error:
        print(f"benchmarks.extraction: {error}", file=sys.stderr)
        return 2
    examples = worst(result.examples, options.examples)
    print("\n".join((table(result.rows), *example_lines(examples))))
    if absent:
        print(f"\nwithout data here: {', '.join(absent)}", file=sys.stderr)
    if options.json:
        written = document(options.extractor, result.rows, examples, absent)
        options.json.write_text(json.dumps(written, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def _folder(data: Path | None) -> Path:
    """The data package, or what ships with the project."""
    if data is None:
        return Path(str(resources.files("benchmarks.extraction"))) / "bundled"
    if not data.is_dir():
        raise UsageError(f"--data {data}", "no such folder", "Unpack the data package and name its folder")
    return data


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks extraction", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data package; without it, what ships with the project")
    parser.add_argument("--set", nargs="+", action="extend", metavar="NAME", help="only these; a wrong name lists all")
    known = f"{', '.join(EXTRACTORS)}, or your own as module:function (default cfpm)"
    parser.add_argument("--extractor", default="cfpm", metavar="NAME", help=known)
    parser.add_argument("--json", type=Path, help="write rows and examples to this file")
    parser.add_argument("--examples", type=int, default=10, metavar="N", help="texts to show of each kind (default 10)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
