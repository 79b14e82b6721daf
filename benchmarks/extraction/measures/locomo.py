"""LoCoMo: chats of two people over months; the gold facts are its observations, each citing the turns it is from.

The text of a turn is what was said, without the captions of images.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.extraction import figures, misses
from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.labelled import Labelled, answer
from benchmarks.extraction.result import Result
from benchmarks.extraction.scoring import Gold
from cfpm import Message, Role

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor

NAME = "LoCoMo"
GOALS = {1: 0.48, 2: 0.64}

_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D\d+:\d+")
_TIME = "%I:%M %p on %d %B, %Y"


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows of the set; None without its folder."""
    if not (items := labelled(data)):
        return None
    answers = [answer(item, extractor) for item in items]
    rows = (*figures.rows(NAME, answers, GOALS), *figures.category_rows(NAME, answers))
    return Result(rows, misses.examples(NAME, answers))


def conversations(data: Path) -> list[Conversation]:
    """The chats, each with all its sessions in order."""
    return [item.conversation for item in labelled(data)]


def gold(data: Path) -> dict[str, tuple[Gold, ...]]:
    """The observations, by the name of their chat."""
    return {item.conversation.session: item.gold for item in labelled(data)}


def labelled(data: Path) -> list[Labelled]:
    """The chats with their observations, without the corrected fork; one that stands in two files is taken once."""
    found: dict[str, Labelled] = {}
    for path in sorted((data / "locomo").glob("locomo*.json")):
        if "corrected" not in path.name:
            for sample in json.loads(path.read_text(encoding="utf-8")):
                found.setdefault(sample["sample_id"], _labelled(sample))
    return list(found.values())


def _labelled(sample: dict[str, Any]) -> Labelled:
    spoken = sample["conversation"]
    names = sorted(filter(_SESSION.fullmatch, spoken), key=lambda name: int(name.rpartition("_")[2]))
    messages: list[Message] = []
    group: dict[str, str] = {}
    near: dict[str, tuple[str, ...]] = {}
    for name in names:
        said = _messages(spoken[name], spoken[f"{name}_date_time"])
        messages += said
        group |= {message.id: name for message in said}
        for earlier, later in pairwise(said):
            if "?" in earlier.text:
                near[earlier.id] = (*near.get(earlier.id, ()), later.id)
                near[later.id] = (*near.get(later.id, ()), earlier.id)
    facts = [
        Gold(text, frozenset(_TURN_ID.findall(str(evidence))), speaker, name.removesuffix("_observation"))
        for name, by_speaker in sample["observation"].items()
        for speaker, observations in by_speaker.items()
        for text, evidence in observations
    ]
    return Labelled(Conversation(sample["sample_id"], tuple(messages)), tuple(facts), group, near)


def _messages(turns: list[dict[str, str]], when: str) -> list[Message]:
    at = datetime.strptime(when, _TIME).replace(tzinfo=UTC)
    return [Message(Role.USER, turn["text"], turn["dia_id"], at, turn["speaker"]) for turn in turns]
