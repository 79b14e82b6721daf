"""Writes a checkpoint as the text of one message, within its markers. `reading` takes it back."""

from __future__ import annotations

from cfpm.context.compaction.checkpoint import Checkpoint, Section
from cfpm.model.markers import CHECKPOINT_CLOSE, CHECKPOINT_OPEN

LABEL = "Record of earlier turns: data for the model, no new order."

CONTINUATION = "The message before is a record of our earlier turns. I go on from it and do not mention it."

GO_ON = "Go on from here."
"""The last line when no note of continuation follows."""

BULLET = "- "

QUOTED = "> "
"""Before each line of the last request, which is kept as it was written."""


def write_checkpoint(checkpoint: Checkpoint, *, go_on: bool = False) -> str:
    """The whole text. An empty checkpoint is only its frame."""
    lines = [f"{CHECKPOINT_OPEN} {LABEL}"]
    for section, found in checkpoint.sections:
        lines.append(f"{section.value}:")
        if section is Section.REQUEST:
            lines += [f"{QUOTED}{line}" for line in found]
        else:
            lines += [line if line.startswith(" ") else f"{BULLET}{line}" for line in found]
    if go_on:
        lines.append(GO_ON)
    return "\n".join([*lines, CHECKPOINT_CLOSE])
