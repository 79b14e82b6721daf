"""Questions with the signals of the messages that may answer them, by the code that recall itself uses."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cfpm import Memory
from cfpm.recall.priors import COLUMNS
from cfpm.recall.question import read_question
from cfpm.recall.signals import turn_signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from benchmarks.retrieval.sets import Dialogue

TELLING = "telling"
"""The signal that is a direction of the messages' vectors: here it stands as its columns, which are learnt with it."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question: a row of signals for each message, which rows hold evidence, and how many messages do in all."""

    group: str
    kind: str
    names: tuple[str, ...]
    signals: NDArray[np.float32]
    evidence: NDArray[np.int64]
    wanted: int


def examples(dialogues: Iterable[Dialogue]) -> Iterator[Example]:
    """Observes each dialogue into a memory of its own and asks its questions."""
    for dialogue in dialogues:
        with tempfile.TemporaryDirectory(prefix="cfpm-rank-") as folder:
            yield from _of(dialogue, Path(folder))


def _of(dialogue: Dialogue, folder: Path) -> Iterator[Example]:
    with Memory.open(f"sqlite:///{folder / 'memory.db'}") as memory:
        for session, messages in dialogue.sessions.items():
            memory.observe(messages, session=session)
        store, namespace = memory.store, memory.scope.namespace
        newest = max((message.created_at for message in dialogue.messages if message.created_at), default=None)
        turns, facts = store.namespace_index.load(namespace)
        ids = {number: logged.message.id for number, logged in store.log.by_seq(turns.seq.tolist()).items()}
        for asked in dialogue.questions:
            question = read_question(asked.text, turns.speakers, store.vectors.embedder, newest)
            found = turn_signals(store, turns, facts, question, store.vectors.embedder)
            held = [ids[int(turns.seq[row])] in asked.evidence for row in found.rows]
            signals = {name: values for name, values in found.values.items() if name != TELLING}
            signals |= {f"{TELLING} {n}": turns.vectors[found.rows, n] for n in range(COLUMNS)}
            yield Example(
                group=dialogue.name,
                kind=asked.kind,
                names=tuple(signals),
                signals=np.stack(list(signals.values()), axis=1).astype(np.float32),
                evidence=np.flatnonzero(held),
                wanted=len(asked.evidence),
            )
