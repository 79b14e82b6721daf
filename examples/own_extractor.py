"""Scores an extractor of your own on the extraction benchmark; this one keeps what users say they like.

From the folder of this file: python -m benchmarks extraction --extractor own_extractor:likes
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LIKES = re.compile(r"[^.!?。！？]*(?:\b(?:like|love|prefer)|喜欢)[^.!?。！？]*", re.IGNORECASE)


def likes(messages: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Gets a whole conversation as dicts (role, content, id, and where known name, time, tool_calls, tool_call_id).

    Answers with facts, as dicts or plain strings. A fact without `sources` is laid to the message most like it.
    """
    for message in messages:
        if message["role"] != "user":
            continue
        speaker = message.get("name", "the user")
        for found in LIKES.finditer(str(message["content"])):
            text = f"{speaker}: {found[0].strip()}"
            yield {"text": text, "sources": [message["id"]], "category": "preference", "score": -len(text)}


if __name__ == "__main__":
    said = "I like mornings. I work at a bank."
    for fact in likes([{"role": "user", "content": said, "id": "m1", "name": "Noor"}]):
        print(fact)
