"""Writes sessions that look like an agent's work on a code base, the same ones every time. Not for judging quality."""

from __future__ import annotations

import json
import random
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FILES = 12
TURNS = 14
"""Of each file; together about 5 MB, with turns of the size that real sessions have (a fifth over 16 KB)."""

OUTPUTS = ("code", "logs", "tests", "listings")

Message = dict[str, Any]
"""An OpenAI style message."""


@cache
def _phrases() -> dict[str, list[str]]:
    text = resources.files("benchmarks.latency").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@dataclass(slots=True)
class Writer:
    """Writes phrases with their slots filled; two writers of the same seed write the same."""

    seed: int
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def phrase(self, kind: str) -> str:
        """A phrase of this kind."""
        choose = self.chance.choice
        words = _phrases()
        return choose(words[kind]).format(
            module=choose(words["modules"]),
            function=choose(words["functions"]),
            path=self.path(),
            tool=choose(words["tools"]),
            number=self.chance.randrange(10, 1000),
            port=self.chance.randrange(3000, 9000),
            digit=self.chance.randrange(10),
        )

    def path(self) -> str:
        """A file of the imagined project."""
        words, choose = _phrases(), self.chance.choice
        name = f"{choose(words['modules'])}_{choose(words['functions'])}{choose(words['suffixes'])}"
        return f"{choose(words['folders'])}/{name}"

    def sentences(self, kind: str, count: int) -> str:
        return " ".join(self.phrase(kind) for _ in range(count))

    def output(self, size: int, kind: str | None = None) -> str:
        """About `size` characters of a tool's output: code, logs, test results or listings."""
        kind = kind or self.chance.choice(OUTPUTS)
        lines: list[str] = []
        length = number = 0
        while length < size:
            number += 1
            line = self.phrase(kind)
            lines.append(f"{number:6d}\t{line}" if kind == "code" else line)
            length += len(lines[-1]) + 1
        return "\n".join(lines)

    def turn(self, *, steps: int, size: int) -> list[Message]:
        """What the user asks, `steps` tool calls of about `size` characters of output each, and how it ended."""
        asked = [self.phrase("asks")]
        asked += [self.phrase("rules")] if self.chance.random() < 0.3 else []
        asked += [self.phrase("asides") for _ in range(self.chance.randrange(3))]
        messages: list[Message] = [{"role": "user", "content": " ".join(asked)}]
        for _ in range(steps):
            messages += self._step(self.chance.randrange(size // 2, size * 3 // 2))
        messages.append({"role": "assistant", "content": self.sentences("closings", 2)})
        return messages

    def _step(self, size: int) -> list[Message]:
        kind = self.chance.choice(OUTPUTS)
        name, arguments = "Bash", {"command": f"{self.chance.choice(_phrases()['tools'])} {self.path()}"}
        if kind == "code":
            name, arguments = "Read", {"file_path": f"/srv/shop/{self.path()}"}
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{self.chance.randrange(10**12)}", "type": "function", "function": function}
        return [
            {"role": "assistant", "content": self.sentences("prose", 3), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "name": name, "content": self.output(size, kind)},
        ]


def session(seed: int, turns: int) -> list[list[Message]]:
    """The turns of a session: most of a few KB, some of up to 100 KB."""
    writer = Writer(seed)
    return [writer.turn(steps=writer.chance.choice((1, 2, 3, 5, 9)), size=_size(writer)) for _ in range(turns)]


def small_turns(seed: int, count: int) -> list[list[Message]]:
    """Turns of at most 16 KB, each with ids of its own so that none is taken for another."""
    writer = Writer(seed)
    turns = []
    for number in range(count):
        turn = writer.turn(steps=writer.chance.choice((1, 2, 3)), size=writer.chance.choice((400, 1_000, 2_500)))
        turns.append([{**message, "id": f"m{number}-{at}"} for at, message in enumerate(turn)])
    return turns


def write_files(folder: Path, *, files: int = FILES, turns: int = TURNS) -> list[Path]:
    """Sessions as JSON Lines, one message a line."""
    paths = []
    for seed in range(files):
        path = folder / f"session-{seed:03d}.jsonl"
        messages = (message for turn in session(seed, turns) for message in turn)
        path.write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
        paths.append(path)
    return paths


def _size(writer: Writer) -> int:
    return writer.chance.choice((600, 1_500, 3_000, 6_000, 12_000))
