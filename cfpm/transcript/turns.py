"""Messages into turns: where a turn begins, and which index it has. Reads nothing and judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cfpm.model import Message, Origin, Role, Turn

_USER, _SAID = Role.USER, Origin.SAID
"""By names of their own: to ask an enumeration for a member takes ten times as long."""


def group_turns(
    messages: Iterable[Message], *, session: str, first_index: int = 0, continues: bool = False
) -> Iterator[Turn]:
    """Turns in order, none empty, no message lost.

    Each real user message (role user, origin said, with a text) begins a turn. What stands before the first one is turn
    `first_index`; with `continues` it belongs to the turn that is open there, and the first user message begins the one
    after it. So the indices are the same whether a session is passed at once or in parts. In a chat of two people every
    utterance is a user message, hence a turn.
    """
    index, open_turn = first_index, continues
    gathered: list[Message] = []
    for message in messages:
        if begins_turn(message):
            if gathered:
                yield Turn(session, index, tuple(gathered))
            index += 1 if gathered or open_turn else 0
            gathered, open_turn = [], False
        gathered.append(message)
    if gathered:
        yield Turn(session, index, tuple(gathered))


def begins_turn(message: Message) -> bool:
    """True for what a user really said; notices, boot files, recalled blocks and tool results never begin a turn."""
    return message.role is _USER and message.origin is _SAID and bool(message.text.strip())
