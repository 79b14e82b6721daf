"""Counts the modules and rooms that one call of the memory runs through. A program of its own: it runs against any
checkout by PYTHONPATH, and uses nothing of it but `from cfpm import Memory`.

    PYTHONPATH=CHECKOUT python -P tracing.py
"""

from __future__ import annotations

import dis
import inspect
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType

SENTENCE = "We changed batch 1: it now holds 50 rows instead of 40."
QUESTION = "How many rows does batch 1 hold?"
COMMAND = 'cat "$(xdg-user-dir DESKTOP)/notes.txt"'
KNOWN = 12
"""The length of the history that the memory has seen before."""
MESSAGES = 80
"""The length of the history that is compacted."""

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
RETURN_GENERATOR = dis.opmap["RETURN_GENERATOR"]


@dataclass(slots=True)
class Trace:
    """What one run entered; a move is a call of one module from another, rooms likewise."""

    package: str
    modules: set[str] = field(default_factory=set)
    moves: int = 0
    room_moves: int = 0

    def room(self, module: str) -> str:
        """The part of a module's name under the package, or the package itself."""
        return module.removeprefix(f"{self.package}.").partition(".")[0]

    def called(self, frame: FrameType, event: str, _: object) -> None:
        """The profile function. A generator that goes on is no call."""
        if event != "call" or _goes_on(frame):
            return
        module = self._module(frame)
        if not module:
            return
        self.modules.add(module)
        caller = self._caller(frame.f_back)
        if caller and caller != module:
            self.moves += 1
            self.room_moves += self.room(caller) != self.room(module)

    def _module(self, frame: FrameType) -> str:
        name = frame.f_globals.get("__name__", "")
        return name if name == self.package or name.startswith(f"{self.package}.") else ""

    def _caller(self, frame: FrameType | None) -> str:
        """The nearest module of the package above, through libraries that call back; none above the first call."""
        while frame is not None:
            if module := self._module(frame):
                return module
            frame = frame.f_back
        return ""


def _goes_on(frame: FrameType) -> bool:
    """Whether a generator or a coroutine is resumed, which the interpreter reports as it does a call."""
    code = frame.f_code
    return bool(code.co_flags & GENERATORS) and frame.f_lasti > _start(code)


@cache
def _start(code: CodeType) -> int:
    """Where a generator stands when it first runs: two instructions behind the one that handed it to its caller."""
    return 4 + next((at for at in range(0, len(code.co_code), 2) if code.co_code[at] == RETURN_GENERATOR), 0)


@contextmanager
def traced(package: str) -> Iterator[Trace]:
    """Counts what runs inside, in this thread."""
    trace = Trace(package)
    sys.setprofile(trace.called)
    try:
        yield trace
    finally:
        sys.setprofile(None)


def history(count: int) -> list[dict[str, Any]]:
    """So many messages of a user, an agent and its tool, the same in every run."""
    made: list[dict[str, Any]] = []
    for turn in range(-(-count // 4)):
        call = {
            "id": f"call{turn}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"cat src/part{turn}.py"})},
        }
        made += [
            {
                "role": "user",
                "content": f"Please look at src/part{turn}.py. We decided to keep batch {turn} at 40 rows.",
            },
            {"role": "assistant", "content": f"I will read part {turn}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call{turn}", "content": f"def part{turn}():\n    return {turn}\n" * 20},
            {"role": "assistant", "content": f"Part {turn} returns its number. The batch size stays at 40 rows."},
        ]
    return made[:count]


def figures() -> dict[str, dict[str, int]]:
    """The counts of each kind of call. All is done once before, in another memory, so that imports do not count."""
    from cfpm import Memory

    counted: dict[str, dict[str, int]] = {}
    for _ in range(2):
        with Memory.open("sqlite://") as memory:
            memory.observe(history(KNOWN), session="before")
            work: dict[str, Callable[[], object]] = {
                "observe": partial(memory.observe, [{"role": "user", "content": SENTENCE}], session="new"),
                "recall": partial(memory.recall, QUESTION),
                "gate": partial(memory.gate, "bash", COMMAND, cwd="/srv", session="new"),
                "compact": partial(memory.compact, history(MESSAGES), session="long"),
            }
            for name, call in work.items():
                with traced("cfpm") as trace:
                    call()
                counted[name] = {"modules": len(trace.modules), "moves": trace.moves, "room_moves": trace.room_moves}
    return counted


if __name__ == "__main__":
    json.dump(figures(), sys.stdout)
