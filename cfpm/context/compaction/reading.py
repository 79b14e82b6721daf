"""Reads a checkpoint back from its text, exactly as it was written. What its lines say of names is read in `lines`."""

from __future__ import annotations

from cfpm.context.compaction.checkpoint import Checkpoint, Section
from cfpm.context.compaction.writing import BULLET, LABEL, QUOTED
from cfpm.context.history import Group
from cfpm.model.markers import CHECKPOINT_CLOSE, CHECKPOINT_OPEN

_HEADINGS = {f"{section.value}:": section for section in Section}


def read_checkpoint(text: str) -> Checkpoint | None:
    """The checkpoint that a text holds from its first character on; None for any other text, the
    checkpoints of other strategies among them.

    Lines outside of a known section are left out.
    """
    if not text.startswith(f"{CHECKPOINT_OPEN} {LABEL}\n"):
        return None
    lines: dict[Section, list[str]] = {}
    section: Section | None = None
    for line in text.split("\n")[1:]:
        if line == CHECKPOINT_CLOSE:
            break
        if line in _HEADINGS:
            section = _HEADINGS[line]
        elif section is Section.REQUEST and line.startswith(QUOTED):
            lines.setdefault(section, []).append(line.removeprefix(QUOTED))
        elif section not in (None, Section.REQUEST) and line.startswith((BULLET, " ")):
            lines.setdefault(section, []).append(line.removeprefix(BULLET))
    return Checkpoint.of(lines)


def note_text(group: Group) -> str:
    """The text of a note, plain or as one block."""
    for entry in group.entries:
        content = entry.raw.get("content")
        if isinstance(content, list | tuple) and content:
            content = content[0].get("text")
        if isinstance(content, str):
            return content
    return ""
