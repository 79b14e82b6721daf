"""What a log tells of a compaction: what was compacted, why, and what came of it. Compacts nothing, writes nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cfpm.context.compaction.types import Compaction, Outcome
from cfpm.context.history import Raw
from cfpm.context.states import Reason
from cfpm.context.visibility import plain
from cfpm.model.clock import Clock, to_text
from cfpm.model.ids import digest
from cfpm.transcript.fields import loose_moment


@dataclass(frozen=True, slots=True)
class Boundary:
    """One compaction, for the log.

    `first` and `last` are the positions, in the list that was compacted, of the first and the last message that left
    the model's view; None when none did. Tokens are without system messages. `digest` names the checkpoint's text,
    empty without one. `at` is UTC.
    """

    reason: Reason
    strategy: str
    outcome: Outcome
    compacted: int
    first: int | None
    last: int | None
    before_tokens: int
    after_tokens: int
    digest: str
    problem: str
    at: datetime | None

    def to_json(self) -> dict[str, object]:
        """A JSON object with these names; the time as text."""
        return {
            "event": "compaction",
            "reason": self.reason.value,
            "strategy": self.strategy,
            "outcome": self.outcome.value,
            "compacted": self.compacted,
            "first": self.first,
            "last": self.last,
            "before_tokens": self.before_tokens,
            "after_tokens": self.after_tokens,
            "digest": self.digest,
            "problem": self.problem,
            "at": to_text(self.at),
        }


def boundary(messages: Sequence[Raw], compaction: Compaction, reason: Reason, clock: Clock | None = None) -> Boundary:
    """The boundary of a compaction of these messages.

    Its time is the clock's, or without one that of the last message that has a time.
    """
    gone = _gone(messages, compaction.log) if compaction.changed else []
    return Boundary(
        reason,
        compaction.strategy,
        compaction.outcome,
        len(gone),
        gone[0] if gone else None,
        gone[-1] if gone else None,
        compaction.before_tokens,
        compaction.after_tokens,
        digest(compaction.checkpoint) if compaction.checkpoint else "",
        compaction.problem,
        clock() if clock else _last_time(messages),
    )


def _gone(messages: Sequence[Raw], log: Sequence[Raw]) -> list[int]:
    """The log has all messages in their order, and new notes between them."""
    gone: list[int] = []
    position = 0
    for raw in log:
        if position < len(messages) and plain(raw) == plain(messages[position]):
            if raw.get("agent_visible") is False and messages[position].get("agent_visible") is not False:
                gone.append(position)
            position += 1
    return gone


def _last_time(messages: Sequence[Raw]) -> datetime | None:
    times = (loose_moment(raw.get("created_at", raw.get("timestamp"))) for raw in reversed(messages))
    return next((time for time in times if time is not None), None)
