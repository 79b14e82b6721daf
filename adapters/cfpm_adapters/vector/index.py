"""Keeps a collection in step with the store: follows what is new, proves that what is there is found, finds neighbours.

The store is the truth. Only vectors and hashes of texts go out, and no text comes back from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING

from cfpm.embedding import named_embedder
from cfpm.model import Status
from cfpm.recall import Neighbour
from cfpm.recall.question import read_question
from cfpm.store.change_feed import Mark
from cfpm.store.search import NOT_SEARCHED
from cfpm_adapters.vector.collection import Collection, Entry, collection_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding import Embedder
    from cfpm.memory import Memory
    from cfpm.store.store import Store
    from cfpm_adapters.vector.client import Place
    from cfpm_adapters.vector.collection import Hit

AT_ONCE = 64
"""Texts that are embedded and sent together: with a sentence transformer less than a second."""

SAMPLE = 32
"""Messages of which each must find itself: when one vector in ten is lost, they notice nothing in 3 % of cases."""

TRIED = 8
"""Entries that are looked at for each of the sample."""

WIDE = 256
"""Entries that are looked at for those that were not among the first: the index is approximate and may miss some."""

MISSED = 0.1
"""Share of the sample that the index may miss although it holds them: graphs of neighbours leave few hard to reach."""

SAME = 0.999
"""Cosine of a text with itself, through the rounding of the index; another message may have the same words."""

NEAREST = 24
"""Neighbours that are asked for: thrice what a block usually shows, since some repeat each other."""

WORDLESS = "-"
"""Stands for the hash of a text that has no vector."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the collection has and finds, compared with the store. `tip` is False when it followed another store."""

    entries: int
    wanted: int
    sampled: int
    found: int
    current: bool
    tip: bool

    @property
    def problem(self) -> str:
        """What is wrong, or an empty text. The counts are comparable only when nothing new is waiting."""
        if not self.tip:
            return "it followed another store, or one that was restored since"
        if self.found < self.sampled:
            return f"of {self.sampled} sampled messages {self.sampled - self.found} are not found by their own vector"
        if self.current and self.entries != self.wanted:
            return f"it has {self.entries} vectors, the store {self.wanted} messages and facts"
        return ""


def embedder_of(memory: Memory, embedder: Embedder | str | None) -> Embedder:
    """This one, or the one of this name, or else the memory's own."""
    if isinstance(embedder, str):
        return named_embedder(embedder)
    return embedder or memory.store.vectors.embedder or named_embedder("static")


class VectorIndex:
    """The vectors of one namespace of a store, by one embedder, in one collection."""

    def __init__(self, store: Store, namespace: str, embedder: Embedder, collection: Collection) -> None:
        self.store = store
        self.namespace = namespace
        self.embedder = embedder
        self.collection = collection

    @classmethod
    def open(cls, memory: Memory, place: Place, embedder: Embedder, *, create: bool = True) -> VectorIndex:
        """The index of this memory; made if there is none and `create`. Raises VectorError."""
        namespace = memory.scope.namespace
        collection = Collection(place, collection_name(namespace, embedder.name), create=create)
        return cls(memory.store, namespace, embedder, collection)

    def close(self) -> None:
        """Lets go of the folder or the server; a second call does nothing."""
        self.collection.close()

    def current(self) -> bool:
        """True when nothing new is waiting."""
        mark, _ = self.collection.mark()
        if self.store.change_feed.mark(self.namespace).events > mark.events:
            return False
        return not self.store.change_feed.turns_after(self.namespace, mark.turns, 1)

    def follow(self, seconds: float | None = None, progress: Callable[[int], None] | None = None) -> bool:
        """Takes over what is new, oldest first, for about so many seconds at most; True when nothing is left.

        Whatever stops it, the next call goes on from there. `progress` gets the messages and events done by this call.
        """
        until = None if seconds is None else monotonic() + seconds
        done = 0
        self.drop_erased()
        mark, _ = self.collection.mark()
        while until is None or monotonic() < until:
            count, mark = self._step(mark)
            if not count:
                return True
            done += count
            if progress:
                progress(done)
        return self.current()

    def drop_erased(self) -> None:
        """Takes out what the store has erased since; all of it when it cannot be told any more what it followed."""
        if self.collection.erasures() == self.store.traces.last():
            return
        mark, tip = self.collection.mark()
        if not self._stands(mark, tip):
            self.collection.clear()
            mark = Mark()
        else:
            turns, facts = self.store.namespace_index.load(self.namespace)
            known = {_turn_id(seq) for seq in turns.seq.tolist()} | {_fact_id(seq) for seq in facts.seq.tolist()}
            self.collection.drop([name for name in self.collection.ids() if name not in known])
        self._marked(mark)

    def waiting(self) -> int:
        """About how many messages and events are new; counts all, so not for each turn."""
        mark, _ = self.collection.mark()
        now = self.store.change_feed.mark(self.namespace)
        messages = self.store.change_feed.searched(self.namespace, now) - self.store.change_feed.searched(
            self.namespace, mark
        )
        return max(0, messages) + max(0, now.events - mark.events)

    def prove(self, sample: int = SAMPLE) -> Proof:
        """Compares it with the store. Takes the time of counting the messages, and a search for each of the sample."""
        mark, tip = self.collection.mark()
        texts = self._spread(mark, sample)
        vectors = self.embedder.embed(list(texts.values()))
        worded = _worded(vectors)
        names = [_turn_id(seq) for seq, has in zip(texts, worded, strict=True) if has]
        return Proof(
            entries=self.collection.count(),
            wanted=self.store.change_feed.searched(self.namespace, mark),
            sampled=len(names),
            found=self._found(names, vectors[worded]),
            current=self.current(),
            tip=self._stands(mark, tip),
        )

    def _found(self, names: list[str], vectors: NDArray[np.float32]) -> int:
        """How many entries find themselves. Those that the index misses are looked for among more, then by their id."""
        missed = dict(zip(names, vectors, strict=True))
        for among in (TRIED, WIDE):
            hits = self.collection.nearest(list(missed.values()), among)
            missed = {
                name: vector for (name, vector), of in zip(missed.items(), hits, strict=True) if not _itself(name, of)
            }
        if 0 < len(missed) <= MISSED * len(names):
            kept = self.collection.vectors(list(missed))
            missed = {name: vector for name, vector in missed.items() if not _same(vector, kept.get(name))}
        return len(names) - len(missed)

    def follows_this_store(self) -> bool:
        """True when what it followed last is what the store has at that place."""
        return self._stands(*self.collection.mark())

    def _stands(self, mark: Mark, tip: str) -> bool:
        return mark == Mark() or tip == self.store.change_feed.tip(self.namespace, mark)

    def _spread(self, mark: Mark, count: int) -> dict[int, str]:
        """The texts of at most `count` searched messages up to the mark, evenly spread, by `seq`."""
        turns, _ = self.store.namespace_index.load(self.namespace)
        known = turns.seq[turns.seq <= mark.turns]
        chosen = known[:: max(1, -(-len(known) // count))].tolist()
        found = self.store.log.by_seq(chosen)
        return {seq: found[seq].message.text for seq in chosen if found[seq].message.origin not in NOT_SEARCHED}

    def neighbours(self, query: str, count: int = NEAREST) -> list[Neighbour]:
        """Messages and facts near the query whose texts are still those that were embedded."""
        turns, _ = self.store.namespace_index.load(self.namespace)
        question = read_question(query, turns.speakers, self.embedder, None)
        if question.vector is None or not question.vector.any():
            return []
        hits = self.collection.nearest([question.vector], count)[0]
        return self._still_so([(*_parsed(hit.id), hit) for hit in hits])

    def _still_so(self, hits: Sequence[tuple[str, int, Hit]]) -> list[Neighbour]:
        messages = self.store.log.by_seq(seq for kind, seq, _ in hits if kind == "t")
        facts = self.store.facts.by_seq(seq for kind, seq, _ in hits if kind == "f")
        found = []
        for kind, seq, hit in hits:
            if kind == "t" and seq in messages and hit.text == _hash(messages[seq].message.text):
                found.append(Neighbour("turn", seq, hit.closeness))
            elif kind == "f" and seq in facts and hit.text == _hash(facts[seq].content):
                found.append(Neighbour("fact", seq, hit.closeness))
        return found

    def _step(self, mark: Mark) -> tuple[int, Mark]:
        """Takes over some messages, or else what some events changed; returns how many and the new mark."""
        newest = self.store.change_feed.mark(self.namespace).turns
        rows = self.store.change_feed.turns_after(self.namespace, mark.turns, AT_ONCE)
        if rows:
            self.collection.put(self._entries({_turn_id(seq): text for seq, text in rows}))
            # Rows of other namespaces need not be looked at again.
            last = rows[-1][0] if len(rows) == AT_ONCE else max(rows[-1][0], newest)
            return len(rows), self._marked(Mark(last, mark.events))
        facts, number = self.store.change_feed.facts_after(self.namespace, mark.events, AT_ONCE)
        if number == mark.events:
            return 0, mark
        believed = {_fact_id(seq): fact.content for seq, fact in facts.items() if fact.status is Status.ACTIVE}
        self.collection.put(self._entries(believed))
        self.collection.drop([name for seq in facts if (name := _fact_id(seq)) not in believed])
        return number - mark.events, self._marked(Mark(mark.turns, number))

    def _marked(self, mark: Mark) -> Mark:
        tip, erasures = self.store.change_feed.tip(self.namespace, mark), self.store.traces.last()
        self.collection.set_mark(mark, tip, erasures)
        return mark

    def _entries(self, texts: Mapping[str, str]) -> list[Entry]:
        if not texts:
            return []
        vectors = self.embedder.embed(list(texts.values()))
        worded = _worded(vectors)
        # A cosine with nothing is no number; this one stands there to be counted, and no answer takes it.
        vectors[[not has for has in worded], 0] = 1.0
        return [
            Entry(name, _hash(text) if has else WORDLESS, vector)
            for (name, text), vector, has in zip(texts.items(), vectors, worded, strict=True)
        ]


def _itself(name: str, hits: Sequence[Hit]) -> bool:
    """Whether it is among the first, as the same; or they are all the same, for a thousand may say `ok`."""
    own = [hit for hit in hits if hit.id == name]
    return all(hit.closeness >= SAME for hit in own or hits) and bool(hits)


def _same(one: NDArray[np.float32], other: NDArray[np.float32] | None) -> bool:
    """Whether two vectors, of which one may not be there, point the same way."""
    if other is None:
        return False
    return bool(one @ other >= SAME * math.sqrt((one @ one) * (other @ other)))


def _worded(vectors: NDArray[np.float32]) -> list[bool]:
    return [bool(vector.any()) for vector in vectors]


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _turn_id(seq: int) -> str:
    return f"t{seq}"


def _fact_id(seq: int) -> str:
    return f"f{seq}"


def _parsed(name: str) -> tuple[str, int]:
    """Kind and `seq`; somebody else's id is of no kind."""
    kind, number = name[:1], name[1:]
    return (kind, int(number)) if number.isascii() and number.isdigit() else ("", 0)
