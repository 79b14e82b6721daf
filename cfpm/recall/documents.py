"""Passages of documents that fit a query: data with a place to read on at, never an order. Ranks no message and no
fact, and reads no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.tool_output import gives_orders
from cfpm.model import Role
from cfpm.recall.items import DIGITS, ELLIPSIS, RecallItem
from cfpm.recall.question import read_question
from cfpm.recall.weights import load_threshold
from cfpm.text.foreign import orders_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from cfpm.recall.candidates import Values
    from cfpm.recall.question import Question
    from cfpm.store.documents import Chunk, Document
    from cfpm.store.namespace_arrays import TurnArrays
    from cfpm.store.store import Store

MOST = 8
"""Passages of documents in one answer; who needs more reads on where they stand."""

_LOOKED_AT = 32
"""Chunks whose lines are compared one by one: the best by words and by meaning, and of those the best by both."""

_SHOWN = 360
"""Characters of a passage: a few sentences or some lines of code."""

_WORDS, _MEANING, _HELD = 0.2, 0.3, 0.5
"""Shares of a score, which is at most 1, as that of a message: the best share of BM25, the cosine, and how much of the
query the passage holds. Chosen by hand; nothing was learnt for documents."""

TRUST = "document, data"
"""How far a document is trusted: it may be shown, and orders nobody."""


class Found(NamedTuple):
    """Passages, the best first, and how much of the query the best holds."""

    items: Sequence[RecallItem] = ()
    fit: float = 0.0


def find_documents(
    store: Store,
    namespaces: Sequence[str],
    query: str,
    *,
    exclude: Collection[str] = (),
    include_quarantined: bool = False,
) -> Found:
    """The passages that hold enough of the query. What plainly commands its reader is left out, and what a tombstone
    hides; with `include_quarantined` the former is shown, marked as quarantined."""
    documents = {one.id: one for one in store.documents.of(namespaces)} if query.strip() else {}
    if not documents:
        return Found()
    embedder = store.vectors.embedder
    turns, _ = store.namespace_index.load(namespaces[0])
    question = read_question(query, (), embedder, turns.newest)
    scores = _candidates(store, [one for one in documents if not {one, documents[one].name} & {*exclude}], question)
    chunks = store.documents.by_seq(scores)
    found: list[RecallItem] = []
    for seq, best in _passages(chunks, question, turns, store, included=include_quarantined).items():
        document = documents[chunks[seq].document]
        if store.tombstones.hides(document.namespace, best.text, ""):
            continue
        words, meaning = scores[seq]
        shares = {"words": _WORDS * words, "meaning": _MEANING * meaning, "held": _HELD * best.fit}
        shares = {name: round(share, DIGITS) for name, share in shares.items()}
        found.append(_item(document, chunks[seq], best, shares, store))
    found.sort(key=lambda item: (-item.score, item.id))
    fitting = [item for item in found if item.fit >= load_threshold()]
    return Found(fitting[:MOST], fitting[0].fit if fitting else 0.0)


def _candidates(store: Store, documents: Sequence[str], question: Question) -> dict[int, tuple[float, float]]:
    """For the best chunks by words and by meaning: both, from 0 to 1, by their `seq`."""
    by_words = store.documents.by_words(documents, question.words, _LOOKED_AT)
    top = max((score for _, score in by_words), default=1.0) or 1.0
    words = {seq: score / top for seq, score in by_words}
    meaning: dict[int, float] = {}
    if question.subject is not None and (known := store.documents.vectors_of(documents, list(words))):
        import numpy as np

        seqs, vectors = known
        # Rounded, so that the order is the same on every processor.
        near = np.round(vectors @ question.subject, 4)
        best = np.argsort(-near, kind="stable")[:_LOOKED_AT].tolist()
        places = {seq: place for place, seq in enumerate(seqs)}
        wanted = dict.fromkeys([*words, *(seqs[place] for place in best)])
        meaning = {seq: max(0.0, float(near[places[seq]])) for seq in wanted if seq in places}
    both = {seq: (words.get(seq, 0.0), meaning.get(seq, 0.0)) for seq in dict.fromkeys([*words, *meaning])}
    ranked = sorted(both, key=lambda seq: (-round(_WORDS * both[seq][0] + _MEANING * both[seq][1], 4), seq))
    return {seq: both[seq] for seq in ranked[:_LOOKED_AT]}


class _Best(NamedTuple):
    """Lines of a chunk, how much of the query they hold, and whether they may only be shown on request."""

    first: int
    last: int
    text: str
    fit: float
    quarantined: bool


def _passages(
    chunks: Mapping[int, Chunk], question: Question, turns: TurnArrays, store: Store, *, included: bool
) -> dict[int, _Best]:
    """The lines of each chunk that hold most of the query, with as many around them as have room."""
    lines = {seq: _Lines.of(chunk, included=included) for seq, chunk in chunks.items()}
    lines = {seq: one for seq, one in lines.items() if one.free}
    held = _held([row for one in lines.values() for _, row in one.free], question, turns, store)
    found, start = {}, 0
    for seq, one in lines.items():
        end = start + len(one.free)
        found[seq] = _best(chunks[seq], one, held[start:end], question)
        start = end
    return found


def _held(texts: Sequence[str], question: Question, turns: TurnArrays, store: Store) -> Values:
    """For each text and each part of the question the share of the whole that it holds; all at once."""
    import numpy as np

    from cfpm.recall.late_interaction import answerability, rarity
    from cfpm.recall.passages import held_of

    embedder = store.vectors.embedder
    if embedder is None or not question.pieces:
        shares = [[answerability(text, question, turns, None)] for text in texts]
        return np.array(shares, dtype=np.float32).reshape(len(texts), 1)
    rare = rarity(turns, question)
    found: Values = held_of([embedder.pieces(text) for text in texts], question, embedder) * (rare / rare.sum())
    return found


class _Lines(NamedTuple):
    """The lines of a chunk that hold something, and those of them that may be shown; each with its place."""

    kept: Sequence[tuple[int, str]]
    free: Sequence[tuple[int, str]]

    @classmethod
    def of(cls, chunk: Chunk, *, included: bool) -> _Lines:
        rows = chunk.text.rstrip("\n").split("\n")
        kept = [(place, row) for place, row in enumerate(rows) if row.strip()]
        return cls(kept, kept if included else [(place, row) for place, row in kept if not _commands(row)])


def _best(chunk: Chunk, lines: _Lines, held: Values, question: Question) -> _Best:
    free = lines.free
    fits = held.sum(axis=1).round(4)
    first = last = int(fits.argmax())
    size = len(free[first][1])
    # What follows explains more than what stands before; of a table or a list the head stands before.
    grows = True
    while grows:
        grows = False
        for place in (last + 1, first - 1):
            if 0 <= place < len(free) and size + len(free[place][1]) <= _SHOWN:
                first, last = min(first, place), max(last, place)
                size += len(free[place][1])
                grows = True
    shown = free[first : last + 1]
    left_out = {place for place, _ in lines.kept} - {place for place, _ in free}
    text = "\n".join((f"{ELLIPSIS} " if place - 1 in left_out else "") + row.strip() for place, row in shown)
    if size > _SHOWN:
        text = _around(text, question)
    fit = float(held[first : last + 1].max(axis=0).sum())
    commanding = any(_commands(row) for _, row in shown)
    return _Best(chunk.first_line + shown[0][0], chunk.first_line + shown[-1][0], text, fit, commanding)


def _around(text: str, question: Question) -> str:
    """Of a long line the stretch that begins with a word of the query."""
    from cfpm.store.search import content_words

    folded = text.casefold()
    at = min((place for word in content_words(question.words) if (place := folded.find(word)) >= 0), default=0)
    start = max(0, at - _SHOWN // 4)
    return text[start : start + _SHOWN].strip()


def _commands(row: str) -> bool:
    return gives_orders(row) or next(iter(orders_in(row, thorough=False)), None) is not None


def _item(document: Document, chunk: Chunk, best: _Best, shares: Mapping[str, float], store: Store) -> RecallItem:
    # In words the lines count as a reader of the page counts them; in the id through the whole document.
    before = store.documents.begins(document.id, chunk.place) - 1 if chunk.place else 0
    first, last = best.first - before, best.last - before
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    where = ", ".join(filter(None, (document.name, chunk.place, lines)))
    return RecallItem(
        kind="document",
        id=f"{document.id}:{best.first}-{best.last}",
        text=best.text,
        score=round(sum(shares.values()), DIGITS),
        why=shares,
        session="",
        message_id="",
        created_at=document.added_at,
        category=None,
        role=Role.TOOL,
        fit=round(best.fit, DIGITS),
        source=f"{where}; {TRUST}",
        quarantined=best.quarantined,
    )
