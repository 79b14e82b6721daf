"""What a memory holds after a user has said something in the middle of a session."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cfpm import Memory, Settings
from cfpm.model import PATH_CATEGORIES, Message, Role


def remembered(*texts: str) -> list[str]:
    """The contents of the active facts, without paths."""
    messages = [Message(Role.USER, "hello", id="m0"), Message(Role.ASSISTANT, "Hello.", id="m1")]
    for number, text in enumerate(texts, 1):
        messages += [
            Message(Role.USER, text, id=f"u{number}"),
            Message(Role.ASSISTANT, "Noted.", id=f"a{number}"),
        ]
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'm.db'}", settings=Settings(durability="normal")) as memory,
    ):
        memory.observe(messages, session="s")
        return sorted(
            fact.content
            for fact in memory.facts()
            if fact.status.value == "active" and fact.category not in PATH_CATEGORIES
        )
