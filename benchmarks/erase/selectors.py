"""Each way to choose what is to be erased, on a memory of its own: what of it is found afterwards, and what is lost
that was to stay."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.erase.places import Seeded, erase, moment, remote, seed, send, session_of
from benchmarks.erase.words import found

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cfpm import Memory

STATEMENT = ("street", "town", "speaker", "message id")
"""The places of the one message from which the fact of an address is learnt."""

ALL = ("everything",)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one selector left. `left` and `lost` name places; `seeded` is how many words were to go."""

    selector: str
    seeded: int
    before: int
    left: dict[str, list[str]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def _fact(memory: Memory, seeded: Seeded) -> str:
    return next(fact.id for fact in memory.facts() if seeded.target("town") in fact.content.casefold())


def _message(memory: Memory, seeded: Seeded) -> str:
    return f"host-{seeded.target('message id')}"


def _candidate(memory: Memory, seeded: Seeded) -> str:
    rows = memory.candidates(decision="accepted")
    return next(row.id for row in rows if seeded.target("town") in row.content.casefold())


Chosen = tuple[tuple[str, ...], dict[str, Any]]
"""What `erase` is given."""

SELECTORS: dict[str, tuple[Callable[[Memory, Seeded], Chosen], tuple[str, ...]]] = {
    "fact id": (lambda memory, here: ((_fact(memory, here),), {}), STATEMENT),
    "message id": (lambda memory, here: ((_message(memory, here),), {}), STATEMENT),
    "candidate id": (lambda memory, here: ((_candidate(memory, here),), {}), STATEMENT),
    "query": (lambda memory, here: ((), {"query": here.target("town").upper()}), STATEMENT),
    "session": (lambda memory, here: ((), {"session": session_of(here.target)}), ()),
    "speaker": (lambda memory, here: ((), {"speaker": here.target("speaker").title()}), STATEMENT),
    "time": (
        lambda memory, here: (
            (),
            {"since": moment(here.target), "until": moment(here.target) + timedelta(hours=1)},
        ),
        (),
    ),
    "everything": (lambda memory, here: ((), {"everything": True}), ALL),
}
"""What is given to `erase`, and the places whose words are to go; none for all of the target's."""


def wanted(here: Seeded, places: tuple[str, ...]) -> dict[str, str]:
    """The words that are to go, with their places."""
    if places == ALL:
        return here.target.places | here.bystander.places
    names = {f"target: {place}" for place in places}
    return {word: place for word, place in here.target.places.items() if not places or place in names}


def measure(name: str, folder: Path, *, chroma: bool) -> Outcome:
    """Seeds a folder, erases by one selector, has the remote asked, and searches every file and an export."""
    choose, places = SELECTORS[name]
    here = Seeded(folder, chroma=chroma)
    folder.mkdir(parents=True)
    with remote(folder / "remote.db") as base:
        seed(here, base)
        go = wanted(here, places)
        before = sum(map(len, found(folder, go).values()))
        with here.open() as memory:
            ids, chosen = choose(memory, here)
            erase(here, memory, *ids, **chosen)
            export = io.StringIO()
            memory.export(export)
        send(here, base)
    (folder / "export.jsonl").write_text(export.getvalue(), encoding="utf-8")
    stay = {word: place for word, place in here.bystander.places.items() if word not in go}
    there = {place for places in found(folder, stay).values() for place in places}
    return Outcome(name, len(go), before, found(folder, go), sorted(set(stay.values()) - there))
