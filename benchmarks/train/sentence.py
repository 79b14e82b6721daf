"""Tunes the upper layers of the encoder that reads single sentences, and shows how it does on authors kept apart.

Needs jax and optax. The layers below are those of the encoder of pairs. It begins with those above of the encoder of
pairs, or goes on from the weights that ship.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.encoder import (
    AT_ONCE,
    BETWEEN,
    OPEN,
    RATE,
    SMOOTH,
    answered,
    descent,
    dropping,
    embedded,
    layered,
    opened,
    opened_top,
    stored_top,
)
from benchmarks.train.labels import (
    HERE,
    KEPT_APART,
    MEANT_APART,
    RULES_APART,
    SESSIONS,
    TONES_APART,
    kept_for_rules,
    of_rules,
    sentences,
)
from benchmarks.train.relation import write
from cfpm.embedding.encoder import MAX_PIECES as MOST
from cfpm.text import sentences as split
from cfpm.text.heads.relation import encoder, stored
from cfpm.text.heads.sentence import KINDS, LASTING, MEANT, SHARED, cut_up, read, read_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cfpm.embedding.encoder import Encoder
    from cfpm.text.heads.sentence import Read

    Tree = dict[str, Any]

EPOCHS, FURTHER_EPOCHS = 5, 2
"""From the weights of pairs, and from those that ship."""

FURTHER_RATE = 6e-5
WIDTHS = (16, 24, 32, 48, MOST)
"""Word pieces to which the sentences of a batch are filled up."""

OF_QUESTIONS = (1.0, 0.7, 1.0)
"""How much each of the three questions counts."""

LINES = (500, 600, 700, 800, 900)
"""Thousandths from which precision and recall are shown."""

KINDS_OF_LABELS = ("sentences-*", "mentor-*", "belief-*", "meant-*", "standing-*")

_OF_SINGLE = {"reported": "hearsay", "supposed": "guess"}
_OF_PARTS = {"sarcasm": "jest"}
_OF_READERS = {"dropped": "withdrawn"}
"""Answers under another name, in the single sentences of `belief-b2`, in parts of messages (`meant-k*`), and in
sentences of stories (`meant-t1`)."""
COLOURFUL = "exaggeration"
"""What is told so is meant, and no jest."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with what is known of it; empty for what nobody labelled."""

    text: str
    kind: str = ""
    lasting: str = ""
    meant: str = ""
    by_agent: bool = False
    no_rule: bool = False
    """Whether all that is known of its kind is that it is no standing rule."""
    message: str = ""
    """Where it stands, of what is labelled by how it is meant."""


def learn(apart: Sequence[str], data: Path | None, folder: Path | None, *, further: bool) -> int:
    """Learns from all authors but those kept apart, prints how it does on these, and writes it into a folder."""
    files = sorted(path for pattern in KINDS_OF_LABELS for path in HERE.glob(f"{pattern}.jsonl"))
    files += sorted(HERE.glob(f"{SESSIONS}-*.jsonl")) if data else []
    kept = [path for path in files if path.stem.partition("-")[2] in apart]
    learnt_from = [path for path in files if path not in kept and _learnt_from(path)]
    unseen = kept_for_rules()
    known = [one for path in learnt_from for one in labelled(path, data) if one.text not in unseen]
    print(f"{len(known)} sentences of {len(learnt_from)} authors")
    top = stored_top(_tuned(known, further=further))
    reader = encoder().topped(SHARED, top)
    for path in kept:
        _show(path.stem, list(labelled(path, data)), reader)
    if folder is not None:
        write("sentence", top, folder)
    return 0


def _learnt_from(path: Path) -> bool:
    return path.stem not in KEPT_APART | MEANT_APART and not path.stem.startswith("sentences-f")


def labelled(path: Path, data: Path | None) -> Iterator[Labelled]:
    """The sentences of a file of labels; KeyError for a file of another kind."""
    if path.stem.startswith(("belief", "meant")):
        yield from (one for one in tones(path) if one.meant != COLOURFUL)
        return
    if path.stem.startswith("standing"):
        for row in (row for row in of_rules(path) if row["story"] not in RULES_APART):
            rule = row["rule"]
            yield Labelled(row["text"], "instruction" if rule else "", "later" if rule else "", no_rule=not rule)
        return
    for one in sentences([path], data):
        if one.role not in ("user", "assistant"):
            continue
        by_agent = one.role == "assistant"
        meant = "" if by_agent or one.kind == "none" or path.stem.startswith("mentor") else "meant"
        yield Labelled(one.text, one.kind if one.kind in KINDS else "", one.lasting, meant, by_agent)


def tones(path: Path) -> Iterator[Labelled]:
    """What a file labels by how it is meant; what is told with colour as `COLOURFUL`."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield from _of_belief(row)


def _of_belief(row: Mapping[str, Any]) -> Iterator[Labelled]:
    if "stands_for" in row and row["story"] not in TONES_APART and row["is"] != "nothing":
        yield Labelled(row["text"], meant=_OF_READERS.get(row["is"], row["is"]))
    if "belief" in row:
        yield Labelled(row["text"], meant=_OF_SINGLE.get(row["belief"], row["belief"]))
    for part in row.get("parts", ()):
        yield Labelled(part["words"], meant=_OF_PARTS.get(part["is"], part["is"]), message=row["message"])
    for text in (message["text"] for message in row.get("messages", ())):
        for sentence in (each.text for each in split(text)):
            if _holds(sentence, row["not_believed"]):
                if row["kind"] in MEANT:
                    yield Labelled(sentence, meant=row["kind"], message=text)
            elif _holds(sentence, row["believed"]):
                yield Labelled(sentence, meant="meant", message=text)


def _holds(text: str, phrases: Sequence[str]) -> bool:
    return any(all(part.strip() in text for part in phrase.split("&")) for phrase in phrases)


def _begun(below: Tree, answers: int) -> Tree:
    """What is tuned, as it begins: the upper layers of the encoder of pairs, and answers that know nothing."""
    width = len(below["joined"][1])
    return {
        "layers": below["layers"][SHARED:],
        "joined": below["joined"],
        "answer": (
            np.random.default_rng(0).normal(0, 0.04, (width, answers)).astype(np.float32),
            np.zeros(answers, np.float32),
        ),
    }


def _tuned(known: Sequence[Labelled], *, further: bool) -> Tree:
    """The own layers and answers, after all epochs."""
    import jax  # type: ignore[import-not-found,unused-ignore]

    random = np.random.default_rng(0)
    below = opened(stored("relation"))
    answers = len(KINDS) + len(LASTING) + len(MEANT)
    learnt = opened_top(stored("sentence"), answers) if further else _begun(below, answers)
    rows = _lower({**below, "layers": below["layers"][:SHARED]}, known)
    wanted = [_wanted(one) for one in known]
    for place, kinds in _of_others(known).items():
        wanted[place][: len(KINDS)] = kinds

    def loss(learnt: Tree, batch: Mapping[str, Any], key: Any) -> Any:
        drop = dropping(key, learnt["layers"])
        told = answered(learnt, layered(learnt["layers"], batch["rows"], batch["there"], drop), batch["there"], drop)
        lost, begin = 0, 0
        for names, counts in zip((KINDS, LASTING, MEANT), OF_QUESTIONS, strict=True):
            end = begin + len(names)
            lost -= counts * (batch["wanted"][:, begin:end] * jax.nn.log_softmax(told[:, begin:end])).sum(-1)
            begin = end
        return (batch["weight"] * lost).sum() / batch["weight"].sum()

    def epoch() -> Iterator[dict[str, NDArray[Any]]]:
        return (_batch(chunk, rows, wanted) for chunk in _chunks(rows, random))

    epochs, rate = (FURTHER_EPOCHS, FURTHER_RATE) if further else (EPOCHS, RATE)
    steps = epochs * (len(known) // AT_ONCE + 1)
    told = learnt
    for told, lost in descent(learnt, loss, steps, (epoch() for _ in range(epochs)), rate):  # noqa: B007 (the last)
        print(f"mean loss {lost:.3f}", flush=True)
    return told


def _lower(below: Tree, known: Sequence[Labelled]) -> list[NDArray[np.float16]]:
    """What the layers that are not tuned make of each sentence, computed once."""
    import jax

    pieces = []
    for one in known:
        speaker, own = cut_up(one.text, by_agent=one.by_agent)
        pieces.append([OPEN, *speaker, BETWEEN, *own, BETWEEN])
    second = [row.index(BETWEEN) + 1 for row in pieces]

    @jax.jit  # type: ignore[untyped-decorator,unused-ignore]
    def through(ids: Any, sides: Any) -> Any:
        rows = embedded(below, {"ids": ids, "sides": sides})
        return layered(below["layers"], rows, ids > 0, dropping(None, []))

    found: list[NDArray[np.float16]] = [np.zeros((0, 0), np.float16)] * len(known)
    order = sorted(range(len(known)), key=lambda place: len(pieces[place]))
    for start in range(0, len(order), AT_ONCE):
        chunk = order[start : start + AT_ONCE]
        ids = np.zeros((AT_ONCE, _width(len(pieces[chunk[-1]]))), np.int32)
        sides = np.zeros_like(ids)
        ids[:, 0] = OPEN
        for row, place in enumerate(chunk):
            ids[row, : len(pieces[place])] = pieces[place]
            sides[row, second[place] : len(pieces[place])] = 1
        told = np.asarray(through(ids, sides))
        for row, place in enumerate(chunk):
            found[place] = told[row, : len(pieces[place])].astype(np.float16)
    return found


def _width(longest: int) -> int:
    return next(width for width in WIDTHS if width >= longest)


def _chunks(rows: Sequence[NDArray[np.float16]], random: np.random.Generator) -> Iterator[list[int]]:
    """The places of sentences in random order, those of about one length together."""
    order = random.permutation(len(rows)).tolist()
    found = []
    for start in range(0, len(order), 16 * AT_ONCE):
        chunk = sorted(order[start : start + 16 * AT_ONCE], key=lambda place: len(rows[place]))
        found += [chunk[at : at + AT_ONCE] for at in range(0, len(chunk), AT_ONCE)]
    for place in random.permutation(len(found)).tolist():
        yield found[place]


def _wanted(one: Labelled) -> NDArray[np.float32]:
    """The share of each answer to the three questions; none to what nobody labelled."""
    shares = np.zeros(len(KINDS) + len(LASTING) + len(MEANT), np.float32)
    begin = 0
    for names, label in ((KINDS, one.kind), (LASTING, one.lasting), (MEANT, one.meant)):
        if label:
            shares[begin : begin + len(names)] = SMOOTH / len(names)
            shares[begin + names.index(label)] += 1 - SMOOTH
        begin += len(names)
    return shares


def _of_others(known: Sequence[Labelled]) -> dict[int, NDArray[np.float32]]:
    """By place, the kinds of what is no rule: as the encoder that ships has them, without rules and wishes."""
    places = [place for place, one in enumerate(known) if one.no_rule]
    found = {}
    for start in range(0, len(places), AT_ONCE):
        chunk = places[start : start + AT_ONCE]
        for place, told in zip(chunk, read([known[place].text for place in chunk]), strict=True):
            left = np.array([0 if name in ("instruction", "preference") else told.kind[name] + 1 for name in KINDS])
            found[place] = (left / left.sum()).astype(np.float32)
    return found


def _batch(
    chunk: Sequence[int], rows: Sequence[NDArray[np.float16]], shares: Sequence[NDArray[np.float32]]
) -> dict[str, NDArray[Any]]:
    width = _width(max(len(rows[place]) for place in chunk))
    filled = np.zeros((AT_ONCE, width, rows[chunk[0]].shape[1]), np.float32)
    there = np.zeros((AT_ONCE, width), bool)
    there[:, 0] = True
    wanted = np.zeros((AT_ONCE, len(KINDS) + len(LASTING) + len(MEANT)), np.float32)
    for row, place in enumerate(chunk):
        filled[row, : len(rows[place])], there[row, : len(rows[place])] = rows[place], True
        wanted[row] = shares[place]
    weight = np.array([row < len(chunk) for row in range(AT_ONCE)], np.float32)
    return {"rows": filled, "there": there, "wanted": wanted, "weight": weight}


def _show(name: str, apart: Sequence[Labelled], reader: Encoder) -> None:
    for by_agent in (False, True):
        of_role = [one for one in apart if one.by_agent is by_agent]
        if of_role:
            _show_role(f"{name}, {'agents' if by_agent else 'users'}", of_role, reader)


def _show_role(name: str, apart: Sequence[Labelled], reader: Encoder) -> None:
    told: list[Read] = []
    for start in range(0, len(apart), AT_ONCE):
        chunk = apart[start : start + AT_ONCE]
        told += read_by(reader, [one.text for one in chunk], by_agent=chunk[0].by_agent)
    print(f"{name}: {len(apart)} sentences")
    for question, answers in (
        ("kind", [(one.kind, each.kind) for one, each in zip(apart, told, strict=True)]),
        ("lasting", [(one.lasting, each.lasting) for one, each in zip(apart, told, strict=True)]),
    ):
        right = [max(shares, key=shares.__getitem__) == label for label, shares in answers if label]
        if right:
            print(f"  {question}: {sum(right) / len(right):.2f} right")
    lasts = [(one.lasting == "later", each.lasting["later"]) for one, each in zip(apart, told, strict=True)]
    for line in LINES if any(later for later, _ in lasts) else ():
        taken = [later for later, share in lasts if share >= line]
        print(f"  later from {line}: {sum(taken)} of {sum(later for later, _ in lasts)}, {len(taken)} taken")
    asked = [(one, each) for one, each in zip(apart, told, strict=True) if one.meant not in ("", "question")]
    for line in LINES if asked else ():
        taken = [1_000 - each.meant["meant"] - each.meant["question"] >= line for _, each in asked]
        lost = [took for took, (one, _) in zip(taken, asked, strict=True) if one.meant == "meant"]
        found = [took for took, (one, _) in zip(taken, asked, strict=True) if one.meant != "meant"]
        print(f"  from {line}: {sum(found)} of {len(found)} not meant found, {sum(lost)} of {len(lost)} meant lost")
