"""Tunes two wide encoders together, one of queries and one of what was said, so that a query's vector is near to those
of the sentences that answer it, and shows how they do on stories kept apart.

Needs jax, optax and safetensors, and the weights of all-MiniLM-L6-v2. The layer that the encoder of pairs shares with
both, and the two above it in that of queries, stay as they are.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.answering import (
    of_chats,
    of_conversations,
    of_preferences,
    of_rules,
    of_stories,
    of_talks,
    shown,
    tuned_to_answer,
)
from benchmarks.train.encoder import (
    BETWEEN,
    OPEN,
    dropping,
    embedded,
    from_weights,
    layered,
    mean_of_pieces,
    opened,
    opened_layers,
    stored_layers,
)
from benchmarks.train.relation import write
from cfpm.text.heads.answering import WIDTH, sentence_vectors
from cfpm.text.heads.asking import asking_vector
from cfpm.text.heads.relation import stored
from cfpm.text.heads.wide import SHARED, of_length_1, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.train.answering import Conversation, Query

    Tree = dict[str, Any]
    Floats = NDArray[np.float32]

LEARNT_FROM = ("data", "later", "fresh", "unseen", "ranking")
APART = ("changes", "blind", "once", "newest", "strangers")
"""Folders of stories."""

FIXED = 2
"""Layers of the encoder of queries above the shared one that stay as they are: those that the encoder of pairs had
when the first one of queries was tuned."""

EPOCHS, RATE = 3, 8e-5


def learn(data: Path, weights: Path, folder: Path | None) -> int:
    """Prints the losses and how often an answer is among the nearest sentences; writes both encoders to `folder`."""
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    told = [
        *of_stories(*LEARNT_FROM), *of_conversations(data), *of_preferences(data), *of_rules(), *of_talks(), *of_chats()
    ]  # fmt: skip
    print(f"{sum(len(queries) for _, queries in told)} queries about {len(told)} conversations")
    whole = opened(stored("relation"))
    below = {name: whole[name] for name in ("pieces", "places", "sides", "first")}
    lowest, fixed = whole["layers"][:SHARED], opened_layers(stored("asking"))[:FIXED]

    def rows(under: list[Tree], learnt: Tree, ids: Any, sides: Any, key: Any) -> Any:
        known = layered(under, embedded(below, {"ids": ids, "sides": sides}), ids > 0, lambda kept: kept)
        return layered(learnt["layers"], known, ids > 0, dropping(key, learnt["layers"]))

    def said(learnt: Tree, ids: Any, sides: Any, key: Any) -> Any:
        matrix, bias = learnt["said"]["map"]
        return rows(lowest, learnt["said"], ids, sides, key) @ matrix + bias

    def asked(learnt: Tree, ids: Any, _: Any, key: Any) -> Any:
        # A query has nothing before it, and is read without the mark that would part it from that.
        bare = jnp.concatenate([ids[:, :1], ids[:, 2:], 0 * ids[:, :1]], 1)
        found = rows([*lowest, *fixed], learnt["asked"], bare, 0 * bare, key)
        matrix, bias = learnt["asked"]["map"]
        return jnp.concatenate([found[:, :1], found[:, :-1]], 1) @ matrix + bias

    upper = from_weights(weights)["layers"][SHARED + FIXED :]
    first = _first_map((query for _, queries in told for query in queries), partial(rows, [*lowest, *fixed]), upper)
    begun = {"asked": {"layers": upper, "map": first}, "said": {"layers": [*fixed, *upper], "map": first}}
    tuned = tuned_to_answer((said, asked), begun, told, EPOCHS, RATE)
    shown("wide", (jax.jit(partial(said, tuned, key=None)), jax.jit(partial(asked, tuned, key=None))), APART)
    if folder is not None:
        for name, of, under in (("asking", tuned["asked"], fixed), ("answers", tuned["said"], [])):
            matrix, bias = (np.asarray(one) for one in of["map"])
            kept = stored_layers([*under, *of["layers"]])
            write(name, kept | {"map": matrix.astype(np.float16), "map.bias": bias.astype(np.float32)}, folder)
    return 0


def tried(paths: Iterable[Path]) -> int:
    """Prints for how many queries what ships finds an answer among the nearest sentences, of folders of stories
    (`stories/blind`), of talks (`talks-*.json`), of ends of chats (`chats-*.jsonl`) and of orders beside their user's
    rules (`orders-*.jsonl`)."""
    for path in paths:
        if path.is_dir():
            told = of_stories(path.name)
        else:
            read = {"chats": of_chats, "orders": of_rules, "talks": of_talks}
            told = read[path.stem.partition("-")[0]]([path])
        ranks = [rank for conversation, queries in told for rank in _ranks(conversation, queries)]
        shares = " / ".join(f"{np.mean([rank < most for rank in ranks]):.3f}" for most in (1, 3, 5, 10) if ranks)
        print(f"{path.stem}: answered by the nearest 1 / 3 / 5 / 10 sentences {shares} of {len(ranks)}")
    return 0


def _ranks(conversation: Conversation, queries: Sequence[Query]) -> Iterator[int]:
    rows: list[Floats] = []
    places: list[tuple[int, int]] = []
    for place, text in enumerate(conversation.texts):
        packed = sentence_vectors(conversation.texts[place - 1] if place else "", text) if text else b""
        own = np.frombuffer(packed, np.int8).reshape(-1, WIDTH).astype(np.float32)
        rows += [of_length_1(row) for row in own]
        places += [(place, number) for number in range(len(own))]
    said = np.array(rows, np.float32)
    for query in queries:
        met = said @ asking_vector(query.text, query.before)
        right = [
            place in query.answers and ((numbers := query.answers[place]) is None or number in numbers)
            for place, number in places
        ]
        if any(right):
            yield int((met > met[right].max()).sum())


def _first_map(queries: Iterable[Query], read: Any, upper: list[Tree]) -> tuple[Floats, Floats]:
    """What makes of the mean of a query's rows the directions in which the queries differ most."""
    means = []
    for query in queries:
        if pieces := pieces_of(query.text):
            ids = np.zeros((1, len(pieces) + 2 + -(len(pieces) + 2) % 16), np.int32)  # few shapes to compile
            ids[0, : len(pieces) + 2] = [OPEN, *pieces, BETWEEN]
            means.append(np.asarray(mean_of_pieces(read({"layers": upper}, ids, 0 * ids, None), ids))[0])
    table = np.array(means)
    matrix = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)[2][:WIDTH].T
    return matrix.astype(np.float32), (-table.mean(axis=0) @ matrix).astype(np.float32)
