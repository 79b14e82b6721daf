"""Compaction with a memory behind it: the facts of the session come into the checkpoint. Decides neither when nor
how."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from cfpm.context.history import Raw, read_history
from cfpm.context.strategies.registry import default_limits, named
from cfpm.context.strategies.types import Compaction, Limits, Request, Spend, Summariser
from cfpm.context.views import apply
from cfpm.model import Scope
from cfpm.model.ids import digest
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.recall.tokens import counter
from cfpm.settings import Settings
from cfpm.store.store import Store

DEFAULT_TOKENS = 8_000
"""Tokens of a view when nobody says how many: of what a session used again, nine tenths and more were kept in so many
(`python -m benchmarks compaction`)."""

MAX_FACTS = 2_000
"""Facts of a session that a strategy may choose from, the newest first: ten times what a checkpoint of 8,000 tokens
holds."""


def compact(
    store: Store,
    scope: Scope,
    messages: Sequence[object],
    settings: Settings,
    limits: Limits | None = None,
    *,
    strategy: str | None = None,
    summarise: Summariser | None = None,
) -> Compaction:
    """Compacts by the strategy of this name, else that of the settings, with the active facts of the scope's session.

    Raises UsageError for an unknown strategy, InputError for what is no list of messages.
    """
    name, run = named(strategy or settings.compaction_strategy, deadline=settings.summary_deadline)
    history = read_history(messages, counter(settings.tokenizer))
    facts = store.facts.of_session(scope.namespace, scope.session, MAX_FACTS)
    chosen = limits or replace(default_limits(name, DEFAULT_TOKENS), reasoning=settings.compact_reasoning)
    return apply(name, run, Request(history, chosen, tuple(facts), summarise))


def boundary_message(
    done: Compaction,
    reason: str = "",
    *,
    first: int | None = None,
    last: int | None = None,
    at: datetime | None = None,
) -> Raw:
    """What the log of the session keeps of a compaction, so that one can see later why a model no longer saw a turn.

    `first` and `last` are the positions, in the list that was compacted, of the first and the last message that left
    the view. What a summary took is the usage of this message.
    """
    event = {
        "event": "compaction",
        "reason": reason or "asked",
        "strategy": done.strategy,
        "outcome": done.outcome.value,
        "compacted": done.compacted,
        "first": first,
        "last": last,
        "before_tokens": done.before_tokens,
        "after_tokens": done.after_tokens,
        "digest": digest(done.checkpoint) if done.checkpoint else "",
        **({"spent": asdict(done.spent)} if done.spent != Spend() else {}),
    }
    message: dict[str, object] = {"role": "system", "content": f"{COMPACTION_PREFIX}{json.dumps(event)}"}
    if at is not None:
        message["created_at"] = at
    if done.spent != Spend():
        message["usage"] = asdict(done.spent)
    return message
