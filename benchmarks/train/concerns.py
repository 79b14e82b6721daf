"""Tunes the upper layers of the encoder that reads standing rules, so that a rule's vector is near to those of the
orders that it concerns, and shows how it does on users kept apart.

Needs jax and optax. The vectors of orders are those of `asking`, and stay as they are.
"""

from __future__ import annotations

import json
import random
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.train.encoder import (
    BETWEEN,
    OPEN,
    descent,
    dropping,
    embedded,
    layered,
    mean_of_pieces,
    of_length_1,
    opened,
    opened_layers,
    stored_layers,
)
from benchmarks.train.labels import HERE
from benchmarks.train.relation import write
from cfpm.text.heads.answering import WIDTH
from cfpm.text.heads.asking import SHARED, pieces_of, wide_vector
from cfpm.text.heads.concerns import BELOW
from cfpm.text.heads.relation import stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Tree = dict[str, Any]
    Floats = NDArray[np.float32]

APART = ("orders-o3", "orders-p7", "orders-p8", "orders-p10")
"""Authors from whom it does not learn; `asking` has learnt from all of them but the last."""

EPOCHS, RATE = 3, 5e-5

AT_ONCE, RULES = 20, 30
"""Of a batch: orders of one user, and that user's rules with those of another one."""

LONGEST = 64
"""Word pieces and marks to which the rules of a batch are filled up."""

SHARP = 20.0
"""What a cosine counts for."""


class User(NamedTuple):
    """A user's rules; the vectors of what is ordered, and for each order the places of the rules that concern it most,
    and of those that concern it as well."""

    rules: list[str]
    asked: Floats
    right: list[int]
    also: list[frozenset[int]]


def learn(folder: Path | None) -> int:
    """Prints the losses and how often the right rule is among the nearest; writes the weights to `folder`."""
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    files = sorted(HERE.glob("orders-*.jsonl"))
    users = [user for path in files if path.stem not in APART for user in _users(path)]
    apart = {name: list(_users(HERE / f"{name}.jsonl")) for name in APART}
    print(f"{sum(len(user.right) for user in users)} orders of {len(users)} users")
    whole, asking = opened(stored("relation")), stored("asking")
    below = {name: whole[name] for name in ("pieces", "places", "sides", "first")}
    layers = opened_layers(asking)
    fixed = [*whole["layers"][:SHARED], *layers[:BELOW]]

    def lower(ids: Any) -> Any:
        return layered(fixed, embedded(below, {"ids": ids, "sides": 0 * ids}), ids > 0, lambda kept: kept)

    def meant(learnt: Tree, rows: Any, ids: Any, key: Any) -> Any:
        rows = layered(learnt["layers"], rows, ids > 0, dropping(key, learnt["layers"]))
        return of_length_1(mean_of_pieces(rows, ids) @ learnt["map"][0] + learnt["map"][1])

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        met = SHARP * batch["asked"] @ meant(learnt, batch["rows"], batch["ids"], key).T
        met = jnp.where(batch["also"], -1e9, met)
        own = jnp.take_along_axis(met, batch["right"][:, None], 1)[:, 0]
        weight = batch["weight"]
        return ((jax.nn.logsumexp(met, -1) - own) * weight).sum() / weight.sum()

    begun: Tree = {
        "layers": layers[BELOW:],
        "map": (asking["map"].astype(np.float32), asking["map.bias"].astype(np.float32)),
    }
    tuned = begun
    read, chance = jax.jit(lower), random.Random(0)
    steps = EPOCHS * sum(-(-len(user.right) // AT_ONCE) for user in users)
    _show(apart, lambda ids: meant(begun, read(ids), ids, None))
    for tuned, lost in descent(begun, loss, steps, (_epoch(users, chance, read) for _ in range(EPOCHS)), RATE):
        print(f"mean loss {lost:.3f}", flush=True)
        told = jax.jit(partial(meant, tuned, key=None))
        _show(apart, lambda ids, told=told: told(read(ids), ids))
    if folder is not None:
        matrix, bias = (np.asarray(one) for one in tuned["map"])
        kept = stored_layers(tuned["layers"])
        write("concerns", kept | {"map": matrix.astype(np.float16), "map.bias": bias.astype(np.float32)}, folder)
    return 0


def _users(path: Path) -> Iterator[User]:
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        named: dict[str, set[int]] = {}
        told: list[tuple[str, int]] = []
        for place, rule in enumerate(row["rules"]):
            others = rule.get("also") or [[]] * len(rule["orders"])
            for order, concerned in zip(rule["orders"], others, strict=True):
                told.append((order, place))
                named.setdefault(order, set()).update((place, *concerned))
        asked = np.array([wide_vector(order) for order, _ in told], dtype=np.float32)
        also = [frozenset(named[order] - {place}) for order, place in told]
        yield User([rule["rule"] for rule in row["rules"]], asked, [place for _, place in told], also)


def _ids(rules: Sequence[str]) -> NDArray[np.int32]:
    """Rules between their marks, filled up to one width and number."""
    ids = np.zeros((RULES, LONGEST), np.int32)
    ids[:, 0] = OPEN
    for row, rule in zip(ids, rules, strict=False):
        own = [OPEN, *pieces_of(rule), BETWEEN][:LONGEST]
        row[: len(own)] = own
    return ids


def _epoch(users: Sequence[User], chance: random.Random, read: Any) -> Iterator[dict[str, Any]]:
    """All orders in random order, those of one user together."""
    parts = [
        (user, mixed[start : start + AT_ONCE])
        for user in users
        for mixed in [chance.sample(range(len(user.right)), len(user.right))]
        for start in range(0, len(mixed), AT_ONCE)
    ]
    for user, places in chance.sample(parts, len(parts)):
        other = chance.choice(users)
        ids = _ids([*user.rules, *(other.rules if other is not user else [])])
        asked = np.zeros((AT_ONCE, WIDTH), np.float32)
        right, also = np.zeros(AT_ONCE, np.int32), np.zeros((AT_ONCE, RULES), bool)
        for row, place in enumerate(places):
            asked[row], right[row] = user.asked[place], user.right[place]
            also[row, sorted(user.also[place])] = True
        weight = (np.arange(AT_ONCE) < len(places)).astype(np.float32)
        yield {"ids": ids, "rows": read(ids), "asked": asked, "right": right, "also": also, "weight": weight}


def _show(authors: Mapping[str, Sequence[User]], vectors: Any) -> None:
    """Of each author, how often the right one is among the nearest of a user's rules."""
    for name, users in authors.items():
        ranks = []
        for user in users:
            met = user.asked @ np.asarray(vectors(_ids(user.rules)))[: len(user.rules)].T
            for row, right, also in zip(met, user.right, user.also, strict=True):
                ranks.append(sum(row[place] > row[right] for place in range(len(row)) if place not in also))
        shares = " / ".join(f"{np.mean([rank < most for rank in ranks]):.3f}" for most in (1, 3, 5))
        print(f"{name}: the right rule among the nearest 1 / 3 / 5: {shares} of {len(ranks)} orders", flush=True)
