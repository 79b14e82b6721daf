"""What the server does with a checked request: asks the memory, keeps receipts by key. Knows no HTTP."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cfpm.memory import Memory
from cfpm.model import Message, Origin, Scope
from cfpm.recall.tokens import estimated
from cfpm.secrets import redact
from cfpm.transcript.fields import clean
from cfpm.transcript.messages import parse_messages
from cfpm_adapters.ledger import message_hash
from cfpm_adapters.server.schemas import HistoryMessage, LoadReply, LoadRequest, SaveReply, SaveRequest

RECEIPTS = 10_000
"""Keys that are remembered. A key that fell out is no loss: messages are recognised by their ids."""

_NO_SPEECH = {origin.value: origin for origin in Origin if origin is not Origin.SAID}


class KeyReusedError(Exception):
    """The key came before with another body."""


@dataclass(slots=True)
class MemoryService:
    """One memory and its receipts; used by one thread at a time, so that no key is worked on twice."""

    memory: Memory
    receipts: OrderedDict[str, tuple[str, SaveReply]] = field(default_factory=OrderedDict)

    def load(self, asked: LoadRequest) -> LoadReply:
        """Recalls. Raises CFPMError."""
        block = self._as(asked.agent).recall(asked.query, max_tokens=asked.max_tokens).block
        return LoadReply(block=block, tokens=None if asked.is_simple else estimated(block))

    def save(self, asked: SaveRequest, key: str, body: bytes) -> tuple[SaveReply, bool]:
        """Observes once for each key; and whether it was done before. Raises CFPMError, KeyReusedError."""
        content = hashlib.sha256(body).hexdigest()
        if key and key in self.receipts:
            known, reply = self.receipts[key]
            if known != content:
                raise KeyReusedError
            return reply, True
        session = asked.session.strip() or f"agent:{asked.agent}"
        history = [part for message in asked.history for part in _messages(message)]
        memory = self._as(asked.agent)
        for name, ids in _named(memory, asked.erase).items():
            memory.erase(*ids, session=name, by=f"request of {memory.scope.agent}")
        report = memory.observe(history, session=session)
        reply = SaveReply(
            messages=report.messages,
            accepted=report.accepted,
            merged=report.merged,
            superseded=report.superseded,
            rejected=report.rejected,
        )
        if key:
            self.receipts[key] = content, reply
            while len(self.receipts) > RECEIPTS:
                self.receipts.popitem(last=False)
        return reply, False

    def close(self) -> None:
        """Closes the memory."""
        self.memory.close()

    def _as(self, agent: str) -> Memory:
        # The same open store; only the provenance is another.
        name = clean(redact(agent).text)
        return replace(self.memory, scope=Scope(self.memory.scope.namespace, agent=name))


def _named(memory: Memory, hashes: list[str]) -> dict[str, list[str]]:
    """The ids of the messages with these hashes, by session."""
    wanted, found = set(hashes), dict[str, list[str]]()
    for session, ident in memory.store.log.places(memory.scope.namespace) if wanted else ():
        if message_hash(session, ident) in wanted:
            found.setdefault(session, []).append(ident)
    return found


def _messages(message: HistoryMessage) -> list[Message | Mapping[str, object]]:
    """The message; one that says of itself that it is no speech is believed, since that only lowers its worth."""
    item = message.model_dump(exclude_unset=True)
    origin = _NO_SPEECH.get(str(item.pop("origin", "")))
    if origin is None:
        return [item]
    return [replace(part, origin=origin) for part in parse_messages([item])]
