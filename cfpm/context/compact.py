"""Compaction with a memory behind it: the facts of the session come into the checkpoint. Decides neither when nor
how."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from cfpm.context.approvals import one_line
from cfpm.context.history import History, Raw, read_history
from cfpm.context.reattachment import stored_items
from cfpm.context.rehydration import MUST_STAND, held_in, items
from cfpm.context.strategies.registry import DEFAULT, default_limits, named
from cfpm.context.strategies.types import Compaction, Known, Limits, Request, Spend, Summariser
from cfpm.context.views import apply
from cfpm.model import Category, Fact, Scope
from cfpm.model.ids import digest
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.model.state import Held, Item
from cfpm.recall.tokens import counter
from cfpm.settings import Settings
from cfpm.store.store import Store

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
    reattach: bool = True,
) -> Compaction:
    """Compacts by the strategy of this name, else that of the settings, with the active facts of the scope's session,
    and for those that write down what is known with all that the store holds of it. `extra` gives texts of the host.

    Answers of the user, plan and todos are put before the model again whatever the strategy; with `reattach` all that
    the session holds. Raises UsageError for an unknown strategy, InputError for what is no list of messages.
    """
    name, run = named(strategy or settings.compaction_strategy, deadline=settings.summary_deadline)
    history = read_history(messages, counter(settings.tokenizer))
    facts = store.facts.of_session(scope.namespace, scope.session, MAX_FACTS)
    of_store = name in _OF_STORE
    # These strategies tell the facts themselves.
    held = _held(store, scope, history, () if of_store or name == DEFAULT else facts, at_hand=name == DEFAULT)
    if not reattach:
        held = tuple(item for item in held if item.kind in MUST_STAND)
    chosen = limits or replace(default_limits(name), reasoning=settings.compact_reasoning)
    known = tuple(_known(store, scope, facts)) if of_store else ()
    blocks = tuple(extra(messages)) if extra else ()
    return apply(name, run, Request(history, chosen, tuple(facts), summarise, known, held, blocks))


_TOLD_ANYWAY = frozenset({Held.ARTIFACT, Held.RESOURCE, Held.OBSERVATION, Held.PROGRESS})
"""What a checkpoint of the strategy `cfpm` tells in its own sections, as it does the facts."""


def _held(store: Store, scope: Scope, history: History, facts: Sequence[Fact], *, at_hand: bool) -> tuple[Item, ...]:
    """What the session holds: as the store knows it, or, of a session that it does not know, as the history shows it
    with the block of an earlier compaction. Answers are taken from both."""
    shown = held_in(history, scope)
    stored = store.state.approvals(scope.namespace, scope.session)
    # What a block tells may be cut, and says less than what is stored.
    known = [approval.subject for approval in stored]
    told = [one for one in shown.approvals if not any(name.startswith(one.subject.rstrip(" .…")) for name in known)]
    approvals = {approval.line: approval for approval in (*told, *stored)}
    if store.log.last_turn(scope.namespace, scope.session) is None:
        found = items(shown.entries.values(), approvals.values(), facts=facts)
    else:
        found = stored_items(store, scope.namespace, scope.session, facts, approvals.values(), opening=not at_hand)
    return tuple(item for item in found if not at_hand or item.kind not in _TOLD_ANYWAY)


_OF_STORE = frozenset({"lossless", "hybrid"})
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
    """What the store holds of a session beside its state: facts with who said them and where, what its calls did."""
    rules = (Category.INSTRUCTION, Category.PREFERENCE)
    for fact in sorted(facts, key=lambda fact: fact.category not in rules):
        if fact.category in _SECTIONS:
            told = f"{fact.attributed} ({fact.role.value}, {fact.message_id or fact.id})"
            yield Known(_SECTIONS[fact.category], told, fact.category is Category.INSTRUCTION)
    deeds = store.deeds.of_session(scope.namespace, scope.session)
    refused = {one.message_id for one in store.state.approvals(scope.namespace, scope.session) if not one.granted}
    named = store.log.ids(deed.result for deed in deeds if deed.result is not None) if refused else {}
    for deed in deeds:
        end = "refused: " if named.get(deed.result or 0) in refused else _ENDS[deed.outcome]
        to = f" -> {deed.destination}" if deed.destination else ""
        yield Known("Done, oldest first", one_line(f"{end}{deed.verb} {deed.what}{to}", _MAX_LINE))


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
