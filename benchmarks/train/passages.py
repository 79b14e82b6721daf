"""Learns from stories which sentences and facts answer; shows how the prompts of each story do by what was learnt from
the others."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np

import cfpm
from benchmarks.stories.scoring import Score, memory_of, score_prompts
from benchmarks.stories.stories import Story
from cfpm import Memory
from cfpm.recall import passages as recalled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from benchmarks.stories.stories import Wanted
    from cfpm.embedding import Embedder
    from cfpm.recall.items import RecallItem
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays

    Weights = dict[str, dict[str, float]]

STORIES = Path(__file__).parents[1] / "stories" / "data"
BUDGET = 600
"""Tokens of the blocks whose passages are learnt from."""

SHRINK = 8e-3
"""How strongly the weights of answers are drawn to nothing; the order of the stories' sentences hardly changes from a
quarter to four times of it."""

_AS_IT_SHIPS = ("deed",)
"""Signals of which stories have too few right ones to learn from (16): their weight stays."""

_OF_THE_ENCODER = ("near", "unread", "near_ordered")
"""Signals that a memory of an older version does not have."""

_STEPS, _RATE = 200, 0.1
_LEAST_SPREAD = 1e-3

_HEADER = """\
# Made by `python -m benchmarks train passages --write`: how much speaks for one sentence of a message, or one fact, as
# what a block shows (`answer`: a softmax over those of the best messages; `answer_unread`: of a memory that was not
# read by sentences).
"""


class Asked(NamedTuple):
    """A question or an order of a story, and what recall read for it."""

    wanted: Wanted
    reading: recalled.Reading


def learn(folders: Sequence[Path], *, write: bool) -> int:
    """Prints the figures of the stories that the encoder has not learnt from, each by weights learnt from the others,
    then the weights of all; `write` keeps these."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.json")) if _learnt_from(path)]
    with tempfile.TemporaryDirectory() as folder:
        files = {path: Path(folder) / f"{path.stem}.db" for path in paths}
        told = {}
        for path, file in files.items():
            story = Story.read(path)
            with Memory.open(file) as memory:
                story.told(memory)
                told[path] = _read(story, memory)
        apart = Score()
        for path, file in files.items():
            if path.parent == STORIES:
                continue
            weights = _learnt({other: of for other, of in told.items() if other != path})
            with Memory.open(file) as memory, _weights(weights):
                score_prompts(Story.read(path), memory_of(memory), apart)
    for measure, asked in apart.asked.items():
        print(f"  {measure:<36}{apart.share(measure):6.2f}  of {asked}")
    weights = _learnt(told)
    text = "".join(
        f"\n[{table}]\n" + "".join(f"{name} = {value}\n" for name, value in row.items())
        for table, row in weights.items()
    )
    print(text)
    if write:
        target = Path(cfpm.__file__).parent / "recall" / "passages.toml"
        target.write_text(_HEADER + text, encoding="utf-8")
    return 0


def _learnt_from(path: Path) -> bool:
    """Of the stories in `data` those whose outdated values are marked; the encoder alone learns from the others."""
    return path.parent != STORIES or any(one.outdated for one in Story.read(path).questions)


def _read(story: Story, memory: Memory) -> list[Asked]:
    told = []
    for wanted in (*story.questions, *story.orders):
        with _readings() as found:
            memory.recall(wanted.asked, max_tokens=BUDGET)
        told += [Asked(wanted, reading) for reading in found]
    return told


def _holds(text: str, words: Sequence[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in words)


@contextmanager
def _readings() -> Iterator[list[recalled.Reading]]:
    """What recall reads of the passages that it found."""
    found: list[recalled.Reading] = []
    original = recalled.passages

    def spying(
        ranked: Sequence[Sequence[RecallItem]],
        question: Question,
        turns: TurnArrays,
        embedder: Embedder,
        near: recalled.Near,
    ) -> recalled.Passages:
        units = [unit for items in ranked for unit in recalled.units_of(items)]
        if units and question.pieces and question.subject is not None:
            found.append(recalled.Reading(units, question, turns, embedder, near))
        return original(ranked, question, turns, embedder, near)

    with patch.object(recalled, "passages", spying):
        yield found


@contextmanager
def _weights(weights: Weights) -> Iterator[None]:
    with patch.object(recalled, "load_weights", lambda: weights):
        yield


def _learnt(told: Mapping[Path, Sequence[Asked]]) -> Weights:
    """Of the stories in `data` the encoder knows which sentences answer: how much its word counts, others tell."""
    every = [one for of in told.values() for one in of]
    others = [one for path, of in told.items() if path.parent != STORIES for one in of]
    shipped = recalled.load_weights()
    learnt = {"answer": _softmax(others or every), "answer_unread": _softmax(every, without=_OF_THE_ENCODER)}
    return {table: of | {name: shipped[table][name] for name in _AS_IT_SHIPS} for table, of in learnt.items()}


def _softmax(told: Sequence[Asked], without: Collection[str] = ()) -> dict[str, float]:
    """Adam, from nothing on, over signals of one spread: the passages that answer together stand above all others of
    their question."""
    examples = []
    for one in told:
        columns = {name: column for name, column in one.reading.signals().items() if name not in without}
        right = np.array([_holds(text, one.wanted.found) for text in one.reading.texts])
        if right.any() and not right.all():
            examples.append((np.array(list(columns.values())).T, right))
    every, rights = (np.concatenate(parts) for parts in zip(*examples, strict=True))
    middle, spread = every.mean(axis=0), every.std(axis=0) + _LEAST_SPREAD
    scaled = (every - middle) / spread
    sizes = [len(right) for _, right in examples]
    starts = np.cumsum([0, *sizes[:-1]])
    weights, mean, square = np.zeros((3, len(spread)))
    for step in range(1, _STEPS + 1):
        scores = scaled @ weights
        shares = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        hits = shares * rights
        excess = shares / np.repeat(np.add.reduceat(shares, starts), sizes)
        excess -= hits / np.repeat(np.add.reduceat(hits, starts), sizes)
        gradient = SHRINK * weights + scaled.T @ excess / len(examples)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient * gradient
        weights = weights - _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return dict(zip(columns, (weights / spread).round(2).tolist(), strict=True))
