"""Makes the block of another memory fit for the prompt: one labelled block, within the budget. Recalls nothing."""

from __future__ import annotations

from cfpm.model.markers import BLOCK_CLOSE, BLOCK_OPEN
from cfpm.recall.block import LABEL, safe
from cfpm.recall.tokens import estimated

MAX_LINE = 4_000
"""Characters of a line; a block of another kind may be one paragraph a memory."""

MAX_INDENT = 8
"""Blanks that are kept before a line, for lists within lists."""


def framed(text: str, max_tokens: int) -> str | None:
    """The text as one labelled block of at most `max_tokens` estimated tokens; None when nothing is left.

    A block of ours keeps its lines. Whatever pretends to open or to close a block is made harmless, and a line that
    does not fit is left out, while a shorter one behind it may still come in.
    """
    frame = f"{BLOCK_OPEN} {LABEL}\n{{}}\n{BLOCK_CLOSE}"
    kept: list[str] = []
    spent = estimated(frame)
    for line in text.splitlines():
        if (content := _line(line[: 2 * MAX_LINE])) is None:
            continue
        needed = estimated(content + "\n")
        if spent + needed <= max_tokens:
            spent += needed
            kept.append(content)
    return frame.format("\n".join(kept)) if kept else None


def _line(line: str) -> str | None:
    """One line without control signs and markers; None for the frame of a block and for a blank line."""
    bare = line.strip()
    if bare.startswith(BLOCK_OPEN) or bare == BLOCK_CLOSE:
        return None
    content = safe(line, MAX_LINE)
    if not content:
        return None
    indent = len(line) - len(line.lstrip(" "))
    return " " * min(indent, MAX_INDENT) + content
