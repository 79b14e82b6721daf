"""`python -m benchmarks assembly`: time, budget and stable beginning of prompts over a long history."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.latency.generated_sessions import session
from cfpm import Memory
from cfpm.context.tokens import total_tokens
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from cfpm.context.assembly import Prompt
    from cfpm.context.history import Raw

EARLIER = 5
"""Sessions that the memory knows before."""

RUNNING = "running"


@dataclass(slots=True)
class Figures:
    """What was measured of the prompts of one window."""

    turn: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    over: int = 0

    def take(self, prompt: Prompt) -> None:
        """Counts a prompt anew, by itself."""
        said = total_tokens(prompt.messages, estimated) + (estimated(prompt.system) + 4 if prompt.system else 0)
        self.over += said > prompt.budget
        self.digests.append(prompt.prefix_digest)


def main() -> int:
    """Prints a line for each window."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks assembly", description=__doc__)
    parser.add_argument("--tokens", type=int, default=100_000, help="Of the history before the first prompt.")
    parser.add_argument("--turns", type=int, default=30, help="Turns after it, each with a prompt.")
    given = parser.parse_args()
    for budget in (128_000, 32_000):
        with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
            _tell(budget, *_run(memory, given.tokens, given.turns, budget))
    return 0


def _run(memory: Memory, tokens: int, turns: int, budget: int) -> tuple[int, float, Figures]:
    for number in range(EARLIER):
        memory.observe(_dicts(number, 8), session=f"earlier {number}")
    history, later = _dicts(EARLIER, 4), _turns(EARLIER + 1, turns)
    while total_tokens(history, estimated) < tokens:
        history += _dicts(100 + len(history), 8)
    memory.observe(history, session=RUNNING)
    size = total_tokens(history, estimated)
    found = Figures()
    first = _timed(memory, history, "What is next?", budget, found)
    for turn in later:
        memory.observe(turn, session=RUNNING)
        history += turn
        query = next((str(one["content"]) for one in turn if one.get("role") == "user"), "What is next?")
        found.turn.append(_timed(memory, history, query, budget, found))
        found.again.append(_timed(memory, history, query, budget, found))
    return size, first, found


def _timed(memory: Memory, history: list[Raw], query: str, budget: int, found: Figures) -> float:
    began = time.thread_time()
    prompt = memory.assemble(
        history, query, session=RUNNING, policy="Be careful.", role="You write code.", budget=budget
    )
    took = 1_000 * (time.thread_time() - began)
    found.take(prompt)
    return took


def _dicts(seed: int, turns: int) -> list[Raw]:
    return [message for turn in _turns(seed, turns) for message in turn]


def _turns(seed: int, turns: int) -> list[list[Raw]]:
    return [list(turn) for turn in session(seed, turns)]


def _tell(budget: int, size: int, first: float, found: Figures) -> None:
    same = sum(one == other for one, other in zip(found.digests, found.digests[1:], strict=False))
    print(f"window {budget:,}, history {size:,} tokens, {len(found.digests)} prompts")
    print(f"  first           {first:7.1f} ms")
    for name, took in (("a new turn", found.turn), ("the same turn", found.again)):
        worst = sorted(took)[int(0.95 * (len(took) - 1))]
        print(f"  {name:<15} {statistics.median(took):7.1f} ms in the middle, {worst:.1f} ms at the 95th percentile")
    print(f"  beginning       unchanged in {same / max(1, len(found.digests) - 1):.0%}, over budget {found.over}")


if __name__ == "__main__":
    sys.exit(main())
