"""What a host or a user says by hand of a session: an answer to an agent's question, where the work stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cfpm.errors import UsageError
from cfpm.model import Scope
from cfpm.model.state import Approval, Held, Reach, StateEntry
from cfpm.secrets import redact
from cfpm.store.store import Store
from cfpm.transcript.fields import clean

MAX_ANSWER = 4_000
"""Characters of what is allowed or refused, and of an answer; a document is no question."""

MAX_TEXT = 1_000_000
"""Characters of one entry: the state of a host's machine, no file."""

_NOT_PUT = {
    Held.APPROVAL: "Use memory.approve(subject)",
    Held.REFUSAL: "Use memory.approve(subject, granted=False)",
    Held.OBSERVATION: "It is read from what tool calls did",
}


@dataclass(frozen=True, slots=True)
class SessionKeeper:
    """The verbs of one session. `at` is when they act, or None without a clock."""

    store: Store
    scope: Scope
    at: datetime | None

    def approve(self, subject: str, *, granted: bool, answer: str, reach: Reach) -> Approval:
        """Keeps an answer. Raises UsageError for an empty or a very long text."""
        if not subject.strip():
            raise UsageError("subject", "it is empty", "Say what is allowed or refused")
        asked, said = self._text("subject", subject, MAX_ANSWER), self._text("answer", answer, MAX_ANSWER)
        given = Approval(asked, said, granted, reach, self.at, "host", self.scope.session, self.scope.agent)
        with self.store.writing():
            return self.store.state.add_approvals(self.scope.namespace, [given])[0]

    def put(self, kind: Held, key: str, text: str, status: str) -> StateEntry:
        """Keeps an entry in place of the one with this key; an empty text takes that away.

        Without a key, progress goes on in its own numbers. Raises UsageError for a kind that is not kept so, and for a
        very long text.
        """
        if kind in _NOT_PUT:
            raise UsageError("kind", f"a {kind} is not put into the state", _NOT_PUT[kind])
        name, said = self._text("key", key, MAX_ANSWER), self._text("text", text, MAX_TEXT)
        with self.store.writing():
            held = self.store.state.entries(self.scope.namespace, self.scope.session)
            if not name and kind is Held.PROGRESS:
                used = (entry.key for entry in held if entry.kind is kind and entry.key.isdecimal())
                name = f"{max(map(int, used), default=0) + 1:04}"
            whose = {"session": self.scope.session, "agent": self.scope.agent}
            entry = StateEntry(kind, name, said, self._text("status", status, MAX_ANSWER), self.at, **whose)
            old = [one for one in held if (one.agent, one.kind, one.key) == (entry.agent, kind, name)]
            self.store.state.write(self.scope.namespace, old, [entry] if said.strip() else [])
        return entry

    def _text(self, name: str, text: str, limit: int) -> str:
        """A text without secrets that is not too long."""
        if len(text) > limit:
            raise UsageError(name, f"it has {len(text)} characters", f"Give at most {limit}")
        return redact(clean(text)).text
