"""The sets of questions over long conversations, each with the messages that hold the answer. Scores nothing.

A message's text is what was said; the caption of an image that was shown with it stands behind it in brackets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cfpm import Message, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The numbers in the files are not in the order of the paper's table."""

_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D\d+:\d+")
_TIME = "%I:%M %p on %d %B, %Y"
_INDEX = re.compile(r"\s*->->[^\n]*\s*\Z")
"""The place in the plan that ends a user's text: it must go, for it gives the evidence away."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of all messages that hold its answer; `kind` is its category or ability."""

    text: str
    kind: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation: its messages by session, in order, and the questions about it."""

    name: str
    sessions: Mapping[str, tuple[Message, ...]]
    questions: tuple[Question, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in order."""
        return tuple(message for said in self.sessions.values() for message in said)


def locomo(data: Path) -> list[Dialogue]:
    """The chats of two people, without the corrected fork; one that stands in two files is taken once."""
    found: dict[str, Dialogue] = {}
    for path in sorted((data / "locomo").glob("locomo*.json")):
        if "corrected" not in path.name:
            for sample in json.loads(path.read_text(encoding="utf-8")):
                found.setdefault(sample["sample_id"], _chat(sample))
    return list(found.values())


def beam(data: Path, size: str) -> list[Dialogue]:
    """The chats with an assistant of one size; a batch of the plan is a session."""
    folders = [path.parent for path in (data / "beam" / size).glob("*/chat.json")]
    return [_with_assistant(folder) for folder in sorted(folders, key=lambda folder: (len(folder.name), folder.name))]


SETS: dict[str, Callable[[Path], list[Dialogue]]] = {
    "locomo": locomo,
    "beam-100k": lambda data: beam(data, "100K"),
    "beam-500k": lambda data: beam(data, "500K"),
    "beam-1m": lambda data: beam(data, "1M"),
}


def together(dialogues: Sequence[Dialogue]) -> Dialogue:
    """All in one memory, as if one host had kept them; ids and sessions get the name of their dialogue."""
    return Dialogue(
        "together",
        {
            f"{one.name} {session}": tuple(replace(message, id=f"{one.name} {message.id}") for message in said)
            for one in dialogues
            for session, said in one.sessions.items()
        },
        tuple(
            replace(question, evidence=frozenset(f"{one.name} {ident}" for ident in question.evidence))
            for one in dialogues
            for question in one.questions
        ),
    )


def _chat(sample: dict[str, Any]) -> Dialogue:
    spoken = sample["conversation"]
    names = sorted(filter(_SESSION.fullmatch, spoken), key=lambda name: int(name.rpartition("_")[2]))
    sessions = {name: tuple(_turns(spoken[name], spoken[f"{name}_date_time"])) for name in names}
    known = {message.id for said in sessions.values() for message in said}
    questions = []
    for asked in sample["qa"]:
        evidence = frozenset(_TURN_ID.findall(str(asked["evidence"]))) & known
        if evidence:
            questions.append(Question(asked["question"], LOCOMO_KINDS[asked["category"]], evidence))
    return Dialogue(sample["sample_id"], sessions, tuple(questions))


def _turns(turns: list[dict[str, str]], when: str) -> Iterator[Message]:
    at = datetime.strptime(when, _TIME).replace(tzinfo=UTC)
    for turn in turns:
        caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield Message(Role.USER, turn["text"] + caption, turn["dia_id"], at, turn["speaker"])


def _with_assistant(folder: Path) -> Dialogue:
    sessions: dict[str, tuple[Message, ...]] = {}
    at: datetime | None = None
    for batch in json.loads((folder / "chat.json").read_text(encoding="utf-8")):
        said = []
        for row in (row for turn in batch["turns"] for row in turn):
            if row.get("time_anchor"):
                at = datetime.strptime(row["time_anchor"], "%B-%d-%Y").replace(tzinfo=UTC)
            role = Role(row["role"])
            text = _INDEX.sub("", row["content"]) if role is Role.USER else row["content"]
            said.append(Message(role, text, str(row["id"]), at))
        sessions[f"batch {batch['batch_number']}"] = tuple(said)
    known = {message.id for said in sessions.values() for message in said}
    return Dialogue(folder.name, sessions, tuple(_probes(folder, known)))


def _probes(folder: Path, known: set[str]) -> Iterator[Question]:
    path = folder / "probing_questions" / "probing_questions.json"
    for ability, probes in json.loads(path.read_text(encoding="utf-8")).items():
        for probe in probes:
            evidence = frozenset(map(str, _ids(probe.get("source_chat_ids")))) & known
            if evidence:
                yield Question(probe["question"], ability.replace("_", " "), evidence)


def _ids(sources: object) -> Iterator[object]:
    """The ids of a list, of lists in lists, or of lists by name."""
    if isinstance(sources, dict):
        sources = list(sources.values())
    if isinstance(sources, list):
        for source in sources:
            yield from _ids(source)
    elif sources is not None:
        yield sources
