"""Questions and orders of which the answer is known, and how encoders are tuned whose vectors of queries are near to
those of the sentences that answer them. Needs jax and optax."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.retrieval.sets import beam, locomo
from benchmarks.stories.stories import Story
from benchmarks.train.encoder import BETWEEN, OPEN, descent
from benchmarks.train.labels import HERE, KEPT_APART
from cfpm.embedding import static_embedder
from cfpm.embedding.encoder import MAX_PIECES
from cfpm.text.heads.answering import BEFORE, Window, spans, windows
from cfpm.text.heads.wide import MAX_CHARS, end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Tree = dict[str, Any]
    Read = Callable[[Any, Any], Any]

STORIES = HERE.parent / "stories"

QUERIES, WINDOWS, SENTENCES = 16, 24, 160
"""Of a batch: queries about one conversation, windows of it, and sentences in these."""

MOST_EVIDENCE = 6
"""Messages with the answer to a question of a long conversation; what is spread over more no sentence answers."""

MOST_ASKED = 60
"""Word pieces of a query that are read while it is learnt from."""

SHARP = 20.0
"""What a cosine counts for."""

MOST = 12
"""Sentences of a window that are learnt from."""

AT_ONCE = 32
WIDTHS = (12, 16, 24, 32, 48, 64, MAX_PIECES)
"""Windows that are read together, and word pieces to which they are filled up."""

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
    """What is asked, and the places of the messages that answer, with the numbers of the sentences; None for any. Of
    the end of a chat the last message, and what was said before it."""

    text: str
    answers: Mapping[int, frozenset[int] | None]
    before: str = ""

    def pieces(self) -> list[int]:
        """The word pieces of it that are read while it is learnt from."""
        return [*end_of(self.before, BEFORE), *_cut(self.text)][-MOST_ASKED:]


def of_stories(*folders: str) -> Iterator[tuple[Conversation, list[Query]]]:
    """The questions and orders of the stories of these folders, of which more about some stand among the labels, as
    `questions-*.json`."""
    for path in (path for folder in folders for path in sorted((STORIES / folder).glob("*.json"))):
        story = Story.read(path)
        said = [str(one["content"]) if one["role"] != "tool" else "" for one in story.messages()]
        wanted = [(one.asked, one.found) for one in (*story.questions, *story.orders)]
        for more in sorted(HERE.glob(f"questions-{path.stem}.json")):
            wanted += [(one["q"], tuple(one["answer"])) for one in json.loads(more.read_text("utf-8"))["questions"]]
        # What took the place of something is near to it, as a question is to its answer.
        gone: dict[str, list[str]] = {}
        for older, newer in story.changes:
            gone.setdefault(_sentence(said, newer), []).append(older)
        wanted += [(newer, tuple(older)) for newer, older in gone.items()]
        found = (Query(asked, dict(_answers(said, words))) for asked, words in wanted)
        yield Conversation(said), [one for one in found if one.answers]


def of_talks(paths: Iterable[Path] = ()) -> Iterator[tuple[Conversation, list[Query]]]:
    """What people told in talk, and what they ask and order later in other words; of all files that are learnt from, or
    of these."""
    for path in paths or (path for path in sorted(HERE.glob("talks-*.json")) if path.stem not in KEPT_APART):
        talk = json.loads(path.read_text("utf-8"))
        said = [text for _, text in talk["messages"]]
        wanted = ((query, (of,) if isinstance(of, str) else of) for query, of in talk["asked"])
        found = (Query(query, dict(_answers(said, words))) for query, words in wanted)
        yield Conversation(said), [one for one in found if one.answers]


def of_chats(paths: Iterable[Path] = ()) -> Iterator[tuple[Conversation, list[Query]]]:
    """Ends of later chats about the same talks, in which something that was told there is needed."""
    for path in paths or (path for path in sorted(HERE.glob("chats-*.jsonl")) if path.stem not in KEPT_APART):
        talk = json.loads((HERE / f"talks-{path.stem.removeprefix('chats-')}.json").read_text("utf-8"))
        said = [text for _, text in talk["messages"]]
        queries = []
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            *before, last = (text for _, text in row["chat"])
            queries.append(Query(last, dict(_answers(said, row["needed"])), "\n".join(before)))
        yield Conversation(said), [one for one in queries if one.answers]


def _answers(said: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, frozenset[int]]]:
    for place, text in enumerate(said):
        numbers = {
            number
            for number, (start, end) in enumerate(spans(text))
            if any(one.casefold() in text[start:end].casefold() for one in words)
        }
        if numbers:
            yield place, frozenset(numbers)


def _sentence(said: Sequence[str], words: str) -> str:
    """The first sentence with these words; themselves where they stand in none."""
    whole = (text[start:end] for text in said for start, end in spans(text))
    return next((one for one in whole if words.casefold() in one.casefold()), words)


def of_rules(paths: Iterable[Path] = ()) -> Iterator[tuple[Conversation, list[Query]]]:
    """Rules of a user, and what is ordered later that one of them concerns; of all files that are learnt from, or of
    these."""
    for path in paths or (path for path in sorted(HERE.glob("orders-*.jsonl")) if path.stem not in KEPT_APART):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            # With nothing between them, a short rule would be read as an answer to the one before.
            said = [text for one in row["rules"] for text in ("", one["rule"])]
            concerned: dict[str, dict[int, None]] = {}
            for place, one in enumerate(row["rules"]):
                for order in one["orders"]:
                    concerned.setdefault(order, {})[2 * place + 1] = None
            yield Conversation(said), [Query(order, places) for order, places in concerned.items()]


def of_conversations(data: Path) -> Iterator[tuple[Conversation, list[Query]]]:
    for dialogue in (*locomo(data), *beam(data, "100K")):
        messages = dialogue.messages
        places = {message.id: place for place, message in enumerate(messages)}
        asked = [
            Query(question.text, {places[ident]: None for ident in sorted(question.evidence)})
            for question in dialogue.questions
            if len(question.evidence) <= MOST_EVIDENCE and question.kind != "adversarial"
        ]
        yield Conversation([message.text[:_LONGEST] for message in messages]), asked


def of_preferences(data: Path) -> Iterator[tuple[Conversation, list[Query]]]:
    """What users like, and what they ask for later."""
    for path in sorted((data / "prefeval" / "explicit_preference").glob("*.json")):
        told = json.loads(path.read_text("utf-8"))
        asked = [Query(one["question"], {place: None}) for place, one in enumerate(told)]
        yield Conversation([one["preference"] for one in told]), asked


def _alone(pieces: Sequence[int]) -> Window:
    return Window((), pieces, ((0, 0, len(pieces)),))


def shown(name: str, read: tuple[Read, Read], folders: Iterable[str]) -> None:
    """Prints how many of the stories' queries have an answer among their nearest sentences; `read` makes rows of what
    was said and of queries."""
    for folder in folders:
        ranks = [rank for conversation, queries in of_stories(folder) for rank in _ranks(conversation, queries, read)]
        shares = " / ".join(f"{np.mean([rank < most for rank in ranks]):.2f}" for most in (1, 5, 10) if ranks)
        print(f"{name}, {folder}: answered by the nearest 1 / 5 / 10 sentences {shares} of {len(ranks)}", flush=True)


def _ranks(conversation: Conversation, queries: Sequence[Query], read: tuple[Read, Read]) -> Iterator[int]:
    of = [(place, one) for place in range(len(conversation.texts)) for one in conversation.windows(place)]
    places = [(place, number) for place, one in of for number, _, _ in one.places[:MOST]]
    said = _vectors(read[0], [one for _, one in of])
    asked = _vectors(read[1], [_alone(_cut(query.text)) for query in queries])
    for query, order in zip(queries, np.argsort(-(asked @ said.T), kind="stable"), strict=True):
        answers = {(place, number) for place, numbers in query.answers.items() for number in numbers or ()}
        yield next(rank for rank, at in enumerate(order) if places[at] in answers)


def _vectors(read: Read, windows: Sequence[Window]) -> NDArray[np.float32]:
    """Of all sentences of these windows, of length 1, in their order."""
    found = [np.zeros((0, 0), np.float32)] * len(windows)
    order = sorted(range(len(windows)), key=lambda place: len(windows[place].before) + len(windows[place].row))
    for start in range(0, len(order), AT_ONCE):
        chunk = order[start : start + AT_ONCE]
        ids, sides, places = _filled([windows[place] for place in chunk])
        told = np.asarray(of_length_1(places @ read(ids, sides)))
        for row, place in enumerate(chunk):
            found[place] = told[row, : len(windows[place].places)]  # at most `MOST`
    return np.vstack(found)


def _filled(windows: Sequence[Window]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Word pieces and sides of windows, filled up to one width, and the share of each piece in each sentence."""
    rows = [[OPEN, *one.before, BETWEEN, *one.row, BETWEEN] for one in windows]
    width = next(width for width in WIDTHS if width >= max(map(len, rows)))
    ids = np.zeros((AT_ONCE, width), np.int32)
    ids[:, 0] = OPEN
    sides, places = np.zeros_like(ids), np.zeros((AT_ONCE, MOST, width), np.float32)
    for at, (one, row) in enumerate(zip(windows, rows, strict=True)):
        first = len(one.before) + 2
        ids[at, : len(row)], sides[at, first : len(row)] = row, 1
        for number, (_, begin, end) in enumerate(one.places[:MOST]):
            places[at, number, first + begin : first + end] = 1 / (end - begin)
    return ids, sides, places


def of_length_1(found: Any) -> Any:
    """Vectors with the same directions."""
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    return found / jnp.sqrt((found * found).sum(-1, keepdims=True) + 1e-9)


def tuned_to_answer(
    read: tuple[Callable[[Tree, Any, Any, Any], Any], Callable[[Tree, Any, Any, Any], Any]],
    learnt: Tree,
    told: Sequence[tuple[Conversation, list[Query]]],
    epochs: int,
    rate: float,
) -> Tree:
    """The parameters with which queries are nearer to the sentences that answer them than to others of a batch; `read`
    makes rows of word pieces with them, of what was said and of queries."""
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        first, second = jax.random.split(key)
        rows = read[0](learnt, batch["ids"], batch["sides"], first)
        said = of_length_1(batch["places"] @ rows.reshape(-1, rows.shape[-1]))
        counts = batch["asked_sides"][..., None]
        asking = read[1](learnt, batch["asked"], batch["asked_sides"], second)
        asked = of_length_1((asking * counts).sum(1) / counts.sum(1))
        met = SHARP * asked @ said.T + jnp.where(batch["there"], 0, -1e9)
        right = jax.nn.logsumexp(jnp.where(batch["right"], met, -1e9), -1)
        return ((jax.nn.logsumexp(met, -1) - right) * batch["weight"]).sum() / batch["weight"].sum()

    chance = random.Random(0)

    def epoch() -> Iterator[dict[str, Any]]:
        order = [
            (conversation, part)
            for conversation, queries in told
            for mixed in [chance.sample(queries, len(queries))]
            for part in (mixed[start : start + QUERIES] for start in range(0, len(mixed), QUERIES))
        ]
        chance.shuffle(order)
        for conversation, queries in order:
            yield _batch(conversation, queries, chance)

    found = learnt
    steps = epochs * sum(-(-len(queries) // QUERIES) for _, queries in told)
    for found, lost in descent(learnt, loss, steps, (epoch() for _ in range(epochs)), rate):  # noqa: B007 (the last is kept)
        print(f"mean loss {lost:.3f}", flush=True)
    return found


def _batch(conversation: Conversation, queries: Sequence[Query], chance: random.Random) -> dict[str, NDArray[Any]]:
    """Queries about a conversation, with the messages that answer, those beside them, and others."""
    batch: dict[str, NDArray[Any]] = {
        "asked": np.zeros((QUERIES, MOST_ASKED + 3), np.int32),
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
        pieces = query.pieces()
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
