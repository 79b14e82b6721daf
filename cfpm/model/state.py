"""What a session holds beside facts: what the user allowed and refused, and where the work stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum


class Held(StrEnum):
    """What an item of a session's state is, in the order from what never changes to what changes with every step."""

    INSTRUCTION = "instruction"
    WORKSPACE = "workspace"
    CONNECTOR = "connector"
    GOAL = "goal"
    SKILL = "skill"
    RESOURCE = "resource"
    APPROVAL = "approval"
    REFUSAL = "refusal"
    PLAN = "plan"
    ARTIFACT = "artifact"
    TODO = "todo"
    PROGRESS = "progress"
    OBSERVATION = "observation"
    HOST = "host"
    """A text of the host's own, such as the state of its state machine; handed back as it was given."""


class Reach(StrEnum):
    """How far an answer reaches: the one thing asked about, the session, or every time."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Approval:
    """What the user was asked, or allowed or refused unasked (`subject`), and what they said to it (`answer`).

    `by` is who says so: `user` for their own words, `host` for what a host told, else the name of the tool that brought
    the answer. `message_id` is the message with the answer, empty for what a host told.
    """

    subject: str
    answer: str
    granted: bool
    scope: str = Reach.ONCE
    at: datetime | None = None
    by: str = ""
    session: str = ""
    agent: str = ""
    message_id: str = ""
    id: str = ""

    @property
    def line(self) -> str:
        """`drop table users -> no`, with the scope where it is wider than the one thing asked about."""
        said = f"{self.subject} -> {self.answer}" if self.answer else self.subject
        return said if self.scope == Reach.ONCE else f"{said} ({self.scope})"


@dataclass(frozen=True, slots=True)
class StateEntry:
    """One thing that a session holds. `key` tells it from others of its kind; a new text under the same key takes the
    place of the old one. `status` of a step is open, active, done or dropped."""

    kind: Held
    key: str
    text: str
    status: str = ""
    at: datetime | None = None
    session: str = ""
    agent: str = ""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to put before the model again. `source` is the id of a fact, or the name of the tool that said it, or
    `message`; `position` is the message of the log, None for what a store holds."""

    kind: Held
    text: str
    source: str
    position: int | None = None

    def to_json(self) -> dict[str, object]:
        """A JSON object with these names."""
        return asdict(self)
