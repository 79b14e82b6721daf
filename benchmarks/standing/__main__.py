"""`python -m benchmarks standing`: what stands after each of many compactions, by strategy and budget."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cfpm import Memory
from cfpm.context.strategies.registry import NAMES
from cfpm.context.strategies.types import Limits

BUDGETS = (1_000, 4_000)
SEED = 7
EVERY = 12
"""Turns between two compactions."""
KNOWN_BY = 16
"""Characters by which an answer is known: lines are cut where there is little room."""

_NO = ("Denied by the user", "no", '{"decision": "denied"}', "The operator declined", "User rejected this: too early")
_YES = ("Approved", "yes", '{"approved": true}', "ok, go on", '{"action": "accept"}')
_THINGS = ("drop table", "deploy to", "rewrite history of", "send mail about", "restart", "delete branch", "publish")
_PLACES = ("birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow", "yew")

Raw = dict[str, Any]


@dataclass(slots=True)
class Session:
    """A session that is made up turn by turn, with what must stand after it."""

    chance: random.Random
    granted: dict[str, bool] = field(default_factory=dict)
    plan: dict[str, str] = field(default_factory=dict)
    todos: dict[str, str] = field(default_factory=dict)
    number: int = 0

    def turn(self) -> Iterator[Raw]:
        """One more turn: a request, work, and now and then a question or a list."""
        self.number += 1
        yield {"role": "user", "content": f"Please go on with part {self.number} of the {self._place()} module."}
        yield from self._call("Read", {"file_path": f"/srv/grove/part{self.number}.py"}, "def f(): ...\n" * 50)
        kind = self.chance.randrange(12)
        if kind == 0:
            yield from self._asked()
        elif kind == 1:
            yield from self._listed("update_plan", "plan", "step", self.plan)
        elif kind == 2:
            yield from self._listed("TodoWrite", "todos", "content", self.todos)
        yield {"role": "assistant", "content": f"Part {self.number} is read, and it looks as expected."}

    def _asked(self) -> Iterator[Raw]:
        subject = f"{self.number} {self.chance.choice(_THINGS)} {self._place()}"
        granted = self.chance.random() < 0.5
        self.granted[subject] = granted
        if self.chance.random() < 0.5:
            answer = self.chance.choice(_YES if granted else _NO)
            yield from self._call("request_approval", {"action": subject}, answer)
        else:
            yield {"role": "assistant", "content": f"{subject}, shall I?"}
            yield {"role": "user", "content": "Yes, please." if granted else "No, leave it."}

    def _listed(self, tool: str, name: str, field_name: str, steps: dict[str, str]) -> Iterator[Raw]:
        for step in list(steps)[:2]:
            steps[step] = "completed"
        for _ in range(3):
            steps[f"{self._place()} step {self.number} {len(steps)}"] = "pending"
        for done in [step for step, status in steps.items() if status == "completed"][:-2]:
            del steps[done]
        listed = [{field_name: step, "status": status} for step, status in steps.items()]
        yield from self._call(tool, {name: listed}, "updated")

    def _call(self, tool: str, arguments: Raw, answer: str) -> Iterator[Raw]:
        name = f"call{self.number}{tool}"
        yield {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": tool, "input": arguments}]}
        yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": answer}]}

    def _place(self) -> str:
        return self.chance.choice(_PLACES)


def main() -> int:
    """Prints a row for each strategy and budget; exit code 1 when something is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks standing", description=__doc__)
    parser.add_argument("--turns", type=int, default=60, help="Turns of a session.")
    parser.add_argument("--strategy", choices=NAMES, help="Only this one.")
    given = parser.parse_args()
    wrong = 0
    for strategy in [given.strategy] if given.strategy else NAMES:
        for budget in BUDGETS:
            counts = run(strategy, budget, given.turns)
            wrong += counts["over"] + counts["missing"] + counts["confused"]
            told = "  ".join(
                f"{name} {counts[name]:4d}" for name in ("compactions", "over", "held", "missing", "confused")
            )
            print(f"{strategy:<10}{budget:>6}  {told}", flush=True)
    return int(wrong > 0)


def run(strategy: str, budget: int, turns: int) -> Counter[str]:
    """The figures of one session that is compacted every few turns, and goes on from each view."""
    session, counts = Session(random.Random(SEED)), Counter[str]()
    view: list[Any] = []
    with Memory.open("sqlite://") as memory:
        for turn in range(1, turns + 1):
            new = list(session.turn())
            memory.observe(new, session="s")
            view += new
            if turn % EVERY:
                continue
            done = memory.compact(view, Limits(budget), session="s", strategy=strategy, observe=False)
            if done.changed:
                view = list(done.messages)
                counts["compactions"] += 1
                counts["over"] += done.after_tokens > budget
                _judge(session, done.checkpoint.rpartition("<<<CFPM_STATE_V1")[2], counts)
    return counts


def _judge(session: Session, block: str, counts: Counter[str]) -> None:
    granted, _, rest = block.partition("\nRefused by the user")
    refused, _, _ = rest.partition("\nPlan:")
    for subject, allowed in session.granted.items():
        known = f"- {subject[:KNOWN_BY]}"
        counts["held"] += 1
        counts["missing"] += known not in (granted if allowed else refused)
        counts["confused"] += known in (refused if allowed else granted)
    for step, status in {**session.plan, **session.todos}.items():
        if status == "pending":
            counts["held"] += 1
            counts["missing"] += f"[ ] {step}" not in block


if __name__ == "__main__":
    raise SystemExit(main())
