"""What an agent asked the user with a tool, and whether the answer gave leave. Knows no free speech."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cfpm.context.plans import table
from cfpm.models import ToolCall


def refused(answer: str) -> bool:
    """Whether an answer begins by giving no leave."""
    beginning = re.split(r"[,.:;!\n]", answer.strip().lower(), maxsplit=1)[0]
    return any(
        beginning == no or beginning.startswith(f"{no} ") or (not no.isascii() and beginning.startswith(no))
        for no in table()["answers"]["refusals"]
    )


def asked_of(call: ToolCall) -> str:
    """What a call asks the user: one text, or the texts of several questions."""
    for field in table()["fields"]["asked"]:
        match call.arguments.get(field):
            case str() as text if text.strip():
                return text
            case list() | tuple() as items:
                questions = (item.get("question") for item in items if isinstance(item, Mapping))
                if texts := [text for text in questions if isinstance(text, str)]:
                    return " / ".join(texts)
    return call.name
