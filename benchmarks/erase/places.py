"""A memory with words of their own in every place: messages, calls, results, paths, names, facts, the trail, recalls,
commands, recalled blocks that came back, artifacts, an outbox with what was sent and what was not, a remote, a Chroma.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cfpm_adapters import VectorProvider, WebhookProvider
from cfpm_adapters.erasing import erase_in_outboxes
from cfpm_adapters.server.serve import Serving, address, prepared
from cfpm_adapters.vector.rebuild import erase as erase_in_chroma

from benchmarks.erase.words import Words
from cfpm import Category, Memory

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
NAMESPACE = "bench"
LONG = 50_000
"""Characters of a result that is offloaded."""


@dataclass(slots=True)
class Seeded:
    """A folder with a memory and all that stands beside it. `target` is to go, `bystander` is to stay."""

    folder: Path
    target: Words = field(default_factory=lambda: Words("target"))
    bystander: Words = field(default_factory=lambda: Words("bystander"))
    chroma: bool = True

    @property
    def database(self) -> Path:
        return self.folder / "memory.db"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.database}"

    @property
    def artifacts(self) -> Path:
        return self.folder / "artifacts"

    def open(self) -> Memory:
        """The memory."""
        return Memory.open(self.url, namespace=NAMESPACE)

    def webhook(self, base: str) -> WebhookProvider:
        """The provider whose outbox lies beside the memory."""
        return WebhookProvider(save_url=f"{base}/v1/save", outbox=self.folder / "providers.db", timeout_seconds=30)


def session_of(words: Words) -> str:
    """The name of a seed's session."""
    return f"run {words('session')}"


def moment(words: Words) -> datetime:
    """When a seed's session began: the bystander's a day later."""
    return START + timedelta(days=words.seed == "bystander")


def conversation(words: Words) -> list[Row]:
    """A session with words in each part of a message."""
    call = f"call_{words('call id')}"
    failed = f"call_{words('failed call id')}"
    arguments = {"command": f"grep {words('argument')} /srv/{words('folder')}/notes.txt", words("key"): [words("list")]}
    rows: list[Row] = [
        {"role": "assistant", "content": "Hello there!"},
        {
            "role": "user",
            "content": f"I live at 12 {words('street').title()} Street in {words('town').title()}.",
            "id": f"host-{words('message id')}",
            "name": words("speaker").title(),
        },
        {
            "role": "assistant",
            "content": f"Noted: you live at 12 {words('street').title()} Street in {words('town').title()}.",
        },
        {"role": "user", "content": f"Always use {words('rule')} tabs in the {words('project')} project."},
        {"role": "user", "content": f"Should we use {words('question')} for the {words('project')} project?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": call, "type": "function", "function": {"name": "shell", "arguments": arguments}}],
        },
        {"role": "tool", "tool_call_id": call, "content": f"1: {words('result')} and {words('second result')}"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": failed, "type": "function", "function": {"name": words("tool"), "arguments": {"path": "/x"}}}
            ],
        },
        {
            "role": "tool",
            "tool_call_id": failed,
            "content": f"cat: /srv/{words('missing')}/a.txt: No such file or directory",
            "is_error": True,
        },
    ]
    begin = moment(words)
    return [{**row, "created_at": (begin + timedelta(minutes=number)).isoformat()} for number, row in enumerate(rows)]


def seed(seeded: Seeded, base: str) -> None:
    """Puts both seeds into every place."""
    with seeded.open() as memory:
        for words in (seeded.target, seeded.bystander):
            rows = conversation(words)
            memory.observe(rows, session=session_of(words))
            kept = memory.artifacts(seeded.artifacts)
            kept.offload(f"{words('result')} {words('artifact')} " + "line of a log\n" * (LONG // 14), tool="shell")
            memory.gate("bash", f"ls /srv/{words('gate')} && cat {words('result')}.txt", session=session_of(words))
        for words in (seeded.target, seeded.bystander):
            block = memory.recall(f"where is {words('town')}? and {words('rule')}").block
            # A host hands over the prompt of the next session, with the block in it.
            memory.observe(
                [{"role": "system", "content": block}, {"role": "user", "content": "Hello again, you!"}],
                session=f"later than {words.seed}",
            )
        memory.remember(f"The {seeded.bystander('dictated')} stays.", category=Category.NOTE)
    with seeded.open() as memory:
        # Rejected by a user, so that the trail has a review with words in its detail.
        for row in memory.candidates(limit=3):
            if row.decision == "accepted":
                memory.reject(row.id)
                memory.accept(row.id)
                break
    provider = seeded.webhook(base)
    for words in (seeded.target, seeded.bystander):
        provider.save("agent", conversation(words), session=session_of(words))
    provider.close()
    if provider.failures:
        raise RuntimeError(f"the remote took nothing: {provider.last_failure}")
    _leave_waiting(seeded)
    if seeded.chroma:
        vectors = VectorProvider(seeded.url, namespace=NAMESPACE, chroma=str(seeded.folder / "chroma"))
        vectors.rebuild()
        vectors.close()


def _leave_waiting(seeded: Seeded) -> None:
    """Some messages more that nobody takes: what waits, and a batch that was made and not sent."""
    nowhere = WebhookProvider(
        save_url="http://127.0.0.1:9/nowhere", outbox=seeded.folder / "providers.db", timeout_seconds=0.2
    )
    for words in (seeded.target, seeded.bystander):
        nowhere.save("agent", conversation(words), session=session_of(words))
    nowhere._ledger.close()


def erase(seeded: Seeded, memory: Memory, *ids: str, **chosen: Any) -> None:
    """As `cfpm erase` does it: the outboxes first, then the memory with the artifacts, then Chroma."""
    plan = memory.erasure_plan(*ids, **chosen)
    erase_in_outboxes(seeded.database, plan.messages)
    memory.erase(*ids, by="benchmark", artifacts=seeded.artifacts, **chosen)
    if seeded.chroma:
        erase_in_chroma(memory, str(seeded.folder / "chroma"))


def send(seeded: Seeded, base: str) -> None:
    """The next save of the host: what is to be erased at the other side is asked for."""
    provider = seeded.webhook(base)
    provider.flush()
    provider._ledger.close()
    if provider.failures:
        raise RuntimeError(provider.last_failure)


def has_chroma() -> bool:
    """Whether the extra `vector` is here."""
    return find_spec("chromadb") is not None


@contextmanager
def remote(database: Path) -> Iterator[str]:
    """Our own server over a database on loopback; its address."""
    server, sock = prepared(Serving(f"sqlite:///{database}"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        yield address(sock)
    finally:
        server.should_exit = True
        thread.join()
        sock.close()
