"""What users say after a talk (`later-*.jsonl`), beside all that they said in it (`talks-*.json`), of which some holds
no longer."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE
from benchmarks.train.pairs import OF_A_SET, STANDS_BESIDE, Pair
from cfpm.embedding import static_embedder
from cfpm.text.heads.answering import WIDTH, sentence_vectors, spans
from cfpm.text.heads.nearness import Older, nearest
from cfpm.text.heads.relation import Relation, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

BESIDE = 12
"""Earlier sentences, the nearest, of which it is learnt that some stand."""

SAYS_SO = 500
"""Thousandths of "same" from which what nobody labelled may say the same again, and is not learnt from."""


_SOME = 8
"""Characters that a stretch and a sentence share at least, or all of the stretch."""


class Said(NamedTuple):
    """A sentence of a user, by the number of its message; `vector` is of length 1, `start` where it begins in that."""

    text: str
    message: int
    vector: np.ndarray[tuple[int], np.dtype[np.float64]]
    start: int = 0


class Later(NamedTuple):
    """A sentence that is said later, all that was said in the talk, and the places of what it ends, be it in part."""

    newer: Said
    older: Sequence[Said]
    ends: frozenset[int]


def said(before: str, text: str, number: int) -> list[Said]:
    """The sentences of a message; `before` is the message that it answers."""
    rows = np.frombuffer(sentence_vectors(before, text), dtype=np.int8).reshape(-1, WIDTH).astype(np.float64)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return [Said(text[begin:end], number, row, begin) for (begin, end), row in zip(spans(text), rows, strict=True)]


def beside(newer: Said, older: Sequence[Said]) -> list[Older]:
    """How near each of the earlier sentences is to a newer one."""
    vectors = static_embedder().embed([newer.text, *(one.text for one in older)])
    return [
        Older(one.text, float(vector @ vectors[0]), float(one.vector @ newer.vector), one.message)
        for one, vector in zip(older, vectors[1:], strict=True)
    ]


def later(paths: Iterable[Path]) -> Iterator[Later]:
    """All sentences of the messages of these files, in order."""
    for path in paths:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for talk, messages in groupby(rows, key=lambda row: str(row["talk"])):
            texts, older = _of_talk(talk)
            for row in messages:
                yield from _of_message(row, texts, older)


def of_later(paths: Iterable[Path]) -> Iterator[Pair]:
    """What is said later with what it ends, and with what stands of all that is near and the head takes most for
    ended."""
    for one in later(paths):
        yield from (
            Pair(one.older[place].text, one.newer.text, Relation.UPDATE, OF_A_SET) for place in sorted(one.ends)
        )
        near = beside(one.newer, one.older)
        places = nearest([each.cosine for each in near], [each.meant for each in near], BESIDE, 0.0)
        stands = [near[place].text for place in places if place not in one.ends]
        told = [each for each in zip(judge(one.newer.text, stands), stands, strict=True) if each[0].same < SAYS_SO]
        surest = sorted(told, key=lambda each: -(each[0].update + each[0].contradict))
        yield from (Pair(text, one.newer.text, Relation.DIFFERENT) for _, text in surest[:STANDS_BESIDE])


def _of_talk(name: str) -> tuple[dict[int, str], list[Said]]:
    """The user's messages by their numbers, and their sentences."""
    talk = json.loads((HERE / f"talks-{name}.json").read_text(encoding="utf-8"))
    texts: dict[int, str] = {}
    sentences: list[Said] = []
    before = ""
    for number, (role, text) in enumerate(talk["messages"]):
        if role == "user":
            texts[number] = text
            sentences += said(before, text, number)
        before = text
    return texts, sentences


def _of_message(row: dict[str, list[list[str]]], texts: dict[int, str], older: Sequence[Said]) -> Iterator[Later]:
    message = str(row["message"])
    for one in said("", message, len(older)):
        ends: set[int] = set()
        for old, new, _ in row["changes"]:
            if not _shares(one, message.find(new), len(new)):
                continue
            number = next(number for number, text in texts.items() if old in text)
            at = texts[number].find(old)
            ends |= {place for place, its in enumerate(older) if its.message == number and _shares(its, at, len(old))}
        yield Later(one, older, frozenset(ends))


def _shares(one: Said, start: int, size: int) -> bool:
    """Whether a stretch of its message lies in a sentence, or some words of it."""
    common = min(one.start + len(one.text), start + size) - max(one.start, start)
    return common >= min(size, _SOME)
