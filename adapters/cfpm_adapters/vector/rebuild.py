"""Rebuilds a collection from the store, and examines one for `cfpm doctor`. Both end with a proof, not with a count."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from cfpm.errors import CFPMError
from cfpm.store.doctor import Check
from cfpm_adapters.vector.client import Place
from cfpm_adapters.vector.collection import remove_files, set_aside
from cfpm_adapters.vector.errors import BrokenError, OwnedError, VectorError, rebuild_with
from cfpm_adapters.vector.index import VectorIndex, embedder_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfpm.embedding import Embedder
    from cfpm.memory import Memory

    Progress = Callable[[int, int], None]

THOROUGH = 64
"""Messages that each must find itself: when one vector in twenty is lost, they notice nothing in 4 % of cases."""


def rebuild(memory: Memory, where: str, embedder: str | None = None, progress: Progress | None = None) -> int:
    """Brings the collection of this memory into step, and returns how many vectors it has. Raises VectorError."""
    return rebuilt(memory, Place(where), embedder_of(memory, embedder), progress)


def rebuilt(memory: Memory, place: Place, embedder: Embedder, progress: Progress | None) -> int:
    """Keeps what is sound; clears what is not; moves files aside that cannot even be opened."""
    try:
        return _in_step(memory, place, embedder, progress)
    except OwnedError:
        raise
    except BrokenError:
        set_aside(place)
        return _in_step(memory, place, embedder, progress)


def erase(memory: Memory, where: str, embedder: str | None = None) -> int:
    """Makes the collection anew after an erasure, so that no file of a folder holds a vector of what is gone.

    Returns how many vectors it has. Collections of other namespaces in the folder are made anew when they are next
    used. At a server, or beside collections of somebody else, only the entries are deleted. Raises VectorError.
    """
    return made_anew(memory, Place(where), embedder_of(memory, embedder))


def made_anew(memory: Memory, place: Place, embedder: Embedder) -> int:
    """As `erase`."""
    removed = not place.served and remove_files(place)
    if removed and not memory.store.change_feed.searched(memory.scope.namespace, memory.store.change_feed.mark("")):
        # Nothing is left of the namespace: not its name either, which a collection is called by.
        return 0
    if not place.served and not removed:
        with closing(VectorIndex.open(memory, place, embedder)) as index:
            index.collection.clear()
    return rebuilt(memory, place, embedder, None)


def examine(memory: Memory, where: str, embedder: str | None = None) -> list[Check]:
    """Whether Chroma has what the store has, and finds it. Changes nothing there."""
    try:
        chosen = embedder_of(memory, embedder)
        index = VectorIndex.open(memory, Place(where), chosen, create=False)
    except CFPMError as error:
        return [Check("chroma", False, str(error))]
    try:
        with closing(index):
            waiting, proof = index.waiting(), index.prove(THOROUGH)
            index.collection.note_readable()
    except VectorError as error:
        return [Check("chroma", False, str(error))]
    remedy = f". {rebuild_with(where)}"
    counts = f"{proof.entries} vectors of {chosen.name} for {proof.wanted} messages and facts"
    sound = proof.tip and not waiting and proof.entries == proof.wanted
    behind = f", {waiting} changes behind" if waiting else "" if proof.tip else ", of another store"
    found = f"{proof.found} of {proof.sampled} sampled messages are found by their own vector"
    return [
        Check("chroma", sound, f"{counts}{behind}{'' if sound else remedy}"),
        Check(
            "chroma neighbours", proof.found == proof.sampled, found + ("" if proof.found == proof.sampled else remedy)
        ),
    ]


def _in_step(memory: Memory, place: Place, embedder: Embedder, progress: Progress | None) -> int:
    # Closed also when interrupted or cancelled: the lock of an owner must not stay behind.
    with closing(VectorIndex.open(memory, place, embedder)) as index:
        index.drop_erased()
        if not _sound(index):
            index.collection.clear()
        _follow(index, progress)
        if index.prove(THOROUGH).problem:
            index.collection.clear()
            _follow(index, progress)
        proof = index.prove(THOROUGH)
        if proof.problem:
            kind = VectorError if place.served else BrokenError
            raise kind(place.where, proof.problem, "Give Chroma another, empty folder")
        index.collection.note_readable()
        return proof.entries


def _sound(index: VectorIndex) -> bool:
    """Whether what it has so far is worth keeping."""
    try:
        proof = index.prove(THOROUGH)
    except BrokenError:
        return False
    return proof.tip and proof.found == proof.sampled


def _follow(index: VectorIndex, progress: Progress | None) -> None:
    total = index.waiting()
    index.follow(progress=(lambda done: progress(min(done, total), total)) if progress else None)
