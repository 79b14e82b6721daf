"""Measures whether ten times the input takes more than eleven times as long, for ordinary and for awkward inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row, Timing, best, timed
from benchmarks.latency.fresh import fresh_memory
from benchmarks.latency.generated import OUTPUTS, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.latency.generated import Message

RATIO = Goal("at most", 11.0)
"""Time for ten times the input over time for the input."""

SIZES = (50_000, 500_000, 5_000_000)
"""Characters; the last is the longest tool result that the memory promises to stay linear for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of input: `build` makes the messages of one turn of about the given size."""

    name: str
    sizes: tuple[int, ...]
    unit: str
    build: Callable[[int], list[Message]]


def growth(runs: int) -> list[Row]:
    """One row for each case and step of ten."""
    return [row for case in cases() for row in _steps(case, runs)]


def cases() -> list[Case]:
    """Ordinary outputs of growing size, many messages, and texts of which a careless pattern is afraid."""
    big, steps = SIZES[1:], SIZES
    return [
        *(Case(f"tool result, {kind}", steps, "characters", lambda n, kind=kind: _result(Writer(1).output(n, kind))) for kind in OUTPUTS),  # type: ignore[misc]
        Case("user text", (100_000, 1_000_000), "characters", lambda n: [_user(_sentences(n))]),
        Case("assistant text", (100_000, 1_000_000), "characters", lambda n: [_user("Go on."), _said(_sentences(n))]),
        Case("messages in a turn", (10_000, 100_000), "messages", _many_messages),
        Case("calls in a turn", (300, 3_000), "calls", lambda n: Writer(2).turn(steps=n, size=400)),
        Case("paths on one line", (800, 8_000), "paths", lambda n: _result(" ".join(_paths(n)))),
        Case("paths, one a line", (8_000, 80_000), "paths", lambda n: _result("\n".join(_paths(n)))),
        Case("one line, letters", big, "characters", lambda n: _result("abcdefgh" * (n // 8))),
        Case("one line, sentences", big, "characters", lambda n: _result(_sentences(n))),
        Case("one line, base64", big, "characters", lambda n: _result("QUJDRGVmZ2hpS2xtbm9w" * (n // 20))),
        Case("one line, JSON", big, "characters", lambda n: _result('{"key": "value", "n": [1, 2]}, ' * (n // 31))),
        *(Case(f"the word {word!r}", big, "characters", lambda n, word=word: _result(f"{word} " * (n // (len(word) + 1)))) for word in ("error", "password", "please")),  # type: ignore[misc]
        Case("password= in user text", (100_000, 1_000_000), "characters", lambda n: [_user("password= " * (n // 10))]),
        Case("open brackets", big, "characters", lambda n: _result("([{<" * (n // 4))),
        Case("slashes", big, "characters", lambda n: _result("/a" * (n // 2))),
        Case("quotes", big, "characters", lambda n: _result("`\"'" * (n // 3))),
        Case("blank lines", big, "characters", lambda n: _result("\n" * n)),
        Case("spaces", big, "characters", lambda n: _result(" " * n)),
        Case("Chinese", big, "characters", lambda n: _result("请把配置改成八千零八十端口，谢谢。" * (n // 17))),
    ]


def _steps(case: Case, runs: int) -> Iterator[Row]:
    taken = {size: best(_timed(case.build(size)) for _ in range(runs)) for size in case.sizes}
    for small, large in zip(case.sizes, case.sizes[1:], strict=False):
        before, after = taken[small], taken[large]
        note = f"{small:,} -> {large:,} {case.unit}: {before.cpu:.3f} -> {after.cpu:.3f} s of process time, best of {runs}"
        yield Row("x10", case.name, after.wall / before.wall, "times", after.cpu / before.cpu, RATIO, note)


def _timed(messages: list[Message]) -> Timing:
    with fresh_memory() as memory:
        return timed(lambda: memory.observe(messages))


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
