"""Measures whether ten times the input takes more than eleven times as long, for ordinary and for awkward inputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row, Timing, best, ratio, timed
from benchmarks.latency.floods import floods
from benchmarks.latency.generated_sessions import OUTPUTS, Writer, small_turns
from benchmarks.latency.temporary_memory import fresh_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.latency.generated_sessions import Message

RATIO = Goal("at most", 11.0)
"""Time for ten times the input over time for the input."""

SIZES = (50_000, 500_000, 5_000_000)
"""Characters; the last is the longest tool result that the memory promises to stay linear for."""


REPEATED: dict[str, str] = {
    "one line, letters": "abcdefgh",
    "one line, base64": "QUJDRGVmZ2hpS2xtbm9w",
    "one line, JSON": '{"key": "value", "n": [1, 2]}, ',
    "the word error": "error ",
    "the word password": "password ",
    "the word please": "please ",
    "open brackets": "([{<",
    "slashes": "/a",
    "quotes": "`\"'",
    "dots": "a.b.",
    "digits": "1234567890",
    "blank lines": "\n",
    "spaces": " ",
    "Chinese": "请把配置改成八千零八十端口，谢谢。",
}
"""Texts of which a careless pattern is afraid, as one tool result."""

SPOKEN: dict[str, str] = {
    "password= from the user": "password= ",
    "please from the user": "please ",
    "commas from the user": "and, ",
    "open brackets from the user": "([{<",
    "one word from the user": "a",
    "Chinese from the user": "请把配置改成八千零八十端口，谢谢。",
}
"""The same as what a user types: read more closely, so of a fifth of the size."""


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of input: `build` makes the messages of about the given size, passed at once or one `by_one`."""

    name: str
    sizes: tuple[int, ...]
    unit: str
    build: Callable[[int], list[Message]]
    by_one: bool = False


def growth(runs: int) -> list[Row]:
    """One row for each case and step of ten."""
    _timed(_result("ok"))  # what is loaded at the first turn is no part of its growth
    return [row for case in cases() for row in _steps(case, runs)]


def flooded(runs: int) -> list[Row]:
    """The same for turns that hold far more statements than anybody says at once; the drafts of one turn are bounded,
    so that many more of them cost less each."""
    _timed(_result("ok"))
    return [row for name, build in floods().items() for row in _steps(_flood(name, build), runs)]


def _flood(name: str, build: Callable[[int], list[Message]]) -> Case:
    return Case(name, (1_000, 10_000) if name.startswith("one") else (100, 1_000), "statements", build)


def cases() -> list[Case]:
    """Ordinary outputs of growing size, many messages, and awkward texts."""
    said, big = (100_000, 1_000_000), SIZES[1:]
    return [
        *(Case(f"tool result, {kind}", SIZES, "characters", partial(_output, kind)) for kind in OUTPUTS),
        Case("user text", said, "characters", lambda n: [_user(_sentences(n))]),
        Case("assistant text", said, "characters", lambda n: [_user("Go on."), _said(_sentences(n))]),
        Case("messages in a turn", (10_000, 100_000), "messages", _many_messages),
        Case("messages in a turn, one by one", (100, 1_000), "messages", _many_messages, by_one=True),
        Case("calls in a turn", (300, 3_000), "calls", lambda n: Writer(2).turn(steps=n, size=400)),
        Case("turns in a session", (300, 3_000), "turns", lambda n: [m for turn in small_turns(6, n) for m in turn]),
        Case("paths on one line", (800, 8_000), "paths", lambda n: _result(" ".join(_paths(n)))),
        Case("paths, one a line", (8_000, 80_000), "paths", lambda n: _result("\n".join(_paths(n)))),
        Case("one line, sentences", big, "characters", lambda n: _result(_sentences(n))),
        *(Case(name, big, "characters", partial(_repeated, text)) for name, text in REPEATED.items()),
        *(Case(name, said, "characters", partial(_spoken, text)) for name, text in SPOKEN.items()),
    ]


def _steps(case: Case, runs: int) -> Iterator[Row]:
    timings: dict[int, list[Timing]] = {size: [] for size in case.sizes}
    for _ in range(runs):
        for size, taken in timings.items():
            taken.append(_timed(case.build(size), by_one=case.by_one))
    for small, large in pairwise(case.sizes):
        wall, cpu = ratio(timings[small], timings[large])
        seconds = " -> ".join(f"{best(timings[size]).cpu:.3f}" for size in (small, large))
        note = f"{small:,} -> {large:,} {case.unit}: {seconds} s of process time at best; median of {runs} rounds"
        yield Row("x10", case.name, wall, "times", cpu, RATIO, note)


def _timed(messages: list[Message], *, by_one: bool = False) -> Timing:
    with fresh_memory() as memory:
        if by_one:
            return timed(lambda: [memory.observe([message]) for message in messages])
        return timed(lambda: memory.observe(messages))


def _output(kind: str, size: int) -> list[Message]:
    return _result(Writer(1).output(size, kind))


def _repeated(text: str, size: int) -> list[Message]:
    return _result(text * (size // len(text)))


def _spoken(text: str, size: int) -> list[Message]:
    return [_user(text * (size // len(text)))]


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _said(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _result(text: str) -> list[Message]:
    call = {"id": "call_1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "make report"}'}}
    return [
        _user("Show me the report."),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "name": "Bash", "content": text},
    ]


def _sentences(size: int) -> str:
    writer = Writer(3)
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(writer.phrase("prose" if len(parts) % 2 else "asides"))
        length += len(parts[-1]) + 1
    return " ".join(parts)


def _many_messages(count: int) -> list[Message]:
    writer = Writer(4)
    return [_user("Go through them one by one."), *(_said(f"{writer.phrase('prose')} ({n})") for n in range(count))]


def _paths(count: int) -> list[str]:
    writer = Writer(5)
    return [f"/srv/shop/{n % 97}/{writer.path()}" for n in range(count)]
