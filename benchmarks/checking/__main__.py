"""`python -m benchmarks checking`: what it costs to look a brief up in its project's folder."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm import Memory
from cfpm.model import Category
from cfpm.recall.brief.checking import check
from cfpm.recall.brief.records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfpm.model import Fact

BUDGET = 20_000
"""Tokens: room for all lines."""

NOTES = 200


def main() -> int:
    """Prints a line for each figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks checking", description=__doc__)
    parser.add_argument("--files", type=int, default=160, help="Files of the project.")
    parser.add_argument("--repeat", type=int, default=30, help="How often each is measured.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        root = Path(folder) / "shop"
        memory.observe(list(_session(root, given.files)), session="a")
        facts = [_note(memory, number, given.files) for number in range(NOTES)]
        plain, looked_up = memory.brief(max_tokens=BUDGET), memory.brief(max_tokens=BUDGET, root=root)
        print(f"lines {len(plain.lines)}, with a root {len(looked_up.lines)}", end=", ")
        print(f"marked {sum('(check: ' in line.text for line in looked_up.lines)}")
        _tell("brief", given.repeat, lambda: memory.brief(max_tokens=BUDGET))
        _tell("with a root", given.repeat, lambda: memory.brief(max_tokens=BUDGET, root=root))
        deeds = memory.store.deeds.recent(["default"], 5_000)

        def prepared() -> Callable[[], object]:
            records = Records.of(deeds, str(root))
            return lambda: check(memory.store, "default", str(root), records, facts)

        _tell("looking it up", given.repeat, *(prepared() for _ in range(given.repeat)))
        file = root / "AGENTS.md"
        _tell("into a file", given.repeat, lambda: memory.write_brief(file, root=root))
    return 0


def _tell(name: str, repeat: int, *works: Callable[[], object]) -> None:
    """The least and the median time of one work that is repeated, or of several that are done once each."""
    took = []
    for work in works if len(works) > 1 else works * repeat:
        began = time.thread_time()
        work()
        took.append(1_000 * (time.thread_time() - began))
    print(f"{name:<14}{min(took):6.1f} ms at least, {statistics.median(took):6.1f} ms in the middle")


def _session(root: Path, files: int) -> Iterator[dict[str, object]]:
    yield {"role": "user", "content": "Tidy the shop up."}
    for number in range(files):
        path = root / _path(number, files)
        path.parent.mkdir(parents=True, exist_ok=True)
        if number % 5:
            path.write_text("pass\n", encoding="utf-8")
        changed = {"file_path": str(path), "old_string": "", "new_string": f"def step_{number}(): ..."}
        yield from _called(f"e{number}", "Edit", changed, "The file has been updated.")
    for number in range(0, files, 3):
        yield from _called(f"r{number}", "Bash", {"command": f"pytest {_path(number, files)}"}, "3 passed in 0.1s")


def _called(ident: str, tool: str, arguments: dict[str, str], output: str) -> Iterator[dict[str, object]]:
    call = {"id": ident, "name": tool, "arguments": arguments}
    yield {"role": "assistant", "content": "", "tool_calls": [call]}
    yield {"role": "tool", "tool_call_id": ident, "content": output}


def _note(memory: Memory, number: int, files: int) -> Fact:
    said = f"Limit{number} of counter{3 * number} is kept as unit{number}"
    if number % 4 == 0:
        said = f"Limit{number} of counter{3 * number} is set at {_path(number, files)}:{number + 1}"
    return memory.remember(said, category=Category.NOTE)


def _path(number: int, files: int) -> str:
    number %= files
    return f"part{number % 12}/step{number % 7}/file{number}.py"


if __name__ == "__main__":
    sys.exit(main())
