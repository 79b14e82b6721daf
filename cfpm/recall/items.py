"""The values that recalling hands out, and what it asks of the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from cfpm.model import Category

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from cfpm.model import Role

DIGITS = 6
"""Digits behind the point of a share, of a score and of a fit."""


ELLIPSIS = "…"

RULES = frozenset({Category.INSTRUCTION, Category.PREFERENCE})
"""Kinds of facts that say how something is to be done."""

Key = tuple[str, str, str, tuple[tuple[int, int], ...]]
"""Of an item: its session and id, the words of a deed, and the stretches that are shown."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A message or a fact, by its `seq` in the store, and the cosine of its vector and the question's."""

    kind: Literal["fact", "turn"]
    seq: int
    closeness: float


@dataclass(frozen=True, slots=True)
class RecallItem:
    """A fact, a passage of a message or of a document, or what a session came to.

    `id` is the fact's or the message's; `message_id` is where the fact was learnt, or the message itself. Of a document
    `id` also names the lines, `doc_...:12-18`, and `source` says where it stands and how far it is trusted. Of a
    session `id` is the message that opens it. `score` is the sum of the shares in `why`. `category` is None for what is
    no fact; `role` is who said it. `speaker` is the person who said it, if the message had a name; the text of a fact
    then begins with it: `Ann: I love pizza`.
    """

    kind: Literal["fact", "turn", "document", "session"]
    id: str
    text: str
    score: float
    why: Mapping[str, float]
    session: str
    message_id: str
    created_at: datetime | None
    category: Category | None
    role: Role
    pinned: bool = False
    event_time: datetime | None = None
    """When what a fact tells happened, if its words say so."""
    speaker: str = ""
    contradicts: str = ""
    """The ids of the facts that say the opposite of this one, with spaces between."""
    doubt: str = ""
    """Of a turn of which nothing is believed: why, in a word, such as `outdated`; its text then carries the marks."""
    marked: bool = False
    """True for a turn whose text carries marks, which are not parted from the words behind them."""
    fit: float = 0.0
    """How much of the query the message holds, from 0 to 1."""

    source: str = ""
    """Whose text a turn shows and how far it is trusted, where it is not its speaker's own word: `fetch, data`."""
    deed: bool = False
    """True for a turn whose text tells a tool call of the agent and how it ended; `id` is the message that made it."""
    seq: int = 0
    """Of the message in the store, or of the one that a fact was learnt from; 0 where that is not known."""
    quarantined: bool = False
    """True for a turn that is shown only because quarantined text was asked for."""
    spans: tuple[tuple[int, int], ...] = ()
    """Of a turn the stretches of its text that a block shows, in order and apart; none for all of it."""

    @property
    def content(self) -> str:
        """The text without the name of the person who said it."""
        return self.without_name(self.text)

    @property
    def key(self) -> Key:
        """Tells it from other items, and from other passages of one message."""
        return (self.session, self.id, self.text if self.deed else "", self.spans)

    @property
    def shown(self) -> str:
        """The text as a block shows it, with an ellipsis for each part that is left out."""
        if not self.spans:
            return self.text
        parts, at = [], 0
        for start, end in self.spans:
            if self.text[at:start].strip():
                parts.append(ELLIPSIS)
            parts.append(self.text[start:end])
            at = end
        if self.text[at:].strip():
            parts.append(ELLIPSIS)
        return " ".join(parts)

    def without_name(self, text: str) -> str:
        """The same of a text that begins as this one."""
        return text.removeprefix(f"{self.speaker}: ") if self.speaker and self.kind == "fact" else text


@dataclass(frozen=True, slots=True)
class Block:
    """What goes into the prompt. `tokens` is estimated; `lines` are the item lines as they stand in `text`, and

    `items` the items they show, in the same order.
    """

    text: str = ""
    tokens: int = 0
    items: tuple[RecallItem, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query: `items` ranked, best first, and the block for the prompt with its estimated tokens."""

    items: tuple[RecallItem, ...] = ()
    block: str = ""
    tokens: int = 0
    lines: tuple[str, ...] = ()
    """The item lines of the block, to recognise it when it comes back."""
    contents: tuple[str, ...] = field(default=())
    """The bare contents of the facts in the block, in the same order; then those that show a date, with it."""
    attributed: tuple[str, ...] = ()
    """The same with the names of the people who said them, for those that have one."""
    fact_ids: tuple[str, ...] = ()
    """The facts in the block, in the same order."""
    message_ids: tuple[str, ...] = ()
    """The messages of which it shows a passage, in the same order."""
    fit: float = 1.0
    """The share of the query that the best of what was found holds, in words or in meaning, from 0 to 1."""
    held_fit: float = 0.0
    """The same of what was left out because the prompt holds it."""
    nearest: float | None = None
    """The cosine of the query and the nearest sentence found; None where sentences have no vectors."""
    abstain: bool = False
    """True when nothing remembered answers the query, in the prompt or not: both are under the lines of
    `answerability.toml`."""
