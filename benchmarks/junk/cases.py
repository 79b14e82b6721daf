"""The cases as values, read from `conversations/open.jsonl` and `conversations/kept.jsonl`. No scoring here.

Whoever writes rules reads the open half only. The kept half is run, never read: its figure says whether the rules are
general.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from benchmarks.extraction.conversation import Conversation
from benchmarks.junk.fake_secrets import filled
from cfpm.transcript import parse_messages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HALVES = ("open", "kept")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must become of a stretch of what was said.

    `stored` says whether it must be remembered. `reasons` are the codes with which a memory with reasons may refuse
    it. For what must be stored, `categories` are those that fit; for what must not, they are the only ones in which
    storing it is wrong, none meaning all. With `repeats`, the text says again what that other text says: it must not
    become a second fact. `messages` are the ids of those in which the text stands.
    """

    text: str
    stored: bool
    reasons: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    repeats: str = ""
    messages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Case:
    """One short conversation of one kind of junk, with what must become of it. `messages` are OpenAI style."""

    id: str
    half: str
    kind: str
    lang: str
    messages: tuple[Mapping[str, object], ...]
    expect: tuple[Expectation, ...]
    why: str

    @property
    def junk(self) -> tuple[Expectation, ...]:
        return tuple(item for item in self.expect if not item.stored)

    @property
    def good(self) -> tuple[Expectation, ...]:
        return tuple(item for item in self.expect if item.stored)

    def conversation(self) -> Conversation:
        """The messages as an extractor gets them, each with an id."""
        return Conversation(self.id, tuple(parse_messages(self.messages)))


def cases(halves: Sequence[str] = HALVES) -> list[Case]:
    """All cases of the halves, in the order of the files."""
    return [_case(json.loads(filled_line), half) for half in halves for filled_line in _lines(half)]


def _lines(half: str) -> list[str]:
    return resources.files("benchmarks.junk").joinpath("conversations", f"{half}.jsonl").read_text("utf-8").splitlines()


def _case(row: dict[str, object], half: str) -> Case:
    messages, expect = row["messages"], row["expect"]
    assert isinstance(messages, list)
    assert isinstance(expect, list)
    named = [
        {**item, "content": filled(item["content"]), "id": f"{row['id']}/{position}"}
        for position, item in enumerate(messages)
    ]
    return Case(
        str(row["id"]),
        half,
        str(row["kind"]),
        str(row["lang"]),
        tuple(named),
        tuple(_expectation(item, named) for item in expect),
        str(row["why"]),
    )


def _expectation(item: dict[str, object], messages: Sequence[Mapping[str, object]]) -> Expectation:
    text = filled(str(item["text"]))
    standing = (str(message["id"]) for message in messages if text.lower() in str(message["content"]).lower())
    return Expectation(
        text,
        item["verdict"] == "stored",
        _names(item.get("reason")),
        _names(item.get("category")),
        filled(str(item.get("repeats", ""))),
        frozenset(standing),
    )


def _names(value: object) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()
