"""What the log keeps of a compaction: that it was, the notes that it wrote, and who sees which message since. So a
session that is taken up again shows the model the same as before. Compacts nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from cfpm.context.compact import boundary_message
from cfpm.context.driver import last_time
from cfpm.context.history import Raw
from cfpm.context.strategies.types import Compaction
from cfpm.context.views import differences, for_agent
from cfpm.model import Scope
from cfpm.model.ids import Identifier
from cfpm.pipeline.redaction import Redactor
from cfpm.secrets import Numbers
from cfpm.store.store import Store
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.sdk_objects import plain_messages


def keep_boundary(
    store: Store,
    scope: Scope,
    messages: Sequence[object],
    done: Compaction,
    *,
    reason: str,
    at: datetime | None,
    numbers: Numbers,
    observe: Callable[[Sequence[Raw]], object],
) -> None:
    """Keeps a compaction of these messages by what `observe` stores, and the flags of its log.

    The messages are known by the ids that observing them gave. `at` is what the clock says, if there is one; else the
    time is that of the last message with a time.
    """
    before = plain_messages(messages)
    gone, notes = differences(before, done.log)
    when = at or last_time(before)
    record = boundary_message(done, reason, first=gone[0] if gone else None, last=gone[-1] if gone else None, at=when)
    written = [note for note, _ in notes]
    observe([*written, record])
    names, own = _ids(scope.session, before, numbers), _ids(scope.session, [*written, record], numbers)
    recorded = own[len(written)][0]
    seen = [
        (name, before[position].get("user_visible") is not False, False, recorded, "")
        for position in gone
        for name in names[position]
    ]
    # Each note stands before the next one, since one with the same words may be in the log from long before.
    behind = names[notes[-1][1]][0] if notes and notes[-1][1] in names else ""
    for number in reversed(range(len(notes))):
        seen += [(name, False, True, "", behind) for name in own[number]]
        behind = own[number][0]
    with store.writing():
        store.sessions.show(scope.namespace, scope.session, seen)


def _ids(session: str, messages: Sequence[Raw], numbers: Numbers) -> dict[int, list[str]]:
    """The ids under which the log has the messages that the model saw, by position; of a message several if it has
    several parts."""
    identifier, redactor = Identifier(session), Redactor(numbers)
    return {
        position: [identifier.named(redactor.redacted(part)).id for part in parse_messages([raw])]
        for position, raw in enumerate(messages)
        if for_agent([raw])
    }
