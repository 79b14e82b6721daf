"""Compaction with a memory behind it: the facts of the session come into the checkpoint. Decides neither when nor
how."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from cfpm.context.approvals import one_line
from cfpm.context.history import Raw, read_history
from cfpm.context.reattachment import stored_items
from cfpm.context.strategies.registry import default_limits, named
from cfpm.context.strategies.types import Compaction, Known, Limits, Request, Spend, Summariser
from cfpm.context.views import apply
from cfpm.model import Category, Fact, Scope
from cfpm.model.ids import digest
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.model.state import Held
from cfpm.recall.tokens import counter
from cfpm.settings import Settings
from cfpm.store.store import Store

DEFAULT_TOKENS = 8_000
"""Tokens of a view when nobody says how many: of what a session used again, nine tenths and more were kept in so many
(`python -m benchmarks compaction`)."""

Extra = Callable[[Sequence[object]], Iterable[str]]
"""Gets the messages that are compacted, and gives texts to stand beside the checkpoint, such as symbols of the code or
the state of contracts."""

_MAX_LINE = 300
"""Characters of a line of what is known."""

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
    extra: Extra | None = None,
) -> Compaction:
    """Compacts by the strategy of this name, else that of the settings, with the active facts of the scope's session,
    and for those that write down what is known with all that the store holds of it. `extra` gives texts of the host.

    Raises UsageError for an unknown strategy, InputError for what is no list of messages.
    """
    name, run = named(strategy or settings.compaction_strategy, deadline=settings.summary_deadline)
    history = read_history(messages, counter(settings.tokenizer))
    facts = store.facts.of_session(scope.namespace, scope.session, MAX_FACTS)
    chosen = limits or replace(default_limits(name, DEFAULT_TOKENS), reasoning=settings.compact_reasoning)
    known = tuple(_known(store, scope, facts)) if name in _OF_STORE else ()
    blocks = tuple(extra(messages)) if extra else ()
    return apply(name, run, Request(history, chosen, tuple(facts), summarise, known, blocks))


_OF_STORE = frozenset({"lossless", "hybrid"})
_BINDS = frozenset({Held.APPROVAL, Held.REFUSAL, Held.PLAN, Held.TODO, Held.GOAL, Held.INSTRUCTION})
_SECTIONS = {
    Category.INSTRUCTION: "Rules",
    Category.PREFERENCE: "Rules",
    Category.GOAL: "Goals",
    Category.DECISION: "Decisions",
    Category.VERIFIED_ACTION: "Verified",
    Category.INVALID_PATH: "Paths that do not work",
    Category.OPEN_ITEM: "Open",
}
_ENDS = {0: "failed: ", 1: "", None: "without a result: "}


def _known(store: Store, scope: Scope, facts: Sequence[Fact]) -> Iterator[Known]:
    """What the store holds of a session: facts with who said them and where, its state, and what its calls did."""
    rules = (Category.INSTRUCTION, Category.PREFERENCE)
    for fact in sorted(facts, key=lambda fact: fact.category not in rules):
        if fact.category in _SECTIONS:
            told = f"{fact.attributed} ({fact.role.value}, {fact.message_id or fact.id})"
            yield Known(_SECTIONS[fact.category], told, fact.category is Category.INSTRUCTION)
    for item in stored_items(store, scope.namespace, scope.session):
        if item.kind not in (Held.ARTIFACT, Held.RESOURCE, Held.OBSERVATION):
            yield Known(item.kind.value.capitalize(), one_line(item.text, _MAX_LINE), item.kind in _BINDS)
    for deed in store.deeds.of_session(scope.namespace, scope.session):
        to = f" -> {deed.destination}" if deed.destination else ""
        yield Known("Done, oldest first", one_line(f"{_ENDS[deed.outcome]}{deed.verb} {deed.what}{to}", _MAX_LINE))


def boundary_message(done: Compaction, reason: str = "") -> Raw:
    """What the log of the session keeps of a compaction, so that one can see later why a model no longer saw a turn."""
    event = {
        "event": "compaction",
        "reason": reason or "asked",
        "strategy": done.strategy,
        "outcome": done.outcome.value,
        "compacted": done.compacted,
        "before_tokens": done.before_tokens,
        "after_tokens": done.after_tokens,
        "digest": digest(done.checkpoint) if done.checkpoint else "",
        **({"spent": asdict(done.spent)} if done.spent != Spend() else {}),
    }
    return {"role": "system", "content": f"{COMPACTION_PREFIX}{json.dumps(event)}"}
