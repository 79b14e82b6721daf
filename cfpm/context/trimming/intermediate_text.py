"""What an assistant says between its calls, cut short: the calls tell what it did. Final answers are left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import cut
from cfpm.context.trimming.reading import Place, block_text, read_log
from cfpm.context.trimming.rewriting import MIN_SAVING, Rewrite, Trim, rewritten

INTERMEDIATE_CAP = 120
"""Characters of an intermediate text that stay; the figure of the reference."""


def cap_intermediate_text(
    messages: Sequence[Raw], keep: int = INTERMEDIATE_CAP, *, keep_groups: int = 1, min_saving: int = MIN_SAVING
) -> Trim:
    """Cuts the text of assistant messages that make calls, apart from the last `keep_groups` of them. Calls, thinking
    and signatures stay as they are."""
    log = read_log(messages)
    positions = {call.place.message for call in log.calls if call.group <= log.last_group - keep_groups}
    rewrites = [
        Rewrite(place, shorter, len(text) - len(shorter))
        for position in sorted(positions)
        for place, text in _texts(position, messages[position])
        if (shorter := cut(text, keep, head_only=True)) != text
    ]
    return rewritten(messages, rewrites, min_saving=min_saving)


def _texts(position: int, message: Raw) -> Iterator[tuple[Place, str]]:
    content = message.get("content")
    if isinstance(content, str):
        yield Place(position, "content"), content
    elif isinstance(content, list | tuple):
        for index, block in enumerate(content):
            if (text := block_text(block)) is not None:
                yield Place(position, "content", index), text
