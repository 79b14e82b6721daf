"""Tunes the upper layers of the encoder that reads queries, so that a query's vector is near to those of the sentences
that answer it, and shows how it does on stories kept apart.

Needs jax, optax and safetensors, and the weights of all-MiniLM-L6-v2. The vectors of sentences are those of the narrow
encoder, and stay as they are.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.train.answering import (
    Conversation,
    Query,
    of_conversations,
    of_preferences,
    of_rules,
    of_stories,
)
from benchmarks.train.encoder import (
    BETWEEN,
    OPEN,
    descent,
    dropping,
    embedded,
    from_weights,
    layered,
    mean_of_pieces,
    of_length_1,
    opened,
    opened_layers,
    stored_layers,
)
from benchmarks.train.relation import write
from cfpm.text.heads.answering import WIDTH, query_vector, sentence_vectors
from cfpm.text.heads.asking import SHARED, pieces_of
from cfpm.text.heads.relation import stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Tree = dict[str, Any]
    Floats = NDArray[np.float32]

LEARNT_FROM = ("data", "later", "fresh", "unseen", "ranking")
APART = ("changes", "blind", "once")
"""Folders of stories."""

FIXED = 2
"""Layers above the shared one that stay as they are: those that the encoder of pairs had when this one was tuned."""

EPOCHS, RATE = 2, 5e-5
AT_ONCE = 32
SENTENCES = 640
"""Of a batch: queries about one conversation, and its sentences, all with an answer among them."""

WIDTHS = (12, 16, 24, 32, 48, 64)
"""Word pieces and marks to which the queries of a batch are filled up."""

SHARP = 20.0
"""What a cosine counts for."""

RIDGE = 1e-4
"""How strongly the first map from the mean of the rows to the narrow encoder's vectors is drawn to nothing."""


class Asked(NamedTuple):
    """A conversation's sentences as vectors of length 1, and queries: their word pieces, the narrow encoder's vectors,
    and which sentences answer."""

    said: Floats
    pieces: Sequence[Sequence[int]]
    by_narrow: Floats
    answers: Sequence[Sequence[int]]


def learn(data: Path, weights: Path, folder: Path | None) -> int:
    """Prints the losses and how often an answer is among the nearest sentences; writes the weights to `folder`."""
    import jax  # type: ignore[import-not-found,unused-ignore]

    told = [
        one
        for conversation, queries in (
            *of_stories(*LEARNT_FROM), *of_conversations(data), *of_preferences(data), *of_rules()
        )
        if (one := _asked(conversation, queries)).pieces
    ]  # fmt: skip
    print(f"{sum(len(one.pieces) for one in told)} queries about {len(told)} conversations")
    whole = opened(stored("relation"))
    below = {name: whole[name] for name in ("pieces", "places", "sides", "first")}
    fixed = opened_layers(stored("asking"))[:FIXED]

    def lower(ids: Any) -> Any:
        rows = embedded(below, {"ids": ids, "sides": 0 * ids})
        return layered([*whole["layers"][:SHARED], *fixed], rows, ids > 0, lambda kept: kept)

    def meant(learnt: Tree, rows: Any, ids: Any, key: Any) -> Any:
        return mean_of_pieces(layered(learnt["layers"], rows, ids > 0, dropping(key, learnt["layers"])), ids)

    read = jax.jit(lower)
    begun: Tree = {"layers": from_weights(weights)["layers"][SHARED + FIXED :]}
    tuned = begun
    begun["map"] = _first_map(told, lambda ids: meant(begun, read(ids), ids, None))

    def vectors(learnt: Tree, rows: Any, ids: Any, key: Any) -> Any:
        return of_length_1(meant(learnt, rows, ids, key) @ learnt["map"][0] + learnt["map"][1])

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        met = SHARP * vectors(learnt, batch["rows"], batch["ids"], key) @ batch["said"].T
        met = jax.numpy.where(batch["there"], met, -1e9)
        right = jax.nn.logsumexp(jax.numpy.where(batch["right"], met, -1e9), -1)
        weight = batch["right"].any(-1)
        return ((jax.nn.logsumexp(met, -1) - right) * weight).sum() / weight.sum()

    apart = {name: [_asked(*one) for one in of_stories(name)] for name in APART}
    chance = random.Random(0)
    steps = EPOCHS * sum(-(-len(one.pieces) // AT_ONCE) for one in told)
    for tuned, lost in descent(begun, loss, steps, (_epoch(told, chance, read) for _ in range(EPOCHS)), RATE):
        print(f"mean loss {lost:.3f}", flush=True)
        asked = jax.jit(partial(vectors, tuned, key=None))
        for name, of in apart.items():
            _show(name, of, lambda ids, asked=asked: asked(read(ids), ids))
    if folder is not None:
        matrix, bias = (np.asarray(one) for one in tuned["map"])
        kept = stored_layers([*fixed, *tuned["layers"]])
        write("asking", kept | {"map": matrix.astype(np.float16), "map.bias": bias.astype(np.float32)}, folder)
    return 0


def _asked(conversation: Conversation, queries: Sequence[Query]) -> Asked:
    rows: list[Floats] = []
    numbers: dict[tuple[int, int], int] = {}
    for place, text in enumerate(conversation.texts):
        before = conversation.texts[place - 1] if place else ""
        own = np.frombuffer(sentence_vectors(before, text) if text else b"", np.int8).reshape(-1, WIDTH)
        numbers |= {(place, number): len(rows) + number for number in range(len(own))}
        rows += list(own.astype(np.float32))
    said = np.array(rows, np.float32).reshape(-1, WIDTH)
    said /= np.linalg.norm(said, axis=1, keepdims=True).clip(1)
    pieces: list[list[int]] = []
    by_narrow: list[Floats] = []
    answers: list[list[int]] = []
    for query in queries:
        rows_of = [
            row
            for (place, number), row in numbers.items()
            if place in query.answers and number in (query.answers[place] or (number,))
        ]
        if rows_of and (own_pieces := pieces_of(query.text)):
            pieces.append(own_pieces)
            by_narrow.append(query_vector(query.text))
            answers.append(rows_of)
    return Asked(said, pieces, np.array(by_narrow, np.float32), answers)


def _ids(pieces: Sequence[Sequence[int]], count: int) -> NDArray[np.int32]:
    """Queries between their marks, filled up to one width, and with empty ones to a count."""
    longest = max(map(len, pieces)) + 2
    ids = np.zeros((count, next(width for width in WIDTHS if width >= longest)), np.int32)
    ids[:, 0] = OPEN
    for row, own in zip(ids, pieces, strict=False):
        row[: len(own) + 2] = [OPEN, *own, BETWEEN]
    return ids


def _first_map(told: Sequence[Asked], read: Any) -> tuple[Floats, Floats]:
    rows = np.vstack(
        [
            np.asarray(read(_ids(one.pieces[start : start + AT_ONCE], AT_ONCE)))[
                : len(one.pieces[start : start + AT_ONCE])
            ]
            for one in told
            for start in range(0, len(one.pieces), AT_ONCE)
        ]
    )
    rows = np.hstack([rows, np.ones((len(rows), 1), np.float32)])
    wanted = np.vstack([one.by_narrow for one in told])
    found = np.linalg.solve(rows.T @ rows + RIDGE * len(rows) * np.eye(rows.shape[1]), rows.T @ wanted)
    return found[:-1].astype(np.float32), found[-1].astype(np.float32)


def _epoch(told: Sequence[Asked], chance: random.Random, read: Any) -> Iterator[dict[str, Any]]:
    """All queries in random order, those about one conversation together."""
    parts = [
        (one, mixed[start : start + AT_ONCE])
        for one in told
        for mixed in [chance.sample(range(len(one.pieces)), len(one.pieces))]
        for start in range(0, len(mixed), AT_ONCE)
    ]
    for one, places in chance.sample(parts, len(parts)):
        ids = _ids([one.pieces[place] for place in places], AT_ONCE)
        needed = dict.fromkeys(row for place in places for row in one.answers[place])
        others = [row for row in chance.sample(range(len(one.said)), len(one.said)) if row not in needed]
        rows = [*needed, *others][:SENTENCES]
        at = {row: place for place, row in enumerate(rows)}
        said, right = np.zeros((SENTENCES, WIDTH), np.float32), np.zeros((AT_ONCE, SENTENCES), bool)
        said[: len(rows)] = one.said[rows]
        for row, place in enumerate(places):
            right[row, [at[answer] for answer in one.answers[place] if answer in at]] = True
        yield {"ids": ids, "rows": read(ids), "said": said, "there": np.arange(SENTENCES) < len(rows), "right": right}


def _show(name: str, told: Iterable[Asked], read: Any) -> None:
    """How often an answer is among the nearest sentences by the narrow encoder, by the wide one and by both."""
    ranks: list[list[int]] = []
    for one in told:
        for start in range(0, len(one.pieces), AT_ONCE):
            some = one.pieces[start : start + AT_ONCE]
            by_wide = np.asarray(read(_ids(some, AT_ONCE)))[: len(some)]
            by_narrow = one.by_narrow[start : start + AT_ONCE]
            met = [vectors @ one.said.T for vectors in (by_narrow, by_wide, by_narrow + by_wide)]
            for row, answers in enumerate(one.answers[start : start + AT_ONCE]):
                ranks.append([int((of[row] > of[row, answers].max()).sum()) for of in met])
    for encoder, of in zip(("narrow", "wide", "both"), zip(*ranks, strict=True), strict=True):
        shares = " / ".join(f"{np.mean([rank < most for rank in of]):.3f}" for most in (1, 5, 10))
        print(f"{name}, {encoder}: answered by the nearest 1 / 5 / 10 sentences {shares} of {len(of)}", flush=True)
