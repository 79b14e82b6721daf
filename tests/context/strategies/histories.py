"""What the tests of compaction need of histories: the words to tell one, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from cfpm.context.history import read_history
from cfpm.context.strategies.types import Compaction, Limits, Request, Strategy, Summariser
from cfpm.context.views import apply
from cfpm.recall.tokens import estimated
from tests.context import histories
from tests.context.histories import Agent, Call, Dicts, Event, User, anthropic, edited, openai, ran

__all__ = [
    "Agent",
    "Call",
    "Dicts",
    "Event",
    "User",
    "anthropic",
    "compacted",
    "edited",
    "events",
    "forms",
    "notes",
    "openai",
    "ran",
]


def compacted(
    strategy: Strategy, messages: Sequence[object], limits: Limits, summarise: Summariser | None = None
) -> Compaction:
    """What `apply` makes of these messages, by the estimate of tokens."""
    return apply("it", strategy, Request(read_history(messages, estimated), limits, summarise=summarise))


def notes(result: Compaction) -> list[str]:
    """The texts that the compaction wrote."""
    return [str(message["content"]) for message in result.log if message["user_visible"] is False]


events = histories.events.map(lambda found: [User("Build the shop. You must never use floats."), *found])
"""What happens in a session that a user opens."""

forms = st.sampled_from([openai, anthropic])
