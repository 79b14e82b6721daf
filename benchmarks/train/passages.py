"""Learns from stories which sentences and facts answer, and which two are on one subject, the newer in place of the
older; shows how the prompts of each story do by what was learnt from the others."""

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
from benchmarks.train.newton import newton
from cfpm import Memory
from cfpm.recall import passages as recalled
from cfpm.recall import subjects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.stories.stories import Wanted
    from cfpm.embedding import Embedder
    from cfpm.recall.items import RecallItem
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays

    Weights = dict[str, dict[str, float]]

STORIES = Path(__file__).parents[1] / "stories" / "data"
BUDGETS = (600, 1200)

SHRINK = 4e-3
"""How strongly the weights of answers are drawn to nothing; the order of the stories' sentences hardly changes from a
quarter to four times of it."""

_STEPS, _RATE = 200, 0.15

_HEADER = """\
# Made by `python -m benchmarks train passages --write`: how much speaks for one sentence of a message, or one fact, as
# what a block shows (`answer`: a softmax over those of the best messages), and for two of them being on one subject,
# the newer one holding what took the place of a value in the older one (`later`: log odds).
"""


class Answers(NamedTuple):
    """What was found for one question: a row of signals for each passage, and which of them answer."""

    signals: NDArray[np.float64]
    right: NDArray[np.bool_]


class Pairs(NamedTuple):
    """The pairs of passages of one question: a row of signals each, and whether the newer took the older one's
    place."""

    signals: NDArray[np.float64]
    replaces: NDArray[np.bool_]


class Told(NamedTuple):
    """What a story's questions and orders give to learn from."""

    answers: list[Answers]
    pairs: list[Pairs]


def learn(folders: Sequence[Path], *, write: bool) -> int:
    """Prints the figures of each story by weights learnt from the others, then of all; `write` keeps the weights of
    all."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
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
            weights = _learnt([one for other, one in told.items() if other != path])
            with Memory.open(file) as memory, _weights(weights):
                score_prompts(Story.read(path), memory_of(memory), apart)
    for measure, asked in apart.asked.items():
        print(f"  {measure:<36}{apart.share(measure):6.2f}  of {asked}")
    weights = _learnt(list(told.values()))
    text = "".join(
        f"\n[{table}]\n" + "".join(f"{name} = {value}\n" for name, value in row.items())
        for table, row in weights.items()
    )
    print(text)
    if write:
        target = Path(cfpm.__file__).parent / "recall" / "passages.toml"
        target.write_text(_HEADER + text, encoding="utf-8")
    return 0


def _read(story: Story, memory: Memory) -> Told:
    told = Told([], [])
    for wanted in (*story.questions, *story.orders):
        for budget in BUDGETS:
            with _readings() as found:
                memory.recall(wanted.asked, max_tokens=budget)
            for reading in found:
                columns = reading.signals()
                right = np.array([_holds(text, wanted.found) for text in reading.texts])
                told.answers.append(Answers(np.array(list(columns.values())).T, right))
                if budget == BUDGETS[-1] and wanted in story.questions:
                    told.pairs.append(_pairs(reading, wanted, columns))
    return told


def _pairs(reading: recalled.Reading, wanted: Wanted, columns: Mapping[str, NDArray[np.float64]]) -> Pairs:
    """In the order that the present weights give."""
    weights = recalled.load_weights()["answer"]
    scores = sum(weights[name] * column for name, column in columns.items())
    order = np.argsort(-np.round(scores, 4), kind="stable").tolist()
    texts = [reading.texts[place] for place in order]
    best: list[RecallItem] = [reading.units[place] for place in order]
    found, may = subjects.signals(best, texts, reading.directions[order], reading.held[order])
    new = np.array([_holds(text, wanted.found) for text in texts[: subjects.MOST]])
    old = np.array([_holds(text, wanted.outdated) for text in texts[: subjects.MOST]]) & ~new
    return Pairs(np.array([column[may] for column in found.values()]).T, (old[:, None] & new[None, :])[may])


def _holds(text: str, words: Sequence[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in words)


@contextmanager
def _readings() -> Iterator[list[recalled.Reading]]:
    """What recall reads of the passages that it found."""
    found: list[recalled.Reading] = []
    original = recalled.passages

    def spying(
        ranked: Sequence[Sequence[RecallItem]], question: Question, turns: TurnArrays, embedder: Embedder
    ) -> recalled.Passages:
        units = [unit for items in ranked for unit in recalled.units_of(items)]
        if units and question.pieces and question.subject is not None:
            found.append(recalled.Reading(units, question, turns, embedder))
        return original(ranked, question, turns, embedder)

    with patch.object(recalled, "passages", spying):
        yield found


@contextmanager
def _weights(weights: Weights) -> Iterator[None]:
    with patch.object(recalled, "load_weights", lambda: weights):
        yield


def _learnt(told: Sequence[Told]) -> Weights:
    present = recalled.load_weights()
    answers = _softmax([one for story in told for one in story.answers if one.right.any()])
    pairs = [one for story in told for one in story.pairs if one.signals.size]
    constant, later = newton(
        np.concatenate([one.signals for one in pairs]), np.concatenate([one.replaces for one in pairs]).astype(float)
    )
    return {
        "answer": dict(zip(present["answer"], answers.round(2).tolist(), strict=True)),
        "later": {
            "constant": round(constant, 2),
            **dict(zip(list(present["later"])[1:], later.round(2).tolist(), strict=True)),
        },
    }


def _softmax(examples: Sequence[Answers]) -> NDArray[np.float64]:
    """Adam, from nothing on: the passages that answer together stand above all others of their question."""
    width = examples[0].signals.shape[1]
    weights, mean, square = np.zeros(width), np.zeros(width), np.zeros(width)
    for step in range(1, _STEPS + 1):
        gradient = SHRINK * weights
        for one in examples:
            scores = one.signals @ weights
            shares = np.exp(scores - scores.max())
            right = shares * one.right
            gradient = gradient + one.signals.T @ (shares / shares.sum() - right / right.sum()) / len(examples)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient * gradient
        weights = weights - _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights
