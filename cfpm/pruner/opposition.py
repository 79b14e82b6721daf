"""Whether one text denies what another says was done. A link between the two loses neither, so it needs less than a
correction does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfpm.text.deeds.deeds import MINE, deeds, real, stated
from cfpm.text.deeds.verbs import form_of, implied, kinds, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.text.deeds.clause_verbs import Verb
    from cfpm.text.deeds.deeds import Deed
    from cfpm.text.deeds.denials import Denial, Group

MANY = 3
"""Words that a deed with another verb must share with a denial; for a sure match it must share more."""

SHARED = 2
"""Words of one thing that must agree where not all of them do."""

_BROAD = frozenset(["attend", "implement", "make", "work"])
"""Groups of verbs that are only loosely alike: one thing can be joined and not completed."""

_MAKING = frozenset(["make", "implement"])
_HAVING = _MAKING | {"have", "get", "use", "work"}
"""Verbs that cannot be denied of what is somebody's own; "my" map can be one that was never used."""

_ENDING = frozenset(map(form_of, ["completed", "finished", "ended"]))
"""What was never finished can have been begun, so that only the same verb speaks against it."""


class Clash(NamedTuple):
    """How much the two texts share, and what."""

    strength: int
    why: str


def denied(no: Denial, done: Iterable[Deed]) -> str:
    """Why one of the deeds is surely what the denial says is over; empty when both may be true."""
    for deed in done:
        shared = no.words & deed.words
        if not shared or (no.ordinals and deed.ordinals and not no.ordinals & deed.ordinals):
            continue
        for verb in deed.verbs:
            close = no.words & verb.behind
            whole = any(group.words <= verb.behind for group in no.groups)
            if verb.verb in no.verbs and close and (whole or (not no.yet and len(close) * 2 > len(no.words))):
                return f"denied: {verb.verb} {' '.join(sorted(close))}"
        if len(shared) > MANY and not no.yet and any(group.words <= deed.words for group in no.groups):
            return f"denied: {' '.join(sorted(shared))}"
    return ""


def opposed(no: Denial, text: str) -> Clash | None:
    """What the text says was done and the denial says never was; None when nothing points to it."""
    done = deeds(text)
    said = stated(text)
    if not done or not no.words & said or (no.numbers and no.numbers.isdisjoint(numbers_of(text))):
        return None
    if no.anything:
        return _any_at_all(no, done)
    found = [
        Clash(len(shared) * 2 + (1 if verb else 0), f"denied: {' '.join((verb, *sorted(shared))).strip()}")
        for group in no.groups
        for verb, shared in (_same_deed(no, group, done, said), ("", _same_thing(no, group, real(text), said)))
        if shared
    ]
    return max(found, default=None)


def _any_at_all(no: Denial, done: Iterable[Deed]) -> Clash | None:
    """ "I've never mentored anyone": whoever it was, it was somebody."""
    verbs = (verb for deed in done for verb in deed.verbs if verb.form in no.forms and verb.phrase)
    return next((Clash(2, f"denied: {verb.form} {verb.phrase[0]}") for verb in verbs), None)


def _same_deed(no: Denial, group: Group, done: Iterable[Deed], said: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The same verb, with the same thing beside it."""
    words, core, *_ = group
    for deed in done:
        if _is_own(no, group, deed):
            return MINE, words
        for verb in deed.verbs:
            if not _denies(group, verb) or (no.ordinals and deed.ordinals and not no.ordinals & deed.ordinals):
                continue
            named = core <= no.names
            if not named and _is_loose(no, group, verb) and not (words - core) & said:
                continue
            # A name may stand behind a comma: "a fellow sailor, Ivo, at the fair".
            near = verb.before | (verb.behind if named else frozenset(verb.phrase))
            if core <= near or _is_by_name(no, group, near):
                if not core <= near or _fits(no, group, verb, said):
                    return verb.verb, words & deed.words
                continue
            shared = words & deed.words
            if _most_of(group, shared, near) or _bare(group, shared, verb):
                return verb.verb, shared
            if len(words) >= SHARED and words <= said and verb.form in no.forms:
                return verb.verb, words
    return "", frozenset()


def _is_loose(no: Denial, group: Group, verb: Verb) -> bool:
    """Another verb of a broad group, and one word for the thing."""
    return verb.verb in _BROAD and verb.form not in no.forms and len(group.core) == 1


def _is_by_name(no: Denial, group: Group, near: frozenset[str]) -> bool:
    """ "Any books by Ann": whatever is by Ann."""
    rest = group.words - group.core
    return bool(rest) and group.core <= kinds() and rest <= no.names & near


def _fits(no: Denial, group: Group, verb: Verb, said: frozenset[str]) -> bool:
    """The words of the thing stand together, and it is of nothing else."""
    rest = group.words - group.core
    return _is_close(group.core, verb) and not _of_another(rest, group.core, verb, no.names, said)


def _is_own(no: Denial, group: Group, deed: Deed) -> bool:
    """ "I've never made a garden map" against "my garden map"."""
    shared = group.words & deed.words
    most = group.core <= shared and len(shared) >= MANY and len(shared) * 3 >= len(group.words) * 2
    owned = (most or (len(group.words) >= SHARED and group.words == shared)) and any(v.verb == MINE for v in deed.verbs)
    return owned and bool(group.verbs & (_MAKING if no.definite else _HAVING))


def _denies(group: Group, verb: Verb) -> bool:
    return verb.verb in group.verbs or implied().get(verb.verb, "") in group.verbs


def _most_of(group: Group, shared: frozenset[str], near: frozenset[str]) -> bool:
    """Two thirds of the thing, or its noun with much of what stands beside it."""
    words, core, head, _ = group
    if len(shared) < SHARED or not shared & near:
        return False
    return (
        len(shared & core) * 3 >= len(core) * 2
        or shared == words
        or (head in near and len(shared) >= MANY and len(shared) * 3 >= len(words))
    )


def _bare(group: Group, shared: frozenset[str], verb: Verb) -> bool:
    """Half of the words, and nothing else beside the noun: "the workshop in Ghent" may be the pottery workshop."""
    if group.head not in verb.phrase or len(shared) < SHARED or len(shared) * 2 < len(group.words):
        return False
    place = verb.phrase.index(group.head)
    return place == 0 or verb.phrase[place - 1] in group.words


def _is_close(core: frozenset[str], verb: Verb) -> bool:
    """The words stand together behind the verb, or some before it."""
    places = [place for place, word in enumerate(verb.phrase) if word in core]
    return not core <= frozenset(verb.phrase) or places[-1] - places[0] <= len(core) + 2


def _of_another(
    rest: frozenset[str], core: frozenset[str], verb: Verb, names: frozenset[str], said: frozenset[str]
) -> bool:
    """Both say what the thing is of, and not the same: "a book on glazing", "a book on sailing"."""
    if not rest or rest & said:
        return False
    if rest & names:
        return True
    places = [place for place, word in enumerate(verb.phrase) if word in core]
    return not places or bool(verb.phrase[max(places) + 1 :])


def _same_thing(no: Denial, group: Group, clauses: Iterable[frozenset[str]], said: frozenset[str]) -> frozenset[str]:
    """Another verb, but the thing is named in full in one clause, in many words or by a name."""
    words, core, *_ = group
    rest, shared = words - core, words & said
    if no.forms <= _ENDING:
        return frozenset()
    if len(core) < SHARED or not any(core <= clause for clause in clauses) or (rest and not rest & said):
        return frozenset()
    return shared if len(shared) >= MANY or core & no.names else frozenset()
