"""Learns which pieces of a message are somebody else's text, from messages that are labelled or joined from parts."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.stories.stories import Story
from benchmarks.train.labels import HERE, KEPT_APART
from benchmarks.train.newton import named, newton, write_weights
from cfpm.model import Role
from cfpm.text.pasted import learnt
from cfpm.text.pasted.documents import quoted_stretches, shown_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LABELLED, PARTS = HERE / "pastes-p1.jsonl", HERE / "pastes-parts.toml"
AUTHORS, OF_STORIES = ("pastes-q1", "pastes-q2", "pastes-q4", "pastes-q5", "pastes-q6"), HERE / "pastes-s1.jsonl"
"""Authors of pastes without marks and of own messages that look as if they held one; and messages of stories that the
head of before took for such, read again. Nobody learns from `pastes-q3`."""
STORIES = HERE.parent / "stories"
_QUOTES = frozenset('"“「>`«')
FOLDER = HERE.parents[1] / "cfpm" / "text" / "pasted"
APART = (*KEPT_APART, "mentor-m9", "sentences-s13", "worlds-w4", "worlds-w7")
"""Labels to test on: nothing of what users say there may be taken for a paste."""
_ENDED = tuple(":：.?？!。！")
_DRAWN = 8.0
"""How strongly weights are drawn to nothing; of 1, 8 and 40 the one by which fewest own words are lost."""
FOUND = 0.7
"""Share of its characters from which a stretch of somebody else's text counts as found."""

_SHORT = 200
"""Characters of a message of several paragraphs that is surely its sender's own."""
_LEAST = 6
"""Pieces in which a feature must stand."""


class Told(NamedTuple):
    """A message, and the stretches of it that are somebody else's, as [start, end)."""

    text: str
    foreign: tuple[tuple[int, int], ...]


def learn(folder: Path | None, test: Sequence[Path] = ()) -> int:
    """Learns, and prints how it does on what it learnt from and on the files to test on."""
    known = [*_labelled(LABELLED), *_labelled(LABELLED), *_joined(), *_of_mentors(), *_of_mentors(), *_of_sentences()]
    known += [*_of_stories(), *(one for name in AUTHORS for one in [*_labelled(HERE / f"{name}.jsonl")] * 3)]
    print(f"{len(known)} messages")
    weights = _learnt(known)
    _show("learnt from", weights, known)
    for path in test:
        _show(path.stem, weights, list(_labelled(path)))
        _show_shipped(path.stem, list(_labelled(path)))
    if folder is not None:
        about = "that a piece is somebody else's text"
        write_weights(folder / "weights.toml", "paste", about, weights)
    return 0


def _labelled(path: Path) -> Iterator[Told]:
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield Told(row["text"], tuple((start, end) for start, end in row["foreign"]))


def _of_mentors() -> Iterator[Told]:
    """What users say to agents over weeks: nothing of it is pasted."""
    for path in sorted(HERE.glob("mentor-*.jsonl")):
        if path.stem not in APART:
            rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            said = [row["text"] for row in rows if row["role"] == "user"]
            yield from (Told(text, ()) for text in said)


def _of_stories() -> Iterator[Told]:
    """What users say in stories; what stands between marks there may be a mail, so such messages count as labelled."""
    labelled = {one.text: one for one in _labelled(OF_STORIES)}
    read = {json.loads(line)["story"] for line in OF_STORIES.read_text(encoding="utf-8").splitlines()}
    for path in sorted(path for path in STORIES.glob("*/*.json") if path.stem in read):
        for message in Story.read(path).messages():
            text = str(message["content"])
            if message["role"] != "user":
                continue
            if text in labelled:
                yield labelled[text]
            elif _QUOTES.isdisjoint(text) and ("\n\n" not in text or len(text) < _SHORT):
                yield Told(text, ())


def _of_sentences() -> Iterator[Told]:
    """Sentences of users as one message after the other, two to four in each: nothing of it is pasted either."""
    for path in sorted((*HERE.glob("sentences-s*.jsonl"), *HERE.glob("worlds-w*.jsonl"))):
        if path.stem in APART:
            continue
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        texts = [row["text"] for row in rows if row.get("role", "user") == "user"]
        at = 0
        while at < len(texts):
            count = 2 + at % 3
            yield Told((" ", "\n", " ", "\n\n")[at % 4].join(texts[at : at + count]), ())
            at += count


def _joined() -> Iterator[Told]:
    """Requests with documents behind or before them, and own rules beside; of one language four times in five."""
    parts = tomllib.loads(PARTS.read_text(encoding="utf-8"))
    yield from (Told(text, ()) for text in (*parts["own"], *parts["own"], *parts["rules"]))
    yield from _beside_marks(parts["marked"], parts["rules"], parts["before"])
    before, after, rules = (
        {tongue: _in(parts[name], tongue) for tongue in (False, True)} for name in ("before", "after", "rules")
    )
    for number, document in enumerate(parts["documents"]):
        tongue = _chinese(document) if number % 5 else not _chinese(document)
        for turn in range(4):
            asked = before[tongue][(7 * number + 31 * turn) % len(before[tongue])]
            then = after[tongue][(5 * number + 17 * turn) % len(after[tongue])]
            rule = rules[tongue][(3 * number + 11 * turn) % len(rules[tongue])]
            gap, other = ("\n\n", " ", "\n")[(number + turn) % 3], ("\n\n", "\n\n", "\n", " ")[(number + turn) % 4]
            gap, other = gap if asked.endswith(_ENDED) else "\n", other if document.endswith(_ENDED) else "\n\n"
            shapes: tuple[tuple[str, ...], ...] = (
                (asked, gap, f"<{document}>"),
                (f"<{document}>", other, then),
                (asked, gap, f"<{document}>", other, rule),
                (rule, other, asked, gap, f"<{document}>"),
                (f"<{document}>", "\n\n", then, " ", rule),
                (asked, "\n\n", f"<{document}>", "\n\n", then),
                (asked, gap, f'<"{document}">', other, rule) if "\n" not in document else (f"<{document}>",),
            )
            yield _marked(shapes[(2 * turn + number) % len(shapes)])
            yield _marked(shapes[(2 * turn + 1 + number) % len(shapes)])


def _beside_marks(marked: Sequence[str], rules: Sequence[str], before: Sequence[str]) -> Iterator[Told]:
    """Own rules before and behind what its form shows to be foreign, with and without a request."""
    for number, document in enumerate(marked):
        for turn in range(4):
            rule = rules[(5 * number + 7 * turn) % len(rules)]
            yield _marked((f"<{document}>", "\n\n" if turn % 2 else "\n", rule))
            asked = before[(11 * number + 13 * turn) % len(before)]
            yield _marked((rule, "\n\n", asked, "\n\n", f"<{document}>"))
            yield _marked((asked, "\n", f"<{document}>", "\n\n", rule))
            yield _marked((rule, ("\n\n", " ", "\n")[turn % 3] if "\n" not in document else "\n\n", f"<{document}>"))


def _marked(shape: Sequence[str]) -> Told:
    text, foreign = "", []
    for part in shape:
        bare = part[1:-1] if part.startswith("<") else part
        if bare != part:
            foreign.append((len(text), len(text) + len(bare)))
        text += bare
    return Told(text, tuple(foreign))


def _chinese(text: str) -> bool:
    return any("\u3400" <= sign <= "\u9fff" for sign in text)


def _in(texts: Sequence[str], tongue: bool) -> list[str]:
    return [text for text in texts if _chinese(text) == tongue]


def _rows(told: Sequence[Told]) -> Iterator[tuple[set[str], bool]]:
    """The features and the label of each piece."""
    for one in told:
        parts = learnt.pieces(one.text, shown_in(one.text))
        wanted = [any(start <= (part.start + part.end) // 2 < end for start, end in one.foreign) for part in parts]
        wanted = [foreign or learnt.HARD in part.signs for part, foreign in zip(parts, wanted, strict=True)]
        for at, foreign in enumerate(wanted):
            if learnt.HARD in parts[at].signs:
                continue
            given = learnt.links(parts[at], parts[at - 1], wanted[at - 1]) if at else set()
            yield learnt.features(parts, at) | given, foreign


def _learnt(told: Sequence[Told]) -> dict[str, float]:
    rows = list(_rows(told))
    counts: dict[str, int] = {}
    for found, _ in rows:
        for name in found:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    place = {name: number for number, name in enumerate(names)}
    values = np.zeros((len(rows), len(names)))
    for row, (found, _) in enumerate(rows):
        values[row, [place[name] for name in found if name in place]] = 1
    constant, weights = newton(values, np.array([foreign for _, foreign in rows], dtype=float), _DRAWN)
    return named(names, constant, weights)


def _show(title: str, weights: dict[str, float], told: Sequence[Told]) -> None:
    right = count = missed = taken = foreign = 0
    for one in told:
        parts = learnt.pieces(one.text, shown_in(one.text))
        wanted = [any(start <= (part.start + part.end) // 2 < end for start, end in one.foreign) for part in parts]
        found = learnt.judged(parts, weights) if len(parts) > 1 else [False] * len(parts)
        right += wanted == found
        count += len(parts)
        foreign += sum(wanted)
        missed += sum(want and not got for want, got in zip(wanted, found, strict=True))
        taken += sum(got and not want for want, got in zip(wanted, found, strict=True))
    pieces = f"of {foreign} foreign pieces {missed} missed, of {count - foreign} own {taken} taken"
    print(f"{title}: {right} of {len(told)} messages right; {pieces}")


def _show_shipped(title: str, told: Sequence[Told]) -> None:
    """What all that ships, forms and head, makes of the messages."""
    lost = own = found = foreign = 0
    for one in told:
        taken = [(each.start, each.end) for each in quoted_stretches(one.text, Role.USER)]
        own += not one.foreign
        lost += bool(taken) and not one.foreign
        for start, end in one.foreign:
            held = sum(any(begin <= at < stop for begin, stop in taken) for at in range(start, end))
            foreign += 1
            found += held >= FOUND * (end - start)
    print(
        f"{title}, as it ships: {lost} of {own} own messages lose words; {found} of {foreign} foreign stretches found"
    )
