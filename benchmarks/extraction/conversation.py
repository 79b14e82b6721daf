"""What an extractor is given and what it answers, whoever wrote it. No scoring here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfpm import Message


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a set, in order. Every message has an id; `session` names it within its set."""

    session: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One remembered fact. `sources` are the ids of the messages it came from.

    `score` is the extractor's own ranking, higher first. `status` is `active` or `superseded`; `replaced_by` is the
    `id` of the prediction that took its place; `contradicts` holds the ids of those known to say the opposite.
    """

    text: str
    sources: tuple[str, ...]
    category: str = ""
    score: float = 0.0
    id: str = ""
    status: str = "active"
    replaced_by: str = ""
    contradicts: tuple[str, ...] = ()


Extractor = Callable[[Conversation], Sequence[Prediction]]
"""Takes a whole conversation into an empty memory and answers with all that is remembered, best first or not."""
