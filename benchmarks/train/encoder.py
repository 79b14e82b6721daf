"""Tunes the encoder that reads two statements together, from the weights of a sentence transformer.

Needs jax, optax and safetensors. The same seed and data give the same weights on the same machine; the package ships
them as whole numbers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cfpm.embedding import static_embedder
from cfpm.embedding.encoder import MAX_PIECES, fitted
from cfpm.text.heads.relation import MAX_CHARS, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.train.pairs import Pair

    Tree = dict[str, Any]

OPEN, BETWEEN = 101, 102
"""Numbers of the pieces that open a pair and end each of its statements."""

AT_ONCE, RATE, EPOCHS, SMOOTH, DROPPED = 32, 1.2e-4, 3, 0.1, 0.1
WIDTHS = (24, 32, 48, 64, MAX_PIECES)
"""Word pieces to which the pairs of a batch are filled up."""

_HEADS, _WIDTH, _LAYERS = 12, 384, 6
_NORMS = ("after", "last")
_OF_A_LAYER = ("query", "key", "value", "out", *_NORMS, "wide", "narrow")
_COLUMNS = 16
"""As in `cfpm/embedding/products.py`."""


def from_weights(path: Path) -> Tree:
    """The parameters of all-MiniLM-L6-v2, with a new answer's layer."""
    # Not among the tools of the project: they are needed to tune, and for nothing else.
    from safetensors.numpy import load_file  # type: ignore[import-not-found,unused-ignore]

    stored = {name.removeprefix("bert."): array.astype(np.float32) for name, array in load_file(path).items()}

    def linear(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return stored[f"{name}.weight"].T.copy(), stored[f"{name}.bias"]

    def norm(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return stored[f"{name}.weight"], stored[f"{name}.bias"]

    def layer(number: int) -> Tree:
        at = f"encoder.layer.{number}"
        return {
            "query": linear(f"{at}.attention.self.query"),
            "key": linear(f"{at}.attention.self.key"),
            "value": linear(f"{at}.attention.self.value"),
            "out": linear(f"{at}.attention.output.dense"),
            "after": norm(f"{at}.attention.output.LayerNorm"),
            "wide": linear(f"{at}.intermediate.dense"),
            "narrow": linear(f"{at}.output.dense"),
            "last": norm(f"{at}.output.LayerNorm"),
        }

    random = np.random.default_rng(0)

    def fresh(rows: int, columns: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return random.normal(0, 0.04, (rows, columns)).astype(np.float32), np.zeros(columns, np.float32)

    return {
        "places": stored["embeddings.position_embeddings.weight"][:MAX_PIECES],
        "sides": stored["embeddings.token_type_embeddings.weight"],
        "first": norm("embeddings.LayerNorm"),
        "layers": [layer(number) for number in range(_LAYERS)],
        "joined": fresh(2 * _WIDTH, _WIDTH),
        "answer": fresh(_WIDTH, len(Relation)),
        "pieces": rounded(stored["embeddings.word_embeddings.weight"]),
    }


def rounded(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row in 127 steps to each side, as it will be stored; these are not tuned."""
    scale = np.maximum(np.abs(rows).max(axis=1, keepdims=True) / 127, np.float32(1e-9))
    steps: NDArray[np.float32] = (np.rint(rows / scale) * scale).astype(np.float32)
    return steps


def tuned(
    parameters: Tree,
    pairs: Sequence[Pair],
    after_epoch: Callable[[Tree], None],
    fixed: int = 0,
    pace: tuple[int, float] = (EPOCHS, RATE),
) -> Tree:
    """The parameters after all epochs; the vectors of word pieces stay as they are, and so do the lowest `fixed` layers
    with all that is below them. `pace`: epochs and learning rate."""
    import jax  # type: ignore[import-not-found,unused-ignore]

    below = ("pieces", "places", "sides", "first") if fixed else ("pieces",)
    kept = {name: parameters[name] for name in below}
    learnt = {name: value for name, value in parameters.items() if name not in below}
    lower, learnt["layers"] = parameters["layers"][:fixed], parameters["layers"][fixed:]
    random = np.random.default_rng(0)

    def whole(learnt: Tree) -> Tree:
        return {**kept, **learnt, "layers": [*lower, *learnt["layers"]]}

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        told = jax.nn.log_softmax(logits(whole(learnt), batch, key))
        weight = batch["weight"]
        return -(weight * (batch["wanted"] * told).sum(-1)).sum() / weight.sum()

    epochs, rate = pace
    steps = epochs * (len(pairs) // AT_ONCE + 1)
    told = parameters
    for tuned_so_far, _ in descent(learnt, loss, steps, (batches(pairs, random) for _ in range(epochs)), rate):
        told = whole(tuned_so_far)
        after_epoch(told)
    return told


def descent(
    learnt: Tree,
    loss: Callable[[Tree, Mapping[str, Any], Any], Any],
    steps: int,
    epochs: Iterable[Iterable[Any]],
    rate: float = RATE,
) -> Iterator[tuple[Tree, float]]:
    """The parameters after each epoch of batches, and its mean loss; over `steps` in all the pace falls."""
    import jax
    import optax  # type: ignore[import-not-found,unused-ignore]

    key = jax.random.PRNGKey(0)
    pace = optax.warmup_cosine_decay_schedule(0, rate, steps // 10, steps, rate / 50)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(pace, weight_decay=0.01))
    state = rule.init(learnt)

    @jax.jit  # type: ignore[untyped-decorator,unused-ignore]
    def step(learnt: Tree, state: Any, batch: Mapping[str, Any], key: Any) -> Any:
        lost, slope = jax.value_and_grad(loss)(learnt, batch, key)
        change, state = rule.update(slope, state, learnt)
        return optax.apply_updates(learnt, change), state, lost

    for epoch in epochs:
        losses = []
        for batch in epoch:
            key, own = jax.random.split(key)
            learnt, state, lost = step(learnt, state, batch, own)
            losses.append(float(lost))
        yield learnt, sum(losses) / max(1, len(losses))


def logits(parameters: Tree, batch: Mapping[str, Any], key: Any = None) -> Any:
    """A row of logits for each pair; with a key, parts are left out at random as while tuning."""
    drop = dropping(key, parameters["layers"])
    there = batch["ids"] > 0
    return answered(
        parameters, layered(parameters["layers"], drop(embedded(parameters, batch)), there, drop), there, drop
    )


def embedded(parameters: Tree, batch: Mapping[str, Any]) -> Any:
    """Rows of the word pieces, with their places and sides."""
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    ids, sides = batch["ids"], batch["sides"]
    pieces, places, both = (jnp.asarray(parameters[name]) for name in ("pieces", "places", "sides"))
    rows = pieces[ids] + places[: ids.shape[1]] + both[sides]
    return normed(rows, parameters["first"])


def dropping(key: Any, layers: Sequence[Tree]) -> Callable[[Any], Any]:
    """What leaves out parts of rows at random, each time others; nothing without a key."""
    import jax
    import jax.numpy as jnp

    if key is None:
        return lambda rows: rows
    keys = iter(jax.random.split(key, 2 * len(layers) + 2))
    return lambda rows: jnp.where(jax.random.bernoulli(next(keys), 1 - DROPPED, rows.shape), rows / (1 - DROPPED), 0)


def layered(layers: Sequence[Tree], rows: Any, there: Any, drop: Callable[[Any], Any]) -> Any:
    """The rows after these layers; `there` is false where a row only fills up."""
    import jax
    import jax.numpy as jnp

    count, width = there.shape
    away = jnp.where(there, 0, -1e9)[:, None, None, :]
    for layer in layers:

        def split(by: Any, rows: Any = rows) -> Any:
            return _linear(rows, by).reshape(count, width, _HEADS, -1).transpose(0, 2, 1, 3)

        met = split(layer["query"]) @ split(layer["key"]).transpose(0, 1, 3, 2) / np.sqrt(rows.shape[-1] // _HEADS)
        mixed = (jax.nn.softmax(met + away, -1) @ split(layer["value"])).transpose(0, 2, 1, 3).reshape(rows.shape)
        rows = normed(rows + drop(_linear(mixed, layer["out"])), layer["after"])
        wide = jax.nn.gelu(_linear(rows, layer["wide"]), approximate=True)
        rows = normed(rows + drop(_linear(wide, layer["narrow"])), layer["last"])
    return rows


def answered(parameters: Tree, rows: Any, there: Any, drop: Callable[[Any], Any]) -> Any:
    """The answer's layer on the first row and the mean of all."""
    import jax.numpy as jnp

    mean = (rows * there[..., None]).sum(1) / there.sum(1)[:, None]
    joined = _linear(drop(jnp.concatenate([rows[:, 0], mean], -1)), parameters["joined"])
    return _linear(jnp.tanh(joined), parameters["answer"])


def mean_of_pieces(rows: Any, ids: Any) -> Any:
    """The mean of the rows of word pieces, without those of the marks around them."""
    inner = ((ids > 0) & (ids != OPEN) & (ids != BETWEEN))[..., None]
    return (rows * inner).sum(1) / inner.sum(1).clip(1)


def of_length_1(rows: Any) -> Any:
    """Each row as long as 1."""
    return rows / (rows**2).sum(-1, keepdims=True).clip(1e-12) ** 0.5


def normed(rows: Any, by: Any) -> Any:
    """Each row with mean 0 and spread 1, times a gain, plus a bias."""
    import jax.numpy as jnp

    centred = rows - rows.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * by[0] + by[1]


def _linear(rows: Any, by: Any) -> Any:
    return rows @ by[0] + by[1]


def batches(pairs: Sequence[Pair], random: np.random.Generator) -> Iterator[dict[str, NDArray[Any]]]:
    """The pairs in random order, those of about one length together."""
    cut = partial(_cut, static_embedder().in_order)
    order = random.permutation(len(pairs)).tolist()
    found: list[list[tuple[list[int], int, Pair]]] = []
    for start in range(0, len(order), 16 * AT_ONCE):
        chunk = sorted(
            (cut(pairs[place]) for place in order[start : start + 16 * AT_ONCE]), key=lambda one: len(one[0])
        )
        found += [chunk[at : at + AT_ONCE] for at in range(0, len(chunk), AT_ONCE)]
    for place in random.permutation(len(found)).tolist():
        yield _filled(found[place])


def _cut(pieces: Callable[[str], list[int]], pair: Pair) -> tuple[list[int], int, Pair]:
    """The pieces of both statements with their marks, and where the second begins."""
    first, second = fitted(*(pieces(text[:MAX_CHARS]) for text in (pair.older, pair.newer)))
    return [OPEN, *first, BETWEEN, *second, BETWEEN], len(first) + 2, pair


def _filled(chunk: Sequence[tuple[list[int], int, Pair]]) -> dict[str, NDArray[Any]]:
    longest = max(len(ids) for ids, _, _ in chunk)
    width = next(width for width in WIDTHS if width >= longest)
    ids = np.zeros((AT_ONCE, width), np.int32)
    ids[:, 0] = OPEN
    sides = np.zeros_like(ids)
    wanted = np.zeros((AT_ONCE, len(Relation)), np.float32)
    weight = np.zeros(AT_ONCE, np.float32)
    for row, (pieces, begins, pair) in enumerate(chunk):
        ids[row, : len(pieces)] = pieces
        sides[row, begins : len(pieces)] = 1
        wanted[row] = SMOOTH / len(Relation)
        wanted[row, list(Relation).index(pair.relation)] += 1 - SMOOTH
        weight[row] = pair.weight
    return {"ids": ids, "sides": sides, "wanted": wanted, "weight": weight}


def stored(parameters: Tree) -> dict[str, NDArray[Any]]:
    """The parameters as the package keeps them: matrices of signed bytes with a scale for each column."""
    pieces = np.asarray(parameters["pieces"])
    scale = np.maximum(np.abs(pieces).max(axis=1) / 127, np.float32(1e-9))
    kept = {"pieces": np.rint(pieces / scale[:, None]).astype(np.int8), "pieces.scale": scale}
    return kept | _stored_first(parameters) | stored_top(parameters)


def _stored_first(parameters: Tree) -> dict[str, NDArray[Any]]:
    kept = {name: np.asarray(parameters[name]) for name in ("places", "sides")}
    return kept | {"marks": np.array([OPEN, BETWEEN])} | _stored_norm("first", parameters["first"])


def stored_top(parameters: Tree) -> dict[str, NDArray[Any]]:
    """The layers and the answer's layer alone; zeros make the number of answers one that `in_blocks` takes."""
    matrix, bias = (np.asarray(one) for one in parameters["answer"])
    more = -len(bias) % _COLUMNS if len(bias) > _COLUMNS else 0
    kept = stored_layers(parameters["layers"]) | _stored_linear("joined", parameters["joined"])
    return kept | _stored_linear("answer", (np.pad(matrix, ((0, 0), (0, more))), np.pad(bias, (0, more))))


def stored_layers(layers: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    kept: dict[str, NDArray[Any]] = {"layers": np.array(len(layers))}
    for number, layer in enumerate(layers):
        for name, weights in layer.items():
            kept |= (_stored_norm if name in _NORMS else _stored_linear)(f"layer{number}.{name}", weights)
    return kept


def _stored_linear(name: str, weights: tuple[Any, Any]) -> dict[str, NDArray[Any]]:
    matrix, bias = (np.asarray(one, dtype=np.float32) for one in weights)
    scale = np.maximum(np.abs(matrix).max(axis=0) / 127, np.float32(1e-9))
    return {name: np.rint(matrix / scale).astype(np.int8), f"{name}.scale": scale, f"{name}.bias": bias}


def _stored_norm(name: str, weights: tuple[Any, Any]) -> dict[str, NDArray[Any]]:
    return {f"{name}.gain": np.asarray(weights[0]), f"{name}.bias": np.asarray(weights[1])}


def opened(kept: Mapping[str, NDArray[Any]]) -> Tree:
    """The parameters of weights as the package keeps them; the reverse of `stored`."""
    return {
        "places": kept["places"],
        "sides": kept["sides"],
        "first": _opened_norm(kept, "first"),
        **opened_top(kept),
        "pieces": kept["pieces"].astype(np.float32) * kept["pieces.scale"].astype(np.float32)[:, None],
    }


def opened_top(kept: Mapping[str, NDArray[Any]], answers: int | None = None) -> Tree:
    """The same of `stored_top`, without the zeros that fill up the answers."""
    matrix, bias = _opened_linear(kept, "answer")
    return {
        "layers": opened_layers(kept),
        "joined": _opened_linear(kept, "joined"),
        "answer": (matrix[:, :answers], bias[:answers]),
    }


def opened_layers(kept: Mapping[str, NDArray[Any]]) -> list[Tree]:
    """The same of `stored_layers`."""
    return [
        {
            name: (_opened_norm if name in _NORMS else _opened_linear)(kept, f"layer{number}.{name}")
            for name in _OF_A_LAYER
        }
        for number in range(int(kept["layers"]))
    ]


def _opened_linear(kept: Mapping[str, NDArray[Any]], name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return kept[name].astype(np.float32) * kept[f"{name}.scale"].astype(np.float32), kept[f"{name}.bias"]


def _opened_norm(kept: Mapping[str, NDArray[Any]], name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return kept[f"{name}.gain"], kept[f"{name}.bias"]
