"""What other memories wrote about one long real chat, held against the words that the user said in it.

Their outputs were shipped by their makers and name no sources, so a fact counts as grounded when a single turn of the
user, or the user's turns together, hold its words. The extractor runs on the same chat. Says nothing about recall.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.figures import GROUNDING_GOAL, share
from benchmarks.extraction.labelled import said
from benchmarks.extraction.result import Example, Result, Row
from benchmarks.extraction.scoring import GROUNDED, grounding, tokens
from cfpm import Message, Role

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor

NAME = "peers' chat"
_PLACE = "peers/memobase/900-chats"
_PEERS = {"mem0": "full_mem0.txt", "Memobase": "full_memobase.txt"}
_ROLES = {"human": Role.USER, "gpt": Role.ASSISTANT}


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Grounding and size of each peer's facts, and of the extractor's on the same chat; None without the folder."""
    folder = data / _PLACE
    if (chat := conversation(folder)) is None:
        return None
    turns = [frozenset(tokens(said(message))) for message in chat.messages if message.role is Role.USER]
    rows: list[Row] = []
    examples: list[Example] = []
    for peer, file in _PEERS.items():
        facts = peer_facts((folder / file).read_text(encoding="utf-8"))
        best = [(max(_held(fact, turn) for turn in turns), fact) for fact in facts]
        rows += _peer_rows(peer, [held for held, _ in best], [_held(f, frozenset().union(*turns)) for f in facts])
        loose = sorted(pair for pair in best if pair[0] < GROUNDED)
        examples += [
            Example(NAME, f"not grounded, {peer}", fact, f"at most {held:.2f} in a turn") for held, fact in loose
        ]
    predicted = extractor(chat)
    held = grounding(predicted, {message.id: said(message) for message in chat.messages})
    rows.append(Row(NAME, "facts of the extractor", float(len(held)), len(turns)))
    rows.append(Row(NAME, "grounding of the extractor", share(sum(held), len(held)), len(held), GROUNDING_GOAL))
    return Result(tuple(rows), tuple(examples))


def conversation(folder: Path) -> Conversation | None:
    """The chat that the peers were given; None without its file."""
    files = sorted(folder.glob("sharegpt*.json"))
    if not files:
        return None
    spoken = json.loads(files[0].read_text(encoding="utf-8"))["conversations"]
    messages = [
        Message(_ROLES[turn["from"]], html.unescape(turn["value"]), f"m{number}") for number, turn in enumerate(spoken)
    ]
    return Conversation("peers", tuple(messages))


def peer_facts(text: str) -> list[str]:
    """One fact a line: `- fact`, or `* topic: subtopic - fact` without its topic."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        fact = line.partition(" - ")[2] if line.startswith("* ") else line.removeprefix("- ")
        if tokens(fact):
            found.append(fact)
    return found


def _held(fact: str, words: Collection[str]) -> float:
    wanted = tokens(fact)
    return sum(token in words for token in wanted) / len(wanted)


def _peer_rows(peer: str, in_one: Sequence[float], in_all: Sequence[float]) -> list[Row]:
    def at_least(held: Sequence[float], bar: float) -> float | None:
        return share(sum(one >= bar for one in held), len(held))

    count = len(in_one)
    return [
        Row(NAME, f"grounding of {peer}, best single turn", at_least(in_one, GROUNDED), count),
        Row(NAME, f"half of the words of {peer}, best single turn", at_least(in_one, 0.5), count),
        Row(NAME, f"grounding of {peer}, all turns of the user", at_least(in_all, GROUNDED), count),
    ]
