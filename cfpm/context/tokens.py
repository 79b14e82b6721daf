"""How many tokens a host's message takes. Reads the plain dict, so that nothing that is sent goes uncounted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from cfpm.recall.tokens import Count

PER_MESSAGE = 4
"""Tokens of a message's frame: the published recipe for OpenAI's chat models says 3 and one for a name."""

PER_MEDIUM = 1_600
"""Tokens of an image or another medium: the most that an image costs by Anthropic's published formula."""

_UNSENT = frozenset(
    {
        *(
            "role",
            "type",
            "id",
            "uuid",
            "created_at",
            "timestamp",
            "user_visible",
            "agent_visible",
            "signature",
            "data",
        ),
        *("usage", "model", "cost", "cwd", "response_id"),
    }
)
_MEDIA = frozenset({"image", "image_url", "input_image", "input_audio", "audio", "document", "file", "input_file"})


def message_tokens(message: Mapping[str, object], count: Count) -> int:
    """The tokens of one message by this count, calls, thinking and results included."""
    texts: list[str] = []
    media = _collect(message, texts)
    return PER_MESSAGE + PER_MEDIUM * media + sum(map(count, texts))


def total_tokens(messages: Iterable[Mapping[str, object]], count: Count) -> int:
    """The tokens of several messages."""
    return sum(message_tokens(message, count) for message in messages)


def _collect(block: Mapping[str, object], texts: list[str]) -> int:
    """Adds the texts that are sent; returns how many media there are."""
    if block.get("type") in _MEDIA:
        return 1
    media = 0
    for key, value in block.items():
        if key in _UNSENT:
            continue
        if key in ("input", "arguments") and not isinstance(value, str):
            texts.append(json.dumps(value, ensure_ascii=False, default=str))
            continue
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(part, Mapping):
                media += _collect(part, texts)
    return media
