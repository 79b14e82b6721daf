"""Which facts of a namespace a draft is near to by its vector: the newest ones only, so that it costs the same in any
store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.model import Span
from cfpm.pruner.candidates import Near
from cfpm.store.arrays import unpacked
from cfpm.store.facts import Facts
from cfpm.text.heads.nearness import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.model import Draft, Fact, Scope
    from cfpm.store.connection import Connection
    from cfpm.store.sentence_vectors import Floats, SentenceVectors
    from cfpm.store.vectors import Vectors

NEWEST = 1_000
"""Facts of a namespace that a text is compared with: a millisecond. What is older shares words or is not found."""

RULES = 3
"""Standing rules that are found besides: among many facts what ends a rule is near to other talk on its subject. Of 65
changes that were missed in two authors' dialogues the rule was not found for 4, and with these for 1."""

LOOKED_AT = 96
"""Facts, the nearest by their words, of which it is looked up where they were said."""

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
    sentences: SentenceVectors

    def of(self, scope: Scope, drafts: Sequence[Draft], many: int, least: float) -> list[list[Near]]:
        """For each draft at most so many active facts of the user's, half of them the nearest by their words, with a
        cosine of at least `least`, the others the nearest by what was said; in the order of their words.

        Behind them stand the nearest standing rules that are not among them.

        None are found where texts have no vectors, or the stored ones are another embedder's.
        """
        embedder, space = self.vectors.embedder, self.vectors.space()
        rows = self.db.rows(_NEWEST, (scope.namespace, space, NEWEST)) if embedder and space and drafts else []
        if embedder is None or not rows:
            return [[] for _ in drafts]
        import numpy as np

        known = unpacked([row[1] for row in rows], embedder.dimensions)
        # Rounded, so that the order is the same on every processor; equals in the order of the newest.
        near = np.round(embedder.embed([draft.content for draft in drafts]) @ known.T, 4)
        rules = np.array([bool(row[2]) for row in rows])
        looked_at = [_looked_at(order, rules) for order in np.argsort(-near, axis=1, kind="stable")]
        facts = Facts(self.db).by_seq({rows[place][0] for places in looked_at for place in places})
        own = self.sentences.of_spans(scope.namespace, [(scope.session, draft.span) for draft in drafts])
        told = self._where_said(scope.namespace, facts)
        found = []
        for row, places, vector in zip(near, looked_at, own, strict=True):
            seqs = [rows[place][0] for place in places]
            cosines = [float(row[place]) for place in places]
            meant = [_cosine(vector, told[seq]) for seq in seqs]
            close = nearest(cosines, meant, many, least)
            others = [at for at, place in enumerate(places) if rules[place] and at not in close]
            close += [at for at in others[:RULES] if cosines[at] >= least]
            found.append([Near(facts[seqs[at]], cosines[at], meant[at], seqs[at]) for at in close])
        return found

    def _where_said(self, namespace: str, facts: Mapping[int, Fact]) -> dict[int, Floats | None]:
        places = [(fact.session, Span(fact.message_id, fact.span_start, fact.span_end)) for fact in facts.values()]
        return dict(zip(facts, self.sentences.of_spans(namespace, places), strict=True))


def _looked_at(order: NDArray[np.int64], rules: NDArray[np.bool_]) -> list[int]:
    """The nearest facts, and the nearest standing rules behind them."""
    beyond = order[LOOKED_AT:]
    return [*order[:LOOKED_AT].tolist(), *beyond[rules[beyond]][:RULES].tolist()]


def _cosine(one: Floats | None, other: Floats | None) -> float:
    # Rounded, since the last bits differ by processor.
    return round(float(one @ other), 3) if one is not None and other is not None else 0.0
