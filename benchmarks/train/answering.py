"""Tunes the encoder whose vectors of queries are near to those of the sentences that answer them, by questions and
orders of which the answer is known: stories, more questions about them, and the data package's long conversations.

Needs jax, optax and safetensors, and the weights of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.retrieval.sets import beam, locomo
from benchmarks.stories.stories import Story
from benchmarks.train.encoder import (
    BETWEEN,
    OPEN,
    descent,
    dropping,
    embedded,
    from_weights,
    layered,
    opened,
    stored_top,
)
from benchmarks.train.relation import write
from cfpm.embedding import static_embedder
from cfpm.text.heads.answering import BEFORE, MAX_CHARS, SHARED, WIDTH, spans, windows
from cfpm.text.heads.encoder import MAX_PIECES
from cfpm.text.heads.relation import stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Tree = dict[str, Any]

STORIES = Path(__file__).parents[1] / "stories" / "data"
QUESTIONS = Path(__file__).parents[1] / "labels"
"""Where more questions about these stories are: `questions-*.json`."""

EPOCHS, RATE = 3, 5e-5
QUERIES, WINDOWS, SENTENCES = 16, 24, 160
"""Of a batch: queries about one conversation, windows of it, and sentences in these."""

MOST_EVIDENCE = 6
"""Messages with the answer to a question of a long conversation; what is spread over more no sentence answers."""

SHARP = 20.0
"""What a cosine counts for."""

_LONGEST = 1_500
"""Characters of a message of a long conversation that are read."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The texts of a conversation, empty for what is not read."""

    texts: Sequence[str]
    _windows: dict[int, Any] = field(default_factory=dict)

    def windows(self, place: int) -> Any:
        """Of the message at this place."""
        if place not in self._windows:
            self._windows[place] = windows(self.texts[place - 1] if place else "", self.texts[place])
        return self._windows[place]


class Query(NamedTuple):
    """What is asked, and the places of the messages that answer, with the numbers of the sentences; None for any."""

    text: str
    answers: Mapping[int, frozenset[int] | None]


def learn(data: Path, weights: Path, folder: Path | None) -> int:
    """Learns from all stories of `data/` and all long conversations, prints the loss, and writes into a folder."""
    told = [*_of_stories(), *_of_conversations(data)]
    print(f"{sum(len(queries) for _, queries in told)} queries about {len(told)} conversations")
    below = opened(stored("relation"))
    learnt: Tree = {
        "layers": from_weights(weights)["layers"][SHARED:],
        "map": np.random.default_rng(0).normal(0, 0.05, (len(below["joined"][1]), WIDTH)).astype(np.float32),
    }
    lower = {**below, "layers": below["layers"][:SHARED]}
    top = _tuned(lower, learnt, told)
    kept = stored_top({**top, "joined": below["joined"], "answer": below["answer"]})
    kept = {name: array for name, array in kept.items() if not name.startswith(("joined", "answer"))}
    if folder is not None:
        write("answering", {**kept, "map": np.asarray(top["map"]).astype(np.float16)}, folder)
    return 0


def _of_stories() -> Iterator[tuple[Conversation, list[Query]]]:
    for path in sorted(STORIES.glob("*.json")):
        story = Story.read(path)
        said = [str(one["content"]) if one["role"] != "tool" else "" for one in story.messages()]
        wanted = [(one.asked, one.found) for one in (*story.questions, *story.orders)]
        for more in sorted(QUESTIONS.glob(f"questions-{path.stem}*.json")):
            wanted += [(one["q"], tuple(one["answer"])) for one in json.loads(more.read_text("utf-8"))["questions"]]
        found = (Query(asked, dict(_answers(said, words))) for asked, words in wanted)
        yield Conversation(said), [one for one in found if one.answers]


def _answers(said: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, frozenset[int]]]:
    for place, text in enumerate(said):
        numbers = {
            number
            for number, (start, end) in enumerate(spans(text))
            if any(one.casefold() in text[start:end].casefold() for one in words)
        }
        if numbers:
            yield place, frozenset(numbers)


def _of_conversations(data: Path) -> Iterator[tuple[Conversation, list[Query]]]:
    for dialogue in (*locomo(data), *beam(data, "100K")):
        messages = dialogue.messages
        places = {message.id: place for place, message in enumerate(messages)}
        asked = [
            Query(question.text, {places[ident]: None for ident in sorted(question.evidence)})
            for question in dialogue.questions
            if len(question.evidence) <= MOST_EVIDENCE and question.kind != "adversarial"
        ]
        yield Conversation([message.text[:_LONGEST] for message in messages]), asked


def _tuned(lower: Tree, learnt: Tree, told: Sequence[tuple[Conversation, list[Query]]]) -> Tree:
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    def read(learnt: Tree, ids: Any, sides: Any, key: Any) -> Any:
        rows = layered(lower["layers"], embedded(lower, {"ids": ids, "sides": sides}), ids > 0, dropping(None, []))
        drop = dropping(key, learnt["layers"])
        return layered(learnt["layers"], drop(jax.lax.stop_gradient(rows)), ids > 0, drop)

    def of_length_1(rows: Any) -> Any:
        return rows / jnp.sqrt((rows * rows).sum(-1, keepdims=True) + 1e-9)

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        first, second = jax.random.split(key)
        rows = read(learnt, batch["ids"], batch["sides"], first)
        said = of_length_1(batch["places"] @ rows.reshape(-1, rows.shape[-1]) @ learnt["map"])
        asking = read(learnt, batch["asked"], batch["asked_sides"], second)
        counts = batch["asked_sides"][..., None]
        asked = of_length_1((asking * counts).sum(1) / counts.sum(1) @ learnt["map"])
        met = SHARP * asked @ said.T + jnp.where(batch["there"], 0, -1e9)
        right = jax.nn.logsumexp(jnp.where(batch["right"], met, -1e9), -1)
        lost = (jax.nn.logsumexp(met, -1) - right) * batch["weight"]
        return lost.sum() / batch["weight"].sum()

    chance = random.Random(0)
    groups = [
        (conversation, queries[start : start + QUERIES])
        for conversation, queries in told
        for start in range(0, len(queries), QUERIES)
    ]

    def epoch() -> Iterator[dict[str, NDArray[Any]]]:
        order = [
            (conversation, part)
            for conversation, queries in told
            for mixed in [chance.sample(queries, len(queries))]
            for part in (mixed[start : start + QUERIES] for start in range(0, len(mixed), QUERIES))
        ]
        chance.shuffle(order)
        return (_batch(conversation, queries, chance) for conversation, queries in order)

    found = learnt
    steps = EPOCHS * len(groups)
    for found, lost in descent(learnt, loss, steps, (epoch() for _ in range(EPOCHS)), RATE):  # noqa: B007 (the last is kept)
        print(f"mean loss {lost:.3f}", flush=True)
    return found


def _batch(conversation: Conversation, queries: Sequence[Query], chance: random.Random) -> dict[str, NDArray[Any]]:
    """Queries about a conversation, with the messages that answer, those beside them, and others."""
    batch: dict[str, NDArray[Any]] = {
        "asked": np.zeros((QUERIES, BEFORE + 3), np.int32),
        "ids": np.zeros((WINDOWS, MAX_PIECES), np.int32),
        "places": np.zeros((SENTENCES, WINDOWS * MAX_PIECES), np.float32),
        "there": np.zeros(SENTENCES, bool),
        "right": np.zeros((QUERIES, SENTENCES), bool),
        "weight": np.zeros(QUERIES, np.float32),
    }
    batch |= {"asked_sides": np.zeros_like(batch["asked"]), "sides": np.zeros_like(batch["ids"])}
    for ids in (batch["asked"], batch["ids"]):
        ids[:, 0] = OPEN
    batch["asked_sides"][:, 0] = 1
    for row, query in enumerate(queries):
        pieces = _cut(query.text)[:BEFORE]
        batch["asked"][row, : len(pieces) + 3] = [OPEN, BETWEEN, *pieces, BETWEEN]
        batch["asked_sides"][row] = 0
        batch["asked_sides"][row, 2 : len(pieces) + 2] = 1
    window = sentence = 0
    needed = dict.fromkeys(place for query in queries for place in query.answers)
    for place in _read_with(conversation, needed, chance):
        read = conversation.windows(place)
        read = read[: WINDOWS - window] if place in needed else read if len(read) <= WINDOWS - window else ()
        for one in read:
            pieces = [OPEN, *one.before, BETWEEN, *one.row, BETWEEN]
            batch["ids"][window, : len(pieces)] = pieces
            first = len(one.before) + 2
            batch["sides"][window, first : len(pieces)] = 1
            for number, begin, end in one.places:
                if sentence == SENTENCES:
                    break
                at = window * MAX_PIECES + first
                batch["places"][sentence, at + begin : at + end] = 1 / (end - begin)
                batch["there"][sentence] = True
                for row, query in enumerate(queries):
                    if place in query.answers:
                        numbers = query.answers[place]
                        batch["right"][row, sentence] = numbers is None or number in numbers
                sentence += 1
            window += 1
        if window == WINDOWS:
            break
    batch["weight"][:] = batch["right"].any(axis=1)
    return batch


def _read_with(conversation: Conversation, needed: Iterable[int], chance: random.Random) -> list[int]:
    there = [place for place, text in enumerate(conversation.texts) if text]
    beside = [place + way for place in needed for way in (-2, -1, 1, 2)]
    some = chance.sample([place for place in beside if 0 <= place < len(conversation.texts)], min(4, len(beside) // 2))
    return list(dict.fromkeys((*needed, *some, *chance.sample(there, len(there)))))


@lru_cache(maxsize=100_000)
def _cut(text: str) -> Sequence[int]:
    return static_embedder().in_order(text[:MAX_CHARS])
