"""A recall that is noted: what the block holds is remembered, so that it is not learnt when it comes back."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import lru_cache

from cfpm.auditor.lines import INJECTED, RECALLED
from cfpm.model import Scope
from cfpm.model.ids import line_hash
from cfpm.model.markers import BLOCK_OPEN
from cfpm.recall import Recall
from cfpm.recall.brief import Brief
from cfpm.secrets import redact
from cfpm.store.store import Store
from cfpm.text import sentences


def note(store: Store, scope: Scope, query: str, found: Recall, at: datetime | None) -> None:
    """Keeps the recall and the lines by which its block is recognised; nothing for an empty block."""
    if not found.block:
        return
    passages = [part.text for item in found.items if item.kind == "turn" for part in sentences(item.text)]
    lines = dict.fromkeys(
        (n for line in (*found.contents, *found.attributed, *passages) if (n := line_hash(line))), RECALLED
    )
    lines |= dict.fromkeys((name for line in found.block.splitlines() for name in _repeated(line)), INJECTED)
    # Nobody's words: a host that lost its power has lost the prompt with the block in it, too.
    with store.noting():
        store.log.add_lines(scope.namespace, lines)
        block = line_hash(found.block)
        told = (*found.fact_ids, *found.message_ids)
        store.activity.add_recall_event(scope.namespace, scope.session, redact(query).text, block, told, at)


def note_brief(
    store: Store,
    scope: Scope,
    query: str,
    found: Brief,
    at: datetime | None,
    written: Collection[str] = (),
    words: Collection[str] = (),
) -> None:
    """Keeps the brief as a recall, and its lines; nothing for an empty one.

    `written` are lines that stand in a file for it, `words` what they say without their marks.
    """
    if not found.text:
        return
    told = (*found.text.splitlines(), *written)
    lines = {name: INJECTED for line in told for name in _repeated(line)}
    lines |= {name: RECALLED for content in (*found.contents, *words) if (name := line_hash(content))}
    with store.noting():
        store.log.add_lines(scope.namespace, lines)
        block = line_hash(found.text)
        ids = tuple(dict.fromkeys(line.id for line in found.lines if line.id))
        store.activity.add_recall_event(scope.namespace, scope.session, redact(query).text, block, ids, at)


def note_checkpoint(store: Store, scope: Scope, checkpoint: str) -> None:
    """Keeps the lines of a checkpoint, so that nobody but the user is learnt from when they come back without their
    frame."""
    lines = dict.fromkeys((name for line in checkpoint.splitlines() if (name := line_hash(line))), RECALLED)
    with store.noting():
        store.log.add_lines(scope.namespace, lines)


# What stands is in every block.
@lru_cache(maxsize=1_024)
def _repeated(line: str) -> tuple[str, ...]:
    """Hashes of a line of the block, and of its first sentence with the name of its kind: messages are read by
    sentences. Of a line of the frame each sentence is ours."""
    said = sentences(line)
    first = next(said, None)
    # A line of one sentence has the same name as that: list marks are left out of it.
    parts = [line] if first is None or first.text == line.removeprefix("- ") else [line, first.text]
    if line.startswith(BLOCK_OPEN):
        parts += [sentence.text for sentence in said]
    return tuple(name for part in parts if (name := line_hash(part)))
