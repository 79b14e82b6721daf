"""What of the log's messages recall shows: not what tools, pages, pastes and other participants say to the agent.

Ranks nothing. What stands here in quarantine is in the log, is found by its words, and is shown only when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.tool_output import gives_orders
from cfpm.model import Origin, Role
from cfpm.model.messages import tool_name
from cfpm.model.trust import Trust, TrustTable, speaks_for_user
from cfpm.text.foreign import with_speech_quoted, without_speech
from cfpm.text.pasted import foreign_stretches

if TYPE_CHECKING:
    from cfpm.model import LoggedMessage
    from cfpm.store.store import Store

PASTED = "(pasted text, not shown)"
"""Stands for a user's message of which nothing else is left."""

_OF_THE_HOST = frozenset({Origin.SYSTEM_PROMPT, Origin.BOOT_FILE, Origin.MEMORY_BLOCK, Origin.HOST_NOTICE})


class Shown(NamedTuple):
    """The text of a message that may be shown; `source` names whose it is and how far it is trusted where that is not
    the speaker's own word, and `quarantined` is true when it holds what is shown only on request."""

    text: str
    source: str = ""
    quarantined: bool = False


@dataclass(slots=True)
class Quarantine:
    """Decides for the messages of one recall; `included` shows everything, with its label."""

    store: Store
    trust: TrustTable = field(default_factory=TrustTable)
    included: bool = False
    _principals: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def shown(self, turn: LoggedMessage) -> Shown | None:
        """What to show of a message; None for nothing."""
        text, source, rest = self._judged(turn)
        if rest == text:
            return Shown(text, source)
        if self.included:
            return Shown(text, source, quarantined=True)
        return Shown(rest, source) if rest.strip() else None

    def outside(self, turn: LoggedMessage) -> str:
        """What is left of a message outside of the quarantine, whatever is included."""
        return self._judged(turn)[2]

    def _judged(self, turn: LoggedMessage) -> tuple[str, str, str]:
        """The text, whose it is if not the speaker's own word, and what is left of it outside the quarantine."""
        message = turn.message
        text = message.text
        if message.origin is Origin.THINKING:
            return text, "agent, thinking", ""
        if message.origin in _OF_THE_HOST:
            return text, f"host, {message.origin.value}", ""
        if message.role is Role.TOOL:
            name = self._tool(turn)
            trust = self.trust.of_tool(name)
            source = f"{name or 'unknown'}, {trust}"
            return text, source, text if trust is Trust.OWN else _left(text, trust)
        if message.role is not Role.USER:
            return text, "", text
        name = self.store.log.speaker(turn)
        trust = self._trust(turn, name)
        if trust is not Trust.OWN:
            return text, f"{name}, {trust}", _left(text, trust)
        stretches = foreign_stretches(text)
        if not stretches:
            return text, "", text
        return text, "user, pasted", with_speech_quoted(text, stretches) or PASTED

    def _tool(self, turn: LoggedMessage) -> str:
        result = turn.message.tool_result
        calls = self.store.log.calls(turn.namespace, turn.session, [result.call_id]) if result else {}
        return tool_name(turn.message, calls)

    def _trust(self, turn: LoggedMessage, name: str) -> Trust:
        if not name:
            return Trust.OWN
        place = turn.namespace, turn.session
        if place not in self._principals:
            self._principals[place] = self.store.log.principal(*place)
        return speaks_for_user(name, self._principals[place], self.trust)


# Each recall finds much the same messages.
@lru_cache(maxsize=512)
def _left(text: str, trust: Trust) -> str:
    """What may be shown of a text that is not the user's own: nothing of one that commands its reader."""
    return "" if trust is Trust.UNTRUSTED or gives_orders(text) else without_speech(text)
