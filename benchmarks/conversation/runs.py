"""Drives a Conversation over a feed, and counts. Also the child that is killed: it goes on where the file says."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from cfpm_adapters import Conversation

from benchmarks.conversation.feed import transcript, with_planted
from cfpm import Memory, Settings
from cfpm.model.ids import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm_adapters.conversation import Prompt

    from cfpm.context.history import Raw

SESSION = "long-run"
OVERHEAD = 2_000
"""Tokens of a system prompt and tools besides."""


@dataclass
class Figures:
    """What a run came to. `digests` are those of the prompts that stood when so many messages had come in."""

    turns: int = 0
    calls: int = 0
    compactions: int = 0
    kept_turns: int = 0
    opened: list[str] = field(default_factory=list)
    """Of each turn the digest of what opens its first prompt, put together by `Memory.assemble`."""
    over: int = 0
    most: int = 0
    looked_for: int = 0
    missing: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    digests: dict[int, set[str]] = field(default_factory=dict)

    def lines(self, window: int) -> list[str]:
        """For people."""
        times = sorted(self.seconds)
        middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
        same = sum(a == b for a, b in pairwise(self.opened)) / max(1, len(self.opened) - 1)
        return [
            f"turns {self.turns}, prompts {self.calls}, compactions {self.compactions}",
            f"over budget: {self.over}; the largest prompt has {self.most:,} of {window:,} tokens",
            f"prefix unchanged: {self.kept_turns / self.turns:.1%} of the turns",
            f"what opens an assembled prompt (prefix_digest) unchanged: {same:.1%} of the turns",
            f"answers, plan steps, todos looked for after compactions: {self.looked_for}, missing {len(self.missing)}",
            f"a prompt takes {middle * 1000:.0f} ms (median), {late * 1000:.0f} ms (95th percentile)",
        ]


def steps(turns: list[list[Raw]]) -> Iterator[tuple[int, int, bool]]:
    """Where a model is asked: the turn, how many messages stand before, and whether the turn ends there."""
    ends = list(accumulate(map(len, turns)))
    for number, turn in enumerate(turns):
        start = ends[number] - len(turn)
        for place, message in enumerate(turn):
            if message.get("role") == "assistant":
                yield number, start + place, False
        yield number, ends[number], True


def conversation(memory: Memory, window: int) -> Conversation:
    """The one that is driven."""
    return Conversation(memory, session=SESSION, limit=window, overhead=OVERHEAD)


def drive(
    talk: Conversation, turns: list[list[Raw]], expected: list[list[str]], window: int, *, assembled: bool = False
) -> Figures:
    """The whole feed from where the conversation stands; `assembled` puts a whole prompt together once a turn."""
    whole = [message for turn in turns for message in turn]
    figures = Figures(turns=len(turns))
    last: tuple[Raw, ...] = ()
    kept = True
    for turn, given, ends in steps(turns):
        if (given, turn + ends) <= (talk.given, len(talk.snapshots)):
            continue
        began = perf_counter()
        prompt = talk.after(whole[:given]) if ends else talk.before(whole[:given])
        if not ends:
            figures.seconds.append(perf_counter() - began)
            _count(figures, prompt, window)
            if assembled and len(figures.opened) <= turn:
                said = next(str(raw.get("content")) for raw in turns[turn] if raw.get("role") == "user")
                whole_prompt = talk.memory.assemble(prompt.messages, said, session=SESSION, budget=window)
                figures.opened.append(whole_prompt.prefix_digest)
            kept = kept and prompt.messages[: len(last)] == last
            last = prompt.messages
        figures.digests.setdefault(talk.given, set()).add(prompt_digest(talk))
        if any(one.outcome == "compacted" for one in prompt.boundaries):
            figures.compactions += 1
            shown = "\n".join(str(message.get("content")) for message in talk.messages)
            # In the midst of a turn, what it brings and what it replaces may stand or not.
            before = expected[turn - 1] if turn else []
            must = expected[turn] if ends else [text for text in before if text in expected[turn]]
            figures.looked_for += len(must)
            figures.missing += [f"turn {turn}: {text}" for text in must if text not in shown]
        if ends:
            figures.kept_turns += kept
            kept = True
    return figures


def _count(figures: Figures, prompt: Prompt, window: int) -> None:
    figures.calls += 1
    figures.most = max(figures.most, prompt.tokens)
    figures.over += prompt.tokens > window


def prompt_digest(talk: Conversation) -> str:
    """Of what would be sent now."""
    return digest(json.dumps(talk.messages, sort_keys=True, default=str))


def kills(folder: Path, data: Path | None, file: Path | None, turns: int, window: int, times: int) -> tuple[int, int]:
    """Kills a child `times` times at random moments, each time looking whether a session that is taken up again sends
    what the uninterrupted one sent; the next child goes on. Returns how often it was the same, and how often looked."""
    told, expected = with_planted(transcript(data, file, turns)[1])
    settings = Settings(durability="normal")
    with Memory.open(folder / "whole.db", settings=settings) as memory:
        figures = drive(conversation(memory, window), told, expected, window)
    chance, same, looked = random.Random(20), 0, 0
    prompts = sum(1 for _ in steps(told))
    for number in range(times):
        upto = chance.randrange(prompts * number // times, prompts * (number + 1) // times) + 1
        _killed(folder / "killed.db", data, file, turns, window, upto, chance.random() * 0.05)
        with Memory.open(folder / "killed.db", settings=settings) as memory:
            talk = conversation(memory, window)
            looked += 1
            same += prompt_digest(talk) in figures.digests.get(
                talk.given, {prompt_digest(talk)} if not talk.given else ()
            )
    with Memory.open(folder / "killed.db", settings=settings) as memory:
        talk = conversation(memory, window)
        drive(talk, told, expected, window)
        looked += 1
        same += prompt_digest(talk) in figures.digests[talk.given]
    return same, looked


def _killed(db: Path, data: Path | None, file: Path | None, turns: int, window: int, upto: int, wait: float) -> None:
    """Runs a child until it has sent so many prompts in all and a moment longer, then kills it."""
    arguments = [str(db), str(data or ""), str(file or ""), str(turns), str(window)]
    command = [sys.executable, "-m", "benchmarks.conversation.runs", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if int(line) >= upto:
                break
        try:
            child.wait(wait)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)


def _child(arguments: list[str]) -> None:
    db, data, file, turns, window = arguments
    told, _ = with_planted(transcript(Path(data) if data else None, Path(file) if file else None, int(turns))[1])
    whole = [message for turn in told for message in turn]
    with Memory.open(db, settings=Settings(durability="normal")) as memory:
        talk = conversation(memory, int(window))
        for number, (turn, given, ends) in enumerate(steps(told)):
            if (given, turn + ends) > (talk.given, len(talk.snapshots)):
                talk.after(whole[:given]) if ends else talk.before(whole[:given])
            print(number, flush=True)


if __name__ == "__main__":
    _child(sys.argv[1:])
