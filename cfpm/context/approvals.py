"""What an agent asked the user with a tool, and whether the answer gave leave. Knows no free speech."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cfpm.context.plans import table
from cfpm.model import ToolCall


def refused(answer: str) -> bool:
    """Whether an answer begins by giving no leave."""
    answers = table()["answers"]
    said = answer.strip().lower()
    if said.startswith(tuple(answers["consents"])):
        return False
    beginning = re.split(r"[,.:;!\n]", said, maxsplit=1)[0]
    return any(
        beginning == no or beginning.startswith(no if not no.isascii() else f"{no} ") for no in answers["refusals"]
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
