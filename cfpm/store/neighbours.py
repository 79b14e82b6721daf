"""Which facts of a namespace a text is near to by its vector: the newest ones only, so that it costs the same in any
store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.store.arrays import unpacked
from cfpm.store.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.model import Fact
    from cfpm.store.connection import Connection
    from cfpm.store.vectors import Vectors

NEWEST = 1_000
"""Facts of a namespace that a text is compared with: a millisecond. What is older shares words or is not found."""

RULES = 3
"""Standing rules that are found besides: among many facts what ends a rule is near to other talk on its subject. Of 65
changes that were missed in two authors' dialogues the rule was not found for 4, and with these for 1."""

_NEWEST = (
    "SELECT f.seq, v.vector, f.category IN ('instruction', 'preference')"
    " FROM memory_facts f JOIN fact_vectors v ON v.seq = f.seq"
    " WHERE f.namespace = ? AND f.status = 'active' AND f.role = 'user' AND f.pinned = 0 AND v.space = ?"
    " ORDER BY f.seq DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Looks up what is near."""

    db: Connection
    vectors: Vectors

    def of(self, namespace: str, texts: Sequence[str], many: int, least: float) -> list[list[Fact]]:
        """For each text at most so many active facts of the user's with a cosine of at least `least`, nearest first.

        Behind them stand the nearest standing rules that are not among them.

        None are found where texts have no vectors, or the stored ones are another embedder's.
        """
        embedder, space = self.vectors.embedder, self.vectors.space()
        rows = self.db.rows(_NEWEST, (namespace, space, NEWEST)) if embedder and space and texts else []
        if embedder is None or not rows:
            return [[] for _ in texts]
        import numpy as np

        known = unpacked([row[1] for row in rows], embedder.dimensions)
        # Rounded, so that the order is the same on every processor; equals in the order of the newest.
        near = np.round(embedder.embed(texts) @ known.T, 4)
        rules = np.array([bool(row[2]) for row in rows])
        found = []
        for row, order in zip(near, np.argsort(-near, axis=1, kind="stable"), strict=True):
            best, others = order[:many], order[many:]
            chosen = [*best, *others[rules[others]][:RULES]]
            found.append([rows[place][0] for place in chosen if row[place] >= least])
        facts = Facts(self.db).by_seq({seq for seqs in found for seq in seqs})
        return [[facts[seq] for seq in seqs] for seqs in found]
