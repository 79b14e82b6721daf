"""Whether one text denies what another says was done. A link between the two loses neither, so it needs less than a
correction does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfpm.pruner.deeds import deeds, stated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.pruner.deeds import Deed, Verb
    from cfpm.pruner.denials import Denial

MANY = 3
"""Words that a deed with another verb must share with a denial; for a sure match it must share more."""

SHARED = 2
"""Words of one thing that must agree where not all of them do."""

_BROAD = frozenset(["attend", "implement", "make", "work"])
"""Groups of verbs that are only loosely alike: one thing can be joined and not completed."""


class Clash(NamedTuple):
    """How much the two texts share, and what."""

    strength: int
    why: str


def denied(no: Denial, done: Iterable[Deed]) -> str:
    """Why one of the deeds is surely what the denial says is over; empty when both may be true."""
    for deed in done:
        shared = no.words & deed.words
        if not shared:
            continue
        for verb in deed.verbs:
            close = no.words & verb.behind
            whole = any(words <= verb.behind for words, _ in no.groups)
            if verb.verb in no.verbs and close and (whole or len(close) * 2 > len(no.words)):
                return f"denied: {verb.verb} {' '.join(sorted(close))}"
        if len(shared) > MANY and any(words <= deed.words for words, _ in no.groups):
            return f"denied: {' '.join(sorted(shared))}"
    return ""


def opposed(no: Denial, text: str) -> Clash | None:
    """What the text says was done and the denial says never was; None when nothing points to it."""
    done = deeds(text)
    said = stated(text)
    if not done or not no.words & said:
        return None
    found = [
        Clash(len(shared) * 2 + (1 if verb else 0), f"denied: {' '.join((verb, *sorted(shared))).strip()}")
        for words, core in no.groups
        for verb, shared in (_same_deed(no, words, core, done), ("", _same_thing(no, words, core, said)))
        if shared
    ]
    return max(found, default=None)


def _same_deed(
    no: Denial, words: frozenset[str], core: frozenset[str], done: Iterable[Deed]
) -> tuple[str, frozenset[str]]:
    """The same verb, with the same thing beside it."""
    for deed in done:
        for verb in deed.verbs:
            if verb.verb not in no.verbs or (no.ordinals and deed.ordinals and not no.ordinals & deed.ordinals):
                continue
            loose = verb.verb in _BROAD and verb.form not in no.forms
            if loose and len(core) == 1 and not (words - core) & deed.words:
                continue
            near = verb.before | frozenset(verb.phrase)
            if core <= near and not _of_another(words - core, core, verb, deed):
                return verb.verb, words & deed.words
            shared = words & deed.words
            if len(shared) >= SHARED and len(shared & core) * 3 >= len(core) * 2 and shared & near:
                return verb.verb, shared
    return "", frozenset()


def _of_another(rest: frozenset[str], core: frozenset[str], verb: Verb, deed: Deed) -> bool:
    """Both say what the thing is of, and not the same: "a book on glazing", "a book on sailing"."""
    if not rest or rest & deed.words:
        return False
    places = [place for place, word in enumerate(verb.phrase) if word in core]
    return not places or bool(verb.phrase[max(places) + 1 :])


def _same_thing(no: Denial, words: frozenset[str], core: frozenset[str], said: frozenset[str]) -> frozenset[str]:
    """Another verb, but the thing is named in full, in many words or by a name."""
    rest, shared = words - core, words & said
    if len(core) < SHARED or not core <= said or (rest and not rest & said):
        return frozenset()
    return shared if len(shared) >= MANY or core & no.names else frozenset()
