"""What of the memory the prompt holds anyway: the messages that a host names, and the running question, which most
hosts save before they ask."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from cfpm.model import Fact
    from cfpm.store.store import Store

_CUT = 200
"""Characters from which a query that a message begins with is that message, cut by a host: about three lines."""

_GLANCE = 80
"""Characters of a message by which most are known to be no repetition of the question."""

_SPEAKER = lazy_pattern(r"\s*(?:[-*>]\s+)?[\[*]{0,2}[^\W\d_][\w .-]{0,30}[\]*]{0,2}[:：][\]*]{0,2}\s*")
"""What stands before the words of a message where a query is the end of a chat: `user: ...`, `[Ann]: ...`."""

_PART = lazy_pattern(r"[/#]\d+")
"""Behind a host's id: one part of a message, or another message of the same id."""


@dataclass(frozen=True, slots=True)
class InPrompt:
    """The ids of messages and facts that the prompt holds, and the lines of the query, folded, with and without a
    speaker. `agent` is the one whose memory alone is asked, None for that of all; `running` are those of the ids that
    are the query itself; `parts` has, by the ids of messages of which the prompt holds facts alone, what these say."""

    ids: frozenset[str]
    asked: str
    lines: tuple[frozenset[str], ...]
    agent: str | None = None
    running: frozenset[str] = frozenset()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, query: str, exclude: Collection[str] = (), store: Store | None = None, namespaces: Sequence[str] = ()
    ) -> InPrompt:
        """Of a query and the ids that a host names; with a store also the running message, if it is the query."""
        lines = tuple(
            frozenset((folded(line), folded(line[found.end() :]) if (found := _SPEAKER.match(line)) else folded(line)))
            for line in query.splitlines()
            if line.strip()
        )
        held = cls(frozenset(exclude), folded(query), lines)
        if store is None or not held.asked:
            return held
        last = store.log.last_said_by_session(namespaces)
        running = {message_id for message_id, text in last if held._is_asked(text, query)}
        return replace(held, ids=held.ids | running, running=frozenset(running)) if running else held

    def admits(self, agent: str) -> bool:
        """Whether what was observed under this name may be shown; what has no name may."""
        return self.agent is None or not agent or agent.casefold() == self.agent.casefold()

    def holds(self, message_id: str) -> bool:
        """Whether the message is one of these, or a part of one."""
        if not self.ids or message_id in self.ids:
            return bool(self.ids)
        whole = _PART.split(message_id)[0] if message_id and message_id[-1].isdigit() else ""
        return bool(whole) and whole in self.ids and _PART.fullmatch(message_id, len(whole)) is not None

    def answers(self, message_id: str, text: str, facts: Iterable[Fact]) -> bool:
        """Whether the prompt holds this message, or one of these facts, other than as the question."""
        if message_id in self.running or self.repeats(text):
            return False
        return bool(self.ids) and (self.holds(message_id) or any(map(self.tells, facts)))

    def tells(self, fact: Fact) -> bool:
        """Whether the prompt holds the fact, or the message that it was learnt from."""
        return bool(self.ids) and (fact.id in self.ids or self.holds(fact.message_id))

    def repeats(self, text: str) -> bool:
        """Whether a text is the query, or stands in it line for line; mostly its beginning tells that it does not."""
        if len(self.lines) < 2:
            return self.asked.startswith(folded(text[:_GLANCE])) and folded(text) == self.asked
        told = [folded(line) for line in text.splitlines() if line.strip()]
        if not told or len(told) > len(self.lines):
            return False
        places = range(len(self.lines) - len(told) + 1)
        return any(all(line in self.lines[at + n] for n, line in enumerate(told)) for at in places)

    def _is_asked(self, text: str, query: str) -> bool:
        """Whether the newest message of a session is the query: the same, more than it, or of which it is the
        beginning."""
        if "[redacted:" in text:
            from cfpm.secrets import redact

            clean = redact(query).text
            if clean != query:
                return InPrompt.of(clean)._is_asked(text, clean)
        if self.repeats(text):
            return True
        if len(text) < len(self.asked):
            return False
        if len(self.asked) >= _CUT and folded(text[: 2 * len(query)]).startswith(self.asked):
            return True
        told = [folded(line) for line in text.splitlines() if line.strip()]
        asked = [folded(line) for line in query.splitlines() if line.strip()]
        return any(told[at : at + len(asked)] == asked for at in range(len(told) - len(asked) + 1))


def folded(text: str) -> str:
    """The text in small letters, with single spaces, without what stands at its edges."""
    return " ".join(text.casefold().split()).strip(" .!?。！？")
